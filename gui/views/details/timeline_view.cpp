// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/timeline_view.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyleHints>
#include <QToolTip>
#include <cmath>
#include <utility>

#include "gui/views/widgets/activity_colours.h"
#include "gui/views/widgets/draw_list_painter.h"

namespace roofscope::gui {
namespace {

constexpr int kRight = 12, kStripe = 3;
constexpr int kMostName = 260;
/// Heights, with room for a line of text in the current font.
int rowHeight(const QWidget& view) { return std::max(26, view.fontMetrics().height() + 11); }
int barHeight(const QWidget& view) { return std::max(14, view.fontMetrics().height() - 1); }
int legendLine(const QWidget& view) { return std::max(24, view.fontMetrics().height() + 9); }
int axisHeight(const QWidget& view) { return std::max(22, view.fontMetrics().height() + 7); }
constexpr double kLeastSpan = 20e-9;  ///< in seconds; times have a resolution of 1 ns
constexpr double kTimeZoom = 1.25, kTimePan = 0.1;
constexpr int kSlack = 2;  ///< a bar is hit within this distance in pixels

/// Colours from the plot's palette, which is safe for colour-blind people. Names, legend and
/// tooltips give the same information as the colours.
plot::Role roleOf(TimelineTone tone) {
    switch (tone) {
        case TimelineTone::LaunchBound:
            return plot::Role::Highlight;
        case TimelineTone::Underfilled:
            return plot::Role::Shared;
        case TimelineTone::NearRoof:
            return plot::Role::L1;
        case TimelineTone::MemoryBound:
            return plot::Role::Dram;
        case TimelineTone::ComputeBound:
            return plot::Role::Fp32;
        case TimelineTone::Balanced:
            return plot::Role::Fp16;
        case TimelineTone::LatencyBound:
            return plot::Role::L2;
        case TimelineTone::WaitsForPeers:
        case TimelineTone::WaitsForPages:
            return plot::Role::Fp64;
        case TimelineTone::ToDevice:
            return plot::Role::TensorTf32;
        case TimelineTone::ToHost:
            return plot::Role::TensorFp16;
        case TimelineTone::BetweenDevices:
            return plot::Role::TensorFp64;
        case TimelineTone::OnDevice:
            return plot::Role::TensorFp8;
        case TimelineTone::LaunchCall:
            return gui::roleOf(CallKind::Launch);
        case TimelineTone::WaitCall:
            return gui::roleOf(CallKind::Wait);
        case TimelineTone::CopyCall:
            return gui::roleOf(CallKind::Transfer);
        case TimelineTone::MemoryCall:
            return gui::roleOf(CallKind::Allocate);
        case TimelineTone::LoadCall:
            return gui::roleOf(CallKind::Load);
        case TimelineTone::Runs:
            return gui::roleOf(TimeClass::IdleHost);
        case TimelineTone::WaitsInOs:
            return plot::Role::TextMuted;
        case TimelineTone::Range:
            return plot::Role::TextMuted;
        case TimelineTone::Unknown:
        case TimelineTone::OtherCall:
            break;
    }
    return plot::Role::Axis;
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
           "Left and right pan, plus and minus zoom, zero "
           "shows everything, up and down scroll."));
}

void TimelineView::setTimeline(std::shared_ptr<const Analysis> analysis, Timeline timeline) {
    m_analysis = std::move(analysis);
    m_timeline = std::move(timeline);
    m_selected.clear();
    m_drag.reset();
    m_hoverText.clear();
    layoutLegend();
    verticalScrollBar()->setValue(0);
    updateScrollBar();
    resetView();
}

void TimelineView::setSelection(const KernelSelection& selection) {
    std::vector<bool> selected(m_analysis ? m_analysis->kernels.size() : 0);
    for (const std::size_t kernel : selection.all)
        if (kernel < selected.size()) selected[kernel] = true;
    if (std::exchange(m_selected, selected) != selected) redraw();
}

