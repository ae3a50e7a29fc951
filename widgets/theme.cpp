// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QStyleFactory>
#include <cmath>

namespace ridgeline {

namespace {

QColor rgb(unsigned value)
{
    return QColor::fromRgb(QRgb(0xff000000u | value));
}

ThemeTokens makeLight()
{
    ThemeTokens t;
    t.window = rgb(0xf3f4f6);
    t.base = rgb(0xffffff);
    t.raised = rgb(0xf8f9fb);
    t.border = rgb(0xd3d8de);
    t.current = rgb(0xeef4fb);
    t.selection = rgb(0xcfe3fb);
    t.text = rgb(0x1c2127);
    t.muted = rgb(0x565f6b);
    t.accent = rgb(0x0b5cad);
    t.selectionText = rgb(0x1c2127);
    t.good = rgb(0x17702f);
    t.bad = rgb(0xb81f2a);
    t.warning = rgb(0x7d5200);
    t.info = rgb(0x0b5cad);
    t.comment = rgb(0x59636e);
    t.keyword = rgb(0x7a2ea8);
    t.type = rgb(0x0b5cad);
    t.string = rgb(0x176b3a);
    t.number = rgb(0x9a3d00);
    t.preprocessor = rgb(0x8a2f5d);
    t.builtin = rgb(0x00667a);
    return t;
}

ThemeTokens makeDark()
{
    ThemeTokens t;
    t.dark = true;
    t.window = rgb(0x1d2126);
    t.base = rgb(0x15181c);
    t.raised = rgb(0x22272d);
    t.border = rgb(0x3a424c);
    t.current = rgb(0x1f252c);
    t.selection = rgb(0x264a73);
    t.text = rgb(0xe4e9ef);
    t.muted = rgb(0xa3adb9);
    t.accent = rgb(0x72b4ff);
    t.selectionText = rgb(0xffffff);
    t.good = rgb(0x63d283);
    t.bad = rgb(0xff8f87);
    t.warning = rgb(0xe9b949);
    t.info = rgb(0x72b4ff);
    t.comment = rgb(0x98a3b0);
    t.keyword = rgb(0xd2a0ff);
    t.type = rgb(0x7cbcff);
    t.string = rgb(0x7fd6a0);
    t.number = rgb(0xffb077);
    t.preprocessor = rgb(0xf59ac5);
    t.builtin = rgb(0x66d5e6);
    return t;
}

double channel(double c)
{
    return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c)
{
    return 0.2126 * channel(c.redF()) + 0.7152 * channel(c.greenF()) + 0.0722 * channel(c.blueF());
}

QString styleSheet(const ThemeTokens& t)
{
    // Only what Fusion cannot take from the palette: quiet headers, thin splitters, focus rings.
    return QStringLiteral(
               "QToolTip{color:%1;background:%2;border:1px solid %3;padding:3px;}"
               "QSplitter::handle{background:%3;}"
               "QSplitter::handle:hover,QSplitter::handle:focus{background:%4;}"
               "QHeaderView::section{background:%5;color:%6;border:0;border-bottom:1px solid %3;"
               "padding:3px 6px;}"
               "QTabWidget::pane{border:0;border-top:1px solid %3;}"
               "QToolBar{border:0;border-bottom:1px solid %3;padding:2px 6px;spacing:4px;}"
               "QStatusBar{border-top:1px solid %3;} QStatusBar::item{border:0;}"
               "QListView:focus,QTableView:focus,QTreeView:focus,QTextBrowser:focus"
               "{border:1px solid %4;}"
               "QListView,QTableView,QTreeView,QTextBrowser{border:1px solid %3;}"
               "QRadioButton::indicator{width:11px;height:11px;border-radius:6px;"
               "border:1px solid %6;background:%2;}"
               "QRadioButton::indicator:checked{width:5px;height:5px;border:4px solid %4;}"
               "QRadioButton::indicator:disabled{border-color:%3;}"
               "QCheckBox::indicator:unchecked{width:11px;height:11px;border:1px solid %6;"
               "background:%2;}"
               "#PaneHeader{background:%5;border-bottom:1px solid %3;}"
               "#Muted{color:%6;} #PaneTitle,#RubricTitle{font-weight:600;}"
               "#Card{background:%2;border:1px solid %3;border-radius:5px;}")
        .arg(t.text.name(), t.base.name(), t.border.name(), t.accent.name(), t.raised.name(),
             t.muted.name());
}

} // namespace

const ThemeTokens& ThemeTokens::lightSet()
{
    static const ThemeTokens tokens = makeLight();
    return tokens;
}

const ThemeTokens& ThemeTokens::darkSet()
{
    static const ThemeTokens tokens = makeDark();
    return tokens;
}

const ThemeTokens& ThemeTokens::of(const QPalette& palette)
{
    return luminance(palette.color(QPalette::Window)) <
                   luminance(palette.color(QPalette::WindowText))
               ? darkSet()
               : lightSet();
}

QColor ThemeTokens::colour(Meaning meaning) const
{
    switch (meaning) {
    case Meaning::Good:
        return good;
    case Meaning::Bad:
        return bad;
    case Meaning::Warning:
        return warning;
    case Meaning::Info:
        return info;
    case Meaning::Running:
        return accent;
    case Meaning::Muted:
        return muted;
    case Meaning::Neutral:
        break;
    }
    return text;
}

QPalette ThemeTokens::palette() const
{
    QPalette p;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, base);
    p.setColor(QPalette::AlternateBase, raised);
    p.setColor(QPalette::ToolTipBase, base);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, muted);
    p.setColor(QPalette::Button, raised);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, bad);
    p.setColor(QPalette::Highlight, selection);
    p.setColor(QPalette::HighlightedText, selectionText);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::Light, dark ? border : base);
    p.setColor(QPalette::Midlight, raised);
    p.setColor(QPalette::Mid, border);
    p.setColor(QPalette::Dark, border);
    p.setColor(QPalette::Shadow, dark ? rgb(0x0b0d0f) : rgb(0x9aa3ad));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, dark ? rgb(0x7d8793) : rgb(0x8a939e));
    return p;
}

