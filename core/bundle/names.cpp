// SPDX-License-Identifier: GPL-3.0-or-later
// The words of kbundle/1, and the list complaints go to.
#include "core/bundle/manifest.h"

#include <algorithm>

namespace ridgeline::manifest {

namespace {

QStringList split(const char* words)
{
    return QString::fromLatin1(words).split(QLatin1Char(' '));
}

} // namespace

const QStringList& taskTypeNames()
{
    static const QStringList names = split("generate translate migrate debug optimize fuse");
    return names;
}

const QStringList& bundleStatusNames()
{
    static const QStringList names = split("ready stub broken");
    return names;
}

const QStringList& callStyleNames()
{
    static const QStringList names =
        split("c_abi process module function tuple dps operator closure");
    return names;
}

const QStringList& expectedNames()
{
    static const QStringList names = split("unknown correct wrong cheat");
    return names;
}

const QStringList& caseUseNames()
{
    static const QStringList names = split("test bench example hidden");
    return names;
}

const QStringList& paramDirectionNames()
{
    static const QStringList names = split("in out inout");
    return names;
}

const QStringList& roleNames()
{
    static const QStringList names =
        split("spec reference candidate source baseline sota input_gen checker harness header "
              "template golden data profile");
    return names;
}

const QStringList& toleranceMethods()
{
    static const QStringList names = split("allclose both_exceed abs exact ulp");
    return names;
}

const QStringList& generatorNames()
{
    // The first five can be run by the harness; the rest come from importers.
    static const QStringList names =
        split("normal uniform randint full arange scalar file code literal");
    return names;
}

bool isIdentifier(const QString& text)
{
    const auto letter = [](QChar c) {
        const char16_t u = c.unicode();
        return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u == '_';
    };
    if (text.isEmpty() || text.size() > 64 || !letter(text.at(0)))
        return false;
    return std::all_of(text.begin(), text.end(), [&](QChar c) {
        return letter(c) || (c >= QLatin1Char('0') && c <= QLatin1Char('9'));
    });
}

void Complaints::add(ErrorCode code, const QString& pointer, const QString& message,
                     const QString& hint)
{
    if (m_errors.size() > maxComplaints)
        return;
    if (m_errors.size() == maxComplaints) {
        m_errors << Error{
            ErrorCode::BadSchema,
            QStringLiteral("more than %1 errors; the rest is left out").arg(maxComplaints),
            {m_file},
            {}};
        return;
    }
    m_errors << Error{code, message, {m_file, 0, 0, pointer}, hint};
}

void Complaints::warn(const QString& pointer, const QString& message)
{
    if (m_warnings.size() < maxComplaints)
        m_warnings << QStringLiteral("%1: %2").arg(pointer, message);
}

} // namespace ridgeline::manifest
