// SPDX-License-Identifier: GPL-3.0-or-later
// Replay of whole, torn, foreign and hostile journals, and the thread that writes them.
#include "core/review/journal_replay.h"
#include "core/review/journal_writer.h"
#include "core/review/review_files.h"
#include "core/support/paths.h"

#include <QDir>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>

#include <fcntl.h>

using namespace ridgeline;

namespace {

const QByteArray header =
    R"({"op":"header","schema":"kreview-journal/1","at":"2026-12-01T00:00:00.000Z","bundle":"b","reviewer":"r","rubric":{"id":"x","version":"1","hash":"h","scale":{"min":1,"max":5},"criteria":[]}})"
    "\n";
const QByteArray score4 = R"({"op":"score","criterion":"a","value":4})"
                          "\n";
const QByteArray score2 = R"({"op":"score","criterion":"a","value":2})"
                          "\n";

int scoreOf(const JournalReplay& replay)
{
    return replay.state.review.scores.value(QStringLiteral("a")).score.value_or(-1);
}

} // namespace

class TestJournal : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tornLastLineLosesOnlyItself()
    {
        const QByteArray whole = header + score4 + score2;
        for (int cut = 1; cut < score2.size(); ++cut) {
            const JournalReplay replay = replayJournal(whole.chopped(cut), QStringLiteral("j"));
            // Without its line end the entry is still whole.
            QCOMPARE(scoreOf(replay), cut == 1 ? 2 : 4);
            QCOMPARE(replay.rejected.size(), cut == 1 ? 0 : 1);
        }
    }

    void garbageIsSetAsideWithItsLine()
    {
        const QByteArray garbage("\0\xff{{{ not json", 15);
        const JournalReplay replay =
            replayJournal(header + garbage + "\n" + score4 + "[1,2]\n" + R"({"op":"paint"})" +
                              "\n" + R"({"op":"score","value":"4"})" + "\n",
                          QStringLiteral("j"));
        QCOMPARE(scoreOf(replay), 4);
        QCOMPARE(replay.edits, 1);
        QCOMPARE(replay.rejected.size(), 4);
        QCOMPARE(replay.rejected[0], garbage);
        QVERIFY(replay.notices[0].contains(QStringLiteral("j:2")));
        QVERIFY(replay.notices[2].contains(QStringLiteral("paint")));
        QCOMPARE(replay.kept, header + score4);
    }

    void laterFormatIsLeftAlone()
    {
        QByteArray later = header;
        later.replace("journal/1", "journal/2");
        const JournalReplay replay = replayJournal(later + score4, QStringLiteral("j"));
        QVERIFY(replay.newer);
        QVERIFY(replay.state.review.scores.isEmpty());
    }

    void olderJournalsWithoutFieldsReplay()
    {
        const JournalReplay replay = replayJournal(R"({"op":"header","bundle":"b","reviewer":"r"})"
                                                   "\n\n" +
                                                       score4,
                                                   {});
        QVERIFY(replay.state.hasHeader);
        QCOMPARE(scoreOf(replay), 4);
        QVERIFY(replay.rejected.isEmpty());
        QVERIFY(!replayJournal(score4, {}).state.hasHeader);
        QVERIFY(!replayJournal({}, {}).state.hasHeader);
    }

    void undoAndRedoAreEntries()
    {
        const QByteArray undo = "{\"op\":\"undo\"}\n";
        const QByteArray redo = "{\"op\":\"redo\"}\n";
        const QByteArray base = header + score4 + score2;
        QCOMPARE(scoreOf(replayJournal(base + undo, {})), 4);
        QCOMPARE(scoreOf(replayJournal(base + undo + undo, {})), -1);
        QCOMPARE(scoreOf(replayJournal(base + undo + redo, {})), 2);
        QCOMPARE(replayJournal(base + undo + undo + undo, {}).rejected.size(), 1);
        // A new edit after an undo ends what could be redone.
        QCOMPARE(replayJournal(base + undo + score2 + redo, {}).rejected.size(), 1);
        // Time worked is not undone.
        const auto timed = replayJournal(base + "{\"op\":\"time\",\"ms\":70}\n" + undo, {});
        QCOMPARE(timed.state.review.activeMs, 70);
        QCOMPARE(scoreOf(timed), 4);
        QCOMPARE(replayJournal(header + "{\"op\":\"time\",\"ms\":-1}\n", {}).rejected.size(), 1);
    }

    void mergedEditsAreOneStep()
    {
        const QByteArray text = header +
                                R"({"op":"comment","criterion":"a","text":"f"})"
                                "\n"
                                R"({"op":"comment","criterion":"a","text":"fi","merge":true})"
                                "\n";
        auto replay = replayJournal(text, {});
        QCOMPARE(replay.state.undo.size(), 1);
        QVERIFY(applyEntry(replay.state, Json{{"op", "undo"}}).isEmpty());
        QVERIFY(replay.state.review.scores.value(QStringLiteral("a")).comment.isEmpty());
    }

    void undoHistoryIsBounded()
    {
        QByteArray text = header;
        for (int i = 0; i < 2000; ++i)
            text += i % 2 != 0 ? score2 : score4;
        QCOMPARE(replayJournal(text, {}).state.undo.size(), maxUndoSteps);
    }

    void randomDamageNeverCrashes()
    {
        QByteArray good =
            header + score4 + score2 +
            R"({"op":"anchor","comment":{"id":"c","range":{"file":"f","first_line":1}}})"
            "\n"
            R"({"op":"anchor-","comment":"c"})"
            "\n"
            R"({"op":"evidence+","criterion":"a","link":{"kind":"pass","ref":"c/compile"}})"
            "\n"
            R"({"op":"rubric","rubric":{"id":"y","scale":{"min":1,"max":3}}})"
            "\n";
        QRandomGenerator random(7);
        for (int round = 0; round < 3000; ++round) {
            QByteArray text = good;
            for (int i = 0; i < 3; ++i)
                text[random.bounded(int(text.size()))] = char(random.bounded(256));
            text.truncate(random.bounded(int(text.size()) + 1));
            const JournalReplay replay = replayJournal(text, {});
            qsizetype bytes = replay.kept.size();
            for (const QByteArray& line : replay.rejected)
                bytes += line.size();
            // Nothing but line ends and blank lines is missing.
            QVERIFY(replay.newer || bytes + 40 >= text.size());
        }
    }

    void writerReportsAFullDiskAndKeepsTheLines()
    {
        const int full = ::open("/dev/full", O_WRONLY);
        QVERIFY(full >= 0);
        std::atomic<int> failures = 0;
        std::atomic<int> saves = 0;
        QString message;
        std::mutex mutex;
        QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("j"));
        {
            JournalWriter writer(
                full, QStringLiteral("/dev/full"), [&](const QDateTime&) { ++saves; },
                [&](const Error& error) {
                    const std::lock_guard lock(mutex);
                    message = error.toString();
                    ++failures;
                });
            writer.append("one");
            writer.append("two");
            QTRY_VERIFY(failures > 0);
            QVERIFY(!writer.flush(50));
            QCOMPARE(writer.pending(), 2);
            QCOMPARE(saves.load(), 0);
        }
        const std::lock_guard lock(mutex);
        QVERIFY(message.contains(QStringLiteral("not saved")));
        QVERIFY(message.contains(QStringLiteral("/dev/full")));
    }

    void writerKeepsOrderAndWritesAtOnce()
    {
        QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("j"));
        std::atomic<int> saves = 0;
        {
            JournalWriter writer(
                openForAppend(path), path, [&](const QDateTime&) { ++saves; }, [](const Error&) {});
            writer.append("first");
            QElapsedTimer timer;
            timer.start();
            QVERIFY(writer.flush(5000));
            QVERIFY(timer.elapsed() < 1000);
            QCOMPARE(*readFile(path), QByteArray("first\n"));
            QTRY_COMPARE(saves.load(), 1);
            for (int i = 0; i < 1000; ++i)
                writer.append(QByteArray::number(i));
        }
        const auto lines = readFile(path)->split('\n');
        QCOMPARE(lines.size(), 1002);
        for (int i = 0; i < 1000; ++i)
            QCOMPARE(lines[i + 1], QByteArray::number(i));
        QVERIFY(saves < 1002);
    }

    void appendGoesThroughNoLink()
    {
        QTemporaryDir dir;
        const QString secret = dir.filePath(QStringLiteral("secret"));
        QVERIFY(writeFileAtomically(secret, "keep").ok());
        QVERIFY(QFile::link(secret, dir.filePath(QStringLiteral("link"))));
        QVERIFY(openForAppend(dir.filePath(QStringLiteral("link"))) < 0);
        QVERIFY(openForAppend(dir.path()) < 0);
        QCOMPARE(*readFile(secret), QByteArray("keep"));
    }

    void namesBecomeSafeFileNames()
    {
        const QString name = QStringLiteral("../Ada L\u00f6v.x/\n");
        const QString part = fileNamePart(name);
        QVERIFY(!part.contains(QLatin1Char('/')) && !part.contains(QLatin1Char('.')));
        QCOMPARE(nameFromPart(part), name);
        QVERIFY(fileNamePart(QString(5000, QLatin1Char('x'))).size() <= 120);
    }
};

QTEST_GUILESS_MAIN(TestJournal)
#include "tst_journal.moc"
