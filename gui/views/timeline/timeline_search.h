// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "analyzer/model/analysis.h"
#include "gui/models/timeline/timeline_matches.h"
#include "gui/views/widgets/search_bar.h"

namespace roofscope::gui {

class TimelineView;

/// The bar above the timeline that searches for launches, with the syntax of the kernel filter, and
/// for copies, calls, ranges and samples with these words in their names.
class TimelineSearch : public SearchBar {
    Q_OBJECT
public:
    explicit TimelineSearch(TimelineView& view, QWidget* parent = nullptr);

    void setAnalysis(std::shared_ptr<const Analysis> analysis);
    void end();
    /// The number of matches, "1,204 launches of 3 kernels, 12 ranges", or what is wrong with the
    /// search line.
    [[nodiscard]] QString countText() const { return said(); }
    /// Selects the next (1) or previous (-1) match.
    void go(int step);

Q_SIGNALS:
    void kernelChosen(std::size_t kernel);

private:
    void refresh();

    TimelineView& m_view;
    std::shared_ptr<const Analysis> m_analysis;
    TimelineMatches m_found;
};

}  // namespace roofscope::gui
