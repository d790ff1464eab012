// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace roofscope::gui {

/// One line of plain text that takes the room there is and ends in "…" where that is too little.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace roofscope::gui
