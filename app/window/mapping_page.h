// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/import.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QTableWidget;

namespace ridgeline {

/// Which file plays which part, for what no format explains.
class MappingPage final : public QWidget {
    Q_OBJECT
public:
    enum Role { NotUsed, Spec, Reference, Candidate };

    explicit MappingPage(QWidget* parent = nullptr);

    /// At most 2,000 files are offered; names suggest the parts.
    void setFiles(const QStringList& files);
    void setRole(const QString& file, Role role);
    HandMapping mapping() const;
    bool isUsable() const; ///< a reference or a candidate is named

Q_SIGNALS:
    void changed();

private:
    QComboBox* roleBox(int row) const;

    QTableWidget* m_table;
    QComboBox* m_style;
    QLineEdit* m_entry;
    QLineEdit* m_referenceEntry;
};

} // namespace ridgeline
