// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline/timeline_minimap.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "gui/views/timeline/timeline_view.h"
#include "gui/views/widgets/activity_colours.h"
#include "gui/views/widgets/draw_list_painter.h"

namespace roofscope::gui {
namespace {

constexpr int kLeastPart = 4;  // pixels: keeps a short part visible

}  // namespace

TimelineMinimap::TimelineMinimap(TimelineView& view, QWidget* parent)
    : QWidget(parent), m_view(view) {
    setObjectName(QStringLiteral("timelineMinimap"));
    setAccessibleName(tr("The whole recording"));
    setToolTip(
        tr("The whole recording: when the GPU works, and what is shown below. Click or drag "
           "to go there, double-click for everything."));
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
    const double whole = timeline.end - timeline.begin;
    if (whole <= 0 || all.width() <= kLeastPart) return all;
    const auto at = [&](double time) {
        return all.left() + std::clamp((time - timeline.begin) / whole, 0.0, 1.0) * all.width();
    };
    double left = at(m_view.from()), right = at(m_view.to());
    if (right - left < kLeastPart) {
        left = std::clamp((left + right - kLeastPart) / 2, all.left(), all.right() - kLeastPart);
        right = left + kLeastPart;
    }
    return {left, all.top(), right - left, all.height()};
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
            for (const TimelinePiece& piece :
                 layoutTimelineRow(row, timeline.begin, timeline.end, all.width(), {})) {
                constexpr double kFaintest = 0.3;
                colour.setAlphaF(float(std::clamp(piece.busy, kFaintest, 1.0)));
                painter.fillRect(QRectF(piece.left, top, std::max(1.0, piece.right - piece.left),
                                        kernels ? all.height() - thin : thin),
                                 colour);
            }
        }
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
    const Timeline& timeline = m_view.timeline();
    const QRect all = strip();
    if (all.width() <= 0) return;
    const double time =
        timeline.begin + (x - all.left()) / all.width() * (timeline.end - timeline.begin);
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
