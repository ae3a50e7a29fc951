// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/empty_state.h"

#include <QLabel>
#include <QVBoxLayout>

namespace ridgeline {

QWidget* makeEmptyState(QLabel** title, QLabel** text, QWidget* parent)
{
    auto* page = new QWidget(parent);
    page->setAutoFillBackground(true);
    page->setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(24, 16, 24, 16);
    column->setSpacing(6);
    *title = new QLabel(page);
    *text = new QLabel(page);
    QFont heading = page->font();
    heading.setPointSizeF(heading.pointSizeF() * 1.15);
    heading.setWeight(QFont::DemiBold);
    (*title)->setFont(heading);
    (*text)->setObjectName(QStringLiteral("Muted"));
    for (QLabel* label : {*title, *text}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignHCenter);
    }
    column->addStretch(1);
    column->addWidget(*title);
    column->addWidget(*text);
    column->addStretch(2);
    return page;
}

} // namespace ridgeline
