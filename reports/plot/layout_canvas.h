// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/plot/label_placement.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::plot {

inline constexpr double kTextSize = 12, kLabelSize = 11;

/// Where compute roofs are named. Each option is for pictures too small for the one before.
enum class RoofNaming {
    Beside,  ///< in the margin with rates, or along the lines
    Short,   ///< in the margin without rates
    Legend   ///< along the lines, and all in the legend
};

/// A set of kernel indices with a fast lookup, which happens for each of many dots.
class KernelSet {
public:
    void insert(std::size_t kernel) {
        if (kernel >= m_in.size()) m_in.resize(kernel + 1);
        m_in[kernel] = true;
    }
    [[nodiscard]] bool contains(std::size_t kernel) const {
        return kernel < m_in.size() && m_in[kernel];
    }
    [[nodiscard]] bool empty() const { return m_in.empty(); }

private:
    std::vector<bool> m_in;
};

/// Shared by the parts of a layout: the input, the plot being built, and coordinate helpers.
struct LayoutCanvas {
    LayoutCanvas(const Analysis& analysis, const RooflineScene& scene,
                 const RooflineOptions& options, RoofNaming naming = RoofNaming::Beside);

    const Analysis& analysis;
    const RooflineScene& scene;
    const RooflineOptions& options;
    const Language language;
    const RoofNaming naming;
    RooflinePlot plot;
    KernelSet emphasised;
    std::optional<std::vector<bool>> found;  ///< per kernel, only during a search
    const bool crowd;                        ///< too many dots to tell apart

    [[nodiscard]] DrawList& list() { return plot.shapes; }
    void text(Point at, std::string words, double size, Role role, Anchor anchor = Anchor::Start,
              double angle = 0, bool bold = false);

    /// The pixel of a point in base-10 logarithms.
    [[nodiscard]] Point atLog(double x, double y) const;
    [[nodiscard]] bool isVisible(Point centre, double radius) const;
    /// The part of a line inside the plot area, if any.
    [[nodiscard]] std::optional<Segment> visiblePart(Segment segment) const;

    /// Whether a search is active and neither found nor emphasised the dot's kernel.
    [[nodiscard]] bool isDimmed(const PlacedDot& dot) const;
    /// Whether it is a roof of the selected kernel.
    [[nodiscard]] bool isOwn(const Roof& roof) const;
    /// The dot's level, plus its type for tensor cores, whose types have separate dots.
    [[nodiscard]] std::string levelWords(const PlacedDot& dot) const;
};

/// Shortens a text to a width in pixels.
[[nodiscard]] std::string fitText(std::string text, double size, double width);

}  // namespace roofscope::plot
