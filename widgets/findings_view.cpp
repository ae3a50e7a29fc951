// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/findings_view.h"

#include "widgets/empty_state.h"
#include "widgets/icons.h"
#include "widgets/runs_view.h"
#include "widgets/safe_browser.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QUrl>
#include <QVBoxLayout>

namespace ridgeline {

namespace {

class FindingsFilter final : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void set(const QString& text, int leastSeverity, int state)
    {
        m_text = text;
        m_leastSeverity = leastSeverity;
        m_state = state;
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override
    {
        const auto* model = static_cast<const FindingsModel*>(sourceModel());
        Q_UNUSED(parent);
        const Finding& f = model->findings().at(row);
        if (int(f.severity) < m_leastSeverity || (m_state >= 0 && int(f.state) != m_state))
            return false;
        if (m_text.isEmpty())
            return true;
        for (const QString& field : {f.code, f.title, f.explanation, f.candidate, f.pass,
                                     f.location ? f.location->file : QString()}) {
            if (field.contains(m_text, Qt::CaseInsensitive))
                return true;
        }
        return false;
    }

private:
    QString m_text;
    int m_leastSeverity = 0;
    int m_state = -1;
};

/// What a finding says, as HTML of our own; everything that came from outside is escaped.
QString detailsHtml(const Finding& f, const ThemeTokens& t)
{
    QString html = QStringLiteral("<h3 style='margin:0'>%1</h3>").arg(f.title.toHtmlEscaped());
    QStringList facts{lookOf(f.severity).text, f.code.toHtmlEscaped()};
    if (f.suggestedVerdict != VerdictWord::None)
        facts.append(QObject::tr("suggests %1").arg(verdictWordName(f.suggestedVerdict)));
    if (!f.pass.isEmpty())
        facts.append(QObject::tr("from the %1 pass").arg(f.pass.toHtmlEscaped()));
    html += QStringLiteral("<p style='color:%1;margin:2px 0 6px 0'>%2</p>")
                .arg(t.muted.name(), facts.join(QStringLiteral(" · ")));
    if (!f.explanation.isEmpty())
        html += QStringLiteral("<p style='margin:0 0 6px 0'>%1</p>")
                    .arg(f.explanation.toHtmlEscaped().replace(QLatin1Char('\n'),
                                                               QLatin1String("<br>")));
    if (f.location)
        html += QStringLiteral("<p style='margin:0 0 6px 0'><a href='line'>%1</a></p>")
                    .arg(rangeText(f.location).toHtmlEscaped());
    if (!f.evidence.isEmpty()) {
        html += QStringLiteral("<table cellpadding='2' cellspacing='0'>");
        int number = 0;
        for (const Evidence& e : f.evidence) {
            QString text = e.text.toHtmlEscaped();
            if (!e.rule.isEmpty())
                text += QStringLiteral(" <span style='color:%1'>(%2)</span>")
                            .arg(t.muted.name(), e.rule.toHtmlEscaped());
            if (e.source)
                text += QStringLiteral(" <a href='evidence:%1'>%2</a>")
                            .arg(number)
                            .arg(rangeText(e.source).toHtmlEscaped());
            else if (!e.artefact.isEmpty())
                text += QStringLiteral(" <a href='evidence:%1'>%2</a>")
                            .arg(number)
                            .arg(e.artefact.toHtmlEscaped());
            html += QStringLiteral("<tr><td style='color:%1'>%2&nbsp;&nbsp;</td><td>%3</td></tr>")
                        .arg(t.muted.name(), e.kind.toHtmlEscaped(), text);
            ++number;
        }
        html += QStringLiteral("</table>");
    }
    if (!f.reason.isEmpty())
        html += QStringLiteral("<p style='margin:6px 0 0 0'><b>%1</b> %2</p>")
                    .arg(QObject::tr("Reason:"), f.reason.toHtmlEscaped());
    return html;
}

} // namespace

FindingsView::FindingsView(QWidget* parent)
    : QWidget(parent),
      m_model(new FindingsModel(this)),
      m_proxy(new FindingsFilter(this)),
      m_stack(new QStackedWidget(this)),
      m_table(makeTable(tr("Findings"), this)),
      m_filter(new QLineEdit(this)),
      m_severity(new QComboBox(this)),
      m_state(new QComboBox(this)),
      m_count(new QLabel(this)),
      m_details(new SafeBrowser(this)),
      m_reason(new QLineEdit(this)),
      m_confirm(new QPushButton(tr("Confirm (y)"), this)),
      m_dismiss(new QPushButton(tr("Dismiss (x)"), this)),
      m_reopen(new QPushButton(tr("Reopen"), this))
{
    m_proxy->setSourceModel(m_model);
    m_table->setModel(m_proxy);
    const QFontMetrics fm(font());
    const int widths[] = {11, 13, 11, 46, 18, 13, 24};
    for (int column = 0; column < int(FindingsModel::Column::Count); ++column)
        m_table->setColumnWidth(column, fm.averageCharWidth() * widths[column] + 14);

    m_filter->setPlaceholderText(tr("Filter findings"));
    m_filter->setAccessibleName(tr("Filter findings"));
    m_filter->setClearButtonEnabled(true);
    m_severity->setAccessibleName(tr("Least severity shown"));
    for (const auto& [text, value] : {std::pair{tr("all severities"), Severity::Info},
                                      std::pair{tr("low and up"), Severity::Low},
                                      std::pair{tr("medium and up"), Severity::Medium},
                                      std::pair{tr("high only"), Severity::High}})
        m_severity->addItem(text, int(value));
    m_state->setAccessibleName(tr("State shown"));
    m_state->addItem(tr("all states"), -1);
    for (const FindingState state :
         {FindingState::Open, FindingState::Confirmed, FindingState::Dismissed})
        m_state->addItem(lookOf(state).text, int(state));
    m_count->setObjectName(QStringLiteral("Muted"));
    auto* filterRow = new QHBoxLayout;
    filterRow->setContentsMargins(8, 4, 8, 4);
    filterRow->addWidget(m_filter, 1);
    filterRow->addWidget(m_severity);
    filterRow->addWidget(m_state);
    filterRow->addWidget(m_count);
    auto* left = new QWidget(this);
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 0, 0);
    leftColumn->setSpacing(0);
    leftColumn->addLayout(filterRow);
    leftColumn->addWidget(m_table, 1);

