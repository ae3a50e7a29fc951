// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/cpp_model.h"
#include "core/audit/python_model.h"
#include "core/audit/source_audit.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>
#include <random>

using namespace ridgeline;
using namespace ridgeline::audit;

namespace {

QStringList words(const QVector<Token>& tokens)
{
    QStringList list;
    for (const Token& t : tokens)
        list << (t.kind == TokenKind::String ? QLatin1Char('"') + t.text + QLatin1Char('"')
                                             : t.text);
    return list;
}

QStringList cpp(const char* text)
{
    return words(tokenizeCpp(QString::fromUtf8(text)));
}

QString names(const QVector<Token>& tokens)
{
    QString kinds;
    for (const Token& t : tokens)
        kinds += t.kind == TokenKind::Indent    ? QLatin1Char('>')
                 : t.kind == TokenKind::Dedent  ? QLatin1Char('<')
                 : t.kind == TokenKind::Newline ? QLatin1Char('n')
                                                : QLatin1Char('.');
    return kinds;
}

} // namespace

class TestTokenizers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cppTokens_data();
    void cppTokens();
    void cppLines();
    void deadCode();
    void pythonTokens();
    void pythonIndentation();
    void brackets();
    void model();
    void constants();
    void mutations();
    void hostileShapesStayQuick_data();
    void hostileShapesStayQuick();
};

void TestTokenizers::cppTokens_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("expected");
    const auto row = [](const char* name, const char* text, QStringList expected) {
        QTest::newRow(name) << QString::fromUtf8(text) << expected;
    };
    row("comments", "a // b\nc /* d\n e */ f", {"a", "c", "f"});
    row("continued comment", "a // b \\\n still comment\nc", {"a", "c"});
    row("unterminated comment", "a /* b", {"a"});
    row("string", "f(\"a // b\", '\"')", {"f", "(", "\"a // b\"", ",", "\"", ")"});
    row("escape", R"(f("a\"b"))", {"f", "(", R"("a\"b")", ")"});
    row("prefix", "u8\"x\" L\"y\"", {"\"x\"", "\"y\""});
    row("raw", "R\"d(a)\" \" )d\" b", {"\"a)\" \" \"", "b"});
    row("unterminated raw", "R\"(abc", {"\"abc\""});
    row("unterminated string", "\"abc\nd", {"\"abc\"", "d"});
    row("numbers", "1'000 0x1Fu 1.5e-3f 0x1p-3 .5 1..2",
        {"1000", "0x1Fu", "1.5e-3f", "0x1p-3", ".5", "1..2"});
    row("launch", "k<<<g,b>>>(x)", {"k", "<<<", "g", ",", "b", ">>>", "(", "x", ")"});
    row("splice in name", "ab\\\ncd", {"abcd"});
    row("splice with return", "ab\\\r\ncd", {"abcd"});
    row("include", "#include <a/b.h>\nx", {"#", "include", "a/b.h", "x"});
    row("empty", "", {});
    row("only a backslash", "\\", {"\\"});
}

void TestTokenizers::cppTokens()
{
    QFETCH(QString, text);
    QFETCH(QStringList, expected);
    QCOMPARE(words(tokenizeCpp(text)), expected);
}

void TestTokenizers::cppLines()
{
    const auto t = tokenizeCpp(QStringLiteral("a\n/*\n\n*/ b \\\n c R\"(\n\n)\" d"));
    QCOMPARE(t[0].line, 1);
    QCOMPARE(t[1].line, 4);
    QCOMPARE(t[2].line, 5);
    QCOMPARE(t[3].line, 5);
    QCOMPARE(t[3].lastLine, 7);
    QCOMPARE(t[4].line, 7);
    QVERIFY(tokenizeCpp(QStringLiteral("#define A B\nC"))[2].directive);
    QVERIFY(!tokenizeCpp(QStringLiteral("#define A B\nC"))[4].directive);
}

void TestTokenizers::deadCode()
{
    const auto has = [](const char* text, const char* word) {
        return cpp(text).contains(QString::fromLatin1(word));
    };
    QVERIFY(!has("#if 0\nx\n#endif\ny", "x"));
    QVERIFY(has("#if 0\nx\n#endif\ny", "y"));
    QVERIFY(has("#if 0\nx\n#else\ny\n#endif", "y"));
    QVERIFY(!has("#if 0\n#if 1\nx\n#else\nz\n#endif\n#endif\ny", "z"));
    QVERIFY(has("#if 0\n#if 1\nx\n#endif\n#endif\ny", "y"));
    QVERIFY(has("#if 1\nx\n#endif", "x"));
    QVERIFY(has("#if 0 || FAST\nx\n#endif", "x"));
}

