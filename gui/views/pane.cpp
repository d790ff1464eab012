// SPDX-License-Identifier: Apache-2.0
#include "gui/views/pane.h"

namespace roofscope::gui {

Pane::Pane(const QString& title, QWidget* content, QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("pane"));
    setAccessibleName(title);
    auto* header = new QFrame;
    header->setObjectName(QStringLiteral("paneHeader"));
    m_header = new QHBoxLayout(header);
    m_header->setContentsMargins(10, 5, 6, 5);
    m_header->setSpacing(4);
    auto* label = new QLabel(title);
    label->setObjectName(QStringLiteral("paneTitle"));
    m_header->addWidget(label);
    m_header->addStretch(1);
    header->setMinimumHeight(38);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->setSpacing(0);
    layout->addWidget(header);
    layout->addWidget(content, 1);
}

void Pane::addControl(QWidget* control) { m_header->addWidget(control); }

}  // namespace roofscope::gui
