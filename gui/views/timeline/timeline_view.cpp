// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline/timeline_view.h"

#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
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
        "previous and next launch of the selected kernel, or bar like the selected one. P pins the "
        "row under the mouse, or that of the selected bar, to the top, X folds it; the menu lists "
        "all rows."));
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
    m_bar.reset();
    m_drag.reset();
    m_hoverText.clear();
    m_rows.setRows(m_timeline.rows);
    m_zoom.setWhole(m_timeline.begin, m_timeline.end);
    verticalScrollBar()->setValue(0);
    resetView();
    // Cut off seconds without GPU work at the beginning and end.
    constexpr double kMostly = 0.8;
    // Show one from the middle: the first repeats may be warm-up.
    if (const auto& repeats = m_timeline.repeats; !repeats.empty())
        zoomTo(repeats[repeats.size() / 2]);
    else if (const auto work = workOnGpu(m_timeline);
             work && double(work->length()) / 1e9 < kMostly * (m_timeline.end - m_timeline.begin))
        zoomTo(*work);
    foldEmptyRows();
    arrangeRows();
}

/// Folds the rows of threads that have no bar in what is shown first. Programs have dozens of
/// threads that do something only at the start.
void TimelineView::foldEmptyRows() {
    std::vector<bool> folded;
    for (const Timeline::Row& row : m_timeline.rows) {
        const bool ofThread = row.kind == Timeline::RowKind::Ranges ||
                              row.kind == Timeline::RowKind::Calls ||
                              row.kind == Timeline::RowKind::Samples;
        const auto [first, last] = row.between(from(), to());
        folded.push_back(ofThread && first == last);
    }
    m_rows.setFoldedByDefault(std::move(folded));
}

void TimelineView::setSelection(const KernelSelection& selection) {
    std::vector<bool> selected(m_analysis ? m_analysis->kernels.size() : 0);
    for (const std::size_t kernel : selection.all)
        if (kernel < selected.size()) selected[kernel] = true;
    const bool moved = std::exchange(m_current, selection.current) != selection.current;
    const bool known = std::exchange(m_selectionKnown, m_analysis != nullptr);
    if (std::exchange(m_selected, selected) != selected) redraw();
    if (!moved || !known) return;
    chooseBar(std::nullopt);
    if (m_launch) {
        const auto place = placeOf(*m_launch);
        if (place && m_timeline.rows[place->row].bars[place->bar].kernel == m_current) return;
        chooseLaunch(std::nullopt);
    }
    if (!m_current || *m_current >= m_analysis->kernels.size()) return;
    // The first launch after the left edge, or else the last one before it.
    const double edge = from() - 1e-9;
    auto nearest = launchBeside(*m_analysis, *m_current, edge, 1);
    if (!nearest) nearest = launchBeside(*m_analysis, *m_current, edge, -1);
    if (nearest) bringIntoView(placeOf(*nearest));
}

void TimelineView::setRange(const std::optional<TimeSpan>& range) {
    if (std::exchange(m_range, range) != range) viewport()->update();
}

void TimelineView::setLaunch(std::optional<std::uint32_t> launch) {
    m_launch = launch;
    if (m_launch) {
        m_bar.reset();
        bringIntoView(placeOf(*m_launch));
    }
    viewport()->update();
}

void TimelineView::setBar(const std::optional<TimelinePlace>& bar) {
    m_bar = bar;
    if (m_bar) {
        m_launch.reset();
        bringIntoView(m_bar);
    }
    viewport()->update();
}

std::optional<TimelinePlace> TimelineView::placeOf(std::uint32_t launch) const {
    return placeOfLaunch(*m_analysis->profile, m_timeline, launch);
}

std::optional<TimelinePlace> TimelineView::selectedPlace() const {
    return m_launch ? placeOf(*m_launch) : m_bar;
}