void TestTokenizers::pythonTokens()
{
    const auto t = tokenizePython(
        QStringLiteral("x = f'a{b}' + r\"\\\" # c\ny = '''d\n# e\n''' ; z = 1_000e-3\n"));
    QStringList list;
    for (const Token& token : t) {
        if (token.kind != TokenKind::Newline)
            list << token.text;
    }
    QCOMPARE(list.mid(0, 5), (QStringList{"x", "=", "a{b}", "+", "\\\" # c"}));
    QVERIFY(list.contains(QStringLiteral("1000e-3")));
    QVERIFY(!list.contains(QStringLiteral("e")));
    QCOMPARE(words(tokenizePython(QStringLiteral("a \\\n b"))), (QStringList{"a", "b", ""}));
}

void TestTokenizers::pythonIndentation()
{
    QCOMPARE(names(tokenizePython(QStringLiteral("if a:\n    b\n\n  # odd comment\n    c\nd\n"))),
             QStringLiteral("...n>.n.n<.n"));
    QCOMPARE(names(tokenizePython(QStringLiteral("f(a,\n   b)\n"))), QStringLiteral("......n"));
    QCOMPARE(names(tokenizePython(QStringLiteral("if a:\n  if b:\n    c"))),
             QStringLiteral("...n>...n>.n<<"));
}

void TestTokenizers::brackets()
{
    const auto t = tokenizeCpp(QStringLiteral("k<<<f(a), b[0]>>>(c)"));
    QCOMPARE(t[matching(t, 1)].text, QStringLiteral(">>>"));
    QCOMPARE(matching(tokenizeCpp(QStringLiteral("((a)")), 0), -1);
    QCOMPARE(matching({}, 0), -1);
    QCOMPARE(matching(t, -1), -1);
}

void TestTokenizers::model()
{
    const CppModel m =
        modelCpp(QStringLiteral("namespace { int calls = 0; const int limit = 3; constexpr int t = "
                                "4; float* kept; const float* const fixed = nullptr;\n"
                                "struct S { int member; bool operator==(const S& o) const { return "
                                "member == o.member; } }; S last{}; }\n"
                                "template <class T> __global__ void __launch_bounds__(256) k(const "
                                "T* __restrict__ x, T* y, int n) { }\n"
                                "__device__ float f(float a) { return a; }\n"
                                "extern \"C\" void solve(const float* x, float* y, int n) { static "
                                "const float* p; k<<<1, 2>>>(x, y, n); }\n"
                                "int other(int (&a)[3]);\n"));
    QStringList state;
    for (const CppState& s : m.state)
        state << s.name;
    QVERIFY(state.contains(QStringLiteral("calls")) && state.contains(QStringLiteral("kept")) &&
            state.contains(QStringLiteral("last")) && state.contains(QStringLiteral("p")));
    for (const char* no : {"limit", "t", "fixed", "other"})
        QVERIFY2(!state.contains(QLatin1String(no)), no);
    const int k = m.functionIndex(QStringLiteral("k")),
              solve = m.functionIndex(QStringLiteral("solve"));
    QVERIFY(k >= 0 && solve >= 0);
    QVERIFY(m.functions[k].kernel);
    QVERIFY(m.functions[m.functionIndex(QStringLiteral("f"))].device);
    QCOMPARE(m.functions[solve].params.size(), 3);
    QVERIFY(m.functions[solve].params[0].constPointee && m.functions[solve].params[0].pointer);
    QCOMPARE(m.functions[solve].params[2].name, QStringLiteral("n"));
    QVERIFY(m.launching.contains(solve));
    QCOMPARE(m.launches.size(), 1);
}

void TestTokenizers::constants()
{
    const CppModel m = modelCpp(
        QStringLiteral("#define A 16\n#define B (A * 2 + 1)\nconstexpr int c = B * 4;\nconst int d "
                       "= c / 0;\nint e = 5;\nconstexpr long f = 9223372036854775807 * 2;"));
    QCOMPARE(m.constants.value(QStringLiteral("B")), 33);
    QCOMPARE(m.constants.value(QStringLiteral("c")), 132);
    QVERIFY(!m.constants.contains(QStringLiteral("d")));
    QVERIFY(!m.constants.contains(QStringLiteral("e")));
    QVERIFY(!m.constants.contains(QStringLiteral("f")));
}

