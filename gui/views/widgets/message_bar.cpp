// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/message_bar.h"

#include <QAccessible>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>
#include <utility>

#include "gui/models/text/shown_text.h"
#include "gui/views/widgets/layouts.h"

namespace roofscope::gui {

MessageBar::MessageBar(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("messageBar"));
    setProperty("kind", QStringLiteral("error"));
    m_text = new QLabel;
    // Messages quote file contents, so never interpret them as markup.
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_action = new QPushButton;
    m_action->setAccessibleName(tr("Next step"));
    auto* close = new QPushButton(tr("Dismiss"));
    close->setAccessibleName(tr("Dismiss message"));
    setLayout(inRow({{m_text, 1}, {m_action, 0, Qt::AlignTop}, {close, 0, Qt::AlignTop}},
                    {.around = {12, 6, 8, 6}}));
    connect(close, &QPushButton::clicked, this, &QWidget::hide);
    connect(m_action, &QPushButton::clicked, this, [this] {
        hide();
        m_call();
    });
    hide();
}

void MessageBar::offer(const QString& message, const QString& action, std::function<void()> call) {
    showText(message, false);
    m_call = std::move(call);
    m_action->setText(action);
    m_action->setAccessibleName(action);
    m_action->show();
}

void MessageBar::hideError() {
    if (m_error) hide();
}

void MessageBar::showText(const QString& message, bool error) {
    m_error = error;
    m_action->hide();
    setProperty("kind", error ? QStringLiteral("error") : QStringLiteral("info"));
    style()->unpolish(this);
    style()->polish(this);
    // Messages quote file names and file contents, so clean them.
    const QString shown = shownLines(message);
    m_text->setText(shown);
    setAccessibleName(shown);
    show();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

bool MessageBar::offers() const { return !isHidden() && !m_action->isHidden(); }

QString MessageBar::message() const { return isHidden() ? QString() : m_text->text(); }

ProgressLine::ProgressLine(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("messageBar"));
    setProperty("kind", QStringLiteral("info"));
    m_text = new QLabel;
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);  // a long name must not widen the window
    m_bar = new QProgressBar;
    m_bar->setTextVisible(false);
    m_bar->setFixedWidth(160);
    m_bar->setAccessibleName(tr("Loading"));
    auto* cancel = new QPushButton(tr("Cancel"));
    setLayout(inRow({{m_text, 1}, m_bar, cancel}, {.around = {12, 6, 8, 6}, .between = 12}));
    connect(cancel, &QPushButton::clicked, this, &ProgressLine::cancelClicked);
    hide();
}

void ProgressLine::showStep(const QString& text, int percent) {
    m_text->setText(text);
    m_bar->setRange(0, percent < 0 ? 0 : 100);
    m_bar->setValue(percent);
    show();
}

}  // namespace roofscope::gui
