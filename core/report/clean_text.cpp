// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/clean_text.h"

#include <QChar>
#include <cmath>

namespace ridgeline {

namespace {

/// Characters that change how their neighbours are shown, or that no document may hold.
bool mustShow(char32_t c)
{
    if (c == U'\t' || c == U'\n')
        return false;
    if (c < 0x20 || (c >= 0x7f && c < 0xa0))
        return true;
    if (c == 0xad || c == 0x61c || c == 0x180e || c == 0xfeff)
        return true;
    if ((c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
        (c >= 0x2060 && c <= 0x206f) || (c >= 0xfff9 && c <= 0xfffb))
        return true;
    if (c >= 0xe0000 && c <= 0xe0fff) // tags and variation selectors
        return true;
    return (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe;
}

QString withUnit(double value, const char* unit)
{
    return QString::number(value, 'g', 4) + QLatin1Char(' ') + QString::fromUtf8(unit);
}

} // namespace

QString cleanText(const QString& text, int maxChars)
{
    // Cut first: a megabyte must not be walked to show a page.
    QString kept = text.left(maxChars);
    if (kept.size() < text.size() && !kept.isEmpty() && kept.back().isHighSurrogate())
        kept.chop(1);
    const qsizetype missing = text.size() - kept.size();
    QString clean;
    clean.reserve(kept.size());
    for (qsizetype i = 0; i < kept.size(); ++i) {
        const QChar c = kept[i];
        char32_t code = c.unicode();
        if (c.isHighSurrogate() && i + 1 < kept.size() && kept[i + 1].isLowSurrogate())
            code = QChar::surrogateToUcs4(c, kept[++i]);
        else if (c.isSurrogate())
            code = 0xfffd;
        if (code == U'\r') {
            if (i + 1 < kept.size() && kept[i + 1] == QLatin1Char('\n'))
                continue;
            code = U'\n';
        }
        if (code == 0x2028 || code == 0x2029 || code == 0x85 || code == 0x0b || code == 0x0c)
            code = U'\n';
        if (mustShow(code))
            clean += QStringLiteral("\u27e8U+%1\u27e9")
                         .arg(QString::number(uint(code), 16).toUpper(), 4, QLatin1Char('0'));
        else
            clean += QChar::fromUcs4(code);
    }
    if (missing > 0)
        clean += QStringLiteral(" \u2026 (%1 more characters left out)").arg(missing);
    return clean;
}

QString cleanLine(const QString& text, int maxChars)
{
    return cleanText(text, maxChars).simplified();
}

QString timeText(double ns)
{
    if (!std::isfinite(ns))
        return numberText(ns);
    const double size = std::abs(ns);
    if (size < 1e3)
        return withUnit(ns, "ns");
    if (size < 1e6)
        return withUnit(ns / 1e3, "\u00b5s");
    if (size < 1e9)
        return withUnit(ns / 1e6, "ms");
    return withUnit(ns / 1e9, "s");
}

QString bytesText(double bytes)
{
    constexpr double step = 1024;
    if (!std::isfinite(bytes) || std::abs(bytes) < step)
        return withUnit(bytes, "B");
    const char* const units[] = {"KiB", "MiB", "GiB", "TiB"};
    int unit = -1;
    do {
        bytes /= step;
        ++unit;
    } while (std::abs(bytes) >= step && unit < 3);
    return withUnit(bytes, units[unit]);
}

QString numberText(double value)
{
    if (std::isnan(value))
        return QStringLiteral("nan");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    constexpr double exactIntegers = 1e15;
    if (std::floor(value) == value && std::abs(value) < exactIntegers)
        return QString::number(qint64(value));
    return QString::number(value, 'g', 6);
}

} // namespace ridgeline
