// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/import_job.h"
#include "app/window/import_model.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace ridgeline {

class MappingPage;
class SafeBrowser;

/// Shows what a path holds, lets a person choose where formats are in doubt or nothing is
/// recognised, imports it, and says what came in. Nothing of it is executed.
class ImportDialog final : public QDialog {
    Q_OBJECT
public:
    /// `dir`: where bundles go unless changed.
    ImportDialog(const QString& path, const QString& dir, QWidget* parent = nullptr);
    ~ImportDialog() override;

    ImportModel* model() const { return m_model; }
    ImportJob* job() const { return m_job; }
    MappingPage* mapping() const { return m_mapping; }
    QTableView* table() const { return m_table; }
    QPushButton* importButton() const { return m_import; }
    QPushButton* openButton() const { return m_open; }
    QString detailText() const;
    QString dir() const;

Q_SIGNALS:
    void bundlesImported(const QStringList& dirs); ///< the person asked to open them

public Q_SLOTS:
    void reject() override; ///< while an import runs: stops it, what was finished stays

private:
    enum Page { TablePage, MapPage };
    void buildLayout(const QString& dir);
    void look();
    void startImport();
    void showFound(const DetectionReport& report);
    void showFinished(const std::shared_ptr<Error>& error, bool cancelled);
    void showDetails();
    void update();
    void say(const QString& text, bool bad = false);

    QString m_path;
    DetectionReport m_report;
    bool m_looking = false;
    bool m_imported = false;
    ImportModel* m_model;
    ImportJob* m_job;
    QComboBox* m_format = nullptr;
    QLineEdit* m_dir = nullptr;
    QStackedWidget* m_pages = nullptr;
    QTableView* m_table = nullptr;
    MappingPage* m_mapping = nullptr;
    SafeBrowser* m_details = nullptr;
    QProgressBar* m_progress = nullptr;
    QLabel* m_status = nullptr;
    QPushButton* m_import = nullptr;
    QPushButton* m_byHand = nullptr;
    QPushButton* m_open = nullptr;
    QPushButton* m_cancel = nullptr;
};

} // namespace ridgeline
