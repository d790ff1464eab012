// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/over_time_page.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStackedWidget>
#include <QStyle>
#include <QToolTip>
#include <algorithm>

#include "gui/models/recording/record_again_command.h"
#include "gui/models/text/plain_tip.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/recording/record_hint.h"
#include "gui/views/widgets/draw_list_painter.h"
#include "gui/views/widgets/elided_label.h"
#include "gui/views/widgets/layouts.h"

namespace roofscope::gui {

/// Draws the curve and the cursor over it.
class OverTimeCanvas : public QWidget {
public:
    plot::OverTimePlot plot;
    std::shared_ptr<const OverTimeAnalysis> overTime;
    plot::Theme theme = plot::Theme::Light;
    double scale = 1;
    std::optional<std::size_t> cursor;

    OverTimeCanvas() { setMouseTracking(true); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), roleColour(plot::Role::Background, theme));
        painter.scale(scale, scale);
        paint(painter, plot.shapes, theme);
        if (!cursor || !overTime || *cursor >= overTime->curve.size()) return;
        const OverTimeInterval& at = overTime->curve[*cursor];
        const double whole = overTime->curve.back().to.value;
        const plot::Rect& area = plot.area;
        const double from = area.x + area.w * at.from.value / whole;
        const double width = std::max(2.0, area.w * at.length().value / whole);
        QColor colour = roleColour(plot::Role::Text, theme);
        colour.setAlphaF(0.3F);
        painter.fillRect(QRectF(from, area.y, width, area.h), colour);
        painter.fillRect(QRectF(from + width / 2 - 0.5, area.y, 1, area.h),
                         roleColour(plot::Role::Text, theme));
    }
};

OverTimeView::OverTimeView(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Over time"));
    m_canvas = new OverTimeCanvas;
    setWidget(m_canvas);
    m_canvas->installEventFilter(this);
}

const OverTimeAnalysis* OverTimeView::overTime() const { return m_canvas->overTime.get(); }

void OverTimeView::setKernel(const std::shared_ptr<const Analysis>& analysis,
                             std::optional<std::size_t> kernel) {
    m_analysis = analysis;
    m_kernel = kernel;
    m_canvas->overTime = analysis && kernel ? analysis->kernels.at(*kernel).overTime : nullptr;
    layOut();
    setCursorAt(std::nullopt);
}

void OverTimeView::setTheme(plot::Theme theme) {
    m_canvas->theme = theme;
    m_canvas->update();
}

void OverTimeView::setScale(double scale) {
    m_canvas->scale = scale;
    layOut();
}

std::optional<std::size_t> OverTimeView::cursorAt() const { return m_canvas->cursor; }

const plot::OverTimePlot& OverTimeView::picture() const { return m_canvas->plot; }

void OverTimeView::setCursorAt(std::optional<std::size_t> interval) {
    if (!overTime() || (interval && *interval >= overTime()->curve.size())) interval.reset();
    m_canvas->cursor = interval;
    m_canvas->update();
    Q_EMIT numbersChanged(interval ? shownLines(QString::fromStdString(plot::overTimeNumbers(
                                         *overTime(), *interval, shownLanguage())))
                                   : QString());
}

std::optional<std::size_t> OverTimeView::intervalAt(QPointF point) const {
    const plot::Rect& area = picture().area;
    point /= m_canvas->scale;
    if (!overTime() || !QRectF(area.x, area.y, area.w, area.h).contains(point)) return std::nullopt;
    const std::vector<OverTimeInterval>& curve = overTime()->curve;
    const Seconds time = curve.back().to * ((point.x() - area.x) / area.w);
    const auto behind = std::ranges::upper_bound(curve, time, {}, &OverTimeInterval::to);
    return std::min(std::size_t(behind - curve.begin()), curve.size() - 1);
}