void TimelineView::setTheme(plot::Theme theme) {
    m_theme = theme;
    // Needed because this is also called after a change of font size.
    arrangeRows();
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
    const int most = area().height() / 2;
    std::size_t fixed = 0;
    while (fixed < m_rows.pinned() && m_tops[fixed + 1] <= most) ++fixed;
    return fixed;
}

QRect TimelineView::scrolledArea() const {
    return area().adjusted(0, m_tops.empty() ? 0 : m_tops[fixedRows()], 0, 0);
}

int TimelineView::heightOf(std::size_t row) const {
    const std::size_t place = m_rows.placeOf(row);
    return m_tops[place + 1] - m_tops[place];
}

int TimelineView::offsetOf(std::size_t row) const {
    return m_tops[m_rows.placeOf(row)] - m_tops[fixedRows()];
}

double TimelineView::timeAt(double x) const {
    const QRect bars = area();
    return m_zoom.timeAt((x - bars.left()) / bars.width());
}

std::optional<std::size_t> TimelineView::rowAt(double y) const {
    const QRect bars = area(), scrolled = scrolledArea();
    if (y < bars.top() || y >= bars.top() + bars.height()) return std::nullopt;
    const double down = y - bars.top() + (y < scrolled.top() ? 0 : verticalScrollBar()->value());
    const auto after = std::ranges::upper_bound(m_tops, down);
    if (after == m_tops.begin() || after == m_tops.end()) return std::nullopt;
    return m_rows.rowAt(static_cast<std::size_t>(after - m_tops.begin()) - 1);
}

