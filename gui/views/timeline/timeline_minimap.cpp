// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline/timeline_minimap.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "gui/models/text/number_text.h"
#include "gui/views/timeline/timeline_view.h"
#include "gui/views/widgets/activity_colours.h"
#include "gui/views/widgets/draw_list_painter.h"

namespace roofscope::gui {
namespace {

constexpr int kLeastPart = 4;        // pixels: keeps a short part visible
constexpr int kStart = 24;           // pixels of a shortened start-up
constexpr double kLongStart = 0.35;  // of the recording: a longer start-up is shortened

/// When the repeats or, without them, the GPU's work begin, if that is late in the recording.
std::optional<double> endOfLongStart(const Timeline& timeline) {
    double first = timeline.end;
    for (const Timeline::Row& row : timeline.rows)
        if (row.kind == Timeline::RowKind::Kernels || row.kind == Timeline::RowKind::Copies)
            first = std::min(first, row.bars.front().start);
    if (!timeline.repeats.empty()) first = double(timeline.repeats.front().start) / 1e9;
    const double whole = timeline.end - timeline.begin;
    const bool isLong = first < timeline.end && first - timeline.begin > kLongStart * whole;
    return isLong ? std::optional(first) : std::nullopt;
}

}  // namespace

TimelineMinimap::TimelineMinimap(TimelineView& view, QWidget* parent)
    : QWidget(parent), m_view(view) {
    setObjectName(QStringLiteral("timelineMinimap"));
    setAccessibleName(tr("The whole recording"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setCursor(Qt::PointingHandCursor);
    connect(&view, &TimelineView::viewChanged, this, qOverload<>(&QWidget::update));
}

QSize TimelineMinimap::sizeHint() const { return {200, fontMetrics().height() + 2}; }

void TimelineMinimap::setTheme(plot::Theme theme) {
    m_theme = theme;
    renew();
}

void TimelineMinimap::renew() {
    m_picture = QPixmap();
    const Timeline& timeline = m_view.timeline();
    m_startEnd = endOfLongStart(timeline);
    QString tip =
        tr("The whole recording: when the GPU works, and what is shown below. Click or "
           "drag to go there, double-click for everything.");
    if (m_startEnd)
        tip += u' ' + tr("The first %1, until the work repeats, are shortened.")
                          .arg(text(Seconds{*m_startEnd - timeline.begin}));
    setToolTip(QStringLiteral("<p>%1</p>").arg(tip.toHtmlEscaped()));
    update();
}

void TimelineMinimap::resizeEvent(QResizeEvent*) { renew(); }

/// The minimap is as wide as the bars of the timeline.
QRect TimelineMinimap::strip() const {
    const QRect bars = m_view.area();
    return {bars.left(), 2, bars.width(), height() - 4};
}

QRectF TimelineMinimap::shownPart() const {
    const Timeline& timeline = m_view.timeline();
    const QRectF all = strip();
    if (timeline.end <= timeline.begin || all.width() <= kLeastPart) return all;
    double left = pixelOf(m_view.from()), right = pixelOf(m_view.to());
    if (right - left < kLeastPart) {
        left = std::clamp((left + right - kLeastPart) / 2, all.left(), all.right() - kLeastPart);
        right = left + kLeastPart;
    }
    return {left, all.top(), right - left, all.height()};
}

double TimelineMinimap::pixelOf(double time) const {
    const Timeline& timeline = m_view.timeline();
    const QRectF all = strip();
    const double cut = m_startEnd.value_or(timeline.begin), start = m_startEnd ? kStart : 0;
    const auto share = [time](double from, double to) {
        return to > from ? std::clamp((time - from) / (to - from), 0.0, 1.0) : 0.0;
    };
    return all.left() + share(timeline.begin, cut) * start +
           share(cut, timeline.end) * (all.width() - start);
}

double TimelineMinimap::timeOf(double x) const {
    const Timeline& timeline = m_view.timeline();
    const QRectF all = strip();
    const double cut = m_startEnd.value_or(timeline.begin), start = m_startEnd ? kStart : 0;
    const double at = x - all.left();
    return at < start ? timeline.begin + at / start * (cut - timeline.begin)
                      : cut + (at - start) / (all.width() - start) * (timeline.end - cut);
}

const QPixmap& TimelineMinimap::picture() {
    const double ratio = devicePixelRatioF();
    const QRect all = strip();
    if (!m_picture.isNull() && m_picture.size() == all.size() * ratio) return m_picture;
    m_picture = QPixmap(all.size() * ratio);
    m_picture.setDevicePixelRatio(ratio);
    m_picture.fill(roleColour(plot::Role::GridMinor, m_theme));
    QPainter painter(&m_picture);
    const Timeline& timeline = m_view.timeline();
    // Kernels take the whole height; copies are a thin line at the bottom.
    const int thin = all.height() / 4;
    for (const auto kind : {Timeline::RowKind::Kernels, Timeline::RowKind::Copies}) {
        const bool kernels = kind == Timeline::RowKind::Kernels;
        QColor colour =
            roleColour(roleOf(kernels ? TimeClass::Kernels : TimeClass::Copies), m_theme);
        const double top = kernels ? 0 : all.height() - thin;
        for (const Timeline::Row& row : timeline.rows) {
            if (row.kind != kind) continue;
            const auto draw = [&](double from, double to, int left, int width) {
                for (const TimelinePiece& piece : layoutTimelineRow(row, from, to, width, {})) {
                    constexpr double kFaintest = 0.3;
                    colour.setAlphaF(float(std::clamp(piece.busy, kFaintest, 1.0)));
                    // A wide bar reaches a little over the edges of its part.
                    const double begin = std::max(0.0, piece.left);
                    const double end = std::min(double(width), std::max(begin + 1, piece.right));
                    painter.fillRect(QRectF(left + begin, top, end - begin,
                                            kernels ? all.height() - thin : thin),
                                     colour);
                }
            };
            const int start = m_startEnd ? kStart : 0;
            const double cut = m_startEnd.value_or(timeline.begin);
            if (m_startEnd) draw(timeline.begin, cut, 0, start);
            draw(cut, timeline.end, start, all.width() - start);
        }
    }
    if (m_startEnd) {  // a zigzag, as where an axis is cut
        painter.setPen(QPen(roleColour(plot::Role::Text, m_theme), 1.5));
        QPolygonF zigzag;
        for (int y = 0; y <= all.height(); y += 3)
            zigzag << QPointF(kStart + (y / 3 % 2 == 0 ? -2 : 2), y);
        painter.drawPolyline(zigzag);
    }
    return m_picture;
}

void TimelineMinimap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRect all = strip();
    painter.drawPixmap(all.topLeft(), picture());
    const QRectF part = shownPart();
    QColor dim = roleColour(plot::Role::Background, m_theme);
    dim.setAlphaF(0.35F);
    painter.fillRect(QRectF(all.left(), all.top(), part.left() - all.left(), all.height()), dim);
    painter.fillRect(QRectF(part.right(), all.top(), all.right() + 1 - part.right(), all.height()),
                     dim);
    painter.setPen(roleColour(plot::Role::Text, m_theme));
    painter.drawRect(part.adjusted(0, 0, -1, -1));
}

void TimelineMinimap::moveTo(double x) {
    if (strip().width() <= kStart) return;
    const double time = timeOf(x);
    const double half = (m_view.to() - m_view.from()) / 2;
    m_view.setSpan(time - half, time + half);
}

void TimelineMinimap::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) moveTo(event->position().x());
}

void TimelineMinimap::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) moveTo(event->position().x());
}

void TimelineMinimap::mouseDoubleClickEvent(QMouseEvent*) { m_view.resetView(); }

}  // namespace roofscope::gui