void TimelineView::setTheme(plot::Theme theme) {
    m_theme = theme;
    // A change of the font size also calls this: update the layout.
    layoutLegend();
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

QRect TimelineView::area() const {
    const int left = nameWidth();
    const int top = legendHeight();
    return {left, top, std::max(1, viewport()->width() - left - kRight),
            std::max(1, viewport()->height() - top - axisHeight(*this))};
}

double TimelineView::timeAt(double x) const {
    const QRect rows = area();
    return m_from + (x - rows.left()) / rows.width() * (m_to - m_from);
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
    return {qRound(rows.left() + (time - m_from) / (m_to - m_from) * rows.width()),
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
    layoutLegend();
    updateScrollBar();
    redraw();
}

const QPixmap& TimelineView::picture() {
    const double ratio = devicePixelRatioF();
    if (!m_picture.isNull() && m_picture.devicePixelRatio() == ratio) return m_picture;
    m_picture = QPixmap(viewport()->size() * ratio);
    m_picture.setDevicePixelRatio(ratio);
    m_picture.fill(roleColour(plot::Role::Background, m_theme));
    QPainter painter(&m_picture);
    painter.setFont(font());
    paintLegend(painter);
    paintAxis(painter);
    const QRect rows = area();
    painter.setClipRect(0, rows.top(), viewport()->width(), rows.height());
    const int scroll = verticalScrollBar()->value();
    for (std::size_t i = static_cast<std::size_t>(scroll / rowHeight(*this));
         i < m_timeline.rows.size(); ++i) {
        const int y = rows.top() + int(i) * rowHeight(*this) - scroll;
        if (y >= rows.top() + rows.height()) break;
        paintRow(painter, i, y);
    }
    return m_picture;
}

void TimelineView::layoutLegend() {
    m_legend.clear();
    const QFontMetrics metrics(font());
    QPoint at(10, 0);
    const auto add = [&](std::optional<TimelineTone> tone, const QString& name) {
        const int width = 20 + metrics.horizontalAdvance(name) + 18;
        if (at.x() > 10 && at.x() + width > viewport()->width())
            at = {10, at.y() + legendLine(*this)};
        m_legend.push_back({.tone = tone, .name = name, .at = at});
        at.rx() += width;
    };
    for (const TimelineTone tone : m_timeline.tones) add(tone, toneName(tone));
    add(std::nullopt, tr("selected"));
}

int TimelineView::legendHeight() const {
    return m_legend.empty() ? legendLine(*this) : m_legend.back().at.y() + legendLine(*this);
}

/// Draws a range as a neutral frame, so that it does not look like an activity.
void TimelineView::paintRange(QPainter& painter, const QRectF& bar) const {
    painter.fillRect(bar, roleColour(plot::Role::Grid, m_theme));
    painter.setPen(roleColour(roleOf(TimelineTone::Range), m_theme));
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
}

void TimelineView::paintLegend(QPainter& painter) const {
    for (const LegendItem& item : m_legend) {
        const int high = item.tone ? 10 : kStripe;
        const QRectF swatch(item.at.x(), item.at.y() + (legendLine(*this) - high) / 2, 14, high);
        if (item.tone == TimelineTone::Range)
            paintRange(painter, swatch);
        else
            painter.fillRect(
                swatch,
                roleColour(item.tone ? roleOf(*item.tone) : plot::Role::Selection, m_theme));
        painter.setPen(roleColour(plot::Role::Text, m_theme));
        painter.drawText(QRect(item.at.x() + 20, item.at.y(), 600, legendLine(*this)),
                         Qt::AlignVCenter, item.name);
    }
}

void TimelineView::paintAxis(QPainter& painter) const {
    const QRect rows = area();
    const TimelineTicks ticks = timelineTicks(m_from, m_to, rows.width());
    const int bottom = rows.top() + rows.height();
    for (std::size_t i = 0; i < ticks.times.size(); ++i) {
        const int x = pixelOf(0, ticks.times[i]).x();
        painter.setPen(roleColour(plot::Role::Grid, m_theme));
        painter.drawLine(x, rows.top(), x, bottom);
        painter.setPen(roleColour(plot::Role::TextMuted, m_theme));
        painter.drawText(QRect(x - 60, bottom + 2, 120, axisHeight(*this) - 2),
                         Qt::AlignHCenter | Qt::AlignTop, ticks.labels[i]);
    }
    painter.setPen(roleColour(plot::Role::Axis, m_theme));
    painter.drawLine(rows.left(), bottom, rows.left() + rows.width(), bottom);
}

void TimelineView::paintRow(QPainter& painter, std::size_t index, int y) const {
    const QRect rows = area();
    const Timeline::Row& row = m_timeline.rows[index];
    const QFontMetrics metrics(font());
    painter.setPen(roleColour(plot::Role::Text, m_theme));
    painter.drawText(QRect(8, y, rows.left() - 16, rowHeight(*this)), Qt::AlignVCenter,
                     metrics.elidedText(row.name, Qt::ElideRight, rows.left() - 16));
    painter.setPen(roleColour(plot::Role::GridMinor, m_theme));
    painter.drawLine(rows.left(), y + rowHeight(*this) - 1, rows.left() + rows.width(),
                     y + rowHeight(*this) - 1);
    painter.save();
    painter.setClipRect(QRect(rows.left(), y, rows.width(), rowHeight(*this)), Qt::IntersectClip);
    painter.translate(rows.left(), y);
    const int top = (rowHeight(*this) - barHeight(*this) - kStripe) / 2;
    constexpr int kLeastName = 30;
    for (const TimelinePiece& piece :
         layoutTimelineRow(row, m_from, m_to, rows.width(), m_selected)) {
        QColor colour = roleColour(roleOf(piece.tone), m_theme);
        if (!piece.bar) colour.setAlphaF(float(0.25 + 0.75 * piece.busy));
        const double width = piece.right - piece.left;
        // Leave a gap between neighbours if they are wide enough.
        const double gap = piece.bar && width > 6 ? 1 : 0;
        const bool range = piece.bar && piece.tone == TimelineTone::Range;
        const QRectF bar(piece.left, top, width - gap, barHeight(*this));
        if (range)
            paintRange(painter, bar);
        else
            painter.fillRect(bar, colour);
        if (piece.selected)
            painter.fillRect(QRectF(piece.left, top + barHeight(*this) + 1, width - gap, kStripe),
                             roleColour(plot::Role::Selection, m_theme));
        if (piece.bar && width >= kLeastName) {
            const double left = std::max(piece.left, 0.0);
            const QRectF room(left + 4, top, std::min(piece.right, double(rows.width())) - left - 8,
                              barHeight(*this));
            const QString name = timelineBarText(*m_analysis, row, row.bars[*piece.bar]);
            painter.setPen(roleColour(range ? plot::Role::Text : plot::Role::Background, m_theme));
            // Do not elide a number: the rest would look like another number.
            const bool cut = metrics.horizontalAdvance(name) > room.width();
            if (cut && row.kind == Timeline::RowKind::Copies) continue;
            painter.drawText(room, Qt::AlignVCenter,
                             metrics.elidedText(name, Qt::ElideRight, int(room.width())));
        }
    }
    painter.restore();
}

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), roleColour(plot::Role::Background, m_theme));
    if (!m_analysis || m_timeline.empty()) return;
    painter.drawPixmap(QPointF(0, 0), picture());
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

