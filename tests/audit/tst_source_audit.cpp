// SPDX-License-Identifier: GPL-3.0-or-later
// Each source of tests/audit/data has a file beside it that says what must be found:
//   task known [fp32] [migration] [hip] [forbid=NAME]… [axis=N]…
//   CODE SEVERITY [LINE]    every finding above info, no more and no less
//   info CODE / not CODE    an info finding that must, or must not, be there
#include "core/audit/cpp_rules.h"
#include "core/audit/python_rules.h"
#include "core/audit/source_audit.h"
#include "core/support/paths.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace ridgeline;

namespace {

QString fixtureDir()
{
    return QStringLiteral(RIDGELINE_SOURCE_DIR "/tests/audit/data");
}

QString readText(const QString& path)
{
    const auto bytes = readFile(path);
    return bytes ? QString::fromUtf8(*bytes) : QString();
}

QString languageOf(const QString& file)
{
    return file.endsWith(QLatin1String(".py"))    ? QStringLiteral("triton")
           : file.endsWith(QLatin1String(".hip")) ? QStringLiteral("hip")
                                                  : QStringLiteral("cuda");
}

AuditTask taskOf(const QStringList& words)
{
    AuditTask task;
    task.entry = QStringLiteral("solve");
    for (const QString& word : words) {
        task.known = task.known || word == QLatin1String("known");
        task.fp32Contract = task.fp32Contract || word == QLatin1String("fp32");
        task.migration = task.migration || word == QLatin1String("migration");
        if (word.startsWith(QLatin1String("forbid=")))
            task.forbidden << word.mid(7);
        if (word.startsWith(QLatin1String("axis=")))
            task.axisValues << word.mid(5).toLongLong();
    }
    return task;
}

} // namespace

class TestSourceAudit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void badFiles();
    void fixtures_data();
    void fixtures();
    void everyRuleHasAFixture();
    void findingsAreComplete();
    void honestSamplesAreClean();
    void cheatingSamplesAreFound();
    void rangesHashTheirLines();
};

void TestSourceAudit::badFiles()
{
    QTemporaryDir dir;
    QCOMPARE(auditFile(dir.filePath(QStringLiteral("none.cu"))).error().code, ErrorCode::NotFound);
    QVERIFY(!auditFile(dir.path(), QStringLiteral("cuda")).ok());
    QVERIFY(writeFileAtomically(dir.filePath(QStringLiteral("a.txt")), "x").ok());
    QCOMPARE(auditFile(dir.filePath(QStringLiteral("a.txt"))).error().code, ErrorCode::BadUsage);
    QCOMPARE(auditFile(dir.filePath(QStringLiteral("a.txt")), QStringLiteral("cobol")).error().code,
             ErrorCode::BadUsage);
    Bundle bundle;
    bundle.dir = dir.path();
    Candidate c;
    c.files = {QStringLiteral("../etc/passwd")};
    QCOMPARE(auditCandidate(bundle, c).error().code, ErrorCode::UnsafePath);
    c.files = {QStringLiteral("missing.cu")};
    QVERIFY(!auditCandidate(bundle, c).ok());
}

void TestSourceAudit::fixtures_data()
{
    QTest::addColumn<QString>("file");
    const QDir dir(fixtureDir());
    for (const QString& name : dir.entryList({QStringLiteral("*.expected")}, QDir::Files))
        QTest::newRow(qPrintable(name.chopped(9))) << name.chopped(9);
}

void TestSourceAudit::fixtures()
{
    QFETCH(QString, file);
    const QDir dir(fixtureDir());
    const QString source = readText(dir.filePath(file));
    QVERIFY(!source.isEmpty());
    AuditTask task;
    QStringList expected, info, absent;
    QMap<QString, int> lines;
    for (const QString& line : readText(dir.filePath(file + QStringLiteral(".expected")))
                                   .split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        const QStringList words = line.split(QLatin1Char(' '));
        if (words[0] == QLatin1String("#"))
            continue;
        if (words[0] == QLatin1String("task"))
            task = taskOf(words);
        else if (words[0] == QLatin1String("info"))
            info << words[1];
        else if (words[0] == QLatin1String("not"))
            absent << words[1];
        else
            expected << words[0] + QLatin1Char(' ') + words[1];
        if (words.size() == 3 && words[0] != QLatin1String("task"))
            lines[words[0]] = words[2].toInt();
    }
    QStringList found;
    QStringList text;
    for (const Finding& f : auditText(source, file, languageOf(file), task)) {
        text << QStringLiteral("%1 %2 line %3 %4")
                    .arg(f.code, severityName(f.severity))
                    .arg(f.location->firstLine)
                    .arg(f.title);
        if (f.severity > Severity::Info)
            found << f.code + QLatin1Char(' ') + severityName(f.severity);
        else
            info.removeAll(f.code);
        QVERIFY2(!absent.contains(f.code), qPrintable(text.join(QLatin1Char('\n'))));
        if (lines.contains(f.code))
            QCOMPARE(f.location->firstLine, lines[f.code]);
    }
    expected.sort();
    found.sort();
    QVERIFY2(found == expected, qPrintable(QStringLiteral("expected {%1}, found:\n%2")
                                               .arg(expected.join(QStringLiteral(", ")),
                                                    text.join(QLatin1Char('\n')))));
    QVERIFY2(info.isEmpty(), qPrintable(info.join(QLatin1Char(' '))));
}

