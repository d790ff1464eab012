// SPDX-License-Identifier: Apache-2.0
#include "gui/views/recording/record_hint.h"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QLabel>
#include <QPushButton>

#include "gui/views/widgets/layouts.h"

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

    auto* row = inRow({stretchSpace(), {m_command, 3}, m_copy, stretchSpace()});
    setLayout(inColumn({stretchSpace(2), m_reason, row, stretchSpace(3)}, {.between = 10}));
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
