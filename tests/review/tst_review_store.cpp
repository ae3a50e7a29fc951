// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/anchor.h"
#include "core/review/journal_replay.h"
#include "core/review/review_store.h"
#include "core/support/paths.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <cstdio>

#include <sys/resource.h>
#include <unistd.h>

using namespace ridgeline;

namespace {

const QString numeric = QStringLiteral("numerical_correctness");
const QString scope = QStringLiteral("scope");

Rubric generalRubric()
{
    return *loadRubric(QStringLiteral(RIDGELINE_SOURCE_DIR "/rubrics/general-kernel-task.json"));
}

std::unique_ptr<ReviewStore> openStore(const QString& dir,
                                       const QString& reviewer = QStringLiteral("Ada"))
{
    auto store = ReviewStore::open(dir, QStringLiteral("bundle-1"), reviewer, generalRubric());
    if (!store) {
        qWarning("%s", qPrintable(store.error().toString()));
        return nullptr;
    }
    return std::move(*store);
}

/// What the killed process does: an edit every two milliseconds, each announced once made.
int editForever(const QString& dir)
{
    const auto store = openStore(dir);
    for (int i = 0; i < 1'000'000; ++i) {
        if (!store->setComment(numeric, QString::number(i)))
            return 3;
        std::printf("%d\n", i);
        std::fflush(stdout);
        ::usleep(2000);
    }
    return 0;
}

} // namespace

class TestReviewStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_data = std::make_unique<QTemporaryDir>();
        m_bundle = std::make_unique<QTemporaryDir>();
        qputenv("XDG_DATA_HOME", m_data->path().toUtf8());
    }

    void refusesWhatCannotBeReviewed()
    {
        const Rubric rubric = generalRubric();
        QVERIFY(!ReviewStore::open(dir(), QStringLiteral("b"), QStringLiteral(" "), rubric).ok());
        QVERIFY(
            !ReviewStore::open(dir(), QStringLiteral("b"), QString(300, QLatin1Char('x')), rubric)
                 .ok());
        QVERIFY(!ReviewStore::open(dir(), QStringLiteral("b"), QStringLiteral("A"), Rubric{}).ok());
        const auto store = openStore(dir());
        QVERIFY(!store->setScore(QStringLiteral("beauty"), 3).ok());
        QVERIFY(!store->setScore(scope, 0).ok());
        QVERIFY(!store->setScore(scope, 6).ok());
        QVERIFY(!store->removeAnchoredComment(QStringLiteral("nobody")).ok());
        QVERIFY(!store->addEvidence(scope, {}).ok());
        QVERIFY(!store->undo().ok());
        QVERIFY(!store->redo().ok());
        QCOMPARE(store->review().scores.size(), 0);
    }

    void reopeningRestoresEverything()
    {
        const QByteArray source("int a;\nint b;\n");
        Review before;
        {
            const auto store = openStore(dir());
            QVERIFY(store->setScore(numeric, 2).ok());
            QVERIFY(store->setComment(numeric, QStringLiteral("tail column\nwrong")).ok());
            QVERIFY(
                store
                    ->addEvidence(numeric, {QStringLiteral("pass"), QStringLiteral("c/correctness"),
                                            std::nullopt, QStringLiteral("see")})
                    .ok());
            QVERIFY(store->setNotApplicable(scope, true).ok());
            QVERIFY(store
                        ->decideFinding(QStringLiteral("f1"), FindingState::Dismissed,
                                        QStringLiteral("false alarm"))
                        .ok());
            QVERIFY(store
                        ->putAnchoredComment(*anchorComment(QStringLiteral("files/a.cu"), source, 2,
                                                            2, QStringLiteral("name?"), numeric))
                        .ok());
            QVERIFY(store->setVerdict(ReviewVerdict::Revise, VerdictWord::Wrong).ok());
            QVERIFY(store->setSummary(QStringLiteral("Fix the tail.")).ok());
            QVERIFY(store->addActiveTime(4000).ok());
            before = store->review();
            QVERIFY(store->close().ok());
            QVERIFY(!store->setScore(numeric, 3).ok());
        }
        const auto store = openStore(dir());
        QVERIFY(!store->isReadOnly());
        QCOMPARE(store->review(), before);
        QVERIFY(store->opening().notices.isEmpty());
        QVERIFY(store->opening().rubricChanges.isEmpty());
        QCOMPARE(store->opening().replayedEdits, 9);
        // The undo history came back with it.
        QVERIFY(store->undo().ok());
        QVERIFY(store->review().summary.isEmpty());
        QCOMPARE(store->review().activeMs, 4000);

        const auto stored = listReviews(dir(), QStringLiteral("bundle-1"));
        QCOMPARE(stored.size(), 1);
        QCOMPARE(stored[0].reviewer, QStringLiteral("Ada"));
        QCOMPARE(stored[0].rubric, QStringLiteral("general-kernel-task"));
        QVERIFY(store->flush());
        QCOMPARE(readReview(stored[0])->verdict, ReviewVerdict::Revise);
    }

    void killLosesAtMostTheLastSecond()
    {
        for (int round = 0; round < 3; ++round) {
            QProcess child;
            child.start(QCoreApplication::applicationFilePath(),
                        {QStringLiteral("--edit-forever"), dir()});
            QVERIFY(child.waitForStarted());
            QByteArray said;
            QElapsedTimer timer;
            timer.start();
            int madeASecondAgo = -1;
            while (timer.elapsed() < 1500 + round * 130) {
                child.waitForReadyRead(50);
                said += child.readAllStandardOutput();
                if (timer.elapsed() < 400)
                    madeASecondAgo = said.count('\n') - 1;
            }
            ::kill(pid_t(child.processId()), SIGKILL);
            QVERIFY(child.waitForFinished());
            said += child.readAllStandardOutput();
            const int lastSaid = said.count('\n') - 1;
            QVERIFY2(madeASecondAgo > 10 && lastSaid > madeASecondAgo, said.left(200).constData());

            const auto store = openStore(dir());
            QVERIFY(!store->isReadOnly()); // the dead process's lock is gone
            bool number = false;
            const int kept = store->review().scores.value(numeric).comment.toInt(&number);
            QVERIFY(number);
            QVERIFY2(kept >= madeASecondAgo, qPrintable(QString::number(kept)));
            qInfo("killed after edit %d, kept up to %d", lastSaid, kept);
            QVERIFY(store->setComment(numeric, QString()).ok());
        }
    }

    void editsDoNotWaitForTheDisk()
    {
        const auto store = openStore(dir());
        QElapsedTimer timer;
        timer.start();
        qint64 worst = 0;
        for (int i = 0; i < 2000; ++i) {
            const qint64 start = timer.nsecsElapsed();
            QVERIFY(store->setScore(numeric, 1 + i % 5).ok());
            worst = std::max(worst, timer.nsecsElapsed() - start);
        }
        QVERIFY(store->flush(30'000));
        QCOMPARE(store->unsavedEdits(), 0);
        qInfo("2000 edits, slowest %.2f ms", double(worst) / 1e6);
        QVERIFY(worst < 500'000'000);
    }

    void savedIsSaidAfterItIsOnDisk()
    {
        const auto store = openStore(dir());
        QVERIFY(store->flush());
        QSignalSpy changed(store.get(), &ReviewStore::changed);
        QAtomicInt saved;
        QString lastLine;
        // Direct: runs on the writer thread, when the line must already be in the file.
        connect(
            store.get(), &ReviewStore::saved, store.get(),
            [&](const QDateTime& when) {
                lastLine = QString::fromUtf8(
                    readFile(store->opening().journal)->trimmed().split('\n').last());
                saved.storeRelease(when.isValid() ? 1 : 0);
            },
            Qt::DirectConnection);
        QVERIFY(store->setScore(scope, 4).ok());
        QCOMPARE(changed.count(), 1);
        QTRY_VERIFY(saved.loadAcquire() == 1);
        QVERIFY(lastLine.contains(QStringLiteral("\"scope\"")));
        QVERIFY(store->setScore(scope, 4).ok());
        QCOMPARE(changed.count(), 1); // nothing changed, nothing written
    }

    void fullDiskIsSaidAndNothingIsLost()
    {
        const auto store = openStore(dir());
        QVERIFY(store->flush());
        QAtomicInt failures;
        connect(
            store.get(), &ReviewStore::failed, store.get(), [&] { failures.fetchAndAddRelease(1); },
            Qt::DirectConnection);
        const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
        rlimit before{};
        getrlimit(RLIMIT_FSIZE, &before);
        rlimit tight = before;
        tight.rlim_cur = rlim_t(QFileInfo(store->opening().journal).size() + 20);
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &tight), 0);
        QVERIFY(store->setComment(scope, QStringLiteral("a long enough comment to cross the limit"))
                    .ok());
        QVERIFY(store->setScore(scope, 2).ok());
        const bool saidSo = QTest::qWaitFor([&] { return failures.loadAcquire() > 0; }, 5000);
        const int unsaved = store->unsavedEdits();
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, oldHandler);
        QVERIFY(saidSo);
        QVERIFY(unsaved > 0);
        QVERIFY(store->flush(10'000));
        const JournalReplay replay =
            replayJournal(*readFile(store->opening().journal), store->opening().journal);
        QVERIFY(replay.rejected.isEmpty());
        QCOMPARE(replay.state.review.scores, store->review().scores);
    }

    void secondWindowIsReadOnly()
    {
        const auto first = openStore(dir());
        QVERIFY(first->setScore(scope, 4).ok());
        QVERIFY(first->flush());
        {
            const auto second = openStore(dir());
            QVERIFY(second->isReadOnly());
            QVERIFY(second->opening().readOnlyWhy.contains(QStringLiteral("another Ridgeline")));
            QVERIFY(second->opening().readOnlyWhy.contains(QString::number(::getpid())));
            QCOMPARE(*second->review().scores[scope].score, 4);
            const auto refused = second->setScore(scope, 1);
            QVERIFY(!refused.ok());
            QVERIFY(!second->canUndo());
        }
        // Another reviewer of the same bundle is not in the way.
        QVERIFY(!openStore(dir(), QStringLiteral("Grace"))->isReadOnly());
        QVERIFY(first->setScore(scope, 5).ok());
        QVERIFY(first->close().ok());
        QCOMPARE(*openStore(dir())->review().scores[scope].score, 5);
    }

    void garbageLinesAreKeptAside()
    {
        QString journal;
        {
            const auto store = openStore(dir());
            QVERIFY(store->setScore(scope, 4).ok());
            journal = store->opening().journal;
        }
        QFile file(journal);
        QVERIFY(file.open(QIODevice::Append));
        file.write("what is this\n{\"op\":\"score\",\"criterion\":\"scope\",\"va");
        file.close();
        {
            const auto store = openStore(dir());
            QCOMPARE(store->opening().rejectedLines, 2);
            QCOMPARE(store->opening().notices.size(), 2);
            QCOMPARE(*store->review().scores[scope].score, 4);
            QVERIFY(store->setScore(scope, 3).ok());
        }
        const auto aside = readFile(journal + QStringLiteral(".rejected"));
        QVERIFY(aside.ok());
        QVERIFY(aside->startsWith("what is this\n{\"op\":\"score\""));
        const auto store = openStore(dir());
        QVERIFY(store->opening().notices.isEmpty());
        QCOMPARE(*store->review().scores[scope].score, 3);
        QVERIFY(store->canUndo());
    }

    void unwritableBundleFallsBackToTheUsersFolder()
    {
        // A file where the folder should be: nobody can write there, root included.
        QVERIFY(writeFileAtomically(dir() + QStringLiteral("/reviews"), "x").ok());
        {
            const auto store = openStore(dir());
            QVERIFY(!store->isReadOnly());
            QVERIFY(store->opening().journal.startsWith(dataDir() +
                                                        QStringLiteral("/reviews/bundle-1")));
            QVERIFY(store->opening().notices[0].contains(QStringLiteral("cannot be written")));
            QVERIFY(store->setScore(scope, 2).ok());
        }
        QCOMPARE(listReviews(dir(), QStringLiteral("bundle-1")).size(), 1);
        // Writable again: the review comes along.
        QVERIFY(QFile::remove(dir() + QStringLiteral("/reviews")));
        const auto store = openStore(dir());
        QVERIFY(store->opening().journal.startsWith(dir()));
        QCOMPARE(*store->review().scores[scope].score, 2);
        QVERIFY(store->opening().notices[0].contains(QStringLiteral("continued from")));
    }

    void reviewsFolderThatLeadsOutIsNotFollowed()
    {
        QTemporaryDir elsewhere;
        QVERIFY(QFile::link(elsewhere.path(), dir() + QStringLiteral("/reviews")));
        const auto store = openStore(dir());
        QVERIFY(store->opening().journal.startsWith(dataDir()));
        QVERIFY(QDir(elsewhere.path()).isEmpty());
    }

    void journalThatIsALinkIsRefused()
    {
        QTemporaryDir elsewhere;
        const QString victim = elsewhere.filePath(QStringLiteral("profile"));
        QVERIFY(writeFileAtomically(victim, "export A=1\n").ok());
        QVERIFY(QDir(dir()).mkdir(QStringLiteral("reviews")));
        QVERIFY(QFile::link(
            victim, dir() + QStringLiteral("/reviews/Ada.general-kernel-task.journal.jsonl")));
        const auto opened = ReviewStore::open(dir(), QStringLiteral("bundle-1"),
                                              QStringLiteral("Ada"), generalRubric());
        QVERIFY(opened.ok());
        QVERIFY((*opened)->opening().journal.startsWith(dataDir()));
        QVERIFY((*opened)->setScore(scope, 3).ok());
        QVERIFY((*opened)->close().ok());
        QCOMPARE(*readFile(victim), QByteArray("export A=1\n"));
    }

    void compactionKeepsTheReviewAndShrinksTheJournal()
    {
        const auto store = openStore(dir());
        for (int i = 0; i < 300; ++i)
            QVERIFY(store->setScore(scope, 1 + i % 5).ok());
        QVERIFY(store->flush());
        const qint64 before = QFileInfo(store->opening().journal).size();
        QVERIFY(store->compact().ok());
        QVERIFY(QFileInfo(store->opening().journal).size() < before / 2);
        QVERIFY(!store->canUndo());
        QVERIFY(store->setScore(numeric, 5).ok());
        const Review live = store->review();
        QVERIFY(store->close().ok());
        QCOMPARE(openStore(dir())->review(), live);
    }

    void snapshotAloneIsEnough()
    {
        QString journal;
        {
            const auto store = openStore(dir());
            QVERIFY(store->setScore(scope, 4).ok());
            journal = store->opening().journal;
        }
        QVERIFY(QFile::remove(journal));
        const auto store = openStore(dir());
        QCOMPARE(*store->review().scores[scope].score, 4);
        QVERIFY(store->opening().notices[0].contains(QStringLiteral("journal is gone")));
    }

    void otherRubricVersionIsReported()
    {
        {
            const auto store = openStore(dir());
            QVERIFY(store->setScore(scope, 4).ok());
        }
        Json json = generalRubric().raw;
        json["version"] = "2.0.0";
        json["criteria"][1]["guideline"] = "Shorter.";
        const auto changed = rubricFromJson(json, {});
        {
            auto store = ReviewStore::open(dir(), QStringLiteral("bundle-1"), QStringLiteral("Ada"),
                                           *changed);
            QVERIFY(store.ok());
            const QString said = (*store)->opening().rubricChanges.join(QLatin1Char('\n'));
            QVERIFY(said.contains(QStringLiteral("2.0.0")));
            QVERIFY(said.contains(QStringLiteral("check its score")));
            QCOMPARE(*(*store)->review().scores[scope].score, 4);
            QCOMPARE((*store)->review().rubric.hash, changed->hash);
        }
        auto again =
            ReviewStore::open(dir(), QStringLiteral("bundle-1"), QStringLiteral("Ada"), *changed);
        QVERIFY((*again)->opening().rubricChanges.isEmpty());
    }

    void typingIsOneUndoStep()
    {
        const auto store = openStore(dir());
        for (const char* text : {"t", "ta", "tai", "tail"})
            QVERIFY(store->setComment(scope, QString::fromLatin1(text)).ok());
        QVERIFY(store->setScore(scope, 2).ok());
        QVERIFY(store->undo().ok());
        QCOMPARE(store->review().scores[scope].comment, QStringLiteral("tail"));
        QVERIFY(store->undo().ok());
        QVERIFY(store->review().scores.value(scope).comment.isEmpty());
        QVERIFY(store->redo().ok());
        QVERIFY(store->redo().ok());
        QCOMPARE(*store->review().scores[scope].score, 2);
        QVERIFY(!store->canRedo());
    }

private:
    QString dir() const { return m_bundle->path(); }

    std::unique_ptr<QTemporaryDir> m_data;
    std::unique_ptr<QTemporaryDir> m_bundle;
};

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    const QStringList args = app.arguments();
    if (args.size() == 3 && args[1] == QLatin1String("--edit-forever"))
        return editForever(args[2]);
    TestReviewStore test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_review_store.moc"
