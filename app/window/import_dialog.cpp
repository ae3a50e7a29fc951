// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/import_dialog.h"

#include "app/window/mapping_page.h"
#include "widgets/runs_view.h"
#include "widgets/safe_browser.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

namespace ridgeline {

namespace {

/// Offers the formats that fit a row.
class FormatDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&,
                          const QModelIndex& index) const override
    {
        auto* box = new QComboBox(parent);
        for (const QString& id : index.data(ImportModel::ChoicesRole).toStringList()) {
            const TaskFormat* format = taskFormat(id);
            box->addItem(format ? format->title : id, id);
        }
        return box;
    }
    void setEditorData(QWidget* editor, const QModelIndex&) const override
    {
        static_cast<QComboBox*>(editor)->showPopup();
    }
    void setModelData(QWidget* editor, QAbstractItemModel* model,
                      const QModelIndex& index) const override
    {
        model->setData(index, static_cast<QComboBox*>(editor)->currentData(), Qt::EditRole);
    }
};

QString listHtml(const QString& title, const QStringList& lines)
{
    if (lines.isEmpty())
        return {};
    QString html = QStringLiteral("<p><b>%1</b></p><ul>").arg(title.toHtmlEscaped());
    for (const QString& line : lines)
        html += QStringLiteral("<li>%1</li>").arg(line.toHtmlEscaped());
    return html + QStringLiteral("</ul>");
}

} // namespace

ImportDialog::ImportDialog(const QString& path, const QString& dir, QWidget* parent)
    : QDialog(parent), m_path(path), m_model(new ImportModel(this)), m_job(new ImportJob(this))
{
    setWindowTitle(tr("Import tasks"));
    resize(1000, 680);
    buildLayout(dir);
    connect(m_job, &ImportJob::found, this, &ImportDialog::showFound);
    connect(m_job, &ImportJob::imported, this, [this](const QVector<ImportOutcome>& outcomes) {
        m_model->setOutcomes(outcomes);
        showDetails();
    });
    connect(m_job, &ImportJob::progressed, this, [this](int done, int total, const QString& label) {
        m_progress->setRange(0, std::max(total, 1));
        m_progress->setValue(done);
        if (!m_looking && done < total)
            say(tr("%1 of %2: %3").arg(done + 1).arg(total).arg(label));
    });
    connect(m_job, &ImportJob::finished, this, &ImportDialog::showFinished);
    connect(m_model, &ImportModel::ticksChanged, this, &ImportDialog::update);
    connect(m_mapping, &MappingPage::changed, this, &ImportDialog::update);
    look();
}

ImportDialog::~ImportDialog()
{
    m_job->disconnect(this);
}

