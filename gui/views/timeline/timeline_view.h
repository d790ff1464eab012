// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractScrollArea>
#include <QPixmap>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gui/models/kernels/kernel_selection.h"
#include "gui/models/timeline/timeline.h"
#include "gui/models/timeline/timeline_rows.h"
#include "gui/models/timeline/timeline_zoom.h"
#include "reports/plot/draw_list.h"

namespace roofscope::gui {

/// Launches, copies, CPU calls and NVTX ranges over time: a row per stream, copy direction, thread
/// and range level. Above them are an axis and marks for the repeats of the program. A stripe marks
/// launches of the selected kernels, a frame the selected bar, with an arrow to a launch or copy
/// from its call. Rows grow with the height; rows of threads without a bar at first are folded.
///
/// Mouse: hover shows a tooltip for a bar or a gap, click selects a bar, drag selects a range, drag
/// with Shift or the middle button pans, wheel zooms at the cursor (with Shift it scrolls the
/// rows), click on a repeat's mark selects its time, click on a row's name folds or unfolds it,
/// double-click shows everything, right-click opens a menu. See timeline_commands.h for menu and
/// keys.
class TimelineView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TimelineView(QWidget* parent = nullptr);

    /// Shows one repeat if the program has repeats, else the GPU's work. `accounts` is called for
    /// tooltips of gaps, to explain why the GPU is idle.
    using Accounts = std::function<const RangeAccounts*()>;
    void setTimeline(std::shared_ptr<const Analysis> analysis, Timeline timeline,
                     Accounts accounts = {});
    /// Marks these kernels. If no launch of the current kernel is visible, moves to the nearest
    /// one.
    void setSelection(const KernelSelection& selection);
    /// Marks a range, or none, without sending signals.
    void setRange(const std::optional<TimeSpan>& range);
    /// Marks a launch and moves it into view; nullopt marks none.
    void setLaunch(std::optional<std::uint32_t> launch);
    /// Marks a bar that is no launch and moves it into view; nullopt marks none.
    void setBar(const std::optional<TimelinePlace>& bar);
    void setTheme(plot::Theme theme);

    [[nodiscard]] const Timeline& timeline() const { return m_timeline; }
    [[nodiscard]] const std::optional<TimeSpan>& range() const { return m_range; }
    /// The selected launch, an index into Profile::launches.
    [[nodiscard]] std::optional<std::uint32_t> launch() const { return m_launch; }
    /// The selected bar if it is no launch. A launch and such a bar are never selected together.
    [[nodiscard]] const std::optional<TimelinePlace>& bar() const { return m_bar; }
    /// The place of the selected launch or other bar.
    [[nodiscard]] std::optional<TimelinePlace> selectedPlace() const;
    /// The current kernel, an index into Analysis::kernels.
    [[nodiscard]] std::optional<std::size_t> currentKernel() const { return m_current; }
    /// The visible part of the recording.
    [[nodiscard]] const TimelineZoom& zoom() const { return m_zoom; }
    [[nodiscard]] const TimelineRows& rows() const { return m_rows; }
    /// The visible span, in seconds.
    [[nodiscard]] double from() const { return m_zoom.from(); }
    [[nodiscard]] double to() const { return m_zoom.to(); }
    [[nodiscard]] const QString& hoverText() const { return m_hoverText; }

    // Positions in the viewport.
    /// The point in a row at this time.
    [[nodiscard]] QPoint pixelOf(std::size_t row, double time) const;
    /// The bottom of the axis and the repeat marks below it.
    [[nodiscard]] int axisBottom() const;
    /// The area of the bars, and the part of it below the pinned rows, where rows scroll.
    [[nodiscard]] QRect area() const;
    [[nodiscard]] QRect scrolledArea() const;
    [[nodiscard]] std::optional<std::size_t> rowAt(double y) const;
    /// The time span of the bar, or of the gap between bars, at a position.
    [[nodiscard]] std::optional<TimeSpan> barAt(QPointF position) const;
    [[nodiscard]] std::optional<TimeSpan> gapAt(QPointF position) const;
    /// The position of the mouse, which may be outside the viewport.
    [[nodiscard]] QPoint cursorInView() const;
    /// Its height; folded rows are thin.
    [[nodiscard]] int heightOf(std::size_t row) const;
    /// The rows of the selected bar and of the call that issued it.
    [[nodiscard]] std::optional<std::size_t> rowOfSelected() const;
    [[nodiscard]] std::optional<std::size_t> rowOfCall() const;

