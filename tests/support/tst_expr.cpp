// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/expr.h"

#include <QRandomGenerator>
#include <QTest>
#include <cmath>
#include <memory>
#include <vector>

using namespace ridgeline;

namespace {

const ExprEnv axes{{QStringLiteral("m"), 7}, {QStringLiteral("n"), 12}, {QStringLiteral("k_2"), 3}};

/// An expression as a tree: printed with the fewest parentheses Python's grammar needs, and
/// evaluated without any parsing.
struct Node {
    QString op; ///< empty: a leaf
    QString leaf;
    double value = 0;
    std::unique_ptr<Node> left;
    std::unique_ptr<Node> right;

    int strength() const
    {
        if (op.isEmpty())
            return 5;
        if (op == QLatin1String("**"))
            return 4;
        if (op == QLatin1String("neg"))
            return 3;
        return op == QLatin1String("+") || op == QLatin1String("-") ? 1 : 2;
    }

    double evaluate() const
    {
        if (op.isEmpty())
            return value;
        const double a = left->evaluate();
        if (op == QLatin1String("neg"))
            return -a;
        const double b = right->evaluate();
        if (op == QLatin1String("+"))
            return a + b;
        if (op == QLatin1String("-"))
            return a - b;
        if (op == QLatin1String("*"))
            return a * b;
        if (op == QLatin1String("**"))
            return std::pow(a, b);
        if (b == 0)
            return std::nan("");
        if (op == QLatin1String("/"))
            return a / b;
        if (op == QLatin1String("//"))
            return std::floor(a / b);
        return a - b * std::floor(a / b);
    }

    bool dividesByZero() const
    {
        if (op.isEmpty())
            return false;
        if (left->dividesByZero() || (right && right->dividesByZero()))
            return true;
        return (op == QLatin1String("/") || op == QLatin1String("//") ||
                op == QLatin1String("%")) &&
               right->evaluate() == 0;
    }

    QString print(QRandomGenerator& random) const
    {
        const auto space = [&] { return QString(random.bounded(2), QLatin1Char(' ')); };
        if (op.isEmpty())
            return leaf;
        const auto sub = [&](const Node& node, int weakest) {
            const QString text = node.print(random);
            const bool needed = node.strength() < weakest;
            return needed || random.bounded(8) == 0 ? QStringLiteral("(%1)").arg(text) : text;
        };
        if (op == QLatin1String("neg"))
            return QStringLiteral("-") + space() + sub(*left, 3);
        if (op == QLatin1String("**")) // binds to the right; takes a bare sign on its right
            return sub(*left, 5) + space() + op + space() + sub(*right, 3);
        return sub(*left, strength()) + space() + op + space() + sub(*right, strength() + 1);
    }
};

std::unique_ptr<Node> grow(QRandomGenerator& random, int depth)
{
    auto node = std::make_unique<Node>();
    if (depth == 0 || random.bounded(5) == 0) {
        switch (random.bounded(3)) {
        case 0:
            node->value = random.bounded(10);
            node->leaf = QString::number(int(node->value));
            break;
        case 1:
            node->value = random.bounded(100) / 4.0;
            node->leaf = QString::number(node->value, 'f', 2);
            break;
        default: {
            auto it = axes.begin();
            std::advance(it, random.bounded(int(axes.size())));
            node->leaf = it.key();
            node->value = it.value();
        }
        }
        return node;
    }
    static const char* const ops[] = {"+", "-", "*", "/", "//", "%", "**", "neg"};
    node->op = QString::fromLatin1(ops[random.bounded(8)]);
    node->left = grow(random, depth - 1);
    if (node->op != QLatin1String("neg"))
        node->right = grow(random, depth - 1);
    return node;
}

} // namespace

