// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QScrollArea>
#include <memory>
#include <optional>

#include "gui/models/details/memory_chart_layout.h"

namespace roofscope::gui {

class MemoryChartCanvas;

/// The memory chart of a kernel. Shrinks with the window down to a minimum, then scrolls.
class MemoryChartView : public QScrollArea {
    Q_OBJECT
public:
    explicit MemoryChartView(QWidget* parent = nullptr);
    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel);
    void setTheme(plot::Theme theme);
    /// Makes the picture larger or smaller; 1 is the size of an export.
    void setScale(double scale);
    /// The tooltip at a point of the picture; empty if there is none.
    [[nodiscard]] QString tipAt(QPointF point) const;
    /// The current drawing.
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