    /// Shows this span, in seconds, limited to the recording.
    void setSpan(double from, double to);
    void pan(double share);
    void zoomAt(double x, double factor);
    void resetView() { setSpan(-1e30, 1e30); }
    /// Shows this span with a small margin.
    void zoomTo(const TimeSpan& span);
    /// Shows the selected range or, without one, the selected bar.
    void zoomToSelection();
    /// The repeat in the middle of the view: an index into Timeline::repeats.
    [[nodiscard]] std::optional<std::size_t> repeatInView() const;
    /// Shows the repeat in the middle of the view, or the one `step` repeats after it.
    void zoomToRepeat();
    void goToRepeat(int step);
    /// Selects the next launch of the selected kernel (1), or the previous one (-1). If another bar
    /// is selected, the next one of the same name in its row.
    void goToNext(int step);
    /// Moves the view to the call that issued the selected launch or copy.
    void showCall();
    /// Pins a row to the top, or unpins it. Only as many pinned rows as fit into half of the area
    /// stay there; the rest come first among the rows that scroll.
    void setPinned(std::size_t row, bool pinned);
    void unpinAll();
    void setFolded(std::size_t row, bool folded);
    void unfoldAll();
    /// Selects a launch, another bar or a range, or none, as the user would.
    void chooseLaunch(std::optional<std::uint32_t> launch);
    void chooseBar(const std::optional<TimelinePlace>& bar);
    void chooseRange(const std::optional<TimeSpan>& range, bool dragging = false);

Q_SIGNALS:
    /// A launch was selected in the view, or none.
    void launchChosen(std::optional<std::uint32_t> launch);
    /// A bar that is no launch was selected in the view, or none.
    void barChosen(const std::optional<roofscope::gui::TimelinePlace>& bar);
    void kernelClicked(std::size_t kernel);
    /// A range was selected in the view, or none. `dragging`: the user is still changing it.
    void rangeChosen(const std::optional<roofscope::TimeSpan>& range, bool dragging);
    /// Another span is shown, or another timeline.
    void viewChanged();
    /// The user wants to search.
    void searchRequested();

protected:
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void scrollContentsBy(int, int) override { redraw(); }
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void redraw();
    /// Another span is shown.
    void spanChanged();
    void foldEmptyRows();
    /// Computes the heights of the rows.
    void arrangeRows();
    [[nodiscard]] int nameWidth() const;
    /// The number of rows that stay at the top.
    [[nodiscard]] std::size_t fixedRows() const;
    /// The distance of a row from the top of scrolledArea() before scrolling; negative for a row
    /// that stays at the top.
    [[nodiscard]] int offsetOf(std::size_t row) const;
    [[nodiscard]] double timeAt(double x) const;
    /// The time at a position, or the time of a bar's edge if one is a few pixels away in this row.
    [[nodiscard]] double edgeAt(QPointF position) const;
    [[nodiscard]] std::optional<TimelineHit> hitAt(QPointF position, std::size_t row) const;
    void bringIntoView(const std::optional<TimelinePlace>& place);
    [[nodiscard]] std::optional<TimelinePlace> placeOf(std::uint32_t launch) const;
    void clicked(QPointF position);
    void clickedBar(const TimelinePlace& clicked);
    void hover(QPointF position, QPoint globalPosition);
    const QPixmap& picture();
    struct TickLabel {
        int tick = 0;
        QRectF box;  ///< null: no room for the label
        QString text;
    };
    [[nodiscard]] std::vector<TickLabel> tickLabels() const;
    void paintAxis(QPainter& painter) const;
    void paintRepeats(QPainter& painter) const;
    void paintSpan(QPainter& painter, const QRectF& bar) const;
    void paintRow(QPainter& painter, std::size_t index, int y) const;
    void paintFoldedNames(QPainter& painter) const;
    void paintRange(QPainter& painter) const;
    void paintSelected(QPainter& painter) const;
    void paintArrow(QPainter& painter, QPointF from, QPointF to, const QString& label) const;

    std::shared_ptr<const Analysis> m_analysis;
    Timeline m_timeline;
    Accounts m_accounts;
    std::vector<bool> m_selected;          ///< by kernel
    std::optional<std::size_t> m_current;  ///< kernel
    bool m_selectionKnown = false;         ///< setSelection() was called for this timeline
    std::optional<TimeSpan> m_range;
    std::optional<std::uint32_t> m_launch;
    std::optional<TimelinePlace> m_bar;  ///< another selected bar
    plot::Theme m_theme = plot::Theme::Light;
    TimelineZoom m_zoom;
    TimelineRows m_rows;
    std::vector<int> m_tops;  ///< by place, from the top of the first row; one more for the end
    QPixmap m_picture;        ///< cached drawing; null if it is out of date
    QString m_hoverText;
    struct Drag {
        QPointF at;
        double time = 0;  ///< where the selected range begins
        double from = 0, to = 0;
        int scroll = 0;
        bool pans = false, moved = false;
    };
    std::optional<Drag> m_drag;
};

}  // namespace roofscope::gui
