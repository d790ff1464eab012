// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analysis.h"
#include "reports/plot/draw_list.h"

namespace roofscope::plot {

/// The part of the plane that is shown, in base-10 logarithms.
struct Viewport {
    double xMin = -2, xMax = 3;  ///< log10 FLOP/B
    double yMin = 9, yMax = 15;  ///< log10 FLOP/s
};

struct RooflineOptions {
    double width = 960, height = 600;
    std::uint32_t device = 0;
    PerLevel<bool> levels{{true, true, true, false}};
    std::optional<Viewport> viewport;     ///< fitted to roofs and dots when absent
    std::vector<std::size_t> kernels;     ///< indices to show; empty = all
    std::optional<std::size_t> selected;  ///< kernel index, emphasised
    bool labels = true;
    std::string title;
    Language language = Language::En;
};

/// A dot as placed, for hit testing and tooltips.
struct PlacedDot {
    std::size_t kernel = 0;  ///< index into Analysis::kernels
    Level level = Level::Dram;
    Precision precision = Precision::Fp32;
    Point centre;
    double radius = 0;
    FlopsPerByte intensity;
    FlopsPerSecond rate;
};

/// A roofline as placed. Pure function of its inputs: the same analysis and options give the same
/// picture in SVG and on screen.
struct RooflinePlot {
    DrawList shapes;
    Viewport viewport;
    Rect area;  ///< plot area in pixels
    std::vector<PlacedDot> dots;
    std::string title;        ///< the title that is drawn
    std::string description;  ///< one or two sentences for readers who cannot see the picture

    [[nodiscard]] Point toPixel(FlopsPerByte intensity, FlopsPerSecond rate) const;
    /// log10 of intensity and rate under a pixel.
    [[nodiscard]] Point toLog(Point pixel) const;
    /// The dot under a pixel, the nearest when several overlap; index into `dots`.
    [[nodiscard]] std::optional<std::size_t> hitTest(Point pixel, double slack = 3) const;
};

[[nodiscard]] RooflinePlot layoutRoofline(const Analysis& analysis, const RooflineOptions& options);

/// The draw list as a standalone SVG document. `description` is read to those who cannot see it.
[[nodiscard]] std::string toSvg(const DrawList& shapes, Theme theme, std::string_view title,
                                std::string_view description = {});

/// The same as an element for an HTML page: colours are CSS variables (cssVariable()), so that the
/// page decides between light and dark; what stands for a kernel is a link to "#kernel-RANK" with
/// class "dot" and the attribute data-kernel. `id` sets apart several pictures on one page.
[[nodiscard]] std::string toInlineSvg(const DrawList& shapes, std::string_view id,
                                      std::string_view title, std::string_view description = {});

}  // namespace roofscope::plot
