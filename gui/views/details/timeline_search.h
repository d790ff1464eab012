// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "analyzer/model/analysis.h"

class QLabel;
class QLineEdit;

namespace roofscope::gui {

class TimelineView;

/// The line above the timeline that searches for launches, with the syntax of the kernel filter.
/// Hidden unless somebody searches.
class TimelineSearch : public QWidget {
    Q_OBJECT
public:
    explicit TimelineSearch(TimelineView& view, QWidget* parent = nullptr);

    void setAnalysis(std::shared_ptr<const Analysis> analysis);
    void begin();
    void end();
    void setText(const QString& text);
    /// "1,204 launches of 3 kernels", or what is wrong with the line.
    [[nodiscard]] QString countText() const;
    /// Selects the next launch that matches (1), or the previous one (-1).
    void go(int step);

Q_SIGNALS:
    void kernelChosen(std::size_t kernel);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();

    TimelineView& m_view;
    std::shared_ptr<const Analysis> m_analysis;
    std::vector<std::size_t> m_found;  ///< kernels
    QLineEdit* m_line = nullptr;
    QLabel* m_count = nullptr;
};

}  // namespace roofscope::gui
