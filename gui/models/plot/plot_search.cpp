// SPDX-License-Identifier: Apache-2.0
#include "gui/models/plot/plot_search.h"

#include <QCoreApplication>
#include <algorithm>

#include "gui/models/kernels/kernel_filter.h"
#include "gui/models/text/number_text.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct PlotSearchText {
    Q_DECLARE_TR_FUNCTIONS(PlotSearch)
};

}  // namespace

PlotSearch searchPlot(const Analysis& analysis, const QString& line,
                      const std::vector<std::size_t>& plotted) {
    PlotSearch search;
    const Result<KernelFilter> filter = KernelFilter::parse(line);
    if (!filter) {
        search.error = QString::fromStdString(filter.error().message());
        return search;
    }
    for (std::size_t kernel = 0; kernel < analysis.kernels.size(); ++kernel) {
        if (!filter->matches(analysis.kernels[kernel])) continue;
        if (std::ranges::binary_search(plotted, kernel))
            search.kernels.push_back(kernel);
        else
            ++search.elsewhere;
    }
    return search;
}

std::optional<std::size_t> PlotSearch::next(std::optional<std::size_t> current,
                                            bool forward) const {
    if (kernels.empty()) return std::nullopt;
    if (forward) {
        if (!current) return kernels.front();
        const auto after = std::ranges::upper_bound(kernels, *current);
        return after == kernels.end() ? kernels.front() : *after;
    }
    if (!current) return kernels.back();
    const auto at = std::ranges::lower_bound(kernels, *current);
    return at == kernels.begin() ? kernels.back() : *(at - 1);
}

QString PlotSearch::count(std::optional<std::size_t> current) const {
    if (!error.isEmpty()) return error;
    QString words;
    if (kernels.empty()) {
        words = elsewhere == 0 ? PlotSearchText::tr("no match")
                               : PlotSearchText::tr("none in the plot");
    } else {
        const auto at = std::ranges::lower_bound(kernels, current.value_or(0));
        const bool on = current && at != kernels.end() && *at == *current;
        words = on ? PlotSearchText::tr("%1 of %2")
                         .arg(text(double(at - kernels.begin() + 1)), text(double(kernels.size())))
                   : PlotSearchText::tr("%1 found").arg(text(double(kernels.size())));
    }
    if (elsewhere > 0) words += PlotSearchText::tr(" (not shown: %1)").arg(text(double(elsewhere)));
    return words;
}

}  // namespace roofscope::gui