void OverTimeView::layOut() {
    constexpr double kNarrowest = 480;  // if narrower, names would overlap
    const double scale = m_canvas->scale;
    const QSize room = maximumViewportSize();
    m_canvas->plot = {};
    const auto layOutIn = [&](int width) {
        m_canvas->plot = plot::layoutOverTime(*m_analysis, *m_kernel,
                                              {.width = std::max(width / scale, kNarrowest),
                                               .height = room.height() / scale,
                                               .framed = false,
                                               .language = shownLanguage()});
    };
    if (overTime()) {
        layOutIn(room.width());
        if (picture().shapes.height * scale > room.height())
            layOutIn(room.width() - style()->pixelMetric(QStyle::PM_ScrollBarExtent) - 2);
    }
    const plot::DrawList& shapes = picture().shapes;
    m_canvas->setMinimumSize(int(shapes.width * scale), int(shapes.height * scale));
    m_canvas->update();
}

void OverTimeView::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    layOut();
}

void OverTimeView::keyPressEvent(QKeyEvent* event) {
    if (!overTime() || event->modifiers() != Qt::NoModifier)
        return QScrollArea::keyPressEvent(event);
    const std::size_t last = overTime()->curve.size() - 1;
    const std::optional<std::size_t> at = cursorAt();
    switch (event->key()) {
        case Qt::Key_Right:
            return setCursorAt(at ? std::min(*at + 1, last) : 0);
        case Qt::Key_Left:
            return setCursorAt(at ? *at - std::min<std::size_t>(*at, 1) : last);
        case Qt::Key_Home:
            return setCursorAt(0);
        case Qt::Key_End:
            return setCursorAt(last);
        case Qt::Key_Escape:
            if (at) return setCursorAt(std::nullopt);
            break;
        default:
            break;
    }
    QScrollArea::keyPressEvent(event);
}

bool OverTimeView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_canvas && event->type() == QEvent::MouseMove) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const auto interval = intervalAt(mouse->position());
        if (interval != cursorAt()) setCursorAt(interval);
        if (interval)
            QToolTip::showText(mouse->globalPosition().toPoint(),
                               plainTip(QString::fromStdString(
                                   plot::overTimeNumbers(*overTime(), *interval, shownLanguage()))),
                               m_canvas);
        else
            QToolTip::hideText();
    }
    return QScrollArea::eventFilter(watched, event);
}

OverTimePage::OverTimePage(QWidget* parent) : QWidget(parent) {
    m_hint = new RecordHint;
    m_words = new ElidedLabel("overTimeWords");
    m_words->setContentsMargins(10, 4, 10, 0);
    m_view = new OverTimeView;
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_hint);
    m_stack->addWidget(widgetWith(inColumn({m_words, {m_view, 1}}, kNoSpaces)));
    setLayout(inColumn({m_stack}, kNoSpaces));
    connect(m_view, &OverTimeView::numbersChanged, this, &OverTimePage::showNumbers);
}

bool OverTimePage::hasCurve() const { return m_stack->currentIndex() == 1; }

QString OverTimePage::words() const { return m_words->text(); }

void OverTimePage::setKernel(const std::shared_ptr<const Analysis>& analysis,
                             std::optional<std::size_t> kernel) {
    m_view->setKernel(analysis, kernel);
    const bool has = analysis && kernel && analysis->kernels[*kernel].overTime;
    m_stack->setCurrentIndex(has ? 1 : 0);
    m_words->setToolTip(
        QStringLiteral("<p>%1</p><p>%2</p>")
            .arg(shownText(m_view->picture().description).toHtmlEscaped(),
                 tr("Move the mouse, or press Left and Right, to see the numbers of one interval")
                     .toHtmlEscaped()));
    if (has) return;
    if (analysis && kernel)
        m_hint->setText(
            tr("This kernel was not sampled over time. To see its course (a slow start, phases, a "
               "tail), record it again (GA10x or later, kernels of 5 µs or more):"),
            recordOverTimeCommand(*analysis, *kernel));
    else
        m_hint->setText(tr("No kernel is selected"));
}

void OverTimePage::showNumbers(const QString& numbers) {
    const QString words = numbers.isEmpty() ? shownText(m_view->picture().description) : numbers;
    m_view->setAccessibleDescription(words);
    m_words->setText(QString(words).replace(QLatin1Char('\n'), QStringLiteral("   ·   ")));
}

}  // namespace roofscope::gui
