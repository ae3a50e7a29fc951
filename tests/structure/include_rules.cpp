// SPDX-License-Identifier: GPL-3.0-or-later
#include "include_rules.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QMap>
#include <QRegularExpression>

namespace {

/// Rooms of core each room may use, beside itself. A room that is not listed may use nothing, so
/// that a new one has to be entered here.
const QMap<QString, QStringList>& arrows()
{
    static const QMap<QString, QStringList> map = [] {
        const auto words = [](const char* text) {
            return QString::fromLatin1(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
        };
        QMap<QString, QStringList> m;
        m[QStringLiteral("emulator")] = {};
        m[QStringLiteral("support")] = {};
        m[QStringLiteral("rubric")] = words("support");
        m[QStringLiteral("bundle")] = words("support");
        for (const char* room : {"exec", "numerics", "timing", "roofline", "audit", "import"})
            m[QString::fromLatin1(room)] = words("bundle support");
        m[QStringLiteral("pass")] = words("exec numerics timing roofline audit bundle support");
        m[QStringLiteral("review")] =
            words("rubric pass exec numerics timing roofline audit bundle support");
        m[QStringLiteral("report")] =
            words("review rubric pass exec numerics timing roofline audit bundle support");
        return m;
    }();
    return map;
}

/// Comments replaced by spaces; line breaks kept.
QString withoutComments(const QString& text)
{
    QString out = text;
    enum { Code, Line, Block, Text, Character } state = Code;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        const QChar next = i + 1 < text.size() ? text[i + 1] : QChar();
        if (state == Code) {
            if (c == QLatin1Char('/') && (next == QLatin1Char('/') || next == QLatin1Char('*'))) {
                state = next == QLatin1Char('/') ? Line : Block;
                out[i] = out[i + 1] = QLatin1Char(' ');
                ++i;
            } else if (c == QLatin1Char('"')) {
                state = Text;
            } else if (c == QLatin1Char('\'')) {
                state = Character;
            }
        } else if (state == Text || state == Character) {
            if (c == QLatin1Char('\\'))
                ++i;
            else if (c == QLatin1Char('\n') || c == QLatin1Char(state == Text ? '"' : '\''))
                state = Code; // digit separators open a "character" that ends with its line
        } else if (state == Line) {
            if (c == QLatin1Char('\n'))
                state = Code;
            else
                out[i] = QLatin1Char(' ');
        } else {
            if (c == QLatin1Char('*') && next == QLatin1Char('/')) {
                state = Code;
                out[i] = out[i + 1] = QLatin1Char(' ');
                ++i;
            } else if (c != QLatin1Char('\n')) {
                out[i] = QLatin1Char(' ');
            }
        }
    }
    return out;
}

QString coreRoom(const QString& room)
{
    return room.startsWith(QLatin1String("core/")) ? room.mid(5) : QString();
}

} // namespace

QVector<Include> includesOf(const QString& text)
{
    static const QRegularExpression pattern(
        QStringLiteral("^\\s*#\\s*include\\s*(?:\"([^\"]+)\"|<([^>]+)>|(.*))"));
    QVector<Include> all;
    const QStringList lines = withoutComments(text).split(QLatin1Char('\n'));
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const auto match = pattern.match(lines[i]);
        if (!match.hasMatch())
            continue;
        const bool quoted = !match.captured(1).isEmpty();
        all << Include{int(i) + 1, quoted ? match.captured(1) : match.captured(2), quoted};
    }
    return all;
}

QString roomOf(const QString& path)
{
    const QStringList steps = path.split(QLatin1Char('/'));
    if (steps[0] == QLatin1String("widgets"))
        return steps[0];
    if (steps[0] != QLatin1String("core") && steps[0] != QLatin1String("app"))
        return {};
    return steps.size() > 2 ? steps[0] + QLatin1Char('/') + steps[1] : steps[0];
}

IncludeRules::IncludeRules(QString root, QString qtHeaders)
    : m_root(QDir::cleanPath(root)), m_qtHeaders(std::move(qtHeaders))
{
}

QVector<Violation> IncludeRules::check() const
{
    QVector<Violation> all;
    m_files = 0;
    const QStringList patterns{QStringLiteral("*.h"),   QStringLiteral("*.hpp"),
                               QStringLiteral("*.cpp"), QStringLiteral("*.cc"),
                               QStringLiteral("*.inl"), QStringLiteral("*.c")};
    for (const char* top : {"app", "core", "widgets"}) {
        QDirIterator it(m_root + QLatin1Char('/') + QString::fromLatin1(top), patterns, QDir::Files,
                        QDirIterator::Subdirectories);
        while (it.hasNext()) {
            const QString path = it.next();
            QFile file(path);
            if (!file.open(QIODevice::ReadOnly)) {
                all << Violation{path, 0, {}, QStringLiteral("cannot be read")};
                continue;
            }
            ++m_files;
            const QString relative = path.mid(m_root.size() + 1);
            for (const Include& include : includesOf(QString::fromUtf8(file.readAll()))) {
                const QString reason = reasonAgainst(relative, include);
                if (!reason.isEmpty())
                    all << Violation{relative, include.line, include.name, reason};
            }
        }
    }
    return all;
}

