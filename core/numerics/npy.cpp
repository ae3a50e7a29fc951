// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/npy.h"

#include "core/support/json.h"

#include <QFile>
#include <QFileInfo>
#include <cstring>
#include <new>

namespace ridgeline {

namespace {

const QByteArray magic("\x93NUMPY", 6);

Error bad(const QString& file, const QString& message, const QString& hint = {})
{
    return {ErrorCode::BadSyntax, message, {file, 0, 0, {}}, hint};
}

struct Header {
    QString descr;
    bool fortran = false;
    QVector<qint64> shape;
    qint64 dataStart = 0;
};

// The header is a Python dictionary literal; NumPy writes exactly three keys. Nothing is evaluated.
class HeaderParser {
public:
    HeaderParser(const QByteArray& text, int maxDimensions) : m_text(text), m_limit(maxDimensions)
    {
    }

    bool parse(Header& header, QString& why)
    {
        bool descr = false, order = false, shape = false;
        if (!take('{'))
            return fail(why, "it does not start with \"{\"");
        while (!take('}')) {
            QByteArray key;
            if (!string(key) || !take(':'))
                return fail(why, "a key and a colon were expected");
            if (key == "descr" && !descr) {
                QByteArray value;
                if (!string(value))
                    return fail(why,
                                "descr is no plain type name (structured types are not supported)");
                header.descr = QString::fromLatin1(value);
                descr = true;
            } else if (key == "fortran_order" && !order) {
                if (word("True"))
                    header.fortran = true;
                else if (!word("False"))
                    return fail(why, "fortran_order is neither True nor False");
                order = true;
            } else if (key == "shape" && !shape) {
                if (!tuple(header.shape))
                    return fail(why, "shape is no tuple of at most 64 sizes that fit 63 bits");
                shape = true;
            } else {
                return fail(why, "a key is unknown or appears twice");
            }
            if (!take(',')) {
                if (!take('}'))
                    return fail(why, "a comma or \"}\" was expected");
                break;
            }
        }
        blanks();
        if (m_at != m_text.size())
            return fail(why, "there is text behind the dictionary");
        if (!descr || !order || !shape)
            return fail(why, "descr, fortran_order and shape must all be there");
        return true;
    }

private:
    static bool fail(QString& why, const char* text)
    {
        why = QString::fromLatin1(text);
        return false;
    }
    void blanks()
    {
        while (m_at < m_text.size() &&
               (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t'))
            ++m_at;
    }
    bool take(char c)
    {
        blanks();
        if (m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }
    bool word(const char* w)
    {
        blanks();
        if (!m_text.mid(m_at).startsWith(w))
            return false;
        m_at += qsizetype(std::strlen(w));
        return true;
    }
    bool string(QByteArray& value)
    {
        blanks();
        if (m_at >= m_text.size() || (m_text[m_at] != '\'' && m_text[m_at] != '"'))
            return false;
        const qsizetype end = m_text.indexOf(m_text[m_at], m_at + 1);
        if (end < 0 || end - m_at > 64)
            return false;
        value = m_text.mid(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return true;
    }
    bool tuple(QVector<qint64>& sizes)
    {
        if (!take('('))
            return false;
        while (!take(')')) {
            blanks();
            qint64 n = 0;
            const qsizetype start = m_at;
            while (m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9') {
                if (__builtin_mul_overflow(n, qint64(10), &n) ||
                    __builtin_add_overflow(n, qint64(m_text[m_at] - '0'), &n))
                    return false;
                ++m_at;
            }
            if (m_at == start || sizes.size() >= m_limit)
                return false;
            if (m_at < m_text.size() && m_text[m_at] == 'L') // Python 2 wrote long integers so
                ++m_at;
            sizes.push_back(n);
            if (!take(',')) {
                if (!take(')'))
                    return false;
                break;
            }
        }
        return true;
    }

    const QByteArray& m_text;
    qsizetype m_at = 0;
    int m_limit;
};

struct TypeName {
    const char* descr;
    DType type;
};
const TypeName typeNames[] = {
    {"<f8", DType::Fp64},   {"<f4", DType::Fp32},   {"<f2", DType::Fp16},   {"<i8", DType::Int64},
    {"<i4", DType::Int32},  {"<i2", DType::Int16},  {"|i1", DType::Int8},   {"|u1", DType::UInt8},
    {"<u2", DType::UInt16}, {"<u4", DType::UInt32}, {"<u8", DType::UInt64}, {"|b1", DType::Bool}};

Result<DType> elementType(const QString& descr, const QString& file, std::optional<DType> as)
{
    const QString plain =
        descr.startsWith(QLatin1Char('=')) ? QLatin1Char('<') + descr.mid(1) : descr;
    if (as) {
        bool ok = false;
        const int size = plain.mid(2).toInt(&ok);
        if (!ok || size != dtypeSize(*as) || plain.startsWith(QLatin1Char('>')))
            return bad(file, QStringLiteral("elements are \"%1\", which cannot be read as %2")
                                 .arg(descr, dtypeName(*as)));
        return *as;
    }
    for (const TypeName& name : typeNames) {
        if (plain == QLatin1String(name.descr) ||
            (QLatin1String(name.descr).mid(1) == plain.mid(1) &&
             plain.startsWith(QLatin1Char('<')) && plain.endsWith(QLatin1Char('1'))))
            return name.type;
    }
    if (plain.startsWith(QLatin1Char('>')))
        return bad(file, QStringLiteral("elements are big-endian (\"%1\")").arg(descr),
                   QStringLiteral("save with array.astype(array.dtype.newbyteorder('<'))"));
    if (plain.contains(QLatin1Char('V')))
        return bad(
            file,
            QStringLiteral("elements are raw bytes (\"%1\"), as bf16 and fp8 are saved").arg(descr),
            QStringLiteral("say which type they are with --dtype bf16, fp8_e4m3 or fp8_e5m2"));
    return bad(file, QStringLiteral("elements of type \"%1\" are not supported").arg(descr),
               QStringLiteral("float, integer and bool arrays are"));
}

Result<Header> readHeader(const QByteArray& bytes, const QString& file, const NpyLimits& limits)
{
    if (!bytes.startsWith(magic))
        return bad(file, QStringLiteral("this is no NPY file: it does not start with \\x93NUMPY"));
    if (bytes.size() < 10)
        return bad(file, QStringLiteral("the file ends inside its header"));
    const int version = quint8(bytes[6]);
    if (version < 1 || version > 3 || bytes[7] != 0)
        return bad(
            file,
            QStringLiteral("NPY version %1.%2 is unknown").arg(version).arg(int(quint8(bytes[7]))));
    const int prefix = version == 1 ? 10 : 12;
    if (bytes.size() < prefix)
        return bad(file, QStringLiteral("the file ends inside its header"));
    qint64 length = 0;
    for (int i = prefix - 1; i >= 8; --i)
        length = length << 8 | quint8(bytes[i]);
    if (length > limits.maxHeaderBytes)
        return bad(file, QStringLiteral("a header of %1 bytes is over the limit of %2")
                             .arg(length)
                             .arg(limits.maxHeaderBytes));
    if (bytes.size() < prefix + length)
        return bad(file, QStringLiteral("the file ends inside its header"));
    Header header;
    QString why;
    const QByteArray text = bytes.mid(prefix, length);
    if (!HeaderParser(text, limits.maxDimensions).parse(header, why))
        return bad(file, QStringLiteral("the header is not what NumPy writes: %1").arg(why));
    header.dataStart = prefix + length;
    return header;
}

Result<qint64> dataBytes(const Header& header, int size, const QString& file,
                         const NpyLimits& limits)
{
    qint64 bytes = size;
    bool zero = false;
    for (const qint64 n : header.shape)
        zero = zero || n == 0;
    for (const qint64 n : header.shape) {
        if (!zero && __builtin_mul_overflow(bytes, n, &bytes))
            return bad(file, QStringLiteral("the shape overflows"));
    }
    if (zero)
        bytes = 0;
    if (bytes > limits.maxBytes)
        return Error{ErrorCode::TooLarge,
                     QStringLiteral("%1 bytes of data are over the limit of %2")
                         .arg(bytes)
                         .arg(limits.maxBytes),
                     {file, 0, 0, {}},
                     {}};
    return bytes;
}

// Element `index` of the other order, walking the first order. Both directions are the same
// permutation with the shape reversed.
QByteArray reorder(const QByteArray& data, const QVector<qint64>& shape, int size)
{
    if (shape.size() < 2 || data.isEmpty())
        return data;
    QByteArray out(data.size(), Qt::Uninitialized);
    QVector<qint64> index(shape.size(), 0), stride(shape.size());
    qint64 step = size;
    for (qsizetype d = 0; d < shape.size(); ++d) { // column-major strides of the source
        stride[d] = step;
        step *= shape[d];
    }
    qint64 from = 0;
    for (qint64 to = 0; to < data.size(); to += size) {
        std::memcpy(out.data() + to, data.constData() + from, std::size_t(size));
        for (qsizetype d = shape.size() - 1; d >= 0; --d) {
            from += stride[d];
            if (++index[d] < shape[d])
                break;
            from -= stride[d] * shape[d];
            index[d] = 0;
        }
    }
    return out;
}

} // namespace

Result<NpyArray> parseNpy(const QByteArray& bytes, const QString& file, std::optional<DType> as,
                          const NpyLimits& limits)
{
    const Result<Header> header = readHeader(bytes, file, limits);
    if (!header)
        return header.error();
    const Result<DType> type = elementType(header->descr, file, as);
    if (!type)
        return type.error();
    const Result<qint64> size = dataBytes(*header, dtypeSize(*type), file, limits);
    if (!size)
        return size.error();
    const qint64 there = bytes.size() - header->dataStart;
    if (there != *size)
        return bad(file, QStringLiteral("the shape needs %1 bytes of data, the file has %2")
                             .arg(*size)
                             .arg(there));
    NpyArray array;
    array.dtype = *type;
    array.shape = header->shape;
    array.fortranOrder = header->fortran;
    try {
        array.data = bytes.mid(header->dataStart);
        if (header->fortran)
            array.data = reorder(array.data, array.shape, dtypeSize(*type));
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::TooLarge,
                     QStringLiteral("%1 bytes do not fit in memory").arg(*size),
                     {file, 0, 0, {}},
                     {}};
    }
    return array;
}

Result<NpyArray> readNpy(const QString& path, std::optional<DType> as, const NpyLimits& limits)
{
    const QFileInfo info(path);
    if (!info.exists())
        return Error{
            ErrorCode::NotFound, QStringLiteral("there is no such file"), {path, 0, 0, {}}, {}};
    QFile file(path);
    if (!info.isFile() || !file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Unreadable,
                     info.isFile() ? file.errorString()
                                   : QStringLiteral("this is not a regular file"),
                     {path, 0, 0, {}},
                     {}};
    if (file.size() > limits.maxBytes + limits.maxHeaderBytes + 12)
        return Error{ErrorCode::TooLarge,
                     QStringLiteral("%1 bytes are over the limit of %2")
                         .arg(file.size())
                         .arg(limits.maxBytes),
                     {path, 0, 0, {}},
                     {}};
    // A wrong file is told by its first bytes, however long it is.
    const Result<Header> header = readHeader(file.peek(limits.maxHeaderBytes + 12), path, limits);
    if (!header)
        return header.error();
    try {
        return parseNpy(file.readAll(), path, as, limits);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::TooLarge,
                     QStringLiteral("%1 bytes do not fit in memory").arg(file.size()),
                     {path, 0, 0, {}},
                     {}};
    }
}

QByteArray npyBytes(const NpyArray& array)
{
    QByteArray descr;
    for (const TypeName& name : typeNames) {
        if (name.type == array.dtype)
            descr = name.descr;
    }
    if (descr.isEmpty())
        descr = "|V" + QByteArray::number(dtypeSize(array.dtype));
    QByteArray shape;
    for (const qint64 n : array.shape)
        shape += (shape.isEmpty() ? QByteArray() : QByteArray(" ")) + QByteArray::number(n) + ',';
    if (array.shape.size() > 1)
        shape.chop(1);
    QByteArray text = "{'descr': '" + descr +
                      "', 'fortran_order': " + (array.fortranOrder ? "True" : "False") +
                      ", 'shape': (" + shape + "), }";
    const bool longHeader = text.size() > 65000;
    const int prefix = longHeader ? 12 : 10;
    // Data starts at a multiple of 64 bytes; the header ends in a newline.
    while ((prefix + text.size() + 1) % 64)
        text += ' ';
    text += '\n';
    QByteArray bytes = magic;
    bytes += char(longHeader ? 2 : 1);
    bytes += char(0);
    for (int i = 0; i < prefix - 8; ++i)
        bytes += char(text.size() >> (8 * i) & 0xff);
    bytes += text;
    if (array.fortranOrder) {
        const QVector<qint64> reversed(array.shape.rbegin(), array.shape.rend());
        bytes += reorder(array.data, reversed, dtypeSize(array.dtype));
    } else {
        bytes += array.data;
    }
    return bytes;
}

Result<void> writeNpy(const QString& path, const NpyArray& array)
{
    return writeFileAtomically(path, npyBytes(array));
}

} // namespace ridgeline
