// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline/timeline_view.h"

#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>
#include <cmath>
#include <utility>

#include "gui/views/timeline/timeline_commands.h"
#include "gui/views/timeline/timeline_measures.h"

namespace roofscope::gui {
namespace {

using namespace timeline_measures;

constexpr int kMostName = 260;

/// The time from the first start to the last end of all launches and copies.
std::optional<TimeSpan> workOnGpu(const Timeline& timeline) {
    std::optional<TimeSpan> work;
    for (const Timeline::Row& row : timeline.rows) {
        if (row.kind != Timeline::RowKind::Kernels && row.kind != Timeline::RowKind::Copies)
            continue;
        const TimeSpan span{std::llround(row.bars.front().start * 1e9),
                            std::llround(row.latestEnd(row.bars.size() - 1) * 1e9)};
        if (!work) work = span;
        work = {std::min(work->start, span.start), std::max(work->end, span.end)};
    }
    return work;
}

TimeSpan spanOfBar(const Timeline::Bar& bar) {
    return {std::llround(bar.start * 1e9), std::llround(bar.end * 1e9)};
}

}  // namespace

TimelineView::TimelineView(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Timeline"));
    setAccessibleDescription(tr(
        "Launches, copies, calls and samples of the CPU over time, a row per stream, direction "
        "and thread, and NVTX ranges. "
        "Left and right pan, plus and minus zoom, zero shows everything, up and down scroll, "
        "page up and page down go to the previous and next repeat, comma and full stop to the "
        "previous and next launch of the selected kernel. P pins the row under the mouse, or that "
        "of the selected launch, to the top; the menu lists all rows."));
}

void TimelineView::setTimeline(std::shared_ptr<const Analysis> analysis, Timeline timeline,
                               Accounts accounts) {
    m_analysis = std::move(analysis);
    m_timeline = std::move(timeline);
    m_accounts = std::move(accounts);
    m_selected.clear();
    m_current.reset();
    m_selectionKnown = false;
    m_range.reset();
    m_launch.reset();
    m_drag.reset();
    m_hoverText.clear();
    m_rows.setRows(m_timeline.rows);
    m_zoom.setWhole(m_timeline.begin, m_timeline.end);
    verticalScrollBar()->setValue(0);
    updateScrollBar();
    resetView();
    // Show one from the middle: the first repeats may be warm-up.
    if (const auto& repeats = m_timeline.repeats; !repeats.empty())
        return zoomTo(repeats[repeats.size() / 2]);
    // Cut off seconds without GPU work at the beginning and end.
    constexpr double kMostly = 0.8;
    if (const auto work = workOnGpu(m_timeline);
        work && double(work->length()) / 1e9 < kMostly * (m_timeline.end - m_timeline.begin))
        zoomTo(*work);
}

void TimelineView::setSelection(const KernelSelection& selection) {
    std::vector<bool> selected(m_analysis ? m_analysis->kernels.size() : 0);
    for (const std::size_t kernel : selection.all)
        if (kernel < selected.size()) selected[kernel] = true;
    const bool moved = std::exchange(m_current, selection.current) != selection.current;
    const bool known = std::exchange(m_selectionKnown, m_analysis != nullptr);
    if (std::exchange(m_selected, selected) != selected) redraw();
    if (!moved || !known) return;
    if (m_launch) {
        const auto place = placeOfLaunch(*m_analysis->profile, m_timeline, *m_launch);
        if (place && m_timeline.rows[place->row].bars[place->bar].kernel == m_current) return;
        chooseLaunch(std::nullopt);
    }
    if (!m_current || *m_current >= m_analysis->kernels.size()) return;
    // The first launch after the left edge, or else the last one before it.
    const double edge = from() - 1e-9;
    auto nearest = launchBeside(*m_analysis, *m_current, edge, 1);
    if (!nearest) nearest = launchBeside(*m_analysis, *m_current, edge, -1);
    if (nearest) bringIntoView(*nearest);
}

void TimelineView::setRange(const std::optional<TimeSpan>& range) {
    if (std::exchange(m_range, range) != range) viewport()->update();
}

void TimelineView::setLaunch(std::optional<std::uint32_t> launch) {
    m_launch = launch;
    if (m_launch) bringIntoView(*m_launch);
    viewport()->update();
}

void TimelineView::setTheme(plot::Theme theme) {
    m_theme = theme;
    // Needed because this is also called after a change of font size.
    updateScrollBar();
    redraw();
}

int TimelineView::nameWidth() const {
    int widest = 60;
    for (const Timeline::Row& row : m_timeline.rows)
        widest = std::max(widest, fontMetrics().horizontalAdvance(row.name));
    // Add some room: advances are rounded, and a name must not be elided for half a pixel.
    return std::min({widest, kMostName, viewport()->width() / 3}) + 20;
}

int TimelineView::axisBottom() const {
    return axisHeight(*this) + (m_timeline.repeats.empty() ? 0 : repeatHeight(*this));
}

QRect TimelineView::area() const {
    const int left = nameWidth(), top = axisBottom() + 1;
    return {left, top, std::max(1, viewport()->width() - left - kRight),
            std::max(1, viewport()->height() - top)};
}

std::size_t TimelineView::fixedRows() const {
    const int fit = area().height() / 2 / rowHeight(*this);
    return std::min(m_rows.pinned(), static_cast<std::size_t>(fit));
}

QRect TimelineView::scrolledArea() const {
    return area().adjusted(0, int(fixedRows()) * rowHeight(*this), 0, 0);
}

int TimelineView::offsetOf(std::size_t row) const {
    return (int(m_rows.placeOf(row)) - int(fixedRows())) * rowHeight(*this);
}

double TimelineView::timeAt(double x) const {
    const QRect bars = area();
    return m_zoom.timeAt((x - bars.left()) / bars.width());
}

std::optional<std::size_t> TimelineView::rowAt(double y) const {
    const QRect bars = area(), scrolled = scrolledArea();
    if (y < bars.top() || y >= bars.top() + bars.height()) return std::nullopt;
    const double down = y - bars.top() + (y < scrolled.top() ? 0 : verticalScrollBar()->value());
    const auto place = static_cast<std::size_t>(down / rowHeight(*this));
    return place < m_rows.size() ? std::optional(m_rows.rowAt(place)) : std::nullopt;
}

QPoint TimelineView::pixelOf(std::size_t row, double time) const {
    const QRect bars = area();
    // Limit the result: pixel coordinates have a limited range, and positions far outside look
    // alike.
    constexpr double kFar = 1e6;
    const double x = m_zoom.shareOf(time) * bars.width();
    int y = rowHeight(*this) / 2;
    if (row < m_rows.size()) {
        const int offset = offsetOf(row);
        y += scrolledArea().top() + offset - (offset < 0 ? 0 : verticalScrollBar()->value());
    }
    return {qRound(bars.left() + std::clamp(x, -kFar, kFar)), y};
}

QPoint TimelineView::cursorInView() const { return viewport()->mapFromGlobal(QCursor::pos()); }

std::optional<TimeSpan> TimelineView::barAt(QPointF position) const {
    if (const auto row = rowAt(position.y()))
        if (const auto hit = hitAt(position, *row))
            return spanOfBar(m_timeline.rows[*row].bars[hit->bar]);
    return std::nullopt;
}

std::optional<TimeSpan> TimelineView::gapAt(QPointF position) const {
    const auto row = rowAt(position.y());
    return row ? timelineGap(m_timeline.rows[*row], timeAt(position.x())) : std::nullopt;
}

void TimelineView::setPinned(std::size_t row, bool pinned) {
    m_rows.setPinned(row, pinned);
    updateScrollBar();
    redraw();
}

void TimelineView::unpinAll() {
    m_rows.unpinAll();
    updateScrollBar();
    redraw();
}

void TimelineView::setSpan(double from, double to) {
    m_zoom.show(from, to);
    redraw();
    Q_EMIT viewChanged();
}

void TimelineView::pan(double share) {
    m_zoom.pan(share);
    redraw();
    Q_EMIT viewChanged();
}

void TimelineView::zoomAt(double x, double factor) {
    if (m_timeline.empty()) return;
    const QRect bars = area();
    m_zoom.zoomAt((x - bars.left()) / bars.width(), factor);
    redraw();
    Q_EMIT viewChanged();
}

void TimelineView::zoomTo(const TimeSpan& span) {
    m_zoom.show(span);
    redraw();
    Q_EMIT viewChanged();
}

void TimelineView::zoomToSelection() {
    if (m_range) return zoomTo(*m_range);
    if (!m_launch) return;
    if (const auto place = placeOfLaunch(*m_analysis->profile, m_timeline, *m_launch)) {
        // Include the neighbourhood: a bar alone says little.
        const Timeline::Bar& bar = m_timeline.rows[place->row].bars[place->bar];
        const double length = std::max(bar.end - bar.start, TimelineZoom::kLeast);
        setSpan(bar.start - 2 * length, bar.end + 2 * length);
    }
}

std::optional<std::size_t> TimelineView::repeatInView() const {
    const TimeSpan span = m_zoom.span();
    const auto at = repeatAt(m_timeline, span.start + span.length() / 2);
    return at || m_timeline.repeats.empty() ? at : std::optional<std::size_t>(0);
}

void TimelineView::zoomToRepeat() {
    if (const auto at = repeatInView()) zoomTo(m_timeline.repeats[*at]);
}

void TimelineView::goToRepeat(int step) {
    const auto& repeats = m_timeline.repeats;
    const auto at = repeatInView();
    if (!at) return;
    const auto last = std::ssize(repeats) - 1;
    const auto next =
        static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(std::ptrdiff_t(*at) + step, 0, last));
    // If the selected range is this repeat, also select the new repeat, so that its account is
    // shown.
    const bool selected = m_range == repeats[*at];
    constexpr double kAlike = 3;  // keep the zoom if fewer repeats than this are in view
    const double shown =
        m_zoom.length() * 1e9 / double(std::max<Nanoseconds>(1, repeats[*at].length()));
    if (shown < kAlike) {
        const double by = double(repeats[next].start - repeats[*at].start) / 1e9;
        setSpan(from() + by, to() + by);
    } else {
        zoomTo(repeats[next]);
    }
    if (selected) chooseRange(repeats[next]);
}

