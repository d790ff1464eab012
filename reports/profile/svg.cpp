// SPDX-License-Identifier: Apache-2.0
#include "reports/chosen_kernels.h"
#include "reports/plot/over_time_layout.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope {

namespace {

std::string overTimeSvg(const Analysis& analysis, const ChosenKernels& selection, plot::Theme theme,
                        Language language) {
    // writeReport() has checked that there is one.
    for (const std::size_t index : selection.kernels)
        if (analysis.kernels[index].overTime) {
            const plot::OverTimePlot picture =
                plot::layoutOverTime(analysis, index, {.language = language});
            return plot::toSvg(picture.shapes, theme, picture.title, picture.description);
        }
    return {};
}

}  // namespace

std::string renderSvg(const Analysis& analysis, const ChosenKernels& selection,
                      const ReportOptions& options) {
    const plot::Theme theme = options.dark ? plot::Theme::Dark : plot::Theme::Light;
    if (options.plot == ReportPlot::OverTime)
        return overTimeSvg(analysis, selection, theme, options.language);
    plot::RooflineOptions plotOptions;
    plotOptions.kernels = selection.kernels;
    plotOptions.language = options.language;
    // One plot shows one device: that of the kernel with the most GPU time.
    if (!selection.kernels.empty())
        plotOptions.device = analysis.kernels[selection.kernels.front()].group.device;
    const plot::RooflinePlot picture = plot::layoutRoofline(analysis, plotOptions);
    return plot::toSvg(picture.shapes, theme, picture.title, picture.description);
}

}  // namespace roofscope
