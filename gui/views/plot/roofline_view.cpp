// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plot/roofline_view.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QStyleHints>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/models/plot/roofline_tooltip.h"
#include "gui/models/text/shown_language.h"
#include "gui/views/plot/viewport_math.h"
#include "gui/views/widgets/draw_list_painter.h"

namespace roofscope::gui {
namespace {

constexpr double kKeyZoom = 1.25, kKeyPan = 0.1;

plot::Point toPlot(QPointF p) { return {p.x(), p.y()}; }

}  // namespace

RooflineView::RooflineView(QWidget* parent) : QWidget(parent) {
    m_options.language = shownLanguage();
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Roofline plot"));
    setAccessibleDescription(tr(
        "Arithmetic intensity against rate of every kernel. Arrow keys pan, plus and minus zoom, "
        "zero shows everything. The kernel table holds the same numbers."));
}

void RooflineView::setAnalysis(std::shared_ptr<const Analysis> analysis, bool keepViewport) {
    m_analysis = std::move(analysis);
    if (!keepViewport) m_options.viewport.reset();
    m_options.selected.reset();
    m_options.marked.clear();
    m_options.kernels.clear();
    m_options.found.reset();
    m_options.baseline.reset();
    m_nothingVisible = false;
    m_drag.reset();
    recollect();
}

void RooflineView::setTheme(plot::Theme theme) {
    m_theme = theme;
    m_picture = {};
    update();
}

void RooflineView::setScale(double scale) {
    m_scale = scale;
    relayout();
}

QPointF RooflineView::placeOf(const QMouseEvent& event) const { return event.position() / m_scale; }

void RooflineView::setDevice(std::uint32_t device) {
    if (m_options.device == device) return;
    m_options.device = device;
    m_options.viewport.reset();
    recollect();
    Q_EMIT deviceChanged();
}

void RooflineView::setLevelShown(Level level, bool shown) {
    m_options.levels[level] = shown;
    recollect();
}

void RooflineView::setPrecisionShown(Precision precision, bool shown) {
    m_options.precisions[precision] = shown;
    recollect();
}

void RooflineView::setTensorCoresShown(bool shown) {
    m_options.tensorCores = shown;
    recollect();
}

void RooflineView::setBaseline(std::shared_ptr<const ReportBaseline> baseline) {
    if (m_options.baseline == baseline) return;
    m_options.baseline = std::move(baseline);
    recollect();
}

void RooflineView::setLabelsShown(bool shown) {
    m_options.labels = shown;
    relayout();
}

void RooflineView::setVisibleKernels(std::optional<std::vector<std::size_t>> kernels) {
    // For the layout an empty list means "all kernels", so remember "no kernel" separately.
    m_nothingVisible = kernels && kernels->empty();
    // Filtering must not move the picture: keep the current viewport.
    if (m_analysis && !m_options.viewport) m_options.viewport = currentPlot().viewport;
    const bool all = !kernels;
    m_options.kernels = std::move(kernels).value_or(std::vector<std::size_t>{});
    if (all) m_options.viewport.reset();
    recollect();
}

void RooflineView::setSelection(const KernelSelection& selection) {
    // The current kernel is emphasised with its name. If there are several, all are marked.
    std::vector<std::size_t> marked =
        selection.all.size() > 1 ? selection.all : std::vector<std::size_t>{};
    if (m_options.selected == selection.current && m_options.marked == marked) return;
    m_options.selected = selection.current;
    m_options.marked = std::move(marked);
    relayout();
}

void RooflineView::setFound(std::optional<std::vector<std::size_t>> kernels) {
    if (m_options.found == kernels) return;
    m_options.found = std::move(kernels);
    relayout();
}

std::vector<std::size_t> RooflineView::plottedKernels() const {
    std::vector<std::size_t> kernels;
    if (m_nothingVisible) return kernels;
    for (const plot::PlacedDot& dot : scene().dots) kernels.push_back(dot.kernel);
    std::ranges::sort(kernels);
    kernels.erase(std::unique(kernels.begin(), kernels.end()), kernels.end());
    return kernels;
}

std::vector<std::size_t> RooflineView::kernelsOfDevice() const {
    std::vector<std::size_t> kernels;
    if (!m_analysis || m_nothingVisible) return kernels;
    const auto add = [&](std::size_t kernel) {
        if (m_analysis->kernels[kernel].group.device == m_options.device) kernels.push_back(kernel);
    };
    if (m_options.kernels.empty())
        for (std::size_t i = 0; i < m_analysis->kernels.size(); ++i) add(i);
    else
        for (const std::size_t kernel : m_options.kernels) add(kernel);
    return kernels;
}

void RooflineView::bringIntoView(std::size_t kernel) {
    if (!m_analysis || m_nothingVisible) return;
    const plot::Viewport view = currentPlot().viewport;
    const plot::RooflineScene& all = scene();
    std::optional<plot::Point> place;
    for (std::size_t i = 0; i < all.dots.size(); ++i) {
        if (all.dots[i].kernel != kernel) continue;
        const plot::Point at = all.places[i];
        if (at.x >= view.xMin && at.x <= view.xMax && at.y >= view.yMin && at.y <= view.yMax)
            return;
        place = at;
    }
    if (!place) return;
    const double dx = place->x - (view.xMin + view.xMax) / 2;
    const double dy = place->y - (view.yMin + view.yMax) / 2;
    setViewport({.xMin = view.xMin + dx,
                 .xMax = view.xMax + dx,
                 .yMin = view.yMin + dy,
                 .yMax = view.yMax + dy});
}

const plot::RooflineScene& RooflineView::scene() const {
    if (!m_scene)
        m_scene = m_analysis ? plot::collectScene(*m_analysis, m_options) : plot::RooflineScene{};
    return *m_scene;
}

const plot::RooflinePlot& RooflineView::currentPlot() const {
    if (!m_plot) {
        plot::RooflineOptions options = m_options;
        options.framed = false;
        options.width = width() / m_scale;
        options.height = height() / m_scale;
        options.tips = false;
        m_plot =
            m_analysis ? plot::layoutRoofline(*m_analysis, scene(), options) : plot::RooflinePlot{};
    }
    return *m_plot;
}

const QPixmap& RooflineView::picture() {
    const double ratio = devicePixelRatioF();
    if (!m_picture.isNull() && m_picture.devicePixelRatio() == ratio) return m_picture;
    m_picture = QPixmap(size() * ratio);
    m_picture.setDevicePixelRatio(ratio);
    m_picture.fill(roleColour(plot::Role::Background, m_theme));
    QPainter painter(&m_picture);
    painter.scale(m_scale, m_scale);
    paint(painter, currentPlot().shapes, m_theme);
    return m_picture;
}

void RooflineView::recollect() {
    m_scene.reset();
    relayout();
    Q_EMIT plottedChanged();
}

void RooflineView::relayout() {
    m_plot.reset();
    m_picture = {};
    m_hovered.reset();
    m_hoveredArrow.reset();
    m_hoverText.clear();
    update();
}

void RooflineView::setViewport(const plot::Viewport& viewport) {
    m_options.viewport = viewport;
    relayout();
}

void RooflineView::zoomAt(QPointF position, double factor) {
    if (!m_analysis) return;
    const plot::RooflinePlot& plot = currentPlot();
    if (plot.area.w <= 0 || plot.area.h <= 0) return;
    const double fx = std::clamp((position.x() - plot.area.x) / plot.area.w, 0.0, 1.0);
    const double fy = std::clamp(1 - (position.y() - plot.area.y) / plot.area.h, 0.0, 1.0);
    setViewport(zoomed(plot.viewport, fx, fy, factor));
}

void RooflineView::zoomAtCentre(double factor) {
    const plot::Rect area = currentPlot().area;
    zoomAt({area.x + area.w / 2, area.y + area.h / 2}, factor);
}

void RooflineView::resetViewport() {
    m_options.viewport.reset();
    relayout();
}

bool RooflineView::event(QEvent* event) {
    // Handle Ctrl+F here to search in the plot; elsewhere it is the window's shortcut.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Find)) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void RooflineView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), roleColour(plot::Role::Background, m_theme));
    if (!m_analysis) return;
    const plot::RooflinePlot& plot = currentPlot();
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_nothingVisible) {
        painter.setPen(roleColour(plot::Role::TextMuted, m_theme));
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap,
                         tr("No kernel matches the filter"));
        return;
    }
    painter.drawPixmap(QPointF(0, 0), picture());
    painter.save();
    painter.scale(m_scale, m_scale);
    if (m_hovered && *m_hovered < plot.dots.size()) {
        const plot::PlacedDot& dot = plot.dots[*m_hovered];
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(roleColour(plot::Role::Highlight, m_theme), 2));
        painter.drawEllipse(QPointF(dot.centre.x, dot.centre.y), dot.radius + 4, dot.radius + 4);
    }
    if (m_hoveredArrow && *m_hoveredArrow < plot.arrows.size()) {
        const plot::PlacedArrow& arrow = plot.arrows[*m_hoveredArrow];
        QColor colour = roleColour(plot::Role::Highlight, m_theme);
        colour.setAlphaF(0.6F);
        painter.setPen(QPen(colour, 4, Qt::SolidLine, Qt::RoundCap));
        painter.setClipRect(QRectF(plot.area.x, plot.area.y, plot.area.w, plot.area.h));
        painter.drawLine(QPointF(arrow.from.x, arrow.from.y), QPointF(arrow.to.x, arrow.to.y));
        painter.setClipping(false);
    }
    if (const auto drawn = box()) {
        QColor colour = palette().color(QPalette::Highlight);
        painter.setPen(QPen(colour, 1));
        colour.setAlphaF(0.15F);
        painter.setBrush(colour);
        painter.drawRect(*drawn);
    }
    painter.restore();
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        QPen pen(palette().color(QPalette::Highlight));
        pen.setWidth(1);
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void RooflineView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_analysis) return;
    m_drag = Drag{.from = placeOf(*event),
                  .viewport = currentPlot().viewport,
                  .box = event->modifiers().testFlag(Qt::ShiftModifier),
                  .to = placeOf(*event)};
}

