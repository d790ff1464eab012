// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPushButton>

namespace roofscope::gui {

/// A kernel's name as a flat button that never widens its window. A name that does not fit is
/// elided in the middle, because long names often have the same beginning.
class NameButton : public QPushButton {
    Q_OBJECT
public:
    explicit NameButton(const QString& name, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_name;
};

}  // namespace roofscope::gui
