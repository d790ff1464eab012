// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/tab_order.h"

#include <QScrollArea>

#include "gui/views/widgets/layouts.h"

namespace roofscope::gui {
namespace {

bool takesTab(const QWidget& widget) { return (widget.focusPolicy() & Qt::TabFocus) != 0; }

}  // namespace

void insertInTabOrderAfter(QWidget* before, QWidget* content) {
    for (QWidget* each : content->findChildren<QWidget*>()) {
        if (!takesTab(*each)) continue;
        QWidget::setTabOrder(before, each);
        before = each;
    }
}

void replaceContent(QScrollArea* area, QLayout* content) {
    if (QWidget* old = area->takeWidget()) {
        old->hide();
        old->deleteLater();
    }
    QWidget* widget = widgetWith(content);
    widget->setObjectName(QStringLiteral("answer"));
    area->setWidget(widget);
    insertInTabOrderAfter(area, widget);
}

QWidget* firstFocusableWidget(QWidget* content) {
    const auto takesNow = [](const QWidget& each) {
        return takesTab(each) && each.isVisible() && each.isEnabled();
    };
    if (takesNow(*content)) return content;
    for (auto* each : content->findChildren<QAbstractScrollArea*>())
        if (takesNow(*each)) return each;
    for (auto* each : content->findChildren<QWidget*>())
        if (takesNow(*each)) return each;
    return nullptr;
}

}  // namespace roofscope::gui
