// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/memory_chart_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>
#include <algorithm>

#include "gui/views/widgets/draw_list_painter.h"

namespace roofscope::gui {

/// Draws the chart, centred in the available space.
class MemoryChartCanvas : public QWidget {
public:
    MemoryChartPlot plot;
    plot::Theme theme = plot::Theme::Light;
    double scale = 1;

    [[nodiscard]] QPointF origin() const {
        return {std::max(0.0, (width() - plot.shapes.width * scale) / 2),
                std::max(0.0, (height() - plot.shapes.height * scale) / 2)};
    }

    [[nodiscard]] const MemoryChartPlot::Spot* spotAt(QPointF point) const {
        for (const MemoryChartPlot::Spot& spot : plot.spots)
            if (QRectF(spot.rect.x, spot.rect.y, spot.rect.w, spot.rect.h).contains(point))
                return &spot;
        return nullptr;
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), roleColour(plot::Role::Background, theme));
        painter.translate(origin());
        painter.scale(scale, scale);
        paint(painter, plot.shapes, theme);
    }

    bool event(QEvent* event) override {
        if (event->type() != QEvent::ToolTip) return QWidget::event(event);
        const auto* help = static_cast<QHelpEvent*>(event);
        const MemoryChartPlot::Spot* spot = spotAt((QPointF(help->pos()) - origin()) / scale);
        if (!spot || spot->tip.isEmpty()) {
            QToolTip::hideText();
            event->ignore();
            return true;
        }
        QToolTip::showText(
            help->globalPos(),
            QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(spot->tip.toHtmlEscaped()),
            this);
        return true;
    }
};

MemoryChartView::MemoryChartView(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setAccessibleName(tr("Memory chart"));
    m_canvas = new MemoryChartCanvas;
    setWidget(m_canvas);
}

void MemoryChartView::setKernel(const std::shared_ptr<const Analysis>& analysis,
                                std::optional<std::size_t> kernel) {
    m_chart = analysis && kernel ? memoryChart(*analysis, *kernel) : std::nullopt;
    setAccessibleDescription(m_chart ? m_chart->description : QString());
    layOut();
}

void MemoryChartView::setTheme(plot::Theme theme) {
    m_canvas->theme = theme;
    m_canvas->update();
}

void MemoryChartView::setScale(double scale) {
    m_scale = scale;
    layOut();
}

QString MemoryChartView::tipAt(QPointF point) const {
    const MemoryChartPlot::Spot* spot = m_canvas->spotAt(point);
    return spot ? spot->tip : QString();
}

const plot::DrawList& MemoryChartView::shapes() const { return m_canvas->plot.shapes; }

void MemoryChartView::layOut() {
    constexpr double kWidest = 1600;    // a wider chart is hard to take in
    constexpr double kSmallest = 0.75;  // a smaller chart is not legible
    const QSize room = maximumViewportSize();
    m_canvas->scale =
        m_scale * std::clamp(room.width() / (kLeastChartWidth * m_scale), kSmallest, 1.0);
    const auto layOutIn = [&](int width) {
        m_canvas->plot =
            m_chart ? layoutMemoryChart(*m_chart, std::min(width / m_canvas->scale, kWidest))
                    : MemoryChartPlot{};
    };
    layOutIn(room.width());
    // Leave room for a vertical scroll bar, or it would cause a horizontal one, too.
    if (m_canvas->plot.shapes.height * m_canvas->scale > room.height())
        layOutIn(room.width() - style()->pixelMetric(QStyle::PM_ScrollBarExtent) - 2);
    const plot::DrawList& shapes = m_canvas->plot.shapes;
    m_canvas->setMinimumSize(int(shapes.width * m_canvas->scale),
                             int(shapes.height * m_canvas->scale));
    m_canvas->update();
}

void MemoryChartView::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    layOut();
}

}  // namespace roofscope::gui
