// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/diagnostics.h"

#include <QDir>
#include <QRegularExpression>
#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>

namespace ridgeline {

namespace {

QString severityOf(const QString& word)
{
    if (word.contains(QLatin1String("error")) || word.contains(QLatin1String("fatal")))
        return QStringLiteral("error");
    if (word.contains(QLatin1String("warning")))
        return QStringLiteral("warning");
    return QStringLiteral("note");
}

QString placed(const QString& file, const QString& root)
{
    const QString clean = QDir::cleanPath(file);
    const QString prefix = QDir::cleanPath(root) + QLatin1Char('/');
    return clean.startsWith(prefix) ? clean.mid(prefix.size()) : clean;
}

} // namespace

QVector<Diagnostic> parseDiagnostics(const QString& log, const QString& root, int most)
{
    static const QRegularExpression cudafe(QStringLiteral(
        "^(.+?)\\((\\d+)\\): (catastrophic error|error|warning|remark|note)(?: #[\\w-]+)?: (.*)$"));
    static const QRegularExpression gcc(
        QStringLiteral("^(.+?):(\\d+):(?:(\\d+):)? (fatal error|error|warning|note): (.*)$"));
    static const QRegularExpression ptxasLine(
        QStringLiteral("^ptxas (.+?), line (\\d+); (error|fatal|warning|info)\\s*: (.*)$"));
    static const QRegularExpression tool(
        QStringLiteral("^(ptxas|nvcc|nvlink|fatbinary|cicc)\\s+(error|fatal|warning)\\s*: (.*)$"));
    static const QRegularExpression linker(
        QStringLiteral("^(?:.*?ld: )?(.*?)(undefined reference to .*|multiple definition of .*)$"));
    static const QRegularExpression collect(QStringLiteral("^collect2: (error): (.*)$"));

    QVector<Diagnostic> found;
    const auto lines = QStringView(log).split(QLatin1Char('\n'));
    for (const QStringView view : lines) {
        if (found.size() >= most)
            break;
        const QString line = view.trimmed().left(2000).toString();
        QRegularExpressionMatch m;
        Diagnostic d;
        if ((m = ptxasLine.match(line)).hasMatch()) {
            if (m.captured(3) == QLatin1String("info"))
                continue;
            d = {severityOf(m.captured(3)), placed(m.captured(1), root), m.captured(2).toInt(), 0,
                 QStringLiteral("ptxas: ") + m.captured(4)};
        } else if ((m = tool.match(line)).hasMatch()) {
            d = {severityOf(m.captured(2)),
                 {},
                 0,
                 0,
                 m.captured(1) + QStringLiteral(": ") + m.captured(3)};
        } else if ((m = cudafe.match(line)).hasMatch()) {
            d = {severityOf(m.captured(3)), placed(m.captured(1), root), m.captured(2).toInt(), 0,
                 m.captured(4)};
        } else if ((m = gcc.match(line)).hasMatch()) {
            d = {severityOf(m.captured(4)), placed(m.captured(1), root), m.captured(2).toInt(),
                 m.captured(3).toInt(), m.captured(5)};
        } else if ((m = linker.match(line)).hasMatch()) {
            d = {QStringLiteral("error"), {}, 0, 0, QStringLiteral("linker: ") + m.captured(2)};
        } else if ((m = collect.match(line)).hasMatch()) {
            d = {QStringLiteral("error"), {}, 0, 0, QStringLiteral("linker: ") + m.captured(2)};
        } else {
            continue;
        }
        // The same header warning arrives once per compiler stage.
        if (!found.contains(d))
            found.push_back(d);
    }
    return found;
}

const Diagnostic* firstError(const QVector<Diagnostic>& diagnostics)
{
    const Diagnostic* first = nullptr;
    for (const Diagnostic& d : diagnostics) {
        if (d.severity != QLatin1String("error"))
            continue;
        if (first == nullptr)
            first = &d;
        if (d.line > 0 && !d.file.startsWith(QLatin1Char('/')))
            return &d;
    }
    return first;
}

QVector<KernelUsage> parsePtxasUsage(const QString& log)
{
    static const QRegularExpression entry(
        QStringLiteral("Compiling entry function '([^']+)' for '([^']+)'"));
    static const QRegularExpression properties(QStringLiteral("Function properties for (\\S+)"));
    static const QRegularExpression frame(QStringLiteral(
        "(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads"));
    static const QRegularExpression used(QStringLiteral("Used (\\d+) registers(.*)$"));
    static const QRegularExpression barriers(QStringLiteral("used (\\d+) barriers"));
    static const QRegularExpression shared(QStringLiteral("(\\d+)(?:\\+\\d+)? bytes smem"));
    static const QRegularExpression constants(QStringLiteral("(\\d+) bytes cmem\\[\\d+\\]"));
    QVector<KernelUsage> kernels;
    QString described; // whose properties the next lines tell: device functions have some too
    const auto lines = QStringView(log).split(QLatin1Char('\n'));
    for (const QStringView view : lines) {
        const QString line = view.left(4000).toString();
        QRegularExpressionMatch m;
        if ((m = entry.match(line)).hasMatch()) {
            KernelUsage kernel;
            kernel.mangled = m.captured(1);
            kernel.name = demangle(kernel.mangled);
            kernel.arch = m.captured(2);
            kernels.push_back(kernel);
            described = kernel.mangled;
        } else if ((m = properties.match(line)).hasMatch()) {
            described = m.captured(1);
        } else if (kernels.isEmpty()) {
            continue;
        } else if ((m = frame.match(line)).hasMatch() && described == kernels.back().mangled) {
            kernels.back().stackBytes = m.captured(1).toInt();
            kernels.back().spillStoreBytes = m.captured(2).toInt();
            kernels.back().spillLoadBytes = m.captured(3).toInt();
        } else if ((m = used.match(line)).hasMatch()) {
            KernelUsage& kernel = kernels.back();
            kernel.registers = m.captured(1).toInt();
            const QString rest = m.captured(2);
            kernel.barriers = barriers.match(rest).captured(1).toInt();
            kernel.sharedBytes = shared.match(rest).captured(1).toInt();
            for (auto it = constants.globalMatch(rest); it.hasNext();)
                kernel.constBytes += it.next().captured(1).toInt();
        }
    }
    return kernels;
}

QString demangle(const QString& name)
{
    int status = 0;
    char* text = abi::__cxa_demangle(name.toUtf8().constData(), nullptr, nullptr, &status);
    const QString result = status == 0 && text != nullptr ? QString::fromUtf8(text) : name;
    std::free(text);
    return result;
}

} // namespace ridgeline
