// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "analyzer/model/analysis.h"
#include "gui/views/widgets/search_bar.h"

namespace roofscope::gui {

class TimelineView;

/// The bar above the timeline that searches for launches, with the syntax of the kernel filter.
class TimelineSearch : public SearchBar {
    Q_OBJECT
public:
    explicit TimelineSearch(TimelineView& view, QWidget* parent = nullptr);

    void setAnalysis(std::shared_ptr<const Analysis> analysis);
    void end();
    /// The number of matches, "1,204 launches of 3 kernels", or what is wrong with the search line.
    [[nodiscard]] QString countText() const { return said(); }
    /// Selects the next (1) or previous (-1) matching launch.
    void go(int step);

Q_SIGNALS:
    void kernelChosen(std::size_t kernel);

private:
    void refresh();

    TimelineView& m_view;
    std::shared_ptr<const Analysis> m_analysis;
    std::vector<std::size_t> m_found;  ///< matching kernels
};

}  // namespace roofscope::gui
