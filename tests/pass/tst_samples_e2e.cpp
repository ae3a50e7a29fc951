// SPDX-License-Identifier: GPL-3.0-or-later
// End to end: every candidate of every sample bundle, compiled by nvcc and run on the emulated
// device, gets the verdict that its `expected` says.
#include "core/pass/pipeline.h"
#include "core/support/paths.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace ridgeline;

class TestSamples : public QObject {
    Q_OBJECT

    QTemporaryDir m_home;

private Q_SLOTS:
    void initTestCase() { qputenv("XDG_DATA_HOME", m_home.path().toUtf8()); }

    void verdicts_data()
    {
        QTest::addColumn<QString>("dir");
        const QDir samples(QStringLiteral(RIDGELINE_SOURCE_DIR "/resources/samples"));
        const QStringList names = samples.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
        for (const QString& name : names) {
            if (QFileInfo::exists(samples.filePath(name + QStringLiteral("/kbundle.json"))))
                QTest::newRow(qPrintable(name)) << samples.filePath(name);
        }
    }

    void verdicts()
    {
        QFETCH(QString, dir);
        const auto bundle = loadBundle(dir);
        QVERIFY2(bundle.ok(), bundle.ok() ? "" : qPrintable(bundle.error().toString()));
        RunRequest request;
        request.bundle = *bundle;
        request.device = QStringLiteral("emulated-cuda");
        request.save = false;
        const auto result = runPasses(request);
        QVERIFY2(result.ok(), result.ok() ? "" : qPrintable(result.error().toString()));
        QStringList problems;
        for (const Candidate& candidate : bundle->candidates) {
            const CandidateRun* run = result->record.candidate(candidate.id);
            QVERIFY(run != nullptr);
            const CandidateVerdict v = run->verdict;
            const bool fits = candidate.expected == Expected::Correct ? v == CandidateVerdict::Pass
                              : candidate.expected == Expected::Wrong ? v == CandidateVerdict::Fail
                              : candidate.expected == Expected::Cheat
                                  ? v == CandidateVerdict::Fail || v == CandidateVerdict::Suspect
                                  : true;
            qInfo().noquote() << candidate.id << expectedName(candidate.expected) << "->"
                              << verdictName(v) << run->verdictReason;
            if (fits)
                continue;
            QString problem = QStringLiteral("%1 is %2, the verdict is %3: %4")
                                  .arg(candidate.id, expectedName(candidate.expected),
                                       verdictName(v), run->verdictReason);
            for (const PassRecord& pass : run->passes)
                problem += QStringLiteral("\n    %1 %2 %3")
                               .arg(pass.pass, passStateName(pass.state), pass.summary);
            for (const Finding& finding : run->findings)
                problem += QStringLiteral("\n    %1 %2").arg(finding.code, finding.title);
            problems << problem;
        }
        QVERIFY2(problems.isEmpty(),
                 qPrintable(QLatin1Char('\n') + problems.join(QLatin1Char('\n'))));
    }
};

QTEST_GUILESS_MAIN(TestSamples)
#include "tst_samples_e2e.moc"
