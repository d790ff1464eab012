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

/// The curve of a kernel that was sampled over its time, as reports draw it. A cursor, moved by the
/// mouse or by keys, stands on one interval.
class OverTimeView : public QScrollArea {
    Q_OBJECT
public:
    explicit OverTimeView(QWidget* parent = nullptr);
    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel);
    void setTheme(plot::Theme theme);
    /// Makes the picture larger or smaller; 1 is the size of an export.
    void setScale(double scale);
    /// Puts the cursor onto an interval, or takes it away.
    void setCursorAt(std::optional<std::size_t> interval);
    [[nodiscard]] std::optional<std::size_t> cursorAt() const;
    /// The interval under a point of the viewport's content.
    [[nodiscard]] std::optional<std::size_t> intervalAt(QPointF point) const;
    /// As it is drawn now.
    [[nodiscard]] const plot::OverTimePlot& picture() const;

Q_SIGNALS:
    /// The cursor moved: the numbers of its interval, a line each; empty without a cursor.
    void numbersChanged(const QString& numbers);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void layOut();
    [[nodiscard]] const OverTimeAnalysis* life() const;

    std::shared_ptr<const Analysis> m_analysis;
    std::optional<std::size_t> m_kernel;
    OverTimeCanvas* m_canvas = nullptr;
};

/// The curve below what the report says of it, or below the numbers at the cursor; without a curve
/// how to record one.
class OverTimePage : public QWidget {
    Q_OBJECT
public:
    explicit OverTimePage(QWidget* parent = nullptr);
    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel);
    void setTheme(plot::Theme theme) { m_view->setTheme(theme); }
    void setScale(double scale) { m_view->setScale(scale); }
    [[nodiscard]] OverTimeView& view() { return *m_view; }
    /// What stands in place of a curve.
    [[nodiscard]] RecordHint& hint() { return *m_hint; }
    [[nodiscard]] bool hasCurve() const;
    /// The numbers at the cursor in one line, else what the report says.
    [[nodiscard]] QString words() const;

private:
    void showNumbers(const QString& numbers);

    QStackedWidget* m_stack = nullptr;
    RecordHint* m_hint = nullptr;
    QLabel* m_words = nullptr;
    OverTimeView* m_view = nullptr;
};

}  // namespace roofscope::gui
