// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>

#include "gui/models/kernels/kernel_selection.h"
#include "gui/models/overview/overview.h"

class QHBoxLayout;
class QToolButton;
class QVBoxLayout;

namespace roofscope::gui {

/// A card for an action. It shows title and gain and, unless folded, what is wrong, what to change,
/// and buttons for the action's kernels and lines.
class ActionCard : public QFrame {
    Q_OBJECT
public:
    ActionCard(const Overview::Action& action, std::size_t number, QWidget* parent = nullptr);

    void setOpen(bool open);
    [[nodiscard]] bool isOpen() const;
    /// Whether the user opened or folded this card.
    [[nodiscard]] bool isDecided() const { return m_decided; }
    /// The height that the card would have at this width, open or folded.
    [[nodiscard]] int heightIf(bool open, int width) const;

Q_SIGNALS:
    void kernelsRequested(const roofscope::gui::KernelSelection& kernels);
    void placeRequested(const QString& file, int line);
    void copyRequested();

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void addButtons(const Overview::Action& action, std::size_t number, QVBoxLayout& to);
    void toggle();

    QToolButton* m_fold = nullptr;
    QHBoxLayout* m_head = nullptr;
    QWidget* m_body = nullptr;
    bool m_decided = false;
};

}  // namespace roofscope::gui
