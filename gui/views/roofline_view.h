// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/analysis.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::gui {

/// The hierarchical roofline. Draws what plot::layoutRoofline() lays out for its size.
///
/// Mouse: hover shows a dot's numbers, click selects its kernel, wheel zooms at the cursor, drag
/// pans, double-click shows everything. Keys: arrows pan, + and - zoom, 0 shows everything.
class RooflineView : public QWidget {
    Q_OBJECT
public:
    explicit RooflineView(QWidget* parent = nullptr);

    /// Shows another analysis; the viewport is fitted again unless `keepViewport`.
    void setAnalysis(std::shared_ptr<const Analysis> analysis, bool keepViewport = false);
    void setTheme(plot::Theme theme);
    void setDevice(std::uint32_t device);
    [[nodiscard]] std::uint32_t device() const { return m_options.device; }
    void setLevelShown(Level level, bool shown);
    void setLabelsShown(bool shown);
    /// Only these kernels; nullopt shows all.
    void setVisibleKernels(std::optional<std::vector<std::size_t>> kernels);
    void setSelectedKernel(std::optional<std::size_t> kernel);

    /// What is on screen; laid out again when needed.
    [[nodiscard]] const plot::RooflinePlot& currentPlot() const;
    /// What an export should show: the same choices, its own size.
    [[nodiscard]] const plot::RooflineOptions& options() const { return m_options; }
    /// The text for the dot under the mouse; empty when there is none.
    [[nodiscard]] const QString& hoverText() const { return m_hoverText; }

    void zoomAt(QPointF position, double factor);
    void zoomAtCentre(double factor);
    void resetViewport();

    [[nodiscard]] QSize sizeHint() const override { return {640, 440}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {280, 220}; }

Q_SIGNALS:
    void kernelClicked(std::size_t kernel);
    void viewportChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void relayout();
    void setViewport(const plot::Viewport& viewport);
    void hover(QPointF position, QPoint globalPosition);

    std::shared_ptr<const Analysis> m_analysis;
    plot::RooflineOptions m_options;
    plot::Theme m_theme = plot::Theme::Light;
    bool m_nothingVisible = false;  ///< every kernel is filtered out
    mutable std::optional<plot::RooflinePlot> m_plot;
    std::optional<std::size_t> m_hovered;  ///< index into the plot's dots
    QString m_hoverText;
    struct Drag {
        QPointF from;
        plot::Viewport viewport;
        bool moved = false;
    };
    std::optional<Drag> m_drag;
};

}  // namespace roofscope::gui
