// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>

namespace roofscope::gui {

/// A drop-down whose list is as wide and high as its entries, however narrow the box is.
class ChoiceBox : public QComboBox {
    Q_OBJECT
public:
    using QComboBox::QComboBox;
    void showPopup() override;

private:
    void showAllEntries();
};

}  // namespace roofscope::gui