    m_details->setAccessibleName(tr("Details of the finding"));
    m_details->setFrameShape(QFrame::NoFrame);
    m_reason->setPlaceholderText(tr("Reason (needed to dismiss)"));
    m_reason->setAccessibleName(tr("Reason for the decision"));
    m_reason->setMaxLength(2000);
    for (QPushButton* button : {m_confirm, m_dismiss, m_reopen})
        button->setAccessibleName(button->text());
    auto* decisionRow = new QHBoxLayout;
    decisionRow->setContentsMargins(8, 4, 8, 6);
    decisionRow->addWidget(m_reason, 1);
    decisionRow->addWidget(m_confirm);
    decisionRow->addWidget(m_dismiss);
    decisionRow->addWidget(m_reopen);
    auto* right = new QWidget(this);
    auto* rightColumn = new QVBoxLayout(right);
    rightColumn->setContentsMargins(0, 0, 0, 0);
    rightColumn->setSpacing(0);
    rightColumn->addWidget(m_details, 1);
    rightColumn->addLayout(decisionRow);

    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setObjectName(QStringLiteral("FindingsSplitter"));
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(left);
    splitter->addWidget(right);
    splitter->setSizes({600, 420});
    m_stack->addWidget(makeEmptyState(&m_emptyTitle, &m_emptyText, this));
    m_stack->addWidget(splitter);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_stack);

    connect(m_filter, &QLineEdit::textChanged, this, &FindingsView::refilter);
    connect(m_severity, &QComboBox::currentIndexChanged, this, &FindingsView::refilter);
    connect(m_state, &QComboBox::currentIndexChanged, this, &FindingsView::refilter);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        m_reason->clear();
        showCurrent();
    });
    connect(m_model, &QAbstractItemModel::dataChanged, this, &FindingsView::showCurrent);
    connect(m_table, &QTableView::activated, this, &FindingsView::activate);
    connect(m_table, &QTableView::clicked, this, &FindingsView::activate);
    connect(m_confirm, &QPushButton::clicked, this, &FindingsView::confirm);
    connect(m_dismiss, &QPushButton::clicked, this, &FindingsView::dismiss);
    connect(m_reopen, &QPushButton::clicked, this, &FindingsView::reopen);
    connect(m_reason, &QLineEdit::returnPressed, this, &FindingsView::dismiss);
    connect(m_details, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
        const Finding* finding = current();
        if (!finding)
            return;
        if (url.path() == QLatin1String("line") || url.toString() == QLatin1String("line")) {
            activate();
            return;
        }
        const int number = url.path().toInt();
        if (number < 0 || number >= finding->evidence.size())
            return;
        const Evidence& evidence = finding->evidence.at(number);
        if (evidence.source)
            Q_EMIT locationActivated(evidence.source->file, evidence.source->firstLine);
        else
            Q_EMIT artefactActivated(evidence.artefact);
    });
    setFindings({}, false);
}

