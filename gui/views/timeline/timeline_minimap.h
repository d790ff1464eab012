// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPixmap>
#include <QWidget>
#include <optional>

#include "reports/plot/draw_list.h"

namespace roofscope::gui {

class TimelineView;

/// A strip above the timeline with the whole recording: when the GPUs work, and which part the
/// timeline shows. A long start-up before the first repeat is shortened to a few pixels, with a
/// mark where the scale changes. Click or drag moves the timeline there; double-click shows
/// everything.
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
    /// Where a time is, and the time there.
    [[nodiscard]] double pixelOf(double time) const;
    [[nodiscard]] double timeOf(double x) const;
    /// The end of the shortened start-up; absent if nothing is shortened.
    [[nodiscard]] const std::optional<double>& startEnd() const { return m_startEnd; }

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
    std::optional<double> m_startEnd;
    QPixmap m_picture;  ///< cached drawing; null if out of date
};

}  // namespace roofscope::gui
