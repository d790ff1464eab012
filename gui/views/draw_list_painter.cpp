// SPDX-License-Identifier: Apache-2.0
#include "gui/views/draw_list_painter.h"

#include <QApplication>

namespace roofscope::gui {
namespace {

QPointF toQt(plot::Point p) { return {p.x, p.y}; }
QRectF toQt(plot::Rect r) { return {r.x, r.y, r.w, r.h}; }

class Drawer {
public:
    Drawer(QPainter& painter, plot::Theme theme) : m_painter(painter), m_theme(theme) {}

    void operator()(const plot::LineShape& line) const {
        QPen pen(colour(line.role, line.opacity), line.width);
        pen.setCapStyle(Qt::FlatCap);
        // As in SVG: 7 on, 4 off; Qt counts in pen widths.
        if (line.dashed) pen.setDashPattern({7 / line.width, 4 / line.width});
        m_painter.setPen(pen);
        m_painter.drawLine(toQt(line.from), toQt(line.to));
    }
    void operator()(const plot::RectShape& rect) const {
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(colour(rect.fill, rect.opacity));
        m_painter.drawRoundedRect(toQt(rect.rect), rect.radius, rect.radius);
    }
    void operator()(const plot::MarkerShapeItem& marker) const {
        if (marker.outlined) {
            m_painter.setPen(QPen(colour(plot::Role::Background, 1), 1));
        } else {
            m_painter.setPen(Qt::NoPen);
        }
        m_painter.setBrush(colour(marker.role, marker.opacity));
        m_painter.drawPath(markerPath(marker));
    }
    void operator()(const plot::TextShape& text) const {
        QFont font = QApplication::font();
        // Font sizes are whole pixels in Qt; fractions go into the scale.
        const int pixels = std::max(1, int(text.size + 0.5));
        font.setPixelSize(pixels);
        font.setWeight(text.bold ? QFont::DemiBold : QFont::Normal);
        m_painter.save();
        m_painter.setFont(font);
        m_painter.setPen(colour(text.role, 1));
        const QString string = QString::fromStdString(text.text);
        const double width = QFontMetricsF(font).horizontalAdvance(string);
        m_painter.translate(toQt(text.at));
        m_painter.rotate(text.angle);
        double x = 0;
        if (text.anchor == plot::Anchor::Middle) x = -width / 2;
        if (text.anchor == plot::Anchor::End) x = -width;
        m_painter.drawText(QPointF(x, 0), string);
        m_painter.restore();
    }

private:
    [[nodiscard]] QColor colour(plot::Role role, double opacity) const {
        QColor result = roleColour(role, m_theme);
        result.setAlphaF(float(opacity));
        return result;
    }
    QPainter& m_painter;
    plot::Theme m_theme;
};

}  // namespace

QColor roleColour(plot::Role role, plot::Theme theme) {
    return QColor(QLatin1String(plot::colour(role, theme)));
}

QPainterPath markerPath(const plot::MarkerShapeItem& marker) {
    QPainterPath path;
    const std::vector<plot::Point> corners = plot::markerPolygon(marker);
    if (corners.empty()) {
        path.addEllipse(toQt(marker.centre), marker.radius, marker.radius);
        return path;
    }
    path.moveTo(toQt(corners.front()));
    for (const plot::Point& corner : corners) path.lineTo(toQt(corner));
    path.closeSubpath();
    return path;
}

void paint(QPainter& painter, const plot::DrawList& shapes, plot::Theme theme) {
    const Drawer drawer(painter, theme);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::TextAntialiasing);
    painter.save();
    painter.setClipRect(toQt(shapes.clip), Qt::IntersectClip);
    for (const plot::Shape& shape : shapes.clipped) std::visit(drawer, shape);
    painter.restore();
    for (const plot::Shape& shape : shapes.free) std::visit(drawer, shape);
    painter.restore();
}

}  // namespace roofscope::gui
