// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/clean_text.h"

#include <QXmlStreamReader>
#include <QtTest>
#include <cmath>

using namespace ridgeline;

class TestCleanText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCodePointIsHarmless()
    {
        for (char32_t c = 0; c <= 0x10ffff; ++c) {
            QString text = c < 0x10000 ? QString(QChar(char16_t(c))) : QString::fromUcs4(&c, 1);
            const QString clean = cleanText(text);
            QVERIFY(!clean.isEmpty());
            for (const QChar k : clean) {
                const bool allowedControl = k == QLatin1Char('\n') || k == QLatin1Char('\t');
                QVERIFY2(allowedControl || k.category() != QChar::Other_Control, qPrintable(clean));
                QVERIFY2(k.isSurrogate() || k.category() != QChar::Other_Format ||
                             // Arabic number signs and the like are format characters one can see
                             (k.unicode() >= 0x600 && k.unicode() <= 0x8e2),
                         qPrintable(QString::number(c, 16)));
            }
            QCOMPARE(cleanText(clean), clean);
            if (c % 97 == 0) {
                QXmlStreamReader xml(QStringLiteral("<a>") + clean.toHtmlEscaped() +
                                     QStringLiteral("</a>"));
                while (!xml.atEnd())
                    xml.readNext();
                QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
            }
        }
    }

    void overridesBecomeVisible()
    {
        QCOMPARE(cleanText(QStringLiteral("a\u202eb")), QStringLiteral("a\u27e8U+202E\u27e9b"));
        QCOMPARE(cleanText(QStringLiteral("\x1b[31m")), QStringLiteral("\u27e8U+001B\u27e9[31m"));
        QCOMPARE(cleanText(QStringLiteral("a\r\nb\rc\u2028d")), QStringLiteral("a\nb\nc\nd"));
        QCOMPARE(cleanText(QString(QChar(0xd800))), QString(QChar(0xfffd)));
    }

    void longTextIsCutAndSaysSo()
    {
        QElapsedTimer timer;
        timer.start();
        const QString cut = cleanText(QString(50'000'000, QLatin1Char('x')), 100);
        QVERIFY(timer.elapsed() < 2000);
        QVERIFY(cut.size() < 200);
        QVERIFY(cut.contains(QStringLiteral("49999900 more")));
        // Never in the middle of a pair.
        QVERIFY(!cleanText(QStringLiteral("a\U0001F600"), 2).contains(QChar(0xfffd)));
        QCOMPARE(cleanLine(QStringLiteral(" a \n\t b ")), QStringLiteral("a b"));
    }

    void numbersCarryUnits()
    {
        QCOMPARE(timeText(812), QStringLiteral("812 ns"));
        QCOMPARE(timeText(12345), QStringLiteral("12.35 \u00b5s"));
        QCOMPARE(timeText(4.812e9), QStringLiteral("4.812 s"));
        QCOMPARE(bytesText(1536), QStringLiteral("1.5 KiB"));
        QCOMPARE(bytesText(12), QStringLiteral("12 B"));
        QCOMPARE(numberText(NAN), QStringLiteral("nan"));
        QCOMPARE(numberText(-INFINITY), QStringLiteral("-inf"));
        QCOMPARE(numberText(1e-5), QStringLiteral("1e-05"));
        QCOMPARE(timeText(INFINITY), QStringLiteral("inf"));
        QCOMPARE(bytesText(1e300).isEmpty(), false);
    }
};

QTEST_GUILESS_MAIN(TestCleanText)
#include "tst_clean_text.moc"
