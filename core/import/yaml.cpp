// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/yaml.h"

#include <QRegularExpression>
#include <QStringDecoder>
#include <map>
#include <sstream>
#include <vector>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace ridgeline {

namespace {

Location placeOf(const YAML::Mark& mark, const QString& file)
{
    return {file, mark.is_null() ? 0 : mark.line + 1, mark.is_null() ? 0 : mark.column + 1, {}};
}

Json scalarOf(const std::string& text, const std::string& tag)
{
    if (tag != "?" && tag != "tag:yaml.org,2002:int" && tag != "tag:yaml.org,2002:float" &&
        tag != "tag:yaml.org,2002:bool")
        return Json(text);
    const QString word = qstr(text);
    static const QStringList nulls{QString(), QStringLiteral("~"), QStringLiteral("null"),
                                   QStringLiteral("Null"), QStringLiteral("NULL")};
    if (nulls.contains(word))
        return Json();
    if (word == QLatin1String("true") || word == QLatin1String("True"))
        return Json(true);
    if (word == QLatin1String("false") || word == QLatin1String("False"))
        return Json(false);
    static const QRegularExpression whole(QStringLiteral("^[-+]?[0-9]+$"));
    static const QRegularExpression number(
        QStringLiteral("^[-+]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?$"));
    bool ok = false;
    if (whole.match(word).hasMatch()) {
        const qint64 value = word.toLongLong(&ok);
        if (ok)
            return Json(value);
    }
    if (number.match(word).hasMatch()) {
        const double value = word.toDouble(&ok);
        if (ok)
            return Json(value);
    }
    return Json(text);
}

qint64 countOf(const Json& json)
{
    qint64 count = 1;
    if (json.is_structured()) {
        for (const Json& child : json)
            count += countOf(child);
    }
    return count;
}

int depthOf(const Json& json)
{
    int depth = 0;
    if (json.is_structured()) {
        for (const Json& child : json)
            depth = std::max(depth, depthOf(child));
    }
    return depth + 1;
}

/// Stops yaml-cpp from inside an event.
struct Stop {
    Error error;
};

/// Builds JSON from events, so that a bomb is refused before it is expanded.
class Builder : public YAML::EventHandler {
public:
    Builder(QString file, const YamlLimits& limits) : m_file(std::move(file)), m_limits(limits) {}

    Json root;

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        put(mark, anchor, Json());
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override
    {
        put(mark, anchor, isKey() ? Json(value) : scalarOf(value, tag));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        const auto it = m_anchors.find(anchor);
        if (it == m_anchors.end())
            stop(mark, ErrorCode::BadSyntax,
                 QStringLiteral("an alias inside the value its own anchor names"));
        m_values += it->second.values - 1;
        if (int(m_open.size()) + it->second.depth > m_limits.maxDepth)
            tooDeep(mark);
        put(mark, 0, it->second.json);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        start(mark, anchor, Json::array());
    }
    void OnSequenceEnd() override { end(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        start(mark, anchor, Json::object());
    }
    void OnMapEnd() override { end(); }
    void OnAnchor(const YAML::Mark&, const std::string&) override {}

private:
    struct Level {
        Json json;
        YAML::anchor_t anchor = 0;
        YAML::Mark mark;
        std::string key;
        bool haveKey = false;
    };
    struct Anchored {
        Json json;
        qint64 values = 0;
        int depth = 0;
    };

    bool isKey() const
    {
        return !m_open.empty() && m_open.back().json.is_object() && !m_open.back().haveKey;
    }

    [[noreturn]] void stop(const YAML::Mark& mark, ErrorCode code, const QString& why)
    {
        throw Stop{Error{code, why, placeOf(mark, m_file), {}}};
    }
    [[noreturn]] void tooDeep(const YAML::Mark& mark)
    {
        stop(mark, ErrorCode::TooLarge,
             QStringLiteral("nested deeper than %1 levels").arg(m_limits.maxDepth));
    }

    void count(const YAML::Mark& mark)
    {
        if (++m_values > m_limits.maxValues)
            stop(mark, ErrorCode::TooLarge,
                 QStringLiteral("more than %1 values once aliases are expanded")
                     .arg(m_limits.maxValues));
    }

    void put(const YAML::Mark& mark, YAML::anchor_t anchor, Json value)
    {
        count(mark);
        if (anchor != 0) {
            const qint64 values = countOf(value);
            const int depth = depthOf(value);
            m_anchors[anchor] = {value, values, depth};
        }
        if (m_open.empty()) {
            root = std::move(value);
            return;
        }
        Level& level = m_open.back();
        if (level.json.is_array()) {
            level.json.push_back(std::move(value));
        } else if (!level.haveKey) {
            level.key = value.is_string() ? value.get<std::string>() : value.dump();
            level.haveKey = true;
            if (level.json.contains(level.key))
                stop(mark, ErrorCode::BadSyntax,
                     QStringLiteral("the key \"%1\" occurs twice").arg(qstr(level.key).left(80)));
        } else {
            level.json[level.key] = std::move(value);
            level.haveKey = false;
        }
    }

    void start(const YAML::Mark& mark, YAML::anchor_t anchor, Json empty)
    {
        if (int(m_open.size()) >= m_limits.maxDepth)
            tooDeep(mark);
        m_open.push_back({std::move(empty), anchor, mark, {}, false});
    }

    void end()
    {
        Level level = std::move(m_open.back());
        m_open.pop_back();
        put(level.mark, level.anchor, std::move(level.json));
    }

    QString m_file;
    YamlLimits m_limits;
    std::vector<Level> m_open;
    std::map<YAML::anchor_t, Anchored> m_anchors;
    qint64 m_values = 0;
};

} // namespace

Result<Json> parseYaml(const QByteArray& utf8, const QString& file, const YamlLimits& limits)
{
    if (utf8.size() > limits.maxBytes)
        return Error{ErrorCode::TooLarge,
                     QStringLiteral("YAML of %1 bytes; %2 are allowed")
                         .arg(utf8.size())
                         .arg(limits.maxBytes),
                     {file},
                     {}};
    QStringDecoder decoder(QStringDecoder::Utf8);
    (void)QString(decoder(utf8));
    if (decoder.hasError() || utf8.contains('\0'))
        return Error{ErrorCode::BadSyntax, QStringLiteral("not UTF-8 text"), {file}, {}};
    Builder builder(file, limits);
    try {
        std::istringstream stream(utf8.toStdString());
        YAML::Parser parser(stream);
        if (!parser.HandleNextDocument(builder))
            return Json();
    } catch (const Stop& stop) {
        return stop.error;
    } catch (const YAML::Exception& error) {
        return Error{ErrorCode::BadSyntax, qstr(error.msg), placeOf(error.mark, file), {}};
    } catch (const std::exception& error) {
        return Error{ErrorCode::BadSyntax, QString::fromUtf8(error.what()), {file}, {}};
    }
    return std::move(builder.root);
}

} // namespace ridgeline
