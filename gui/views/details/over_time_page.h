// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QScrollArea>
#include <memory>
#include <optional>

#include "analyzer/model/analysis.h"
#include "reports/plot/over_time_layout.h"

class QLabel;
class QStackedWidget;

namespace roofscope::gui {

class OverTimeCanvas;
class RecordHint;

/// The activity of a kernel over time, drawn as in the reports. A cursor marks one interval; mouse
/// and keys move it.
class OverTimeView : public QScrollArea {
    Q_OBJECT
public:
    explicit OverTimeView(QWidget* parent = nullptr);
    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel);
    void setTheme(plot::Theme theme);
    /// Makes the picture larger or smaller; 1 is the size of an export.
    void setScale(double scale);
    /// Moves the cursor to an interval, or removes it.
    void setCursorAt(std::optional<std::size_t> interval);
    [[nodiscard]] std::optional<std::size_t> cursorAt() const;
    /// The interval at a point of the scrolled content.
    [[nodiscard]] std::optional<std::size_t> intervalAt(QPointF point) const;
    /// The current drawing.
    [[nodiscard]] const plot::OverTimePlot& picture() const;

Q_SIGNALS:
    /// The cursor moved. `numbers` are those of its interval, one per line; empty without a cursor.
    void numbersChanged(const QString& numbers);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void layOut();
    [[nodiscard]] const OverTimeAnalysis* overTime() const;

    std::shared_ptr<const Analysis> m_analysis;
    std::optional<std::size_t> m_kernel;
    OverTimeCanvas* m_canvas = nullptr;
};

/// The curve, with a line of text above it: the report's description or the numbers at the cursor.
/// Without a curve, the command to record one.
class OverTimePage : public QWidget {
    Q_OBJECT
public:
    explicit OverTimePage(QWidget* parent = nullptr);
    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel);
    void setTheme(plot::Theme theme) { m_view->setTheme(theme); }
    void setScale(double scale) { m_view->setScale(scale); }
    [[nodiscard]] OverTimeView& view() { return *m_view; }
    /// Shown if there is no curve.
    [[nodiscard]] RecordHint& hint() { return *m_hint; }
    [[nodiscard]] bool hasCurve() const;
    /// The line above the curve: the numbers at the cursor, else the report's description.
    [[nodiscard]] QString words() const;

private:
    void showNumbers(const QString& numbers);

    QStackedWidget* m_stack = nullptr;
    RecordHint* m_hint = nullptr;
    QLabel* m_words = nullptr;
    OverTimeView* m_view = nullptr;
};

}  // namespace roofscope::gui