std::optional<QRectF> RooflineView::box() const {
    if (!m_drag || !m_drag->box || !m_drag->moved) return std::nullopt;
    const plot::Rect& area = currentPlot().area;
    return QRectF(m_drag->from, m_drag->to).normalized() & QRectF(area.x, area.y, area.w, area.h);
}

void RooflineView::mouseMoveEvent(QMouseEvent* event) {
    if (!m_drag) {
        hover(placeOf(*event), event->globalPosition().toPoint());
        return;
    }
    const QPointF moved = placeOf(*event) - m_drag->from;
    if (!m_drag->moved &&
        moved.manhattanLength() < QGuiApplication::styleHints()->startDragDistance())
        return;
    m_drag->moved = true;
    m_drag->to = placeOf(*event);
    QToolTip::hideText();
    if (m_drag->box) {
        setCursor(Qt::CrossCursor);
        update();
        return;
    }
    setCursor(Qt::ClosedHandCursor);
    const plot::Rect area = currentPlot().area;
    if (area.w <= 0 || area.h <= 0) return;
    setViewport(panned(m_drag->viewport, moved.x() / area.w, -moved.y() / area.h));
}

void RooflineView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_drag) return;
    const std::optional<QRectF> drawn = box();
    const bool click = !std::exchange(m_drag, std::nullopt)->moved;
    unsetCursor();
    update();
    if (m_nothingVisible) return;
    const plot::RooflinePlot& plot = currentPlot();
    const bool add = event->modifiers().testFlag(Qt::ControlModifier);
    if (drawn) {
        const std::vector<std::size_t> kernels =
            plot.kernelsIn(scene(), {drawn->x(), drawn->y(), drawn->width(), drawn->height()});
        if (!kernels.empty()) Q_EMIT kernelsBoxed(kernels, add);
        return;
    }
    if (!click) return;
    std::optional<std::size_t> kernel;
    if (const auto dot = plot.hitTest(toPlot(placeOf(*event))))
        kernel = plot.dots[*dot].kernel;
    else if (const auto arrow = plot.hitTestArrow(toPlot(placeOf(*event))))
        kernel = plot.arrows[*arrow].kernel;
    if (!kernel) {
        if (!add) Q_EMIT nothingClicked();
        return;
    }
    if (add)
        Q_EMIT kernelsBoxed({*kernel}, true);
    else
        Q_EMIT kernelClicked(*kernel);
}

