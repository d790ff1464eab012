// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPixmap>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"
#include "gui/models/kernels/kernel_selection.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::gui {

/// The hierarchical roofline. Draws the result of plot::layoutRoofline() for its size.
///
/// Mouse: hover shows a dot's numbers, click selects its kernel, wheel zooms at the cursor, drag
/// pans, Shift and drag selects all kernels in a box (Ctrl and Shift adds them), double-click shows
/// everything. Keys: arrows pan, + and - zoom, 0 shows everything.
class RooflineView : public QWidget {
    Q_OBJECT
public:
    explicit RooflineView(QWidget* parent = nullptr);

    /// Shows another analysis. Resets the viewport unless `keepViewport`.
    void setAnalysis(std::shared_ptr<const Analysis> analysis, bool keepViewport = false);
    void setTheme(plot::Theme theme);
    /// Makes text, dots and lines larger or smaller; 1 is the size of an export.
    void setScale(double scale);
    void setDevice(std::uint32_t device);
    [[nodiscard]] std::uint32_t device() const { return m_options.device; }
    void setLevelShown(Level level, bool shown);
    void setPrecisionShown(Precision precision, bool shown);
    void setTensorCoresShown(bool shown);
    void setLabelsShown(bool shown);
    /// Draws arrows from the kernels' places in the baseline; null for none.
    void setBaseline(std::shared_ptr<const ReportBaseline> baseline);
    /// Shows only these kernels; nullopt shows all.
    void setVisibleKernels(std::optional<std::vector<std::size_t>> kernels);
    void setSelection(const KernelSelection& selection);
    /// Dims all kernels but these; nullopt dims none.
    void setFound(std::optional<std::vector<std::size_t>> kernels);
    /// The kernels that have a dot, ascending.
    [[nodiscard]] std::vector<std::size_t> plottedKernels() const;
    /// All kernels of the current GPU that pass the filter, with and without a dot.
    [[nodiscard]] std::vector<std::size_t> kernelsOfDevice() const;
    [[nodiscard]] const std::shared_ptr<const Analysis>& analysis() const { return m_analysis; }
    /// Pans if no dot of the kernel is visible.
    void bringIntoView(std::size_t kernel);

    /// The layout on screen; computed again when needed.
    [[nodiscard]] const plot::RooflinePlot& currentPlot() const;
    /// The current options. An export uses them with its own size.
    [[nodiscard]] const plot::RooflineOptions& options() const { return m_options; }
    /// Shows this part of the plane, for example a stored options().viewport.
    void setViewport(const plot::Viewport& viewport);
    /// The tooltip of the dot or arrow under the mouse; empty if there is none.
    [[nodiscard]] const QString& hoverText() const { return m_hoverText; }

    void zoomAt(QPointF position, double factor);
    void zoomAtCentre(double factor);
    void resetViewport();

    [[nodiscard]] QSize sizeHint() const override { return {640, 440}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {280, 220}; }

Q_SIGNALS:
    void kernelClicked(std::size_t kernel);
    /// A click that hit no dot and no arrow.
    void nothingClicked();
    /// Kernels were selected with a box, or one with Ctrl and click. Ascending. `add`: add them to
    /// the selection.
    void kernelsBoxed(const std::vector<std::size_t>& kernels, bool add);
    void deviceChanged();
    /// plottedKernels() may have changed.
    void plottedChanged();
    /// Ctrl+F was pressed in the plot.
    void searchRequested();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent*) override { relayout(); }
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void recollect();
    void relayout();
    [[nodiscard]] const plot::RooflineScene& scene() const;
    [[nodiscard]] const QPixmap& picture();
    [[nodiscard]] std::optional<QRectF> box() const;
    /// Mouse position in units of the picture.
    [[nodiscard]] QPointF placeOf(const QMouseEvent& event) const;
    void hover(QPointF position, QPoint globalPosition);

    std::shared_ptr<const Analysis> m_analysis;
    plot::RooflineOptions m_options;
    plot::Theme m_theme = plot::Theme::Light;
    double m_scale = 1;                                  ///< widget pixels per unit of the picture
    bool m_nothingVisible = false;                       ///< every kernel is filtered out
    mutable std::optional<plot::RooflineScene> m_scene;  ///< cache; reset by recollect()
    mutable std::optional<plot::RooflinePlot> m_plot;    ///< cache; reset by relayout()
    QPixmap m_picture;                                   ///< cached drawing; null if out of date
    std::optional<std::size_t> m_hovered;                ///< index into the plot's dots
    std::optional<std::size_t> m_hoveredArrow;           ///< index into the plot's arrows
    QString m_hoverText;
    struct Drag {
        QPointF from;
        plot::Viewport viewport;
        bool moved = false;
        bool box = false;  ///< selects with a box instead of panning
        QPointF to = {};
    };
    std::optional<Drag> m_drag;
};

}  // namespace roofscope::gui