class TestExpr : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refused_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("column");
        const auto row = [](const char* text, int column) {
            QTest::newRow(text) << QString::fromUtf8(text) << column;
        };
        row("", 1);
        row("  ", 3);
        row("1 +", 4);
        row("+", 2);
        row("(1", 3);
        row("1)", 2);
        row("()", 2);
        row("1 2", 3);
        row("2m", 2);
        row("2 m", 3);
        row("m n", 3);
        row("x + 1", 1);
        row("1 + M", 5);
        row("m.n", 2);
        row("m[0]", 2);
        row("f(2)", 1);
        row("m(2)", 2);
        row("__import__", 1);
        row("1 ** ", 6);
        row("1 *** 2", 5);
        row("1 /// 2", 5);
        row("1 * / 2", 5);
        row("1 / 0", 4);
        row("1 // (m - 7)", 5);
        row("1 % 0", 4);
        row("1 = 1", 3);
        row("m; n", 2);
        row("1e", 2);
        row("1e+", 2);
        row("0x10", 2);
        row("1_000", 2);
        row("\xC3\xA9", 1);
        row("10 ** 400", 1);
        row("(0 - 8) ** 0.5", 1);
        row("0 ** -1", 1);
    }

    void refused()
    {
        QFETCH(QString, text);
        QFETCH(int, column);
        const auto result = evaluateExpr(text, axes);
        QVERIFY(!result.ok());
        QCOMPARE(result.error().code, ErrorCode::BadSyntax);
        QVERIFY2(result.error().message.contains(text), qPrintable(result.error().message));
        QCOMPARE(result.error().where.column, column);
    }

    void knownValues_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("value");
        const auto row = [](const char* text, double value) {
            QTest::newRow(text) << QString::fromLatin1(text) << value;
        };
        // As Python 3 gives them.
        row("-2 ** 2", -4);
        row("2 ** -1", 0.5);
        row("2 ** 3 ** 2", 512);
        row("2 ** -2 ** 2", 0.0625);
        row("-7 // 2", -4);
        row("-7 % 3", 2);
        row("7 % -3", -2);
        row("7 / 2", 3.5);
        row("7 // 2 * 2", 6);
        row("1 - 2 - 3", -4);
        row("2 - -3", 5);
        row("- - 3", 3);
        row("+3", 3);
        row("100 / 10 / 2", 5);
        row("2*m*n", 168);
        row("(m + 1) * n // 5", 19);
        row("0e0 * 7 + 1.", 1);
        row("1e-5", 1e-5);
        row("2.5E+2", 250);
        row("k_2", 3);
    }

    void knownValues()
    {
        QFETCH(QString, text);
        QFETCH(double, value);
        const auto result = evaluateExpr(text, axes);
        QVERIFY2(result.ok(), result ? "" : qPrintable(result.error().toString()));
        QCOMPARE(*result, value);
    }

    void limits()
    {
        const QString open(99, QLatin1Char('('));
        const QString close(99, QLatin1Char(')'));
        QVERIFY(evaluateExpr(open + QStringLiteral("1") + close, {}).ok());
        const QString deeper =
            QStringLiteral("(") + open + QStringLiteral("1") + close + QStringLiteral(")");
        QVERIFY(evaluateExpr(deeper, {})
                    .error()
                    .message.contains(QStringLiteral("nested deeper than 100")));
        QVERIFY(!evaluateExpr(QString(150, QLatin1Char('-')) + QLatin1Char('1'), {}).ok());
        QString power = QStringLiteral("1");
        for (int i = 0; i < 200; ++i)
            power += QStringLiteral("**1");
        QVERIFY(!evaluateExpr(power, {}).ok());
        QString sum = QStringLiteral("1");
        while (sum.size() < 999)
            sum += QStringLiteral("+1");
        QCOMPARE(*evaluateExpr(sum, {}), 500.0);
        QVERIFY(!evaluateExpr(sum + QStringLiteral("+1"), {}).ok());
        QVERIFY(!evaluateExpr(QString(1'000'000, QLatin1Char('(')), {}).ok());
    }

    void counts()
    {
        QCOMPARE(*evaluateCount(QStringLiteral("m * n"), axes), qint64(84));
        QCOMPARE(*evaluateCount(QStringLiteral("m - 7"), axes), qint64(0));
        QCOMPARE(*evaluateCount(QStringLiteral("2 ** 53"), axes), qint64(1) << 53);
        for (const char* text : {"m - 8", "m / 2", "2 ** 53 + 2", "1e300", "0.1"}) {
            const auto result = evaluateCount(QString::fromLatin1(text), axes);
            QVERIFY(!result.ok());
            QCOMPARE(result.error().code, ErrorCode::BadSchema);
        }
    }

    void formOnly()
    {
        const QStringList names = axes.keys();
        QVERIFY(checkExpr(QStringLiteral("m // (n - 1)"), names).ok());
        QVERIFY(checkExpr(QStringLiteral("1 / 0"), names).ok());
        QVERIFY(checkExpr(QStringLiteral("10 ** 400"), names).ok());
        QVERIFY(!checkExpr(QStringLiteral("m // (n - "), names).ok());
        QVERIFY(!checkExpr(QStringLiteral("rows"), names).ok());
        QVERIFY(!checkExpr(QString(), names).ok());
    }

    /// Random trees: printed, parsed and evaluated they give what the tree gives.
    void againstTheTree()
    {
        QRandomGenerator random(7);
        int compared = 0;
        int refused = 0;
        for (int round = 0; round < 30000; ++round) {
            const auto tree = grow(random, int(random.bounded(1, 6)));
            const QString text = tree->print(random);
            if (text.size() > 1000)
                continue;
            const double expected = tree->evaluate();
            const auto result = evaluateExpr(text, axes);
            if (tree->dividesByZero() || !std::isfinite(expected)) {
                // A division by zero below a power of zero may still be finite in the tree, never
                // in the answer.
                QVERIFY2(!result.ok(), qPrintable(text));
                ++refused;
                continue;
            }
            QVERIFY2(result.ok(), qPrintable(text));
            QVERIFY2(
                *result == expected,
                qPrintable(QStringLiteral("%1: %2, tree %3").arg(text).arg(*result).arg(expected)));
            ++compared;
        }
        QVERIFY(compared > 15000);
        QVERIFY(refused > 500);
    }

    void randomText()
    {
        const QString alphabet = QStringLiteral("mnk_2 0123456789.eE+-*/%()\t$");
        QRandomGenerator random(99);
        int right = 0;
        for (int round = 0; round < 50000; ++round) {
            QString text;
            for (int length = int(random.bounded(12)); length > 0; --length)
                text += alphabet.at(random.bounded(int(alphabet.size())));
            const auto result = evaluateExpr(text, axes);
            if (result) {
                ++right;
                QVERIFY(std::isfinite(*result));
                QVERIFY(checkExpr(text, axes.keys()).ok());
            } else {
                QVERIFY(result.error().where.column >= 1);
                QVERIFY(result.error().where.column <= text.size() + 1);
            }
        }
        QVERIFY(right > 500);
    }
};

QTEST_GUILESS_MAIN(TestExpr)
#include "tst_expr.moc"
