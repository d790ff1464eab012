// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace roofscope::gui {

/// A framed part of the window: a header with a title and controls, and the content below.
class Pane : public QFrame {
    Q_OBJECT
public:
    Pane(const QString& title, QWidget* content, QWidget* parent = nullptr);
    /// Adds a control to the right end of the header.
    void addControl(QWidget* control);

private:
    QHBoxLayout* m_header = nullptr;
};

}  // namespace roofscope::gui
