// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/layouts.h"

#include <QWidget>

namespace roofscope::gui {
namespace {

template <class Box>
Box* filled(std::initializer_list<Placed> items, const Spaces& spaces) {
    auto* box = new Box;
    box->setContentsMargins(spaces.around);
    box->setSpacing(spaces.between);
    for (const Placed& item : items) {
        if (item.widget)
            box->addWidget(item.widget, item.stretch, item.alignment);
        else if (item.layout)
            box->addLayout(item.layout, item.stretch);
        else if (item.gap > 0)
            box->addSpacing(item.gap);
        else
            box->addStretch(item.stretch);
    }
    return box;
}

}  // namespace

QHBoxLayout* inRow(std::initializer_list<Placed> items, const Spaces& spaces) {
    return filled<QHBoxLayout>(items, spaces);
}

QVBoxLayout* inColumn(std::initializer_list<Placed> items, const Spaces& spaces) {
    return filled<QVBoxLayout>(items, spaces);
}

QWidget* widgetWith(QLayout* layout) {
    auto* widget = new QWidget;
    widget->setLayout(layout);
    return widget;
}

}  // namespace roofscope::gui
