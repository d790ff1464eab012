// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPixmap>
#include <QWidget>

#include "reports/plot/draw_list.h"

namespace roofscope::gui {

class TimelineView;

/// The whole recording in a strip above the timeline: when the GPUs work, and which part the
/// timeline shows. A click or a drag moves the timeline there, a double click shows everything.
class TimelineMinimap : public QWidget {
    Q_OBJECT
public:
    /// `view` must outlive it.
    explicit TimelineMinimap(TimelineView& view, QWidget* parent = nullptr);

    void setTheme(plot::Theme theme);
    /// Forgets the picture of the last timeline.
    void renew();
    [[nodiscard]] QSize sizeHint() const override;
    /// The strip's part that stands for what the timeline shows.
    [[nodiscard]] QRectF shownPart() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] QRect strip() const;
    [[nodiscard]] const QPixmap& picture();
    void moveTo(double x);

    TimelineView& m_view;
    plot::Theme m_theme = plot::Theme::Light;
    QPixmap m_picture;  ///< null if it is out of date
};

}  // namespace roofscope::gui
