// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPixmap>
#include <QWidget>

#include "reports/plot/draw_list.h"

namespace roofscope::gui {

class TimelineView;

/// A strip above the timeline with the whole recording: when the GPUs work, and which part the
/// timeline shows. Click or drag moves the timeline there; double-click shows everything.
class TimelineMinimap : public QWidget {
    Q_OBJECT
public:
    /// `view` must outlive the minimap.
    explicit TimelineMinimap(TimelineView& view, QWidget* parent = nullptr);

    void setTheme(plot::Theme theme);
    /// Discards the cached picture, for a new timeline.
    void renew();
    [[nodiscard]] QSize sizeHint() const override;
    /// The rectangle that marks the part shown in the timeline.
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
    QPixmap m_picture;  ///< cached drawing; null if out of date
};

}  // namespace roofscope::gui
