// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractScrollArea>
#include <QPixmap>
#include <memory>
#include <optional>
#include <vector>

#include "gui/models/kernels/kernel_selection.h"
#include "gui/models/timeline/timeline.h"
#include "reports/plot/draw_list.h"

namespace roofscope::gui {

/// Launches, copies, CPU calls and NVTX ranges over time: a row per stream, copy direction, thread
/// and range level. A legend explains the colours; a stripe marks launches of the selected kernels.
///
/// Mouse: hover shows a tooltip for a bar or a gap, click selects a launch's kernel, wheel zooms at
/// the cursor (with Shift it scrolls the rows), drag pans, double-click shows everything. Keys:
/// left and right pan, + and - zoom, 0 shows everything, up and down scroll.
class TimelineView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TimelineView(QWidget* parent = nullptr);

    void setTimeline(std::shared_ptr<const Analysis> analysis, Timeline timeline);
    void setSelection(const KernelSelection& selection);
    void setTheme(plot::Theme theme);

    [[nodiscard]] const Timeline& timeline() const { return m_timeline; }
    /// The visible span, in seconds.
    [[nodiscard]] double from() const { return m_from; }
    [[nodiscard]] double to() const { return m_to; }
    /// The position of a time in a row, in viewport coordinates.
    [[nodiscard]] QPoint pixelOf(std::size_t row, double time) const;
    [[nodiscard]] const QString& hoverText() const { return m_hoverText; }
    void zoomAt(double x, double factor);
    void resetView() { setSpan(-1e30, 1e30); }

Q_SIGNALS:
    void kernelClicked(std::size_t kernel);

protected:
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void scrollContentsBy(int, int) override { redraw(); }
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void setSpan(double from, double to);
    void redraw();
    void updateScrollBar();
    [[nodiscard]] QRect area() const;  ///< area of the bars, in viewport coordinates
    [[nodiscard]] int nameWidth() const;
    /// An entry of the legend and its position. The legend wraps.
    struct LegendItem {
        std::optional<TimelineTone> tone;  ///< absent: the stripe of selected kernels
        QString name;
        QPoint at;
    };
    void layoutLegend();
    [[nodiscard]] int legendHeight() const;
    [[nodiscard]] double timeAt(double x) const;
    [[nodiscard]] std::optional<std::size_t> rowAt(double y) const;
    [[nodiscard]] std::optional<TimelineHit> hitAt(QPointF position, std::size_t row) const;
    void hover(QPointF position, QPoint globalPosition);
    const QPixmap& picture();
    void paintAxis(QPainter& painter) const;
    void paintRange(QPainter& painter, const QRectF& bar) const;
    void paintLegend(QPainter& painter) const;
    void paintRow(QPainter& painter, std::size_t index, int y) const;

    std::shared_ptr<const Analysis> m_analysis;
    Timeline m_timeline;
    std::vector<bool> m_selected;  ///< by kernel
    plot::Theme m_theme = plot::Theme::Light;
    double m_from = 0, m_to = 1;
    std::vector<LegendItem> m_legend;
    QPixmap m_picture;  ///< cached drawing; null if it is out of date
    QString m_hoverText;
    struct Drag {
        QPointF at;
        double from = 0, to = 0;
        int scroll = 0;
        bool moved = false;
    };
    std::optional<Drag> m_drag;
};

}  // namespace roofscope::gui
