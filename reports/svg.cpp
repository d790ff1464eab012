// SPDX-License-Identifier: Apache-2.0
#include "reports/formats.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope {

std::string renderSvg(const Analysis& analysis, const ChosenKernels& selection,
                      const ReportOptions& options) {
    plot::RooflineOptions plotOptions;
    plotOptions.kernels = selection.kernels;
    plotOptions.language = options.language;
    // One plot shows one device: the one with the most GPU time.
    if (!selection.kernels.empty())
        plotOptions.device = analysis.kernels[selection.kernels.front()].group.device;
    const plot::RooflinePlot picture = plot::layoutRoofline(analysis, plotOptions);
    return plot::toSvg(picture.shapes, options.dark ? plot::Theme::Dark : plot::Theme::Light,
                       picture.title, picture.description);
}

}  // namespace roofscope
