// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/mapping_page.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableWidget>
#include <QVBoxLayout>

namespace ridgeline {

namespace {

MappingPage::Role suggested(const QString& file)
{
    const QString name = file.section(QLatin1Char('/'), -1).toLower();
    const bool code = name.endsWith(QLatin1String(".py")) || name.endsWith(QLatin1String(".cu")) ||
                      name.endsWith(QLatin1String(".cpp"));
    if (name.endsWith(QLatin1String(".md")) || name.endsWith(QLatin1String(".txt")))
        return name.contains(QLatin1String("licen")) ? MappingPage::NotUsed : MappingPage::Spec;
    if (code && (name.contains(QLatin1String("ref")) || name.contains(QLatin1String("golden"))))
        return MappingPage::Reference;
    if (code &&
        (name.contains(QLatin1String("kernel")) || name.contains(QLatin1String("solution")) ||
         name.contains(QLatin1String("submission")) || name.endsWith(QLatin1String(".cu"))))
        return MappingPage::Candidate;
    return MappingPage::NotUsed;
}

} // namespace

MappingPage::MappingPage(QWidget* parent) : QWidget(parent)
{
    auto* intro = new QLabel(
        tr("Say which file plays which part. Cases, tolerance and timing are not in the files: add "
           "them to kbundle.json afterwards."),
        this);
    intro->setWordWrap(true);
    m_table = new QTableWidget(0, 2, this);
    m_table->setAccessibleName(tr("Files and their parts"));
    m_table->setHorizontalHeaderLabels({tr("File"), tr("Part")});
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Fixed);
    m_table->setColumnWidth(1, 150);
    m_table->verticalHeader()->hide();
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_style = new QComboBox(this);
    m_style->setAccessibleName(tr("How a candidate is called"));
    const std::pair<QString, QString> styles[] = {
        {tr("Class with forward() (torch module)"), QStringLiteral("module")},
        {tr("Function of its inputs"), QStringLiteral("function")},
        {tr("Function of one tuple"), QStringLiteral("tuple")},
        {tr("Function that writes given outputs"), QStringLiteral("dps")},
        {tr("C function with device pointers"), QStringLiteral("c_abi")},
        {tr("Whole program, its exit code decides"), QStringLiteral("process")}};
    for (const auto& [text, id] : styles)
        m_style->addItem(text, id);
    m_entry = new QLineEdit(this);
    m_entry->setAccessibleName(tr("Name the candidate defines"));
    m_entry->setPlaceholderText(tr("for example ModelNew or solve"));
    m_referenceEntry = new QLineEdit(this);
    m_referenceEntry->setAccessibleName(tr("Name the reference defines"));
    m_referenceEntry->setPlaceholderText(tr("for example Model or reference"));
    auto* form = new QFormLayout;
    form->addRow(tr("Candidates are"), m_style);
    form->addRow(tr("Candidate's name"), m_entry);
    form->addRow(tr("Reference's name"), m_referenceEntry);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(intro);
    layout->addWidget(m_table, 1);
    layout->addLayout(form);
}

QComboBox* MappingPage::roleBox(int row) const
{
    return qobject_cast<QComboBox*>(m_table->cellWidget(row, 1));
}

void MappingPage::setFiles(const QStringList& files)
{
    constexpr int most = 2000;
    m_table->setRowCount(0);
    bool reference = false, spec = false;
    for (const QString& file : files.mid(0, most)) {
        const int row = m_table->rowCount();
        m_table->insertRow(row);
        auto* item = new QTableWidgetItem(file);
        item->setFlags(Qt::ItemIsSelectable | Qt::ItemIsEnabled);
        m_table->setItem(row, 0, item);
        auto* box = new QComboBox(m_table);
        box->addItems({tr("not used"), tr("spec"), tr("reference"), tr("candidate")});
        box->setAccessibleName(tr("Part of %1").arg(file));
        Role role = suggested(file);
        if ((role == Reference && reference) || (role == Spec && spec))
            role = NotUsed;
        reference = reference || role == Reference;
        spec = spec || role == Spec;
        box->setCurrentIndex(role);
        connect(box, &QComboBox::currentIndexChanged, this, &MappingPage::changed);
        m_table->setCellWidget(row, 1, box);
    }
    Q_EMIT changed();
}

void MappingPage::setRole(const QString& file, Role role)
{
    for (int row = 0; row < m_table->rowCount(); ++row) {
        if (m_table->item(row, 0)->text() == file)
            roleBox(row)->setCurrentIndex(role);
    }
}

HandMapping MappingPage::mapping() const
{
    HandMapping mapping;
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const QString file = m_table->item(row, 0)->text();
        switch (Role(roleBox(row)->currentIndex())) {
        case Spec:
            mapping.spec = file;
            break;
        case Reference:
            mapping.reference = file;
            break;
        case Candidate:
            mapping.candidates << file;
            break;
        case NotUsed:
            break;
        }
    }
    mapping.callStyle = m_style->currentData().toString();
    mapping.entry = m_entry->text().trimmed();
    mapping.referenceEntry = m_referenceEntry->text().trimmed();
    return mapping;
}

bool MappingPage::isUsable() const
{
    const HandMapping now = mapping();
    return !now.reference.isEmpty() || !now.candidates.isEmpty();
}

} // namespace ridgeline
