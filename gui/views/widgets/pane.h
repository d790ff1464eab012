// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace roofscope::gui {

/// A framed part of the window: a header with title and controls, and the content below.
/// Double-click on the header asks to maximise the pane.
class Pane : public QFrame {
    Q_OBJECT
public:
    Pane(const QString& title, QWidget* content, QWidget* parent = nullptr);
    /// Adds a control to the right end of the header.
    void addControl(QWidget* control);

Q_SIGNALS:
    void maximiseRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* m_header = nullptr;
    QHBoxLayout* m_controls = nullptr;
};

}  // namespace roofscope::gui
