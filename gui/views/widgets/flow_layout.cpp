// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/flow_layout.h"

#include <algorithm>

namespace roofscope::gui {

FlowLayout::FlowLayout(int between, QWidget* parent) : QLayout(parent), m_between(between) {
    setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() {
    for (QLayoutItem* item : m_items) delete item;
}

void FlowLayout::addItem(QLayoutItem* item) { m_items.push_back(item); }

QLayoutItem* FlowLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? m_items[std::size_t(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
    QLayoutItem* item = itemAt(index);
    if (item) m_items.erase(m_items.begin() + index);
    return item;
}

int FlowLayout::heightForWidth(int width) const { return arrange({0, 0, width, 0}, false); }

QSize FlowLayout::minimumSize() const {
    // Items can shrink, so the layout only has a minimum height.
    int height = 0;
    for (const QLayoutItem* item : m_items) height = std::max(height, item->sizeHint().height());
    return {1, height};
}

void FlowLayout::setGeometry(const QRect& area) {
    QLayout::setGeometry(area);
    arrange(area, true);
}

int FlowLayout::arrange(const QRect& area, bool place) const {
    int x = area.x(), y = area.y(), line = 0;
    for (QLayoutItem* item : m_items) {
        const QSize wanted = item->sizeHint();
        const QSize size(std::min(wanted.width(), area.width()), wanted.height());
        if (x > area.x() && x + size.width() > area.x() + area.width()) {
            x = area.x();
            y += line + m_between;
            line = 0;
        }
        if (place) item->setGeometry({QPoint(x, y), size});
        x += size.width() + m_between;
        line = std::max(line, size.height());
    }
    return y + line - area.y();
}

}  // namespace roofscope::gui