void ImportDialog::buildLayout(const QString& dir)
{
    auto* from = new QLineEdit(m_path, this);
    from->setReadOnly(true);
    from->setAccessibleName(tr("What is imported"));
    m_format = new QComboBox(this);
    m_format->setAccessibleName(tr("Format to look for"));
    m_format->addItem(tr("Whatever is recognised"), QString());
    for (const TaskFormat& format : taskFormats()) {
        if (format.id == QLatin1String("by-hand"))
            continue;
        m_format->addItem(format.title, format.id);
        m_format->setItemData(m_format->count() - 1, format.recognised, Qt::ToolTipRole);
    }
    m_dir = new QLineEdit(dir, this);
    m_dir->setAccessibleName(tr("Folder for the bundles"));
    auto* browse = new QPushButton(tr("Choose …"), this);
    browse->setAutoDefault(false);
    auto* top = new QGridLayout;
    const auto row = [&](int at, const QString& text, QWidget* field) {
        auto* label = new QLabel(text, this);
        label->setBuddy(field);
        top->addWidget(label, at, 0);
        top->addWidget(field, at, 1);
    };
    row(0, tr("&From"), from);
    row(1, tr("For&mat"), m_format);
    row(2, tr("Bundles go &to"), m_dir);
    top->addWidget(browse, 2, 2);
    top->setColumnStretch(1, 1);

    m_table = makeTable(tr("Tasks found"), this);
    m_table->setModel(m_model);
    m_table->setItemDelegateForColumn(ImportModel::Format, new FormatDelegate(this));
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                             QAbstractItemView::SelectedClicked);
    QHeaderView* header = m_table->horizontalHeader();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(ImportModel::Task, QHeaderView::Stretch);
    const int widths[] = {0, 190, 64, 140, 90, 70, 84};
    for (int column = 1; column < ImportModel::ColumnCount; ++column)
        m_table->setColumnWidth(column, widths[column]);
    m_details = new SafeBrowser(this);
    m_details->setAccessibleName(tr("What was mapped and what was not"));
    auto* split = new QSplitter(Qt::Vertical, this);
    split->addWidget(m_table);
    split->addWidget(m_details);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    m_mapping = new MappingPage(this);
    m_pages = new QStackedWidget(this);
    m_pages->addWidget(split);
    m_pages->addWidget(m_mapping);

    m_progress = new QProgressBar(this);
    m_progress->setAccessibleName(tr("Progress of the import"));
    m_progress->setTextVisible(false);
    m_status = new QLabel(this);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setWordWrap(true);
    m_status->setAccessibleName(tr("State of the import"));

    auto* buttons = new QDialogButtonBox(this);
    m_byHand = buttons->addButton(tr("Map by &hand …"), QDialogButtonBox::ResetRole);
    m_import = buttons->addButton(tr("&Import"), QDialogButtonBox::ActionRole);
    m_open = buttons->addButton(tr("&Open in the queue"), QDialogButtonBox::ActionRole);
    m_cancel = buttons->addButton(QDialogButtonBox::Close);
    m_import->setDefault(true);
    connect(browse, &QPushButton::clicked, this, [this] {
        const QString chosen =
            QFileDialog::getExistingDirectory(this, tr("Folder for the bundles"), m_dir->text());
        if (!chosen.isEmpty())
            m_dir->setText(chosen);
    });
    connect(m_format, &QComboBox::activated, this, [this] { look(); });
    connect(m_byHand, &QPushButton::clicked, this, [this] {
        const bool back = m_pages->currentIndex() == MapPage;
        m_pages->setCurrentIndex(back ? TablePage : MapPage);
        say(back ? QString() : tr("Nothing is guessed: choose the parts, then import."));
        update();
    });
    connect(m_import, &QPushButton::clicked, this, &ImportDialog::startImport);
    connect(m_open, &QPushButton::clicked, this, [this] {
        Q_EMIT bundlesImported(m_model->bundleDirs());
        accept();
    });
    connect(m_cancel, &QPushButton::clicked, this, &ImportDialog::reject);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ImportDialog::showDetails);
    connect(m_dir, &QLineEdit::textChanged, this, &ImportDialog::update);

    auto* layout = new QVBoxLayout(this);
    layout->addLayout(top);
    layout->addWidget(m_pages, 1);
    layout->addWidget(m_progress);
    layout->addWidget(m_status);
    layout->addWidget(buttons);
}

QString ImportDialog::dir() const
{
    return m_dir->text().trimmed();
}

QString ImportDialog::detailText() const
{
    return m_details->toPlainText();
}

void ImportDialog::say(const QString& text, bool bad)
{
    m_status->setText(text);
    QPalette palette = this->palette();
    if (bad)
        palette.setColor(QPalette::WindowText, ThemeTokens::of(palette).colour(Meaning::Bad));
    m_status->setPalette(palette);
}

void ImportDialog::look()
{
    if (m_job->isRunning())
        return;
    m_looking = true;
    m_imported = false;
    m_model->setTasks({});
    m_pages->setCurrentIndex(TablePage);
    m_progress->setRange(0, 0);
    say(tr("Looking through %1 …").arg(m_path));
    CollectionRequest request;
    request.path = m_path;
    request.format = m_format->currentData().toString();
    m_job->start(request);
    update();
}

void ImportDialog::showFound(const DetectionReport& report)
{
    if (!m_looking)
        return;
    m_report = report;
    m_model->setTasks(report.tasks);
    QStringList offered = report.unknown;
    if (offered.isEmpty() && report.tasks.isEmpty())
        offered << QFileInfo(m_path).fileName();
    m_mapping->setFiles(offered);
    if (!report.tasks.isEmpty())
        m_table->selectRow(0);
}

void ImportDialog::startImport()
{
    if (m_job->isRunning())
        return;
    m_looking = false;
    m_progress->setRange(0, 1);
    m_progress->setValue(0);
    if (m_pages->currentIndex() == MapPage) {
        const HandMapping mapping = m_mapping->mapping();
        Detection task;
        task.format = QStringLiteral("by-hand");
        task.path = mapping.reference.isEmpty() ? mapping.candidates.value(0) : mapping.reference;
        task.name = task.path;
        task.why = tr("mapped by a person");
        m_model->setTasks({task});
        m_pages->setCurrentIndex(TablePage);
        m_job->startByHand(m_path, {}, mapping, dir());
        update();
        return;
    }
    m_model->resetOutcomes();
    CollectionRequest request;
    request.path = m_path;
    request.format = m_format->currentData().toString();
    request.dir = dir();
    request.only = m_model->tickedKeys();
    request.choices = m_model->choices();
    m_job->start(request);
    update();
}

