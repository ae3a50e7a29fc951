// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/anchor.h"
#include "core/support/paths.h"

#include <QtTest>

using namespace ridgeline;

namespace {

const QByteArray kernel = "__global__ void k(float* y)\n" // 1
                          "{\n"                           // 2
                          "    int i = threadIdx.x;\n"    // 3
                          "    if (i < 4) {\n"            // 4
                          "        y[i] = 1;\n"           // 5
                          "    }\n"                       // 6
                          "    __syncthreads();\n"        // 7
                          "    if (i < 8) {\n"            // 8
                          "        y[i] += 2;\n"          // 9
                          "    }\n"                       // 10
                          "}\n";                          // 11

AnchoredComment on(int first, int last)
{
    return *anchorComment(QStringLiteral("files/k.cu"), kernel, first, last,
                          QStringLiteral("why?"));
}

} // namespace

class TestAnchor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesLinesOutsideTheFile()
    {
        for (const auto& [first, last] : {std::pair{0, 1}, {3, 2}, {1, 12}, {-5, -4}}) {
            const auto result = anchorComment(QStringLiteral("f"), kernel, first, last, {});
            QVERIFY(!result.ok());
            QCOMPARE(result.error().code, ErrorCode::BadUsage);
        }
        QVERIFY(hashOfLines(kernel, 11, 12).isEmpty());
        QVERIFY(hashOfLines({}, 1, 1).isEmpty());
    }

    void changedTextIsAnOrphan()
    {
        QByteArray changed = kernel;
        changed.replace("y[i] += 2", "y[i] += 3");
        const AnchorPlace place = placeOf(on(9, 9), changed);
        QCOMPARE(place.state, AnchorState::Orphaned);
        QCOMPARE(place.firstLine, 0);
        QVERIFY(place.reason.contains(QStringLiteral("changed")));
    }

    void missingFileIsAnOrphan()
    {
        QCOMPARE(placeOf(on(3, 3), QByteArray()).state, AnchorState::Orphaned);
        QCOMPARE(placeOf(on(3, 3), QByteArray("")).state, AnchorState::Orphaned);
        AnchoredComment broken = on(3, 3);
        broken.range.lastLine = 1;
        QCOMPARE(placeOf(broken, kernel).state, AnchorState::Orphaned);
    }

    void unchangedTextStays()
    {
        for (int line = 1; line <= 11; ++line)
            QCOMPARE(placeOf(on(line, line), kernel),
                     (AnchorPlace{AnchorState::Exact, line, line, {}}));
        QCOMPARE(placeOf(on(4, 6), kernel), (AnchorPlace{AnchorState::Exact, 4, 6, {}}));
    }

    void movedTextIsFollowed()
    {
        QCOMPARE(placeOf(on(7, 9), "// a\n// b\n" + kernel),
                 (AnchorPlace{AnchorState::Moved, 9, 11, {}}));
    }

    void lineThatOccursTwiceNeedsItsNeighbours()
    {
        // Lines 6 and 10 are both "    }".
        const QByteArray shifted = "// new\n" + kernel;
        QCOMPARE(placeOf(on(6, 6), shifted), (AnchorPlace{AnchorState::Moved, 7, 7, {}}));
        QCOMPARE(placeOf(on(10, 10), shifted), (AnchorPlace{AnchorState::Moved, 11, 11, {}}));
    }

    void neverSilentlyOnAnotherLine()
    {
        // Four lines more above put another "    }" where the comment on line 10 was.
        QByteArray text = "a\nb\nc\nd\n" + kernel;
        const auto lines = text.split('\n');
        QCOMPARE(lines[9], QByteArray("    }"));
        QCOMPARE(placeOf(on(10, 10), text), (AnchorPlace{AnchorState::Moved, 14, 14, {}}));
        // Neighbours of both changed: nobody can tell which one was meant.
        text.replace("y[i] = 1", "y[i] = 7").replace("y[i] += 2", "y[i] += 8");
        const AnchorPlace place = placeOf(on(10, 10), text);
        QCOMPARE(place.state, AnchorState::Orphaned);
        QVERIFY(place.reason.contains(QStringLiteral("2 times")));
    }

    void lineEndsDoNotMatter()
    {
        QByteArray dos = kernel;
        dos.replace("\n", "\r\n");
        QCOMPARE(placeOf(on(5, 7), dos).state, AnchorState::Exact);
        QByteArray unended = kernel;
        unended.chop(1);
        QCOMPARE(placeOf(on(11, 11), unended).state, AnchorState::Exact);
        QCOMPARE(hashOfLines("a\r\nb", 1, 2), sha256Hex("a\nb\n"));
    }

    void hostileFilesEnd()
    {
        AnchoredComment comment = *anchorComment({}, QByteArray(50'000, '\n'), 1, 49'000, {});
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(placeOf(comment, QByteArray(199'000, '\n')).state, AnchorState::Orphaned);
        QVERIFY(timer.elapsed() < 10'000);
        const QByteArray invalid("\xff\xfe line\nnext\n");
        comment = *anchorComment({}, invalid, 1, 1, {});
        QCOMPARE(placeOf(comment, "x\n" + invalid).state, AnchorState::Moved);
    }
};

QTEST_GUILESS_MAIN(TestAnchor)
#include "tst_anchor.moc"
