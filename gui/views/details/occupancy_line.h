// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "gui/models/details/occupancy_what_if.h"

class QBoxLayout;
class QPushButton;
class QSpinBox;

namespace roofscope::gui {

class ElidedLabel;

/// Shows the occupancy that a kernel would have with another block: fields for threads, registers
/// and shared memory, and the answer.
class OccupancyLine : public QWidget {
    Q_OBJECT
public:
    explicit OccupancyLine(QWidget* parent = nullptr);

    /// Starts from a kernel as it was launched.
    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel);
    [[nodiscard]] QString answer() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    void reset();
    void showAnswer();

    std::optional<OccupancyQuestion> m_question;
    QBoxLayout* m_layout = nullptr;
    QWidget* m_inputs = nullptr;
    QSpinBox *m_threads = nullptr, *m_registers = nullptr, *m_shared = nullptr;
    QPushButton* m_reset = nullptr;
    ElidedLabel* m_answer = nullptr;
};

}  // namespace roofscope::gui