void ImportDialog::showFinished(const std::shared_ptr<Error>& error, bool cancelled)
{
    const bool looking = m_looking;
    m_looking = false;
    m_progress->setRange(0, 1);
    m_progress->setValue(looking || error ? 0 : 1);
    if (error && error->code != ErrorCode::Cancelled) {
        say(error->toString(), true);
    } else if (looking) {
        if (m_report.tasks.isEmpty()) {
            say(tr("No format is recognised. Choose one above, or map the files by hand."), true);
            m_pages->setCurrentIndex(MapPage);
        } else {
            const int open = m_model->openChoices();
            say(open > 0 ? tr("%n task(s) fit several formats: choose one in the Format column.",
                              nullptr, open)
                         : tr("%n task(s) found.", nullptr, m_model->count()));
        }
    } else {
        m_imported = true;
        int fine = 0, stubs = 0, refused = 0;
        for (int row = 0; row < m_model->count(); ++row) {
            const ImportOutcome* outcome = m_model->outcome(row);
            if (!outcome)
                continue;
            refused += outcome->error ? 1 : 0;
            stubs += !outcome->error && outcome->status != BundleStatus::Ready;
            fine += !outcome->error && outcome->status == BundleStatus::Ready;
        }
        QStringList parts{tr("%1 imported").arg(fine)};
        if (stubs > 0)
            parts << tr("%n stub(s): incomplete, shown but not run", nullptr, stubs);
        if (refused > 0)
            parts << tr("%1 refused").arg(refused);
        if (cancelled)
            parts << tr("cancelled: import again to go on from here");
        say(parts.join(QStringLiteral(", ")) + QLatin1Char('.'), refused > 0);
    }
    showDetails();
    update();
}

void ImportDialog::showDetails()
{
    const int row = m_table->currentIndex().row();
    if (row < 0 || row >= m_model->count()) {
        m_details->clear();
        return;
    }
    const Detection& task = m_model->task(row);
    const TaskFormat* format = taskFormat(task.format);
    QString html = QStringLiteral("<p><b>%1</b> – %2</p><p>%3</p>")
                       .arg((format ? format->title : task.format).toHtmlEscaped(),
                            (task.path.isEmpty() ? QStringLiteral(".") : task.path).toHtmlEscaped(),
                            tr("%1 % sure: %2")
                                .arg(qRound(task.confidence * 100))
                                .arg(task.why)
                                .toHtmlEscaped());
    if (const ImportOutcome* outcome = m_model->outcome(row)) {
        if (outcome->error)
            html += listHtml(tr("Refused"), {outcome->error->toString()});
        html += listHtml(tr("Warnings"), outcome->warnings);
        html += listHtml(tr("Not mapped"), outcome->unmapped);
        html += listHtml(tr("Mapped"), outcome->mapped);
    } else {
        QStringList others;
        for (const QString& id : task.alternatives) {
            const TaskFormat* other = taskFormat(id);
            others << (other ? QStringLiteral("%1: %2").arg(other->title, other->recognised) : id);
        }
        html += listHtml(tr("Fits as well"), others);
        html += listHtml(tr("Files"), task.files.mid(0, 30));
    }
    m_details->showTrustedHtml(html);
}

void ImportDialog::update()
{
    const bool running = m_job->isRunning();
    const bool byHand = m_pages->currentIndex() == MapPage;
    const int ticked = int(m_model->tickedKeys().size());
    m_import->setEnabled(!running && !dir().isEmpty() &&
                         (byHand ? m_mapping->isUsable()
                                 : ticked > m_model->openChoices() && !m_report.tasks.isEmpty()));
    m_import->setText(byHand || ticked < 2 ? tr("&Import") : tr("&Import %1 tasks").arg(ticked));
    m_byHand->setEnabled(!running);
    m_byHand->setText(byHand ? tr("&Back to the table") : tr("Map by &hand …"));
    m_format->setEnabled(!running);
    m_dir->setEnabled(!running);
    m_open->setEnabled(!running && m_imported && !m_model->bundleDirs().isEmpty());
    m_open->setDefault(m_open->isEnabled());
    m_import->setDefault(!m_open->isEnabled());
    m_cancel->setText(running ? tr("Cancel") : tr("Close"));
}

void ImportDialog::reject()
{
    if (m_job->isRunning()) {
        say(tr("Stopping …"));
        m_job->cancel();
        return;
    }
    QDialog::reject();
}

} // namespace ridgeline
