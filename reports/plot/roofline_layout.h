// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"
#include "reports/plot/dot_grid.h"
#include "reports/plot/draw_list.h"
#include "reports/report.h"

namespace roofscope::plot {

/// The visible part of the plane, in base-10 logarithms.
struct Viewport {
    double xMin = -2, xMax = 3;  ///< log10 FLOP/B
    double yMin = 9, yMax = 15;  ///< log10 FLOP/s
};

struct RooflineOptions {
    double width = 960, height = 600;
    std::uint32_t device = 0;
    PerLevel<bool> levels{{true, true, true, false}};
    PerPrecision<bool> precisions{{true, true, true}};
    bool tensorCores = true;              ///< show their dots and roofs
    std::optional<Viewport> viewport;     ///< absent: fitted to roofs and dots
    std::vector<std::size_t> kernels;     ///< indices to show; empty = all
    std::optional<std::size_t> selected;  ///< kernel index, emphasised
    std::vector<std::size_t> marked;      ///< kernel indices, selected together with it
    /// Kernel indices that a search found, ascending; all others are dimmed and have no name.
    std::optional<std::vector<std::size_t>> found = {};
    bool labels = true;
    bool framed = true;  ///< draw a title, and a note on what is not shown
    bool tips = true;    ///< hover texts in a file; a view makes its own
    std::string title;
    Language language = Language::En;
    /// An older profile and what changed since: arrows lead from the old positions of its kernels
    /// to their dots. May be null.
    std::shared_ptr<const ReportBaseline> baseline = {};

    [[nodiscard]] bool shows(const Arithmetic& arithmetic) const {
        const Precision* const precision = arithmetic.precision();
        return precision ? precisions[*precision] : tensorCores;
    }
};

/// A placed dot, for hit testing and tooltips.
struct PlacedDot {
    std::size_t kernel = 0;  ///< index into Analysis::kernels
    Level level = Level::Dram;
    Arithmetic precision = Precision::Fp32;
    Point centre;
    double radius = 0;
    FlopsPerByte intensity;
    FlopsPerSecond rate;
};

/// A placed arrow from a kernel's position in the baseline, for hit testing and tooltips.
struct PlacedArrow {
    std::size_t change = 0;  ///< index into Comparison::kernels
    std::size_t kernel = 0;  ///< index into the candidate's Analysis::kernels
    Level level = Level::Dram;
    Arithmetic precision = Precision::Fp32;
    Point from, to;     ///< centres
    double radius = 0;  ///< radius of the marker at `from`
};

/// The data that zooming, panning and selecting do not change. Collected once, so that a profile
/// with hundreds of thousands of dots can be laid out for every frame.
struct RooflineScene {
    /// With more dots than this, dots are drawn fainter and below the roofs, and only one of those
    /// on the same pixels.
    static constexpr std::size_t kCrowd = 600;

    std::vector<PlacedDot> dots;      ///< in drawing order; centres are not set
    std::vector<Point> places;        ///< positions of the dots as base-10 logarithms
    DotGrid grid;                     ///< the same positions; empty unless there are many
    std::vector<PlacedArrow> arrows;  ///< ends are not set
    std::vector<std::pair<Point, Point>> arrowEnds;  ///< as base-10 logarithms
    std::vector<double> shares;                      ///< per kernel: share of GPU time; 0: unknown
    std::vector<bool> namesake;          ///< per kernel: another shown kernel has its name
    std::optional<std::size_t> longest;  ///< lowest-level dot of the kernel with the most time
    Viewport fitted;                     ///< viewport that shows everything
    std::size_t kernels = 0;             ///< on the device, with or without a dot
    bool coincide = false;               ///< levels of some kernel coincide
    std::string notShown;                ///< how many kernels have no dot, and why; may be empty
};

/// The placed ruler from the selected kernel's dot to what limits it.
struct PlacedRuler {
    std::size_t kernel = 0;
    Point from, to;
    std::string text;  ///< "L1 data pipe 1.5× to go"
};

/// The placed name of a compute roof in the margin.
struct PlacedRoofName {
    std::string text;
    double roofY = 0;  ///< y of the line that it names
    Rect box;
};

/// A laid-out roofline. A pure function of its inputs: the same analysis and options give the same
/// picture in SVG and on screen.
struct RooflinePlot {
    DrawList shapes;
    Viewport viewport;
    Rect area;  ///< plot area in pixels
    /// The drawn dots: all of them, or in a crowd those inside the plot area, one for all that fall
    /// on the same few pixels.
    std::vector<PlacedDot> dots;
    std::vector<PlacedArrow> arrows;
    std::optional<PlacedRuler> ruler;         ///< for the selected kernel
    std::vector<PlacedRoofName> marginNames;  ///< of the compute roofs, top to bottom
    std::string title;                        ///< the title as drawn
    std::string description;  ///< one or two sentences for readers who cannot see the picture

    [[nodiscard]] Point toPixel(FlopsPerByte intensity, FlopsPerSecond rate) const;
    /// log10 of intensity and rate under a pixel.
    [[nodiscard]] Point toLog(Point pixel) const;
    /// The dot under a pixel, the nearest if several overlap; index into `dots`.
    [[nodiscard]] std::optional<std::size_t> hitTest(Point pixel, double slack = 3) const;
    /// The arrow whose line or start is under a pixel; index into `arrows`.
    [[nodiscard]] std::optional<std::size_t> hitTestArrow(Point pixel, double slack = 3) const;
    /// Kernels with a dot in a pixel rectangle inside the plot area, drawn or hidden by others,
    /// ascending. Pass the scene that was laid out.
    [[nodiscard]] std::vector<std::size_t> kernelsIn(const RooflineScene& scene,
                                                     const Rect& pixels) const;
};

[[nodiscard]] RooflinePlot layoutRoofline(const Analysis& analysis, const RooflineOptions& options);

/// Collects what layoutRoofline() places. Uses only the options' device, levels, precisions,
/// tensorCores, kernels, language and baseline.
[[nodiscard]] RooflineScene collectScene(const Analysis& analysis, const RooflineOptions& options);
/// The same picture as layoutRoofline(analysis, options), from a scene collected with the same
/// choices.
[[nodiscard]] RooflinePlot layoutRoofline(const Analysis& analysis, const RooflineScene& scene,
                                          const RooflineOptions& options);

/// The draw list as a standalone SVG document. `description` is for screen readers.
[[nodiscard]] std::string toSvg(const DrawList& shapes, Theme theme, std::string_view title,
                                std::string_view description = {});

/// The same as an element for an HTML page. Colours are CSS variables (cssVariable()), so that the
/// page chooses between light and dark. A shape that stands for a kernel is a link to
/// "#kernel-RANK" with class "dot" and the attribute data-kernel. `id` distinguishes several
/// pictures on one page.
[[nodiscard]] std::string toInlineSvg(const DrawList& shapes, std::string_view id,
                                      std::string_view title, std::string_view description = {});

}  // namespace roofscope::plot