void TimelineView::goToLaunch(int step) {
    if (!m_analysis || !m_current || *m_current >= m_analysis->kernels.size()) return;
    double time = step > 0 ? from() : to();
    if (m_launch)
        time = m_analysis->profile->launches[*m_launch].start.value_or(Seconds{time}).value;
    if (const auto next = launchBeside(*m_analysis, *m_current, time, step)) chooseLaunch(next);
}

/// Pans and scrolls as little as needed, without changing the zoom.
void TimelineView::bringIntoView(std::uint32_t launch) {
    const auto place = placeOfLaunch(*m_analysis->profile, m_timeline, launch);
    if (!place) return;
    const Timeline::Bar& bar = m_timeline.rows[place->row].bars[place->bar];
    const double span = m_zoom.length();
    if (bar.start < from() || bar.end > to()) {
        const double middle =
            bar.end - bar.start > span ? bar.start + span * 0.4 : (bar.start + bar.end) / 2;
        setSpan(middle - span / 2, middle + span / 2);
    }
    const int top = offsetOf(place->row), height = scrolledArea().height();
    if (top < 0) return;  // it is pinned and always visible
    QScrollBar& bars = *verticalScrollBar();
    if (top < bars.value()) bars.setValue(top);
    if (top + rowHeight(*this) > bars.value() + height)
        bars.setValue(top + rowHeight(*this) - height);
}

