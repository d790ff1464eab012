// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/pane.h"

#include <QEvent>
#include <QToolButton>

#include "gui/views/widgets/layouts.h"

namespace roofscope::gui {

Pane::Pane(const QString& title, QWidget* content, QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("pane"));
    setAccessibleName(title);
    auto* header = new QFrame;
    header->setObjectName(QStringLiteral("paneHeader"));
    header->setToolTip(tr("Double-click: maximise or restore this pane (F12)"));
    header->installEventFilter(this);
    // The header must not widen the pane: resizeEvent() reduces its buttons to icons instead.
    header->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_header = header;
    auto* label = new QLabel(title);
    label->setObjectName(QStringLiteral("paneTitle"));
    m_controls = inRow({label, stretchSpace()}, {.around = {10, 5, 6, 5}, .between = 4});
    header->setLayout(m_controls);
    header->setMinimumHeight(38);

    setLayout(inColumn({header, {content, 1}}, {.around = {1, 1, 1, 1}, .between = 0}));
}

void Pane::addControl(QWidget* control) { m_controls->addWidget(control); }

void Pane::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    const auto buttons = m_header->findChildren<QToolButton*>();
    const auto show = [&](Qt::ToolButtonStyle style) {
        for (QToolButton* button : buttons)
            if (!button->icon().isNull()) button->setToolButtonStyle(style);
    };
    show(Qt::ToolButtonTextBesideIcon);
    m_controls->invalidate();
    if (m_controls->minimumSize().width() > width()) show(Qt::ToolButtonIconOnly);
}

bool Pane::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonDblClick) {
        Q_EMIT maximiseRequested();
        return true;
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace roofscope::gui
