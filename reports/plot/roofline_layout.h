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

/// The part of the plane that is shown, in base-10 logarithms.
struct Viewport {
    double xMin = -2, xMax = 3;  ///< log10 FLOP/B
    double yMin = 9, yMax = 15;  ///< log10 FLOP/s
};

struct RooflineOptions {
    double width = 960, height = 600;
    std::uint32_t device = 0;
    PerLevel<bool> levels{{true, true, true, false}};
    PerPrecision<bool> precisions{{true, true, true}};
    bool tensorCores = true;              ///< their dots and roofs
    std::optional<Viewport> viewport;     ///< fitted to roofs and dots when absent
    std::vector<std::size_t> kernels;     ///< indices to show; empty = all
    std::optional<std::size_t> selected;  ///< kernel index, emphasised
    std::vector<std::size_t> marked;      ///< kernel indices that are selected together with it
    /// Kernel indices that a search found, ascending: all others are dimmed and without name.
    std::optional<std::vector<std::size_t>> found = {};
    bool labels = true;
    bool framed =
        true;  ///< with a title above, and below what is not shown; a window says both itself
    bool tips = true;  ///< texts for a mouse in a file; a view makes its own
    std::string title;
    Language language = Language::En;
    /// An older profile and what changed since: arrows lead from where its kernels were to their
    /// dots. May be null.
    std::shared_ptr<const ReportBaseline> baseline = {};

    [[nodiscard]] bool shows(const Arithmetic& arithmetic) const {
        const Precision* const precision = arithmetic.precision();
        return precision ? precisions[*precision] : tensorCores;
    }
};

/// A dot as placed, for hit testing and tooltips.
struct PlacedDot {
    std::size_t kernel = 0;  ///< index into Analysis::kernels
    Level level = Level::Dram;
    Arithmetic precision = Precision::Fp32;
    Point centre;
    double radius = 0;
    FlopsPerByte intensity;
    FlopsPerSecond rate;
};

/// The way of a kernel from its place in the baseline, for hit testing and tooltips.
struct PlacedArrow {
    std::size_t change = 0;  ///< index into Comparison::kernels
    std::size_t kernel = 0;  ///< index into the candidate's Analysis::kernels
    Level level = Level::Dram;
    Arithmetic precision = Precision::Fp32;
    Point from, to;     ///< centres
    double radius = 0;  ///< of the marker at `from`
};

/// What zooming, panning and selecting do not change: collected once, so that a profile with
/// hundreds of thousands of dots can be laid out for every frame.
struct RooflineScene {
    /// With more dots than this they are drawn fainter and below the roofs, and of those on the
    /// same pixels only one.
    static constexpr std::size_t kCrowd = 600;

    std::vector<PlacedDot> dots;      ///< in the order in which they are drawn; centres are not set
    std::vector<Point> places;        ///< of the dots, as base-10 logarithms
    DotGrid grid;                     ///< the same places; empty unless there are many
    std::vector<PlacedArrow> arrows;  ///< ends are not set
    std::vector<std::pair<Point, Point>> arrowEnds;  ///< as base-10 logarithms
    std::vector<double> shares;                      ///< by kernel: of GPU time, 0 when unknown
    std::vector<bool> namesake;          ///< by kernel: another one that is shown has the same name
    std::optional<std::size_t> longest;  ///< lowest dot of the kernel with the most time
    Viewport fitted;                     ///< shows all of it
    std::size_t kernels = 0;             ///< on the device, with or without a place in the plot
    bool coincide = false;               ///< levels of one kernel lie on one spot
    std::string notShown;  ///< in words: how many have no place, and why; may be empty
};

/// The way from the selected kernel's dot to what limits it, as placed.
struct PlacedRuler {
    std::size_t kernel = 0;
    Point from, to;
    std::string text;  ///< "L1 data pipe 1.5× to go"
};

/// A name of a compute roof in the margin, as placed.
struct PlacedRoofName {
    std::string text;
    double roofY = 0;  ///< of the line that it names
    Rect box;
};

/// A roofline as placed. Pure function of its inputs: the same analysis and options give the same
/// picture in SVG and on screen.
struct RooflinePlot {
    DrawList shapes;
    Viewport viewport;
    Rect area;  ///< plot area in pixels
    /// What is drawn. Of a crowd these are the dots inside the plot area, one for all that fall on
    /// the same few pixels; else all of them.
    std::vector<PlacedDot> dots;
    std::vector<PlacedArrow> arrows;
    std::optional<PlacedRuler> ruler;         ///< of the selected kernel
    std::vector<PlacedRoofName> marginNames;  ///< of the compute roofs, from above
    std::string title;                        ///< the title that is drawn
    std::string description;  ///< one or two sentences for readers who cannot see the picture

    [[nodiscard]] Point toPixel(FlopsPerByte intensity, FlopsPerSecond rate) const;
    /// log10 of intensity and rate under a pixel.
    [[nodiscard]] Point toLog(Point pixel) const;
    /// The dot under a pixel, the nearest when several overlap; index into `dots`.
    [[nodiscard]] std::optional<std::size_t> hitTest(Point pixel, double slack = 3) const;
    /// The arrow under a pixel, or its start; index into `arrows`.
    [[nodiscard]] std::optional<std::size_t> hitTestArrow(Point pixel, double slack = 3) const;
    /// Kernels with a dot in a rectangle of pixels inside the plot area, drawn or hidden by others,
    /// ascending. `scene` is the one that was laid out.
    [[nodiscard]] std::vector<std::size_t> kernelsIn(const RooflineScene& scene,
                                                     const Rect& pixels) const;
};

[[nodiscard]] RooflinePlot layoutRoofline(const Analysis& analysis, const RooflineOptions& options);

/// Collects what layoutRoofline() places. Depends on the device, levels, precisions, kernels and
/// baseline of the options.
[[nodiscard]] RooflineScene collectScene(const Analysis& analysis, const RooflineOptions& options);
/// The same picture as layoutRoofline(analysis, options), from a scene with the same choices.
[[nodiscard]] RooflinePlot layoutRoofline(const Analysis& analysis, const RooflineScene& scene,
                                          const RooflineOptions& options);

/// The draw list as a standalone SVG document. `description` is read to those who cannot see it.
[[nodiscard]] std::string toSvg(const DrawList& shapes, Theme theme, std::string_view title,
                                std::string_view description = {});

/// The same as an element for an HTML page: colours are CSS variables (cssVariable()), so that the
/// page decides between light and dark; what stands for a kernel is a link to "#kernel-RANK" with
/// class "dot" and the attribute data-kernel. `id` sets apart several pictures on one page.
[[nodiscard]] std::string toInlineSvg(const DrawList& shapes, std::string_view id,
                                      std::string_view title, std::string_view description = {});

}  // namespace roofscope::plot
