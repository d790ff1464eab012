// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/draw_list_painter.h"

#include <QApplication>
#include <QHash>
#include <QPaintEngine>
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace roofscope::gui {
namespace {

QPointF toQt(plot::Point p) { return {p.x, p.y}; }
QRectF toQt(plot::Rect r) { return {r.x, r.y, r.w, r.h}; }

/// If a list has more markers than this, each kind of marker is drawn once as a pixmap (stamp),
/// which is then copied. Filling the path each time takes twenty times as long.
constexpr std::ptrdiff_t kStampFrom = 600;
constexpr double kLargestStamp = 12;

/// A marker as a small pixmap, cached across frames. Size and opacity are rounded, so that a plot
/// needs only a few dozen stamps.
const QPixmap& stamp(const plot::MarkerShapeItem& marker, QColor colour, double ratio) {
    struct Key {
        QRgb colour;
        int shape, radius, ratio;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return qHashMulti(0, key.colour, key.shape, key.radius, key.ratio);
        }
    };
    static std::unordered_map<Key, QPixmap, Hash> stamps;
    constexpr std::size_t kMost = 2000;
    if (stamps.size() > kMost) stamps.clear();
    const double radius = std::round(marker.radius * 4) / 4;
    colour.setAlpha(std::min(255, (colour.alpha() + 8) / 16 * 16));
    QPixmap& pixmap = stamps[{colour.rgba(), int(marker.shape), int(radius * 4), int(ratio * 100)}];
    if (!pixmap.isNull()) return pixmap;
    // As small as the shape allows: a frame spends most of its time blending these pixels.
    double reach = radius;
    for (const plot::Point& corner :
         plot::markerPolygon({.radius = radius, .shape = marker.shape, .role = marker.role}))
        reach = std::max({reach, std::abs(corner.x), std::abs(corner.y)});
    const double side = 2 * std::ceil(reach + 0.5);
    pixmap = QPixmap(QSizeF(side * ratio, side * ratio).toSize());
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    plot::MarkerShapeItem centred = marker;
    centred.centre = {side / 2, side / 2};
    centred.radius = radius;
    painter.drawPath(markerPath(centred));
    return pixmap;
}

class Drawer {
public:
    Drawer(QPainter& painter, plot::Theme theme, bool stamps)
        : m_painter(painter), m_theme(theme), m_stamps(stamps) {}

    void operator()(const plot::LineShape& line) const {
        QPen pen(colour(line.role, line.opacity), line.width);
        pen.setCapStyle(Qt::FlatCap);
        // As in the SVG: 7 on, 4 off. Qt counts in pen widths.
        if (line.dashed) pen.setDashPattern({7 / line.width, 4 / line.width});
        m_painter.setPen(pen);
        m_painter.drawLine(toQt(line.from), toQt(line.to));
    }
    void operator()(const plot::RectShape& rect) const {
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(colour(rect.fill, rect.opacity));
        m_painter.drawRoundedRect(toQt(rect.rect), rect.radius, rect.radius);
    }
    void operator()(const plot::PolygonShape& polygon) const {
        QPolygonF corners;
        for (const plot::Point& corner : polygon.corners) corners << toQt(corner);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(colour(polygon.fill, polygon.opacity));
        m_painter.drawPolygon(corners);
    }
    void operator()(const plot::MarkerShapeItem& marker) const {
        if (m_stamps && !marker.outlined && marker.radius <= kLargestStamp) {
            const QPixmap& pixmap = stamp(marker, colour(marker.role, marker.opacity),
                                          m_painter.device()->devicePixelRatioF());
            const QSizeF size = pixmap.deviceIndependentSize();
            m_painter.drawPixmap(QPointF(std::round(marker.centre.x - size.width() / 2),
                                         std::round(marker.centre.y - size.height() / 2)),
                                 pixmap);
            return;
        }
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
        // Qt's pixel sizes are whole numbers; the painter's scale does the rest.
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
        if (text.halo) {  // as in the SVG: 3 pixels of background around the letters
            QPainterPath letters;
            letters.addText(QPointF(x, 0), font, string);
            m_painter.strokePath(letters, QPen(colour(plot::Role::Background, 1), 3, Qt::SolidLine,
                                               Qt::RoundCap, Qt::RoundJoin));
            m_painter.setPen(colour(text.role, 1));
        }
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
    bool m_stamps;
};

}  // namespace

QColor roleColour(plot::Role role, plot::Theme theme) {
    // Called for every dot of a frame, so parse the colour names only once.
    static const auto colours = [] {
        std::array<std::array<QColor, std::size_t(plot::kLastRole) + 1>, 2> read;
        for (const plot::Theme each : {plot::Theme::Light, plot::Theme::Dark})
            for (std::size_t i = 0; i < read[0].size(); ++i)
                read[std::size_t(each)][i] =
                    QColor(QLatin1String(plot::colour(static_cast<plot::Role>(i), each)));
        return read;
    }();
    return colours[std::size_t(theme)][std::size_t(role)];
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
    const auto markers = std::ranges::count_if(shapes.clipped, [](const plot::Shape& shape) {
        return std::holds_alternative<plot::MarkerShapeItem>(shape);
    });
    // Only on raster devices; in a PDF markers remain vector shapes.
    const bool stamps =
        markers > kStampFrom && painter.paintEngine()->type() == QPaintEngine::Raster;
    const Drawer drawer(painter, theme, stamps);
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
