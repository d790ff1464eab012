// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/choice_box.h"

#include <QAbstractItemView>
#include <QScrollBar>
#include <algorithm>

namespace roofscope::gui {

void ChoiceBox::showPopup() {
    constexpr int kMost = 900;  // pixels; longer entries end in "…"
    const int needed = view()->sizeHintForColumn(0) + 2 * view()->frameWidth() +
                       view()->verticalScrollBar()->sizeHint().width();
    view()->setMinimumWidth(std::min(needed, kMost));
    QComboBox::showPopup();
}

}  // namespace roofscope::gui