void TestSourceAudit::everyRuleHasAFixture()
{
    QSet<QString> seen;
    const QDir dir(fixtureDir());
    for (const QString& name : dir.entryList({QStringLiteral("*.expected")}, QDir::Files)) {
        const QString file = name.chopped(9);
        QStringList words{QStringLiteral("known"), QStringLiteral("fp32"),
                          QStringLiteral("migration"), QStringLiteral("axis=4096")};
        words += readText(dir.filePath(name))
                     .split(QRegularExpression(QStringLiteral("\\s+")))
                     .filter(QStringLiteral("forbid="));
        for (const Finding& f :
             auditText(readText(dir.filePath(file)), file, languageOf(file), taskOf(words)))
            seen.insert(f.title);
    }
    int rules = 0;
    for (const auto& group :
         {audit::cppStateRules(), audit::cppNameRules(), audit::cppContractRules(),
          audit::cppLimitRules(), audit::pythonStateRules(), audit::pythonNameRules()}) {
        for (const audit::Rule* rule : group) {
            ++rules;
            QVERIFY2(seen.contains(QString::fromUtf8(rule->title)), rule->title);
        }
    }
    QCOMPARE(auditRuleCount(), rules);
}

void TestSourceAudit::findingsAreComplete()
{
    static const QStringList criteria{QStringLiteral("spec_quality"),
                                      QStringLiteral("scope"),
                                      QStringLiteral("completeness"),
                                      QStringLiteral("compile_validity"),
                                      QStringLiteral("runtime_validity"),
                                      QStringLiteral("numerical_correctness"),
                                      QStringLiteral("tolerance_and_reference"),
                                      QStringLiteral("benchmark_fairness"),
                                      QStringLiteral("code_quality"),
                                      QStringLiteral("written_feedback")};
    for (const auto& group :
         {audit::cppStateRules(), audit::cppNameRules(), audit::cppContractRules(),
          audit::cppLimitRules(), audit::pythonStateRules(), audit::pythonNameRules()}) {
        for (const audit::Rule* rule : group) {
            QVERIFY2(criteria.contains(QString::fromLatin1(rule->criterion)), rule->criterion);
            QVERIFY2(qstrlen(rule->explanation) > 60, rule->title);
            // What counts against a candidate says which word it suggests.
            QVERIFY2(rule->severity < Severity::Medium || rule->verdict != VerdictWord::None,
                     rule->title);
        }
    }
}

void TestSourceAudit::honestSamplesAreClean()
{
    const QDir samples(QStringLiteral(RIDGELINE_SOURCE_DIR "/resources/samples"));
    int honest = 0;
    for (const QString& name : samples.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const auto bundle = loadBundle(samples.filePath(name));
        QVERIFY2(bundle.ok(), bundle ? "" : qPrintable(bundle.error().toString()));
        for (const Candidate& c : bundle->candidates) {
            if (c.expected == Expected::Cheat)
                continue;
            ++honest;
            const auto findings = auditCandidate(*bundle, c);
            QVERIFY(findings.ok());
            for (const Finding& f : *findings)
                QVERIFY2(f.severity < Severity::High,
                         qPrintable(name + QLatin1Char('/') + c.id + QLatin1Char(' ') + f.title));
        }
    }
    QVERIFY(honest >= 12);
}

void TestSourceAudit::cheatingSamplesAreFound()
{
    const QDir samples(QStringLiteral(RIDGELINE_SOURCE_DIR "/resources/samples"));
    int cheats = 0;
    for (const QString& name : samples.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const auto bundle = loadBundle(samples.filePath(name));
        QVERIFY(bundle.ok());
        for (const Candidate& c : bundle->candidates) {
            if (c.expected != Expected::Cheat)
                continue;
            ++cheats;
            const auto findings = auditCandidate(*bundle, c);
            QVERIFY(findings.ok() && !findings->isEmpty());
            const Finding& f = findings->first();
            QCOMPARE(f.severity, Severity::High);
            QCOMPARE(f.suggestedVerdict, VerdictWord::Hack);
            QCOMPARE(f.candidate, c.id);
            QVERIFY(f.id.startsWith(c.id + QStringLiteral("/audit/")));
            QCOMPARE(f.evidence.first().source->sha256.size(), 64);
        }
    }
    QVERIFY(cheats >= 1);
}

void TestSourceAudit::rangesHashTheirLines()
{
    const QString text = QStringLiteral("one\ntwo\nthree");
    QCOMPARE(sourceRange(QStringLiteral("f"), text, 2, 3).sha256, sha256Hex("two\nthree\n"));
    QCOMPARE(sourceRange(QStringLiteral("f"), text, 1, 1).sha256, sha256Hex("one\n"));
    QCOMPARE(sourceRange(QStringLiteral("f"), text, 1, 2).sha256, sha256Hex("one\ntwo\n"));
    QCOMPARE(sourceRange(QStringLiteral("f"), text, 3, 9).sha256, sha256Hex("three\n"));
}

QTEST_APPLESS_MAIN(TestSourceAudit)
#include "tst_source_audit.moc"
