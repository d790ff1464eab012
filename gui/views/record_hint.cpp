// SPDX-License-Identifier: Apache-2.0
#include "gui/views/record_hint.h"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace roofscope::gui {

RecordHint::RecordHint(QWidget* parent) : QWidget(parent) {
    m_reason = new QLabel;
    m_reason->setObjectName(QStringLiteral("hint"));
    m_reason->setTextFormat(Qt::PlainText);
    m_reason->setAlignment(Qt::AlignHCenter);
    m_reason->setWordWrap(true);
    m_command = new QLabel;
    m_command->setObjectName(QStringLiteral("codeBox"));
    m_command->setTextFormat(Qt::PlainText);
    m_command->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_command->setWordWrap(true);
    m_command->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_command->setAccessibleName(tr("Command that records it"));
    m_copy = new QPushButton(tr("Copy"));
    m_copy->setAccessibleName(tr("Copy command"));

    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(m_command, 3);
    row->addWidget(m_copy);
    row->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    layout->addStretch(2);
    layout->addWidget(m_reason);
    layout->addLayout(row);
    layout->addStretch(3);
    connect(m_copy, &QPushButton::clicked, this, &RecordHint::copy);
}

void RecordHint::setText(const QString& reason, const QString& command) {
    m_reason->setText(reason);
    m_command->setText(command);
    m_command->setVisible(!command.isEmpty());
    m_copy->setVisible(!command.isEmpty());
}

QString RecordHint::command() const { return m_command->text(); }

void RecordHint::copy() const { QApplication::clipboard()->setText(m_command->text()); }

}  // namespace roofscope::gui
