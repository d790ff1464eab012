// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/choice_box.h"

#include <QAbstractItemView>
#include <QLayout>
#include <QScreen>
#include <QScrollBar>
#include <algorithm>

namespace roofscope::gui {

void ChoiceBox::showPopup() {
    constexpr int kMost = 900;  // pixels; longer entries end in "…"
    const int needed = view()->sizeHintForColumn(0) + 2 * view()->frameWidth() +
                       view()->verticalScrollBar()->sizeHint().width();
    view()->setMinimumWidth(std::min(needed, kMost));
    QComboBox::showPopup();
    showAllEntries();
}

/// QComboBox does not count the padding that a style sheet gives the list, so that the last entry
/// would be behind a scroll button.
void ChoiceBox::showAllEntries() {
    QWidget* popup = view()->parentWidget();
    if (!popup || !popup->layout() || !popup->isVisible() || count() == 0) return;
    int needed = 0;
    for (int row = 0; row < std::min(count(), maxVisibleItems()); ++row)
        needed += view()->sizeHintForRow(row);
    const QRect room = screen()->availableGeometry();
    // The first step may take away the scroll buttons, which leaves too much.
    for (int step = 0; step < 2; ++step) {
        QRect place = popup->geometry();
        place.setHeight(
            std::min(place.height() + needed - view()->viewport()->height(), room.height()));
        if (place.bottom() > room.bottom()) place.moveBottom(room.bottom());
        popup->setGeometry(place);
        popup->layout()->activate();
    }
}

}  // namespace roofscope::gui