std::optional<TimelineHit> TimelineView::hitAt(QPointF position, std::size_t row) const {
    const QRect rows = area();
    if (position.x() < rows.left() - kSlack || position.x() > rows.right() + kSlack)
        return std::nullopt;
    return hitTimelineRow(m_timeline.rows[row], timeAt(position.x()),
                          kSlack * (m_to - m_from) / rows.width());
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
        bar = hit.has_value();
        launch = bar && m_timeline.rows[*row].kind == Timeline::RowKind::Kernels;
        html = bar ? timelineTooltip(*m_analysis, m_timeline.rows[*row], *hit)
                   : timelineGapTooltip(m_timeline.rows[*row], timeAt(position.x()));
    }
    launch ? viewport()->setCursor(Qt::PointingHandCursor) : viewport()->unsetCursor();
    if (html == m_hoverText) return;
    m_hoverText = html;
    html.isEmpty() ? QToolTip::hideText() : QToolTip::showText(globalPosition, html, viewport());
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || m_timeline.empty()) return;
    m_drag = Drag{.at = event->position(),
                  .from = m_from,
                  .to = m_to,
                  .scroll = verticalScrollBar()->value()};
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
    viewport()->setCursor(Qt::ClosedHandCursor);
    const double by = -moved.x() / area().width() * (m_drag->to - m_drag->from);
    verticalScrollBar()->setValue(m_drag->scroll - qRound(moved.y()));
    setSpan(m_drag->from + by, m_drag->to + by);
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_drag) return;
    const bool click = !std::exchange(m_drag, std::nullopt)->moved;
    viewport()->unsetCursor();
    if (!click) return;
    const auto row = rowAt(event->position().y());
    if (!row) return;
    if (m_timeline.rows[*row].kind != Timeline::RowKind::Kernels) return;
    if (const auto hit = hitAt(event->position(), *row))
        Q_EMIT kernelClicked(m_timeline.rows[*row].bars[hit->bar].kernel);
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
        const double by = -delta.x() / 1200.0 * (m_to - m_from);
        setSpan(m_from + by, m_to + by);
    }
    event->accept();
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    const auto pan = [this](double share) {
        const double by = share * (m_to - m_from);
        setSpan(m_from + by, m_to + by);
    };
    const QRect rows = area();
    const double middle = rows.left() + rows.width() / 2.0;
    switch (event->key()) {
        case Qt::Key_Left:
            return pan(-kTimePan);
        case Qt::Key_Right:
            return pan(kTimePan);
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoomAt(middle, kTimeZoom);
        case Qt::Key_Minus:
            return zoomAt(middle, 1 / kTimeZoom);
        case Qt::Key_0:
        case Qt::Key_Home:
            return resetView();
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
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