void RooflineView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_drag.reset();
    resetViewport();
}

void RooflineView::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    if (delta.y() == 0) {
        event->ignore();
        return;
    }
    zoomAt(event->position() / m_scale, std::pow(2.0, delta.y() / 480.0));
    event->accept();
}

void RooflineView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Find)) {
        Q_EMIT searchRequested();
        return;
    }
    const auto pan = [this](double dx, double dy) {
        if (m_analysis) setViewport(panned(currentPlot().viewport, dx, dy));
    };
    switch (event->key()) {
        case Qt::Key_Left:
            return pan(kKeyPan, 0);
        case Qt::Key_Right:
            return pan(-kKeyPan, 0);
        case Qt::Key_Up:
            return pan(0, -kKeyPan);
        case Qt::Key_Down:
            return pan(0, kKeyPan);
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoomAtCentre(kKeyZoom);
        case Qt::Key_Minus:
            return zoomAtCentre(1 / kKeyZoom);
        case Qt::Key_0:
        case Qt::Key_Home:
            return resetViewport();
        case Qt::Key_Escape:
            // Without a drag to cancel, leave Escape to MainWindow::keyPressEvent.
            if (!m_drag) return QWidget::keyPressEvent(event);
            m_drag.reset();
            unsetCursor();
            return update();
        default:
            QWidget::keyPressEvent(event);
    }
}

void RooflineView::leaveEvent(QEvent*) {
    m_hovered.reset();
    m_hoveredArrow.reset();
    m_hoverText.clear();
    update();
}

void RooflineView::hover(QPointF position, QPoint globalPosition) {
    std::optional<std::size_t> dot, arrow;
    if (m_analysis && !m_nothingVisible) {
        dot = currentPlot().hitTest(toPlot(position));
        if (!dot) arrow = currentPlot().hitTestArrow(toPlot(position));
    }
    if (dot == m_hovered && arrow == m_hoveredArrow) return;
    m_hovered = dot;
    m_hoveredArrow = arrow;
    m_hoverText.clear();
    if (dot) m_hoverText = rooflineTooltip(*m_analysis, currentPlot().dots[*dot]);
    if (arrow)
        m_hoverText = arrowTooltip(*m_analysis, *m_options.baseline, currentPlot().arrows[*arrow]);
    if (dot || arrow) {
        setCursor(Qt::PointingHandCursor);
        QToolTip::showText(globalPosition, m_hoverText, this);
    } else {
        unsetCursor();
        QToolTip::hideText();
    }
    update();
}

}  // namespace roofscope::gui
