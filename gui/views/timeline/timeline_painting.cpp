// SPDX-License-Identifier: Apache-2.0
// The drawing code of TimelineView.
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <cmath>

#include "gui/models/text/number_text.h"
#include "gui/models/timeline/bar_facts.h"
#include "gui/views/timeline/timeline_measures.h"
#include "gui/views/timeline/timeline_view.h"
#include "gui/views/widgets/activity_colours.h"
#include "gui/views/widgets/draw_list_painter.h"

namespace roofscope::gui {
namespace {

using namespace timeline_measures;

constexpr int kPinMark = 4;  ///< width of the mark at the left of a pinned row

QColor faded(QColor colour, double alpha) {
    colour.setAlphaF(float(alpha));
    return colour;
}

}  // namespace

const QPixmap& TimelineView::picture() {
    const double ratio = devicePixelRatioF();
    if (!m_picture.isNull() && m_picture.devicePixelRatio() == ratio) return m_picture;
    m_picture = QPixmap(viewport()->size() * ratio);
    m_picture.setDevicePixelRatio(ratio);
    m_picture.fill(roleColour(plot::Role::Background, m_theme));
    QPainter painter(&m_picture);
    painter.setFont(font());
    paintAxis(painter);
    paintRepeats(painter);
    const QRect rows = area(), scrolled = scrolledArea();
    const int scroll = verticalScrollBar()->value();
    const std::size_t fixed = fixedRows();
    painter.setClipRect(0, scrolled.top(), viewport()->width(), scrolled.height());
    for (std::size_t place = fixed; place < m_rows.size(); ++place) {
        const int y = rows.top() + m_tops[place] - scroll;
        if (y >= rows.top() + rows.height()) break;
        if (rows.top() + m_tops[place + 1] - scroll > scrolled.top())
            paintRow(painter, m_rows.rowAt(place), y);
    }
    paintFoldedNames(painter);
    painter.setClipRect(0, rows.top(), viewport()->width(), rows.height());
    for (std::size_t place = 0; place < fixed; ++place)
        paintRow(painter, m_rows.rowAt(place), rows.top() + m_tops[place]);
    if (fixed > 0) {
        painter.setPen(roleColour(plot::Role::Axis, m_theme));
        painter.drawLine(0, scrolled.top() - 1, viewport()->width(), scrolled.top() - 1);
    }
    return m_picture;
}

/// Draws a span (a range, a phase) as a neutral frame, so that it does not look like an activity.
void TimelineView::paintSpan(QPainter& painter, const QRectF& bar) const {
    painter.fillRect(bar, roleColour(plot::Role::Grid, m_theme));
    painter.setPen(roleColour(roleOf(TimelineTone::Range), m_theme));
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
}

void TimelineView::paintAxis(QPainter& painter) const {
    const QRect rows = area();
    const int bottom = rows.top() + rows.height(), axis = axisHeight(*this);
    painter.save();
    painter.setClipRect(rows.left() - 60, 0, rows.width() + 60 + kRight, bottom);
    for (const TickLabel& label : tickLabels()) {
        painter.setPen(roleColour(plot::Role::Grid, m_theme));
        painter.drawLine(label.tick, axis - 4, label.tick, bottom);
        painter.setPen(roleColour(plot::Role::TextMuted, m_theme));
        painter.drawText(label.box, Qt::AlignHCenter | Qt::AlignBottom, label.text);
    }
    painter.setPen(roleColour(plot::Role::Axis, m_theme));
    painter.drawLine(rows.left(), axis, rows.left() + rows.width(), axis);
    painter.restore();
}

std::vector<TimelineView::TickLabel> TimelineView::tickLabels() const {
    const QRect rows = area();
    const TimelineTicks ticks = timelineTicks(from(), to(), rows.width());
    const QFontMetrics metrics(font());
    std::vector<double> places, widths;
    for (std::size_t i = 0; i < ticks.times.size(); ++i) {
        places.push_back(pixelOf(0, ticks.times[i]).x());
        widths.push_back(metrics.horizontalAdvance(ticks.labels[i]) + 2);
    }
    const auto lefts =
        placeTickLabels(places, widths, rows.left() - 60, rows.left() + rows.width() + kRight);
    std::vector<TickLabel> labels;
    for (std::size_t i = 0; i < places.size(); ++i)
        labels.push_back(
            {.tick = int(places[i]),
             .box = lefts[i] ? QRectF(*lefts[i], 0, widths[i], axisHeight(*this) - 4) : QRectF(),
             .text = lefts[i] ? ticks.labels[i] : QString()});
    return labels;
}

/// Draws a mark for each visible repeat, with its number if there is room. Marks that would be only
/// a few pixels wide are replaced by one mark for all.
void TimelineView::paintRepeats(QPainter& painter) const {
    const auto& repeats = m_timeline.repeats;
    if (repeats.empty()) return;
    const QRect rows = area();
    const int top = axisHeight(*this) + 1, high = repeatHeight(*this) - 2;
    painter.save();
    painter.setPen(roleColour(plot::Role::TextMuted, m_theme));
    painter.drawText(QRect(8, top, rows.left() - 16, high), Qt::AlignVCenter, tr("Repeats"));
    painter.setClipRect(rows.left(), top, rows.width(), high);
    const TimeSpan span = m_zoom.span();
    const auto first = std::ranges::upper_bound(repeats, span.start, {}, &TimeSpan::end);
    const auto last = std::ranges::lower_bound(repeats, span.end, {}, &TimeSpan::start);
    const auto x = [&](Nanoseconds time) { return double(pixelOf(0, double(time) / 1e9).x()); };
    constexpr double kNarrow = 4;
    if (last - first > rows.width() / kNarrow) {
        const double left = x(first->start), right = x(std::prev(last)->end);
        painter.fillRect(QRectF(left, top, right - left, high),
                         faded(roleColour(plot::Role::TextMuted, m_theme), 0.25));
        painter.setPen(roleColour(plot::Role::Text, m_theme));
        painter.drawText(rows.adjusted(0, top - rows.top(), 0, 0), Qt::AlignHCenter | Qt::AlignTop,
                         counted(std::size_t(last - first), tr("%1 repeat"), tr("%1 repeats")));
    } else {
        for (auto at = first; at < last; ++at) {
            const double left = x(at->start), right = x(at->end);
            const auto index = std::size_t(at - repeats.begin());
            painter.fillRect(
                QRectF(left, top, std::max(1.0, right - left - 1), high),
                faded(roleColour(plot::Role::TextMuted, m_theme), index % 2 == 0 ? 0.25 : 0.14));
            const double from = std::max(left, double(rows.left()));
            const QRectF room(from + 4, top, std::min(right, double(rows.right())) - from - 8,
                              high);
            const QString number = text(double(index) + 1);
            const QString all = tr("repeat %1 of %2").arg(number, text(double(repeats.size())));
            for (const QString& words : {all, number})
                if (painter.fontMetrics().horizontalAdvance(words) <= room.width()) {
                    painter.setPen(roleColour(plot::Role::Text, m_theme));
                    painter.drawText(room, Qt::AlignVCenter, words);
                    break;
                }
        }
    }
    painter.restore();
}

void TimelineView::paintRow(QPainter& painter, std::size_t index, int y) const {
    const QRect rows = area();
    const Timeline::Row& row = m_timeline.rows[index];
    const QFontMetrics metrics(font());
    const int rowHeight = heightOf(index), high = barHeight(*this, rowHeight);
    const bool thin = rowHeight <= kFoldedRow;
    if (!thin) {
        painter.setPen(roleColour(plot::Role::Text, m_theme));
        painter.drawText(QRect(8, y, rows.left() - 16, rowHeight), Qt::AlignVCenter,
                         metrics.elidedText(row.name, Qt::ElideRight, rows.left() - 16));
    }
    if (m_rows.isPinned(index))
        painter.fillRect(QRect(0, y, kPinMark, rowHeight - 1),
                         roleColour(plot::Role::Selection, m_theme));
    painter.setPen(roleColour(plot::Role::GridMinor, m_theme));
    painter.drawLine(rows.left(), y + rowHeight - 1, rows.left() + rows.width(), y + rowHeight - 1);
    painter.save();
    painter.setClipRect(QRect(rows.left(), y, rows.width(), rowHeight), Qt::IntersectClip);
    painter.translate(rows.left(), y);
    const int top = thin ? 1 : (rowHeight - high - kStripe) / 2;
    constexpr int kLeastName = 30;
    for (const TimelinePiece& piece :
         layoutTimelineRow(row, from(), to(), rows.width(), m_selected)) {
        QColor colour = roleColour(roleOf(piece.tone), m_theme);
        if (!piece.bar) colour.setAlphaF(float(0.25 + 0.75 * piece.busy));
        const double width = piece.right - piece.left;
        // Leave a gap between neighbours if they are wide enough.
        const double gap = piece.bar && width > 6 ? 1 : 0;
        const bool range = piece.bar && piece.tone == TimelineTone::Range;
        const QRectF bar(piece.left, top, width - gap, high);
        if (range)
            paintSpan(painter, bar);
        else
            painter.fillRect(bar, colour);
        if (piece.selected && !thin)
            painter.fillRect(QRectF(piece.left, top + high + 1, width - gap, kStripe),
                             roleColour(plot::Role::Selection, m_theme));
        if (piece.bar && width >= kLeastName && !thin) {
            const double left = std::max(piece.left, 0.0);
            const QRectF room(left + 4, top, std::min(piece.right, double(rows.width())) - left - 8,
                              high);
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

/// Says how many rows are folded where several folded rows leave room for it.
void TimelineView::paintFoldedNames(QPainter& painter) const {
    const QRect rows = area();
    painter.setPen(roleColour(plot::Role::TextMuted, m_theme));
    for (std::size_t place = fixedRows(); place < m_rows.size();) {
        std::size_t end = place;
        while (end < m_rows.size() && m_rows.isFolded(m_rows.rowAt(end))) ++end;
        const QRect room(8, rows.top() + m_tops[place] - verticalScrollBar()->value(),
                         rows.left() - 16, m_tops[end] - m_tops[place]);
        if (room.height() >= painter.fontMetrics().height())
            painter.drawText(room, Qt::AlignVCenter,
                             counted(end - place, tr("%1 folded row"), tr("%1 folded rows")));
        place = end + 1;
    }
}

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), roleColour(plot::Role::Background, m_theme));
    if (!m_analysis || m_timeline.empty()) return;
    painter.drawPixmap(QPointF(0, 0), picture());
    paintRange(painter);
    paintSelected(painter);
    if (hasFocus()) {
        painter.setClipping(false);
        painter.setPen(palette().color(QPalette::Highlight));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void TimelineView::paintRange(QPainter& painter) const {
    if (!m_range) return;
    const QRect rows = area();
    const int bottom = rows.top() + rows.height();
    const double left = pixelOf(0, double(m_range->start) / 1e9).x(),
                 right = pixelOf(0, double(m_range->end) / 1e9).x();
    painter.save();
    painter.setClipRect(rows.left(), 0, rows.width(), bottom);
    const QColor accent = palette().color(QPalette::Highlight);
    painter.fillRect(QRectF(left, 0, right - left, bottom), faded(accent, 0.16));
    painter.setPen(QPen(accent, 1));
    for (const double x : {left, right}) painter.drawLine(QPointF(x, 0), QPointF(x, bottom));
    // Write the length over the axis, in place of its labels there.
    const QString length = text(Seconds{double(m_range->length()) / 1e9});
    const int wide = painter.fontMetrics().horizontalAdvance(length) + 10;
    const double middle = (std::max(left, double(rows.left())) +
                           std::min(right, double(rows.left() + rows.width()))) /
                          2;
    const double at = std::clamp(middle - wide / 2.0, double(rows.left()),
                                 double(std::max(rows.left(), rows.left() + rows.width() - wide)));
    if (right > rows.left() && left < rows.left() + rows.width()) {
        const QRectF box(at, 1, wide, axisHeight(*this) - 4);
        // Half a label would be read as another number.
        for (const TickLabel& label : tickLabels())
            if (label.box.intersects(box))
                painter.fillRect(label.box, roleColour(plot::Role::Background, m_theme));
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(accent);
        painter.drawRoundedRect(box, 4, 4);
        painter.setPen(palette().color(QPalette::HighlightedText));
        painter.drawText(box, Qt::AlignCenter, length);
    }
    painter.restore();
}

void TimelineView::paintSelected(QPainter& painter) const {
    const auto place = selectedPlace();
    if (!place) return;
    const QRect rows = area(), scrolled = scrolledArea();
    painter.save();
    // Pinned rows cover what is scrolled under them.
    painter.setClipRect(offsetOf(place->row) < 0 ? rows : scrolled);
    const Timeline::Bar& bar = m_timeline.rows[place->row].bars[place->bar];
    const QPoint left = pixelOf(place->row, bar.start), right = pixelOf(place->row, bar.end);
    const int high = barHeight(*this, heightOf(place->row));
    const int stripe = m_rows.isFolded(place->row) ? 0 : kStripe;
    const QRectF frame(left.x() - 1, left.y() - (high + stripe) / 2.0 - 1,
                       std::max(3, right.x() - left.x()) + 1, high + 2);
    painter.setPen(QPen(roleColour(plot::Role::Text, m_theme), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(frame);
    painter.setClipRect(rows);
    if (const auto row = rowOfCall()) {
        const Call& call = m_analysis->profile->timeline.calls[*callOfBar(m_timeline, *place)];
        const auto delay = barDelay(*m_analysis->profile, m_timeline, *place);
        const auto shown = [&](std::size_t of, QPointF at) {
            if (offsetOf(of) >= 0) at.setY(std::max(at.y(), double(scrolled.top())));
            return at;
        };
        const QPointF from = shown(*row, pixelOf(*row, double(call.time.start) / 1e9));
        // End at the edge of the bar that faces the call.
        const double side = from.y() > frame.center().y() ? frame.bottom() : frame.top();
        paintArrow(painter, from, shown(place->row, {frame.left() + 1, side}),
                   delay ? text(*delay) : QString());
    }
    painter.restore();
}

void TimelineView::paintArrow(QPainter& painter, QPointF from, QPointF to,
                              const QString& label) const {
    const QColor colour = roleColour(plot::Role::Text, m_theme);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.5));
    painter.drawLine(from, to);
    painter.setBrush(colour);
    painter.setPen(Qt::NoPen);
    painter.drawEllipse(from, 2.5, 2.5);
    const double angle = std::atan2(to.y() - from.y(), to.x() - from.x());
    constexpr double kHead = 8, kSpread = 0.42;
    QPainterPath head(to);
    for (const double turn : {kSpread, -kSpread})
        head.lineTo(to - kHead * QPointF(std::cos(angle + turn), std::sin(angle + turn)));
    painter.drawPath(head);
    if (label.isEmpty()) return;
    const QSizeF size(painter.fontMetrics().horizontalAdvance(label) + 8,
                      painter.fontMetrics().height() + 2);
    const QRectF box(QPointF((from.x() + to.x()) / 2 + 6, (from.y() + to.y() - size.height()) / 2),
                     size);
    painter.setBrush(faded(roleColour(plot::Role::Background, m_theme), 0.85));
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(colour);
    painter.drawText(box, Qt::AlignCenter, label);
}

}  // namespace roofscope::gui
