// SPDX-License-Identifier: GPL-3.0-or-later
// Arrows point one way. The first tests plant violations, so that a green last test means
// something.
#include "include_rules.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace {

const QString qtHeaders = QStringLiteral(RIDGELINE_QT_HEADERS);

bool write(const QString& path, const QByteArray& text)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

QStringList lines(const QVector<Violation>& violations)
{
    QStringList all;
    for (const Violation& violation : violations)
        all << violation.toString();
    return all;
}

} // namespace

class TestStructure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void qtHeadersAreWhereTheBuildFoundThem()
    {
        QVERIFY(QFile::exists(qtHeaders + QStringLiteral("/QtCore/QString")));
        QVERIFY(QFile::exists(qtHeaders + QStringLiteral("/QtWidgets/QWidget")));
    }

    void planted_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("include");
        QTest::addColumn<bool>("allowed");
        const auto row = [](const char* file, const char* include, bool allowed) {
            QTest::addRow("%s %s", file, include)
                << QString::fromLatin1(file) << QString::fromLatin1(include) << allowed;
        };
        row("core/bundle/x.cpp", "\"core/pass/record.h\"", false);
        row("core/support/x.h", "\"core/bundle/bundle.h\"", false);
        row("core/audit/x.cpp", "\"core/pass/record.h\"", false);
        row("core/exec/x.cpp", "\"core/numerics/compare.h\"", false);
        row("core/rubric/x.cpp", "\"core/review/review.h\"", false);
        row("core/rubric/x.cpp", "\"core/bundle/bundle.h\"", false);
        row("core/pass/x.cpp", "\"core/review/review.h\"", false);
        row("core/review/x.cpp", "\"core/report/report.h\"", false);
        row("core/newroom/x.cpp", "\"core/support/json.h\"", false);
        row("core/pass/x.cpp", "<core/review/review.h>", false);
        row("core/pass/x.cpp", "\"../review/review.h\"", false);
        row("core/pass/deep/x.cpp", "\"../../../widgets/pane.h\"", false);
        row("core/report/x.cpp", "\"widgets/pane.h\"", false);
        row("core/report/x.cpp", "\"app/cli/commands.h\"", false);
        row("widgets/x.cpp", "\"app/window/main_window.h\"", false);
        row("app/cli/x.cpp", "\"widgets/pane.h\"", false);
        row("app/cli/x.cpp", "\"app/window/main_window.h\"", false);
        row("app/cli/x.cpp", "<QWidget>", false);
        row("app/cli/x.cpp", "<QtWidgets/QApplication>", false);
        row("app/cli/x.cpp", "<Qsci/qsciscintilla.h>", false);
        row("app/cli/x.cpp", "<qcustomplot.h>", false);
        row("app/window/x.cpp", "\"app/cli/commands.h\"", false);
        row("core/numerics/x.cpp", "<QWidget>", false);
        row("core/numerics/x.cpp", "<QtGui/QImage>", false);
        row("core/numerics/x.cpp", "<QImage>", false);
        row("core/numerics/x.cpp", "<qimage.h>", false);
        row("core/review/x.cpp", "<QTextDocument>", false);
        row("core/report/x.cpp", "<QWidget>", false);
        row("core/report/x.cpp", "<QPrinter>", false);
        row("core/emulator/x.cpp", "<QString>", false);
        row("core/emulator/x.cpp", "<QtCore/qglobal.h>", false);
        row("core/emulator/x.cpp", "\"core/support/json.h\"", false);
        row("core/emulator/runtime/x.cpp", "\"core/support/json.h\"", false);
        row("core/exec/x.cpp", "\"core/emulator/vm.h\"", false);
        row("widgets/x.cpp", "\"core/emulator/vm.h\"", false);
        row("app/window/x.cpp", "\"core/emulator/vm.h\"", false);
        row("core/exec/x.cpp", "HEADER_NAME", false);

        row("core/bundle/x.cpp", "\"core/support/json.h\"", true);
        row("core/bundle/x.cpp", "\"core/bundle/bundle.h\"", true);
        row("core/pass/x.cpp", "\"core/audit/finding.h\"", true);
        row("core/review/x.cpp", "\"core/audit/finding.h\"", true);
        row("core/report/x.cpp", "<QTextDocument>", true);
        row("core/report/x.cpp", "<QPdfWriter>", true);
        row("core/exec/x.cpp", "<QProcess>", true);
        row("core/exec/x.cpp", "<vector>", true);
        row("core/exec/x.cpp", "<sys/wait.h>", true);
        row("core/emulator/runtime/x.cpp", "\"core/emulator/vm.h\"", true);
        row("core/emulator/runtime/x.cpp", "\"../vm.h\"", true);
        row("widgets/x.cpp", "\"core/report/report.h\"", true);
        row("widgets/x.cpp", "<QWidget>", true);
        row("app/window/x.cpp", "\"widgets/pane.h\"", true);
        row("app/cli/x.cpp", "\"core/report/report.h\"", true);
        row("app/cli/x.cpp", "<QGuiApplication>", true);
        row("app/cli/x.cpp", "\"core/emulator/runtime/models.h\"", true);
        row("app/main.cpp", "\"app/cli/commands.h\"", true);
    }

    void planted()
    {
        QFETCH(QString, file);
        QFETCH(QString, include);
        QFETCH(bool, allowed);
        QTemporaryDir root;
        QVERIFY(write(root.path() + QLatin1Char('/') + file,
                      "#include <cmath>\n#include " + include.toUtf8() + "\n"));
        const IncludeRules rules(root.path(), qtHeaders);
        const QVector<Violation> found = rules.check();
        QCOMPARE(rules.filesSeen(), 1);
        QCOMPARE(found.size(), allowed ? 0 : 1);
        if (!allowed) {
            QCOMPARE(found[0].file, file);
            QCOMPARE(found[0].line, 2);
            QVERIFY(!found[0].reason.isEmpty());
        }
    }

    void commentsAndOddSpacing()
    {
        const QVector<Include> found = includesOf(QStringLiteral(
            "// #include \"a.h\"\n/* #include \"b.h\"\n#include \"c.h\" */\n"
            "  #  include\t\"d.h\" // #include \"e.h\"\n/* x */ #include <f.h>\n"
            "const char* s = \"/*\";\n#include \"g.h\"\nint n = 1'000;\n#include \"h.h\"\n"));
        QStringList names;
        for (const Include& include : found)
            names << QStringLiteral("%1:%2").arg(include.line).arg(include.name);
        QCOMPARE(names, (QStringList{QStringLiteral("4:d.h"), QStringLiteral("5:f.h"),
                                     QStringLiteral("7:g.h"), QStringLiteral("9:h.h")}));
    }

    void theSourceTree()
    {
        const IncludeRules rules(QStringLiteral(RIDGELINE_SOURCE_DIR), qtHeaders);
        const QVector<Violation> found = rules.check();
        QVERIFY2(found.isEmpty(), qPrintable(lines(found).join(QLatin1Char('\n'))));
        QVERIFY2(rules.filesSeen() > 20, "the tree was not found");
    }

    /// Nothing of core may be linked with Qt Gui or Widgets either, core/report's Gui aside.
    void linkedModules()
    {
        static const QRegularExpression module(QStringLiteral("Qt6::(\\w+)"));
        const QDir core(QStringLiteral(RIDGELINE_SOURCE_DIR "/core"));
        int seen = 0;
        for (const QString& room : core.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            QFile file(core.filePath(room + QStringLiteral("/CMakeLists.txt")));
            if (!file.open(QIODevice::ReadOnly))
                continue;
            ++seen;
            auto it = module.globalMatch(QString::fromUtf8(file.readAll()));
            while (it.hasNext()) {
                const QString name = it.next().captured(1);
                const bool right =
                    name == QLatin1String("Core") || name == QLatin1String("Concurrent") ||
                    (name == QLatin1String("Gui") && room == QLatin1String("report"));
                QVERIFY2(right,
                         qPrintable(QStringLiteral("core/%1 links Qt6::%2").arg(room, name)));
            }
        }
        QVERIFY(seen > 5);
    }
};

QTEST_GUILESS_MAIN(TestStructure)
#include "tst_structure.moc"