std::optional<std::size_t> TimelineView::rowOfLaunch() const {
    if (!m_launch) return std::nullopt;
    const auto place = placeOfLaunch(*m_analysis->profile, m_timeline, *m_launch);
    return place ? std::optional(place->row) : std::nullopt;
}

std::optional<std::size_t> TimelineView::rowOfCall() const {
    if (!m_launch || *m_launch >= m_timeline.callOf.size() ||
        m_timeline.callOf[*m_launch] == Timeline::kNoCall)
        return std::nullopt;
    const Call& call = m_analysis->profile->timeline.calls[m_timeline.callOf[*m_launch]];
    for (std::size_t i = 0; i < m_timeline.rows.size(); ++i)
        if (m_timeline.rows[i].kind == Timeline::RowKind::Calls &&
            m_timeline.rows[i].lane == call.thread)
            return i;
    return std::nullopt;
}

void TimelineView::showCall() {
    if (!m_launch) return;
    const auto row = rowOfCall();
    const auto place = placeOfLaunch(*m_analysis->profile, m_timeline, *m_launch);
    if (!row || !place) return;
    // Show both ends of the arrow.
    const Call& call = m_analysis->profile->timeline.calls[m_timeline.callOf[*m_launch]];
    const TimeSpan kernel = spanOfBar(m_timeline.rows[place->row].bars[place->bar]);
    zoomTo({std::min(call.time.start, kernel.start), std::max(call.time.end, kernel.end)});
    // Scroll to the upper of the two rows, or to the one that is not pinned.
    const int top = std::min(offsetOf(*row), offsetOf(place->row));
    verticalScrollBar()->setValue(top >= 0 ? top : std::max(offsetOf(*row), offsetOf(place->row)));
}

void TimelineView::chooseLaunch(std::optional<std::uint32_t> launch) {
    if (launch == m_launch) return;
    setLaunch(launch);
    Q_EMIT launchChosen(launch);
}

void TimelineView::chooseRange(const std::optional<TimeSpan>& range, bool dragging) {
    setRange(range);
    Q_EMIT rangeChosen(range, dragging);
}

void TimelineView::redraw() {
    m_picture = {};
    viewport()->update();
}

void TimelineView::updateScrollBar() {
    const int rows = int(m_timeline.rows.size()) * rowHeight(*this), height = area().height();
    verticalScrollBar()->setRange(0, std::max(0, rows - height));
    verticalScrollBar()->setPageStep(height);
    verticalScrollBar()->setSingleStep(rowHeight(*this));
}

void TimelineView::resizeEvent(QResizeEvent*) {
    updateScrollBar();
    redraw();
}

bool TimelineView::event(QEvent* event) {
    // Handle Ctrl+F here to search for launches; elsewhere it is the window's shortcut.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Find)) {
        event->accept();
        return true;
    }
    return QAbstractScrollArea::event(event);
}

bool TimelineView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave) {
        m_hoverText.clear();
        viewport()->unsetCursor();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
    if (m_timeline.empty()) return;
    QMenu menu(this);
    fillTimelineMenu(*this, menu, viewport()->mapFromGlobal(event->globalPos()));
    menu.exec(event->globalPos());
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    if (!pressTimelineKey(*this, *event)) QAbstractScrollArea::keyPressEvent(event);
}

void TimelineView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void TimelineView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

}  // namespace roofscope::gui
