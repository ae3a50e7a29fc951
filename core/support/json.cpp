// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/json.h"

#include "core/support/paths.h"

#include <QFileInfo>
#include <QSaveFile>
#include <iterator>
#include <limits>
#include <set>
#include <vector>

#include <unistd.h>

namespace ridgeline {

namespace {

Location placeOf(const QByteArray& text, qsizetype offset, const QString& file)
{
    Location where;
    where.file = file;
    offset = std::min(offset, text.size());
    where.line = 1 + int(std::count(text.begin(), text.begin() + offset, '\n'));
    const qsizetype lineStart = offset == 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
    where.column = int(offset - lineStart) + 1;
    return where;
}

/// Reads text and tells how far it came: nlohmann's parser gives its callbacks no position.
class CountingIterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator() = default;
    CountingIterator(const char* at, const char** reached) : m_at(at), m_reached(reached) {}

    reference operator*() const { return *m_at; }
    CountingIterator& operator++()
    {
        *m_reached = ++m_at;
        return *this;
    }
    CountingIterator operator++(int)
    {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return m_at == other.m_at; }
    bool operator!=(const CountingIterator& other) const { return m_at != other.m_at; }

private:
    const char* m_at = nullptr;
    const char** m_reached = nullptr;
};

/// Watches nesting and duplicate keys while nlohmann builds the document, so that a hostile file
/// is refused before it costs memory or stack.
class Builder : public nlohmann::detail::json_sax_dom_parser<Json> {
    using Base = nlohmann::detail::json_sax_dom_parser<Json>;

public:
    Builder(Json& root, const JsonLimits& limits) : Base(root, false), m_limits(limits) {}

    bool null() { return counted() && Base::null(); }
    bool boolean(bool value) { return counted() && Base::boolean(value); }
    bool number_integer(std::int64_t value) { return counted() && Base::number_integer(value); }
    bool number_unsigned(std::uint64_t value) { return counted() && Base::number_unsigned(value); }
    bool number_float(double value, const std::string& text)
    {
        return counted() && Base::number_float(value, text);
    }
    bool string(std::string& value) { return counted() && Base::string(value); }

    bool start_object(std::size_t n)
    {
        m_keys.emplace_back();
        return deeper() && Base::start_object(n);
    }
    bool end_object()
    {
        m_keys.pop_back();
        --m_depth;
        return Base::end_object();
    }
    bool start_array(std::size_t n) { return deeper() && Base::start_array(n); }
    bool end_array()
    {
        --m_depth;
        return Base::end_array();
    }
    bool key(std::string& name)
    {
        if (!m_keys.back().insert(name).second) {
            m_problem = QStringLiteral("the key \"%1\" occurs twice in one object")
                            .arg(qstr(name).left(80));
            return false;
        }
        return Base::key(name);
    }
    bool parse_error(std::size_t position, const std::string& /*token*/,
                     const nlohmann::detail::exception& error)
    {
        m_position = position;
        // nlohmann prefixes "[json.exception…] parse error at line x, column y: "; the place is
        // ours to say.
        QString text = QString::fromUtf8(error.what());
        const qsizetype colon = text.indexOf(QStringLiteral(": "));
        const qsizetype bracket = text.indexOf(QStringLiteral("] "));
        m_problem = text.mid(std::max(colon, bracket) + (std::max(colon, bracket) < 0 ? 1 : 2));
        return false;
    }

    QString m_problem;
    std::size_t m_position = 0;

private:
    bool deeper()
    {
        if (++m_depth <= m_limits.maxDepth)
            return counted();
        m_problem = QStringLiteral("nested deeper than %1 levels").arg(m_limits.maxDepth);
        return false;
    }
    bool counted()
    {
        if (++m_values <= m_limits.maxValues)
            return true;
        m_problem = QStringLiteral("more than %1 values").arg(m_limits.maxValues);
        return false;
    }

    const JsonLimits m_limits;
    qint64 m_values = 0;
    int m_depth = 0;
    std::vector<std::set<std::string>> m_keys;
};

} // namespace