QPoint TimelineView::pixelOf(std::size_t row, double time) const {
    const QRect bars = area();
    // Limit the result: pixel coordinates have a limited range, and positions far outside look
    // alike.
    constexpr double kFar = 1e6;
    const double x = m_zoom.shareOf(time) * bars.width();
    int y = 0;
    if (row < m_rows.size()) {
        const int offset = offsetOf(row);
        y = heightOf(row) / 2 + scrolledArea().top() + offset -
            (offset < 0 ? 0 : verticalScrollBar()->value());
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
    arrangeRows();
}

void TimelineView::unpinAll() {
    m_rows.unpinAll();
    arrangeRows();
}

void TimelineView::setFolded(std::size_t row, bool folded) {
    m_rows.setFolded(row, folded);
    arrangeRows();
}

void TimelineView::unfoldAll() {
    m_rows.unfoldAll();
    arrangeRows();
}

void TimelineView::setSpan(double from, double to) {
    m_zoom.show(from, to);
    spanChanged();
}

void TimelineView::pan(double share) {
    m_zoom.pan(share);
    spanChanged();
}

void TimelineView::spanChanged() {
    // The tooltip is about what was under the mouse before.
    if (!m_hoverText.isEmpty()) QToolTip::hideText();
    m_hoverText.clear();
    redraw();
    Q_EMIT viewChanged();
}

void TimelineView::zoomAt(double x, double factor) {
    if (m_timeline.empty()) return;
    const QRect bars = area();
    m_zoom.zoomAt((x - bars.left()) / bars.width(), factor);
    spanChanged();
}

void TimelineView::zoomTo(const TimeSpan& span) {
    m_zoom.show(span);
    spanChanged();
}

void TimelineView::zoomToSelection() {
    if (m_range) return zoomTo(*m_range);
    if (const auto place = selectedPlace()) {
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

void TimelineView::goToNext(int step) {
    if (m_bar) {
        if (const auto next = barBeside(*m_analysis, m_timeline, *m_bar, step)) chooseBar(next);
        return;
    }
    if (!m_analysis || !m_current || *m_current >= m_analysis->kernels.size()) return;
    double time = step > 0 ? from() : to();
    if (m_launch)
        time = m_analysis->profile->launches[*m_launch].start.value_or(Seconds{time}).value;
    if (const auto next = launchBeside(*m_analysis, *m_current, time, step)) chooseLaunch(next);
}

/// Pans and scrolls as little as needed, without changing the zoom.
void TimelineView::bringIntoView(const std::optional<TimelinePlace>& place) {
    if (!place) return;
    const Timeline::Bar& bar = m_timeline.rows[place->row].bars[place->bar];
    const double span = m_zoom.length();
    // Of a bar that is longer than the view, any part will do.
    const bool outside = bar.end - bar.start > span ? bar.end < from() || bar.start > to()
                                                    : bar.start < from() || bar.end > to();
    if (outside) {
        const double middle =
            bar.end - bar.start > span ? bar.start + span * 0.4 : (bar.start + bar.end) / 2;
        setSpan(middle - span / 2, middle + span / 2);
    }
    const int top = offsetOf(place->row), height = scrolledArea().height();
    if (top < 0) return;  // it is pinned and always visible
    QScrollBar& bars = *verticalScrollBar();
    if (top < bars.value()) bars.setValue(top);
    if (top + heightOf(place->row) > bars.value() + height)
        bars.setValue(top + heightOf(place->row) - height);
}

std::optional<std::size_t> TimelineView::rowOfSelected() const {
    const auto place = selectedPlace();
    return place ? std::optional(place->row) : std::nullopt;
}

std::optional<std::size_t> TimelineView::rowOfCall() const {
    const auto place = selectedPlace();
    const auto index = place ? callOfBar(m_timeline, *place) : std::nullopt;
    if (!index) return std::nullopt;
    const Call& call = m_analysis->profile->timeline.calls[*index];
    for (std::size_t i = 0; i < m_timeline.rows.size(); ++i)
        if (m_timeline.rows[i].kind == Timeline::RowKind::Calls &&
            m_timeline.rows[i].lane == call.thread)
            return i;
    return std::nullopt;
}

void TimelineView::showCall() {
    const auto row = rowOfCall();
    const auto place = selectedPlace();
    if (!row || !place) return;
    // Show both ends of the arrow.
    const Call& call = m_analysis->profile->timeline.calls[*callOfBar(m_timeline, *place)];
    const TimeSpan bar = spanOfBar(m_timeline.rows[place->row].bars[place->bar]);
    zoomTo({std::min(call.time.start, bar.start), std::max(call.time.end, bar.end)});
    // Scroll to the upper of the two rows, or to the one that is not pinned.
    const int top = std::min(offsetOf(*row), offsetOf(place->row));
    verticalScrollBar()->setValue(top >= 0 ? top : std::max(offsetOf(*row), offsetOf(place->row)));
}

void TimelineView::chooseLaunch(std::optional<std::uint32_t> launch) {
    if (launch == m_launch) return;
    setLaunch(launch);
    Q_EMIT launchChosen(launch);
}

void TimelineView::chooseBar(const std::optional<TimelinePlace>& bar) {
    if (bar == m_bar) return;
    setBar(bar);
    Q_EMIT barChosen(bar);
}

void TimelineView::chooseRange(const std::optional<TimeSpan>& range, bool dragging) {
    setRange(range);
    Q_EMIT rangeChosen(range, dragging);
}

void TimelineView::redraw() {
    m_picture = {};
    viewport()->update();
}

void TimelineView::arrangeRows() {
    const int least = leastRowHeight(*this), height = area().height();
    const auto folded = int(m_rows.folded()), unfolded = int(m_rows.size()) - folded;
    int high = least;
    if (unfolded > 0)
        high =
            std::clamp((height - folded * kFoldedRow) / unfolded, least, int(least * kMostGrowth));
    m_tops = {0};
    for (std::size_t place = 0; place < m_rows.size(); ++place)
        m_tops.push_back(m_tops.back() +
                         (m_rows.isFolded(m_rows.rowAt(place)) ? kFoldedRow : high));
    verticalScrollBar()->setRange(0, std::max(0, m_tops.back() - height));
    verticalScrollBar()->setPageStep(height);
    verticalScrollBar()->setSingleStep(high);
    redraw();
}

void TimelineView::resizeEvent(QResizeEvent*) { arrangeRows(); }

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