QVector<std::pair<QString, QColor>> ThemeTokens::textColours() const
{
    return {{QStringLiteral("text"), text},       {QStringLiteral("muted"), muted},
            {QStringLiteral("accent"), accent},   {QStringLiteral("good"), good},
            {QStringLiteral("bad"), bad},         {QStringLiteral("warning"), warning},
            {QStringLiteral("info"), info},       {QStringLiteral("comment"), comment},
            {QStringLiteral("keyword"), keyword}, {QStringLiteral("type"), type},
            {QStringLiteral("string"), string},   {QStringLiteral("number"), number},
            {QStringLiteral("builtin"), builtin}, {QStringLiteral("preprocessor"), preprocessor}};
}

QVector<std::pair<QString, QColor>> ThemeTokens::backgrounds() const
{
    return {{QStringLiteral("window"), window},
            {QStringLiteral("base"), base},
            {QStringLiteral("raised"), raised},
            {QStringLiteral("current line"), current}};
}

double contrastRatio(const QColor& a, const QColor& b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

void applyTheme(QApplication& app, ThemeMode mode)
{
    // The desktop's own palette, before the first change by us.
    static const bool systemDark = ThemeTokens::of(app.palette()).dark;
    const bool dark = mode == ThemeMode::Dark || (mode == ThemeMode::System && systemDark);
    const ThemeTokens& tokens = dark ? ThemeTokens::darkSet() : ThemeTokens::lightSet();
    app.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    app.setPalette(tokens.palette());
    app.setStyleSheet(styleSheet(tokens));
}

QFont codeFont()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    return font;
}

} // namespace ridgeline