void FindingsView::setFindings(const QVector<Finding>& findings, bool haveRun)
{
    const QString id = current() ? current()->id : QString();
    m_model->setFindings(findings);
    m_emptyTitle->setText(haveRun ? tr("No findings") : tr("Nothing has looked at this yet"));
    m_emptyText->setText(
        haveRun ? tr("The passes that ran noticed nothing. That is not a proof: read the code too.")
                : tr("F5 runs the passes; what they notice is listed here, to be confirmed or "
                     "dismissed by you."));
    m_stack->setCurrentIndex(findings.isEmpty() ? 0 : 1);
    refilter();
    if (!id.isEmpty())
        select(id);
    if (!m_table->currentIndex().isValid() && m_proxy->rowCount() > 0)
        m_table->selectRow(0);
    showCurrent();
}

void FindingsView::refilter()
{
    static_cast<FindingsFilter*>(m_proxy)->set(m_filter->text(), m_severity->currentData().toInt(),
                                               m_state->currentData().toInt());
    m_count->setText(tr("%1 of %2").arg(m_proxy->rowCount()).arg(m_model->rowCount()));
}

const Finding* FindingsView::current() const
{
    return m_model->at(m_proxy->mapToSource(m_table->currentIndex()).row());
}

void FindingsView::select(const QString& id)
{
    const QModelIndex index = m_proxy->mapFromSource(m_model->index(m_model->rowOf(id), 0));
    if (index.isValid())
        m_table->selectRow(index.row());
}

void FindingsView::showCurrent()
{
    const Finding* finding = current();
    m_details->showTrustedHtml(finding ? detailsHtml(*finding, ThemeTokens::of(palette()))
                                       : tr("<p>Select a finding to see what it rests on.</p>"));
    m_reason->setEnabled(finding);
    m_confirm->setEnabled(finding && finding->state != FindingState::Confirmed);
    m_dismiss->setEnabled(finding && finding->state != FindingState::Dismissed);
    m_reopen->setEnabled(finding && finding->state != FindingState::Open);
}

void FindingsView::activate()
{
    const Finding* finding = current();
    if (finding && finding->location && finding->location->firstLine > 0)
        Q_EMIT locationActivated(finding->location->file, finding->location->firstLine);
}

void FindingsView::decide(FindingState state)
{
    const Finding* finding = current();
    if (!finding)
        return;
    const QString id = finding->id;
    const QString reason = m_reason->text().trimmed();
    m_reason->clear();
    m_table->setFocus();
    Q_EMIT decided(id, state, reason);
}

void FindingsView::confirm()
{
    if (m_confirm->isEnabled())
        decide(FindingState::Confirmed);
}

void FindingsView::dismiss()
{
    if (!m_dismiss->isEnabled())
        return;
    if (m_reason->text().trimmed().isEmpty()) {
        m_reason->setFocus(Qt::ShortcutFocusReason);
        return;
    }
    decide(FindingState::Dismissed);
}

void FindingsView::reopen()
{
    if (m_reopen->isEnabled())
        decide(FindingState::Open);
}

} // namespace ridgeline
