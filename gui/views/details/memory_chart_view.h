// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QScrollArea>
#include <memory>
#include <optional>

#include "gui/models/details/memory_chart_layout.h"

namespace roofscope::gui {

class MemoryChartCanvas;

/// The memory chart of a kernel, smaller where the window is small, and scrolled where it is
/// smaller still.
class MemoryChartView : public QScrollArea {
    Q_OBJECT
public:
    explicit MemoryChartView(QWidget* parent = nullptr);
    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel);
    void setTheme(plot::Theme theme);
    /// Makes the picture larger or smaller; 1 is the size of an export.
    void setScale(double scale);
    /// What a mouse at this point of the picture is told; empty between the things that are drawn.
    [[nodiscard]] QString tipAt(QPointF point) const;
    /// As it is drawn now.
    [[nodiscard]] const plot::DrawList& shapes() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void layOut();
    double m_scale = 1;
    std::optional<MemoryChart> m_chart;
    MemoryChartCanvas* m_canvas = nullptr;
};

}  // namespace roofscope::gui