QString IncludeRules::target(const QString& file, const Include& include) const
{
    const QString beside =
        QDir::cleanPath(QFileInfo(file).path() + QLatin1Char('/') + include.name);
    if (include.quoted && QFileInfo::exists(m_root + QLatin1Char('/') + beside))
        return beside;
    // Also a path that climbs: "../../app/x.h" counts whether or not the file exists yet.
    if (include.name.startsWith(QLatin1String("..")))
        return beside;
    return QDir::cleanPath(include.name);
}

QString IncludeRules::reasonAgainst(const QString& file, const Include& include) const
{
    const QString room = roomOf(file);
    if (include.name.isEmpty())
        return QStringLiteral("an include of a macro cannot be checked");
    const QString to = roomOf(target(file, include));
    if (to.isEmpty())
        return qtReason(room, include.name);
    if (to == room)
        return {};
    const QString core = coreRoom(room);
    const QString toCore = coreRoom(to);
    if (room.startsWith(QLatin1String("core"))) {
        if (toCore.isEmpty())
            return QStringLiteral("core uses nothing above it");
        if (toCore == QLatin1String("emulator"))
            return QStringLiteral("the emulator is loaded into other programs, not used by core");
        if (!arrows().contains(core))
            return QStringLiteral("the room %1 is not in the map of arrows").arg(room);
        if (!arrows().value(core).contains(toCore))
            return QStringLiteral("%1 may not use %2").arg(room, to);
        return {};
    }
    // The command line may name the emulator's device models; nothing else has business there.
    if (toCore == QLatin1String("emulator") && room != QLatin1String("app/cli"))
        return QStringLiteral("the emulator is loaded into other programs, not used by the window");
    if (room == QLatin1String("widgets") && to.startsWith(QLatin1String("app")))
        return QStringLiteral("widgets use nothing of app");
    if (room == QLatin1String("app/cli") &&
        (to == QLatin1String("widgets") || to == QLatin1String("app/window")))
        return QStringLiteral("the command line touches no widget");
    if (room == QLatin1String("app/window") && to == QLatin1String("app/cli"))
        return QStringLiteral("window and command line do not know each other");
    return {};
}

QString IncludeRules::qtModule(const QString& header) const
{
    if (header.startsWith(QLatin1String("Qsci/")) || header == QLatin1String("qcustomplot.h"))
        return QStringLiteral("QtWidgets");
    const QStringList steps = header.split(QLatin1Char('/'));
    if (steps.size() > 1)
        return steps[0].startsWith(QLatin1String("Qt")) ? steps[0] : QString();
    static const QRegularExpression qt(QStringLiteral("^(Q[A-Z]|q[a-z]+\\.h$)"));
    if (!qt.match(header).hasMatch())
        return {};
    const QStringList modules =
        QDir(m_qtHeaders).entryList({QStringLiteral("Qt*")}, QDir::Dirs, QDir::Name);
    // QtCore first: nothing of it is forbidden anywhere but in the emulator.
    for (const QString& module : QStringList{QStringLiteral("QtCore")} + modules) {
        if (QFileInfo::exists(QStringLiteral("%1/%2/%3").arg(m_qtHeaders, module, header)))
            return module;
    }
    return header.startsWith(QLatin1Char('Q')) ? QStringLiteral("unknown") : QString();
}

QString IncludeRules::qtReason(const QString& room, const QString& header) const
{
    const QString module = qtModule(header);
    if (module.isEmpty())
        return {};
    if (room == QLatin1String("core/emulator"))
        return QStringLiteral("the emulator uses no Qt");
    static const QStringList plain{QStringLiteral("QtCore"), QStringLiteral("QtConcurrent")};
    if (room.startsWith(QLatin1String("core"))) {
        if (plain.contains(module) ||
            (room == QLatin1String("core/report") && module == QLatin1String("QtGui")))
            return {};
        return QStringLiteral("%1 has no place in %2").arg(module, room);
    }
    if (room == QLatin1String("app/cli") && !plain.contains(module) &&
        module != QLatin1String("QtGui"))
        return QStringLiteral("the command line touches no widget (%1)").arg(module);
    return {};
}