Result<Json> parseJson(const QByteArray& utf8, const QString& file, const JsonLimits& limits)
{
    if (utf8.size() > limits.maxBytes) {
        return Error{ErrorCode::TooLarge,
                     QStringLiteral("%1 bytes of JSON, more than the limit of %2")
                         .arg(utf8.size())
                         .arg(limits.maxBytes),
                     {file},
                     {}};
    }
    // nlohmann takes a NUL for the end of the text and would ignore whatever follows.
    if (const qsizetype nul = utf8.indexOf('\0'); nul >= 0) {
        return Error{ErrorCode::BadSyntax, QStringLiteral("not valid JSON: a NUL byte"),
                     placeOf(utf8, nul, file), QStringLiteral("mend the file at that place")};
    }
    Json root;
    Builder builder(root, limits);
    const char* const begin = utf8.constData();
    const char* reached = begin;
    const bool ok = Json::sax_parse(CountingIterator(begin, &reached),
                                    CountingIterator(begin + utf8.size(), &reached), &builder);
    if (!ok) {
        const auto offset =
            builder.m_position > 0 ? qsizetype(builder.m_position) - 1 : reached - begin - 1;
        return Error{ErrorCode::BadSyntax,
                     QStringLiteral("not valid JSON: %1").arg(builder.m_problem),
                     placeOf(utf8, std::max<qsizetype>(offset, 0), file),
                     QStringLiteral("mend the file at that place")};
    }
    return root;
}

Result<Json> readJsonFile(const QString& path, const JsonLimits& limits)
{
    auto bytes = readFile(path, limits.maxBytes);
    if (!bytes)
        return bytes.error();
    return parseJson(*bytes, path, limits);
}

QByteArray toJsonBytes(const Json& json)
{
    const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
    return QByteArray(text.data(), qsizetype(text.size())) + '\n';
}

QByteArray toJsonLine(const Json& json)
{
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return QByteArray(text.data(), qsizetype(text.size()));
}

Result<void> writeFileAtomically(const QString& path, const QByteArray& bytes)
{
    QSaveFile file(path);
    // A device or pipe would be replaced by the rename.
    const QFileInfo there(path);
    if (there.exists() && !there.isFile()) {
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("cannot write: not a regular file"),
                     {path},
                     QStringLiteral("choose another name")};
    }
    const auto failed = [&] {
        return Error{ErrorCode::Unreadable,
                     QStringLiteral("cannot write: %1").arg(file.errorString()),
                     {path},
                     QStringLiteral("check permissions and free space")};
    };
    if (!file.open(QIODevice::WriteOnly))
        return failed();
    if (file.write(bytes) != bytes.size() || !file.flush())
        return failed();
    if (::fsync(file.handle()) != 0 || !file.commit())
        return failed();
    return {};
}

const Json& jsonMember(const Json& object, const char* key)
{
    static const Json null;
    if (!object.is_object())
        return null;
    const auto it = object.find(key);
    return it == object.end() ? null : *it;
}

QString jsonString(const Json& object, const char* key, const QString& fallback)
{
    const Json& value = jsonMember(object, key);
    return value.is_string() ? qstr(value.get_ref<const std::string&>()) : fallback;
}

double jsonNumber(const Json& object, const char* key, double fallback)
{
    const Json& value = jsonMember(object, key);
    return value.is_number() ? value.get<double>() : fallback;
}

qint64 jsonInt(const Json& object, const char* key, qint64 fallback)
{
    const Json& value = jsonMember(object, key);
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        return number <= std::uint64_t(std::numeric_limits<qint64>::max()) ? qint64(number)
                                                                           : fallback;
    }
    return value.is_number_integer() ? value.get<std::int64_t>() : fallback;
}

bool jsonBool(const Json& object, const char* key, bool fallback)
{
    const Json& value = jsonMember(object, key);
    return value.is_boolean() ? value.get<bool>() : fallback;
}

QStringList jsonStrings(const Json& object, const char* key)
{
    QStringList strings;
    const Json& value = jsonMember(object, key);
    if (value.is_array()) {
        for (const Json& item : value) {
            if (item.is_string())
                strings << qstr(item.get_ref<const std::string&>());
        }
    }
    return strings;
}

QString pointerStep(const QString& key)
{
    QString escaped = key;
    escaped.replace(QLatin1Char('~'), QStringLiteral("~0"))
        .replace(QLatin1Char('/'), QStringLiteral("~1"));
    return QLatin1Char('/') + escaped;
}

} // namespace ridgeline
