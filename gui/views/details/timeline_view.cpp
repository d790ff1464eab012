// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/timeline_view.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QStyleHints>
#include <QToolTip>
#include <cmath>
#include <utility>

#include "gui/views/details/timeline_measures.h"

namespace roofscope::gui {
namespace {

using namespace timeline_measures;

constexpr int kMostName = 260;
constexpr double kLeastSpan = 20e-9;  ///< in seconds; times have a resolution of 1 ns
constexpr double kTimeZoom = 1.25, kTimePan = 0.1;
constexpr int kSlack = 2;  ///< a bar is hit within this distance in pixels
constexpr int kSnap = 5;   ///< an edge of a range moves to a bar's edge within this distance

/// From the first launch or copy to the end of the last one.
std::optional<TimeSpan> workOnGpu(const Timeline& timeline) {
    std::optional<TimeSpan> work;
    for (const Timeline::Row& row : timeline.rows) {
        if (row.kind != Timeline::RowKind::Kernels && row.kind != Timeline::RowKind::Copies)
            continue;
        const TimeSpan span{std::llround(row.bars.front().start * 1e9),
                            std::llround(row.latestEnd.back() * 1e9)};
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
    setAccessibleDescription(
        tr("Launches, copies, calls and samples of the CPU over time, a row per stream, direction "
           "and thread, and NVTX ranges. "
           "Left and right pan, plus and minus zoom, zero shows everything, up and down scroll, "
           "page up and page down go to the previous and next repeat, comma and full stop to the "
           "previous and next launch of the selected kernel."));
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
    verticalScrollBar()->setValue(0);
    updateScrollBar();
    resetView();
    // Not the first one: it may still warm up.
    if (const auto& repeats = m_timeline.repeats; !repeats.empty())
        return zoomTo(repeats[repeats.size() / 2]);
    // Before and after the GPU's work there may be seconds without any.
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
    // The nearest launch after the left edge, else before it.
    const double edge = m_from - 1e-9;
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
    // A change of the font size also calls this.
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

double TimelineView::timeAt(double x) const {
    const QRect rows = area();
    return m_from + (x - rows.left()) / rows.width() * (m_to - m_from);
}

double TimelineView::edgeAt(QPointF position) const {
    const double time = timeAt(position.x());
    const auto row = rowAt(position.y());
    if (!row) return time;
    const double slack = kSnap * (m_to - m_from) / area().width();
    const auto hit = hitTimelineRow(m_timeline.rows[*row], time, slack);
    if (!hit) return time;
    const Timeline::Bar& bar = m_timeline.rows[*row].bars[hit->bar];
    for (const double edge : {bar.start, bar.end})
        if (std::abs(edge - time) <= slack) return edge;
    return time;
}

std::optional<std::size_t> TimelineView::rowAt(double y) const {
    const QRect rows = area();
    if (y < rows.top() || y >= rows.top() + rows.height()) return std::nullopt;
    const auto row = static_cast<std::size_t>((y - rows.top() + verticalScrollBar()->value()) /
                                              rowHeight(*this));
    return row < m_timeline.rows.size() ? std::optional(row) : std::nullopt;
}

QPoint TimelineView::pixelOf(std::size_t row, double time) const {
    const QRect rows = area();
    // Far outside of the view is far enough: whole pixels have a limited range.
    constexpr double kFar = 1e6;
    const double x = (time - m_from) / (m_to - m_from) * rows.width();
    return {qRound(rows.left() + std::clamp(x, -kFar, kFar)),
            rows.top() + int(row) * rowHeight(*this) + rowHeight(*this) / 2 -
                verticalScrollBar()->value()};
}

void TimelineView::setSpan(double from, double to) {
    const double whole = std::max(m_timeline.end - m_timeline.begin, kLeastSpan);
    // Allow a small margin on both sides, but no further panning or zooming out.
    const double margin = 0.02 * whole;
    const double span = std::clamp(to - from, kLeastSpan, whole + 2 * margin);
    m_from = std::clamp(from, m_timeline.begin - margin, m_timeline.begin + whole + margin - span);
    m_to = m_from + span;
    redraw();
    Q_EMIT viewChanged();
}

void TimelineView::pan(double share) {
    const double by = share * (m_to - m_from);
    setSpan(m_from + by, m_to + by);
}

void TimelineView::zoomAt(double x, double factor) {
    if (m_timeline.empty() || !(factor > 0)) return;
    const QRect rows = area();
    const double share = std::clamp((x - rows.left()) / rows.width(), 0.0, 1.0);
    const double time = m_from + share * (m_to - m_from);
    const double whole = std::max(m_timeline.end - m_timeline.begin, kLeastSpan) * 1.04;
    const double span = std::clamp((m_to - m_from) / factor, kLeastSpan, whole);
    setSpan(time - share * span, time + (1 - share) * span);
}

void TimelineView::zoomTo(const TimeSpan& span) {
    constexpr double kMargin = 0.03;
    const double from = double(span.start) / 1e9, to = double(span.end) / 1e9,
                 margin = std::max(kMargin * (to - from), kLeastSpan);
    setSpan(from - margin, to + margin);
}

void TimelineView::zoomToSelection() {
    if (m_range) return zoomTo(*m_range);
    if (!m_launch) return;
    if (const auto place = placeOfLaunch(*m_analysis->profile, m_timeline, *m_launch)) {
        // With its neighbours: a bar alone says little.
        const Timeline::Bar& bar = m_timeline.rows[place->row].bars[place->bar];
        const double length = std::max(bar.end - bar.start, kLeastSpan);
        setSpan(bar.start - 2 * length, bar.end + 2 * length);
    }
}

TimeSpan TimelineView::viewed() const {
    return {std::llround(m_from * 1e9), std::llround(m_to * 1e9)};
}

std::optional<std::size_t> TimelineView::repeatInView() const {
    const TimeSpan span = viewed();
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
    // A repeat that is selected takes the selection along, so that its account follows.
    const bool selected = m_range == repeats[*at];
    constexpr double kAlike = 3;  // keep the zoom if it shows about one repeat
    const double shown =
        (m_to - m_from) * 1e9 / double(std::max<Nanoseconds>(1, repeats[*at].length()));
    if (shown < kAlike) {
        const double by = double(repeats[next].start - repeats[*at].start) / 1e9;
        setSpan(m_from + by, m_to + by);
    } else {
        zoomTo(repeats[next]);
    }
    if (selected) chooseRange(repeats[next]);
}

void TimelineView::goToLaunch(int step) {
    if (!m_analysis || !m_current || *m_current >= m_analysis->kernels.size()) return;
    double from = step > 0 ? m_from : m_to;
    if (m_launch)
        from = m_analysis->profile->launches[*m_launch].start.value_or(Seconds{from}).value;
    if (const auto next = launchBeside(*m_analysis, *m_current, from, step)) chooseLaunch(next);
}

/// Pans and scrolls as little as needed. A launch that would be too narrow to see is zoomed to.
void TimelineView::bringIntoView(std::uint32_t launch) {
    const auto place = placeOfLaunch(*m_analysis->profile, m_timeline, launch);
    if (!place) return;
    const Timeline::Bar& bar = m_timeline.rows[place->row].bars[place->bar];
    const double span = m_to - m_from;
    if (bar.start < m_from || bar.end > m_to) {
        const double middle =
            bar.end - bar.start > span ? bar.start + span * 0.4 : (bar.start + bar.end) / 2;
        setSpan(middle - span / 2, middle + span / 2);
    }
    const int top = int(place->row) * rowHeight(*this);
    QScrollBar& bars = *verticalScrollBar();
    if (top < bars.value()) bars.setValue(top);
    if (top + rowHeight(*this) > bars.value() + area().height())
        bars.setValue(top + rowHeight(*this) - area().height());
}

std::optional<std::size_t> TimelineView::callRow(std::uint32_t launch) const {
    if (launch >= m_timeline.callOf.size() || m_timeline.callOf[launch] == Timeline::kNoCall)
        return std::nullopt;
    const Call& call = m_analysis->profile->timeline.calls[m_timeline.callOf[launch]];
    for (std::size_t i = 0; i < m_timeline.rows.size(); ++i)
        if (m_timeline.rows[i].kind == Timeline::RowKind::Calls &&
            m_timeline.rows[i].lane == call.thread)
            return i;
    return std::nullopt;
}

void TimelineView::showCall() {
    if (!m_launch) return;
    const auto row = callRow(*m_launch);
    const auto place = placeOfLaunch(*m_analysis->profile, m_timeline, *m_launch);
    if (!row || !place) return;
    // Both ends of the arrow.
    const Call& call = m_analysis->profile->timeline.calls[m_timeline.callOf[*m_launch]];
    const TimeSpan kernel = spanOfBar(m_timeline.rows[place->row].bars[place->bar]);
    zoomTo({std::min(call.time.start, kernel.start), std::max(call.time.end, kernel.end)});
    verticalScrollBar()->setValue(int(std::min(*row, place->row)) * rowHeight(*this));
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

std::optional<TimelineHit> TimelineView::hitAt(QPointF position, std::size_t row) const {
    const QRect rows = area();
    if (position.x() < rows.left() - kSlack || position.x() > rows.right() + kSlack)
        return std::nullopt;
    return hitTimelineRow(m_timeline.rows[row], timeAt(position.x()),
                          kSlack * (m_to - m_from) / rows.width());
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

void TimelineView::hover(QPointF position, QPoint globalPosition) {
    QString html;
    bool bar = false, launch = false;
    if (const auto row = rowAt(position.y()); row && position.x() >= area().left()) {
        const auto hit = hitAt(position, *row);
        const Timeline::Row& hovered = m_timeline.rows[*row];
        bar = hit.has_value();
        launch = bar && (hovered.kind == Timeline::RowKind::Kernels ||
                         hovered.kind == Timeline::RowKind::Calls);
        html = bar ? timelineTooltip(*m_analysis, hovered, *hit)
                   : timelineGapTooltip(*m_analysis, m_timeline, hovered, timeAt(position.x()),
                                        m_accounts ? m_accounts() : nullptr);
    }
    launch ? viewport()->setCursor(Qt::PointingHandCursor) : viewport()->unsetCursor();
    if (html == m_hoverText) return;
    m_hoverText = html;
    html.isEmpty() ? QToolTip::hideText() : QToolTip::showText(globalPosition, html, viewport());
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    const bool left = event->button() == Qt::LeftButton,
               middle = event->button() == Qt::MiddleButton;
    if ((!left && !middle) || m_timeline.empty()) return;
    m_drag = Drag{.at = event->position(),
                  .time = edgeAt(event->position()),
                  .from = m_from,
                  .to = m_to,
                  .scroll = verticalScrollBar()->value(),
                  .pans = middle || event->modifiers().testFlag(Qt::ShiftModifier) ||
                          event->position().x() < area().left()};
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    if (!m_drag) {
        hover(event->position(), event->globalPosition().toPoint());
        return;
    }
    const QPointF moved = event->position() - m_drag->at;
    if (!m_drag->moved &&
        moved.manhattanLength() < QGuiApplication::styleHints()->startDragDistance())
        return;
    m_drag->moved = true;
    QToolTip::hideText();
    if (m_drag->pans) {
        viewport()->setCursor(Qt::ClosedHandCursor);
        const double by = -moved.x() / area().width() * (m_drag->to - m_drag->from);
        verticalScrollBar()->setValue(m_drag->scroll - qRound(moved.y()));
        setSpan(m_drag->from + by, m_drag->to + by);
        return;
    }
    viewport()->setCursor(Qt::SizeHorCursor);
    const double other = std::clamp(edgeAt(event->position()), m_from, m_to);
    const TimeSpan range{std::llround(std::min(m_drag->time, other) * 1e9),
                         std::llround(std::max(m_drag->time, other) * 1e9)};
    chooseRange(range.length() > 0 ? std::optional(range) : std::nullopt, true);
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    if (!m_drag || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton))
        return;
    const Drag drag = *std::exchange(m_drag, std::nullopt);
    viewport()->unsetCursor();
    if (!drag.moved) {
        if (event->button() == Qt::LeftButton) clicked(event->position());
    } else if (!drag.pans) {
        chooseRange(m_range);
    }
}

/// A launch is selected, a call selects what it launched, the mark of a repeat its time.
void TimelineView::clicked(QPointF position) {
    if (position.y() < area().top()) {
        const auto time = static_cast<Nanoseconds>(std::llround(timeAt(position.x()) * 1e9));
        const auto at = repeatAt(m_timeline, time);
        if (position.y() > axisHeight(*this) && at && time < m_timeline.repeats[*at].end)
            chooseRange(m_timeline.repeats[*at]);
        return;
    }
    const auto row = rowAt(position.y());
    if (!row) return;
    const Timeline::Row& in = m_timeline.rows[*row];
    const auto hit = hitAt(position, *row);
    if (!hit) return;
    std::optional<std::uint32_t> launch;
    if (in.kind == Timeline::RowKind::Kernels) launch = in.bars[hit->bar].item;
    if (in.kind == Timeline::RowKind::Calls) {
        const std::uint32_t call = in.bars[hit->bar].item;
        const auto& work = m_analysis->profile->timeline.calls[call].work;
        if (work && *work < m_timeline.callOf.size() && m_timeline.callOf[*work] == call)
            launch = *work;
    }
    if (!launch) return;
    const auto place = placeOfLaunch(*m_analysis->profile, m_timeline, *launch);
    if (!place) return;
    m_launch = launch;  // before the kernel is selected, so that it is not taken for another's
    viewport()->update();
    Q_EMIT launchChosen(launch);
    Q_EMIT kernelClicked(m_timeline.rows[place->row].bars[place->bar].kernel);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_drag.reset();
    resetView();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        // Some platforms report a horizontal delta for Shift and wheel.
        const int by = delta.y() != 0 ? delta.y() : delta.x();
        verticalScrollBar()->setValue(verticalScrollBar()->value() - by * rowHeight(*this) / 120);
    } else if (delta.y() != 0) {
        zoomAt(event->position().x(), std::pow(2.0, delta.y() / 480.0));
    } else if (delta.x() != 0) {
        pan(-delta.x() / 1200.0);
    }
    event->accept();
}

void TimelineView::fillMenu(QMenu& menu, QPoint at) {
    const auto add = [&](const QString& text, const char* keys, bool enabled, auto call) {
        const QString shown = keys[0] ? text + u'\t' + QLatin1String(keys) : text;
        menu.addAction(shown, this, call)->setEnabled(enabled);
    };
    const bool repeats = !m_timeline.repeats.empty();
    std::optional<TimeSpan> bar;
    if (const auto row = rowAt(at.y()))
        if (const auto hit = hitAt(at, *row)) bar = spanOfBar(m_timeline.rows[*row].bars[hit->bar]);
    const auto gap = [&]() -> std::optional<TimeSpan> {
        const auto row = rowAt(at.y());
        return row && !bar ? timelineGap(m_timeline.rows[*row], timeAt(at.x())) : std::nullopt;
    }();
    add(gap ? tr("Select the Time of This Gap") : tr("Select the Time of This Bar"), "", bar || gap,
        [this, span = bar ? bar : gap] { chooseRange(span); });
    add(tr("Select the Time in View"), "", true, [this] { chooseRange(viewed()); });
    add(tr("Select This Repeat"), "", repeats, [this] {
        // Another recording may have been shown while the menu was open.
        if (const auto repeat = repeatInView()) chooseRange(m_timeline.repeats[*repeat]);
    });
    add(tr("Select No Time and No Launch"), "Esc", m_range || m_launch, [this] {
        chooseLaunch(std::nullopt);
        chooseRange(std::nullopt);
    });
    menu.addSeparator();
    add(tr("Zoom to Selection"), "F", m_range || m_launch, [this] { zoomToSelection(); });
    add(tr("Zoom to Repeat"), "R", repeats, [this] { zoomToRepeat(); });
    add(tr("Show Everything"), "0", true, [this] { resetView(); });
    add(tr("Next Repeat"), "PgDown", repeats, [this] { goToRepeat(1); });
    add(tr("Previous Repeat"), "PgUp", repeats, [this] { goToRepeat(-1); });
    menu.addSeparator();
    const bool kernel = m_current.has_value();
    add(tr("Next Launch of the Kernel"), ".", kernel, [this] { goToLaunch(1); });
    add(tr("Previous Launch of the Kernel"), ",", kernel, [this] { goToLaunch(-1); });
    add(tr("Show Its Call"), "C", m_launch && callRow(*m_launch), [this] { showCall(); });
    add(tr("Search for Launches…"), "Ctrl+F", true, [this] { Q_EMIT searchRequested(); });
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
    if (m_timeline.empty()) return;
    QMenu menu(this);
    fillMenu(menu, viewport()->mapFromGlobal(event->globalPos()));
    menu.exec(event->globalPos());
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Find)) {
        Q_EMIT searchRequested();
        return;
    }
    if (m_timeline.empty() ||
        event->modifiers() & (Qt::AltModifier | Qt::ControlModifier | Qt::MetaModifier))
        return QAbstractScrollArea::keyPressEvent(event);
    const QRect rows = area();
    // As in Perfetto: at the cursor, if it is over the timeline.
    const QPointF cursor = viewport()->mapFromGlobal(QCursor::pos());
    const double at =
        rows.contains(cursor.toPoint()) ? cursor.x() : rows.left() + rows.width() / 2.0;
    const double middle = rows.left() + rows.width() / 2.0;
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_A:
            return pan(-kTimePan);
        case Qt::Key_Right:
        case Qt::Key_D:
            return pan(kTimePan);
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoomAt(middle, kTimeZoom);
        case Qt::Key_Minus:
            return zoomAt(middle, 1 / kTimeZoom);
        case Qt::Key_W:
            return zoomAt(at, kTimeZoom);
        case Qt::Key_S:
            return zoomAt(at, 1 / kTimeZoom);
        case Qt::Key_0:
        case Qt::Key_Home:
            return resetView();
        case Qt::Key_F:
            return zoomToSelection();
        case Qt::Key_R:
            return zoomToRepeat();
        case Qt::Key_PageDown:
            return goToRepeat(1);
        case Qt::Key_PageUp:
            return goToRepeat(-1);
        case Qt::Key_Period:
        case Qt::Key_Greater:
            return goToLaunch(1);
        case Qt::Key_Comma:
        case Qt::Key_Less:
            return goToLaunch(-1);
        case Qt::Key_C:
            return showCall();
        case Qt::Key_Escape:
            if (m_launch) return chooseLaunch(std::nullopt);
            if (m_range) return chooseRange(std::nullopt);
            break;
        default:
            break;
    }
    QAbstractScrollArea::keyPressEvent(event);
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
