// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace roofscope::gui {

/// One line of plain text that never widens its window: it ends in "…" if it does not fit.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    /// `name`: object name for the style sheet.
    explicit ElidedLabel(const char* name = "");

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace roofscope::gui