// Fixtures, bitten and shuffled: no crash, no hang, lines within the text.
void TestTokenizers::mutations()
{
    const QDir dir(QStringLiteral(RIDGELINE_SOURCE_DIR "/tests/audit/data"));
    QVector<QByteArray> seeds;
    for (const QString& name :
         dir.entryList({QStringLiteral("*.cu"), QStringLiteral("*.py")}, QDir::Files)) {
        QFile f(dir.filePath(name));
        QVERIFY(f.open(QIODevice::ReadOnly));
        seeds << f.readAll();
    }
    QVERIFY(seeds.size() > 20);
    std::mt19937 random(42);
    const QByteArray bites("{}()[]<>\"'\\\n#/*=;:,.&@ \0R", 25);
    AuditTask task;
    task.known = task.fp32Contract = task.migration = true;
    task.entry = QStringLiteral("solve");
    task.forbidden = {QStringLiteral("mma.sync"), QStringLiteral("cublas"), QStringLiteral("<<<"),
                      QString()};
    task.axisValues = {4096};
    for (int i = 0; i < 3000; ++i) {
        QByteArray text = seeds[qsizetype(random() % quint32(seeds.size()))];
        for (int edits = int(random() % 8); edits >= 0; --edits) {
            const auto at = qsizetype(random() % quint32(text.size() + 1));
            switch (random() % 4) {
            case 0:
                text.insert(at, bites[qsizetype(random() % 25)]);
                break;
            case 1:
                text.remove(at, qsizetype(random() % 20));
                break;
            case 2:
                text.insert(at, seeds[qsizetype(random() % quint32(seeds.size()))].left(
                                    qsizetype(random() % 200)));
                break;
            default:
                text.truncate(at);
                break;
            }
            if (text.isEmpty())
                text = "x";
        }
        const QString source = QString::fromUtf8(text);
        const auto lines = int(source.count(QLatin1Char('\n'))) + 1;
        for (const char* language : {"cuda", "hip", "triton"}) {
            for (const Finding& f :
                 auditText(source, QStringLiteral("f"), QLatin1String(language), task)) {
                QVERIFY(f.location->firstLine >= 1 && f.location->firstLine <= lines);
                QVERIFY(f.location->lastLine >= f.location->firstLine &&
                        f.location->lastLine <= lines);
            }
        }
    }
}

void TestTokenizers::hostileShapesStayQuick_data()
{
    QTest::addColumn<QString>("text");
    const auto repeat = [](const char* unit, int n) {
        return QString::fromLatin1(unit).repeated(n);
    };
    QTest::newRow("open brackets") << repeat("(", 200000);
    QTest::newRow("open braces") << repeat("{", 200000);
    QTest::newRow("nested namespaces") << repeat("namespace a{", 20000) + repeat("}", 20000);
    QTest::newRow("nested blocks") << QStringLiteral("void f(){") + repeat("{", 50000) +
                                          repeat("}", 50000) + QStringLiteral("}");
    QTest::newRow("launches") << QStringLiteral("void solve(){static int c;c++;") +
                                     repeat("k<<<1,2>>>(c);", 4000) + QStringLiteral("}");
    QTest::newRow("ifs") << QStringLiteral("void solve(){static int c;c++;") +
                                repeat("if(c){", 600) + QStringLiteral("k<<<1,2>>>();") +
                                repeat("}", 601);
    QTest::newRow("globals") << repeat("int a;", 20000) +
                                    QStringLiteral("void solve(){k<<<1,2>>>();}");
    QTest::newRow("functions") << repeat("void f(){g();}", 4000) +
                                      QStringLiteral("void solve(){k<<<1,2>>>();}");
    QTest::newRow("quotes") << repeat("R\"(", 50000);
    QTest::newRow("deep python") << [] {
        QString s;
        for (int i = 0; i < 400; ++i)
            s += QString(i, QLatin1Char(' ')) + QStringLiteral("if a:\n");
        return s;
    }();
    QTest::newRow("python defs") << repeat("def f():\n  g[1](2)\n", 3000);
    QTest::newRow("lambdas") << repeat("lambda: ", 50000);
}

void TestTokenizers::hostileShapesStayQuick()
{
    QFETCH(QString, text);
    for (const char* language : {"cuda", "triton"}) {
        QElapsedTimer timer;
        timer.start();
        (void)auditText(text, QStringLiteral("f"), QLatin1String(language));
        QVERIFY2(
            timer.elapsed() < 5000,
            qPrintable(
                QStringLiteral("%1 ms as %2").arg(timer.elapsed()).arg(QLatin1String(language))));
    }
}

QTEST_APPLESS_MAIN(TestTokenizers)
#include "tst_tokenizers.moc"
