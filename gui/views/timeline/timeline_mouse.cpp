// SPDX-License-Identifier: Apache-2.0
// The mouse handling of TimelineView.
#include <QGuiApplication>
#include <QMouseEvent>
#include <QScrollBar>
#include <QStyleHints>
#include <QToolTip>
#include <cmath>
#include <utility>

#include "gui/views/timeline/timeline_measures.h"
#include "gui/views/timeline/timeline_view.h"

namespace roofscope::gui {
namespace {

using namespace timeline_measures;

constexpr int kSlack = 2;  ///< a bar is hit within this distance in pixels
constexpr int kSnap = 5;   ///< an edge of a range snaps to a bar's edge within this distance

}  // namespace

double TimelineView::edgeAt(QPointF position) const {
    const double time = timeAt(position.x());
    const auto row = rowAt(position.y());
    if (!row) return time;
    const double slack = kSnap * m_zoom.length() / area().width();
    const auto hit = hitTimelineRow(m_timeline.rows[*row], time, slack);
    if (!hit) return time;
    const Timeline::Bar& bar = m_timeline.rows[*row].bars[hit->bar];
    for (const double edge : {bar.start, bar.end})
        if (std::abs(edge - time) <= slack) return edge;
    return time;
}

std::optional<TimelineHit> TimelineView::hitAt(QPointF position, std::size_t row) const {
    const QRect rows = area();
    if (position.x() < rows.left() - kSlack || position.x() > rows.right() + kSlack)
        return std::nullopt;
    return hitTimelineRow(m_timeline.rows[row], timeAt(position.x()),
                          kSlack * m_zoom.length() / rows.width());
}

void TimelineView::hover(QPointF position, QPoint globalPosition) {
    const auto row = rowAt(position.y());
    QString html;
    bool clickable = row.has_value();
    if (row && position.x() < area().left()) {
        html =
            QStringLiteral("<p>%1</p>")
                .arg((m_rows.isFolded(*row) ? tr("%1: click to unfold") : tr("%1: click to fold"))
                         .arg(m_timeline.rows[*row].name)
                         .toHtmlEscaped());
    } else if (row) {
        const auto hit = hitAt(position, *row);
        const Timeline::Row& hovered = m_timeline.rows[*row];
        clickable = hit.has_value();
        html = hit ? timelineTooltip(*m_analysis, hovered, *hit)
                   : timelineGapTooltip(*m_analysis, m_timeline, hovered, timeAt(position.x()),
                                        m_accounts ? m_accounts() : nullptr);
    }
    clickable ? viewport()->setCursor(Qt::PointingHandCursor) : viewport()->unsetCursor();
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
                  .from = from(),
                  .to = to(),
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
    const double other = std::clamp(edgeAt(event->position()), from(), to());
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

/// Selects the clicked bar or the time of the clicked repeat mark, or folds the row of a name.
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
    if (position.x() < area().left()) return setFolded(*row, !m_rows.isFolded(*row));
    if (const auto hit = hitAt(position, *row)) clickedBar({.row = *row, .bar = hit->bar});
}

/// A call leads to the launch or the copy that it issued. The view does not move: the user sees
/// what was clicked.
void TimelineView::clickedBar(const TimelinePlace& clicked) {
    const Timeline::Row& in = m_timeline.rows[clicked.row];
    const std::uint32_t item = in.bars[clicked.bar].item;
    std::optional<std::uint32_t> launch;
    std::optional<TimelinePlace> other = clicked;
    if (in.kind == Timeline::RowKind::Kernels) launch = item;
    if (in.kind == Timeline::RowKind::Calls) {
        const auto& work = m_analysis->profile->timeline.calls[item].work;
        if (work && *work < m_timeline.callOf.size() && m_timeline.callOf[*work] == item)
            launch = *work;
        else if (const auto copy = copyOfCall(*m_analysis->profile, m_timeline, item))
            other = copy;
    }
    const auto place = launch ? placeOf(*launch) : std::nullopt;
    viewport()->update();
    if (!place) {
        m_launch.reset();
        m_bar = other;
        Q_EMIT barChosen(m_bar);
        return;
    }
    m_bar.reset();
    m_launch = launch;  // before kernelClicked(), or setSelection() would look for another launch
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
        verticalScrollBar()->setValue(verticalScrollBar()->value() -
                                      by * verticalScrollBar()->singleStep() / 120);
    } else if (delta.y() != 0) {
        zoomAt(event->position().x(), std::pow(2.0, delta.y() / 480.0));
    } else if (delta.x() != 0) {
        pan(-delta.x() / 1200.0);
    }
    event->accept();
}

}  // namespace roofscope::gui
