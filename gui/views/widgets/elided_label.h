// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace roofscope::gui {

/// One line of plain text that takes the room there is and ends in "…" where that is too little.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    /// `name` is what the style sheet knows it by.
    explicit ElidedLabel(const char* name = "");

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace roofscope::gui
