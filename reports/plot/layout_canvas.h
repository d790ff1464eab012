// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/plot/label_placement.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::plot {

inline constexpr double kTextSize = 12, kLabelSize = 11;

/// Where the roofs of arithmetic have their names: the next one is for pictures that are too small
/// for the one before.
enum class RoofNaming {
    Beside,  ///< in the margin with their rates, or along the lines
    Short,   ///< in the margin, what they are alone
    Legend   ///< along the lines, and all of them in the legend
};

/// Kernels, by their index: asked for each of many dots.
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

/// What the parts of a layout share: what is to be drawn, the plot that they fill, and where things
/// lie in it.
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
    std::optional<std::vector<bool>> found;  ///< by kernel, during a search
    const bool crowd;                        ///< more dots than can be told apart

    [[nodiscard]] DrawList& list() { return plot.shapes; }
    void text(Point at, std::string words, double size, Role role, Anchor anchor = Anchor::Start,
              double angle = 0, bool bold = false);

    /// The pixel of a place in base-10 logarithms.
    [[nodiscard]] Point atLog(double x, double y) const;
    [[nodiscard]] bool isVisible(Point centre, double radius) const;
    /// The part of a line inside the plot area; nullopt when there is none.
    [[nodiscard]] std::optional<Segment> visiblePart(Segment segment) const;

    /// Neither found by the search that is going on, nor selected.
    [[nodiscard]] bool isDimmed(const PlacedDot& dot) const;
    /// A roof of the selected kernel.
    [[nodiscard]] bool isOwn(const Roof& roof) const;
    /// The level, and the type where tensor cores worked: they may have dots beside others.
    [[nodiscard]] std::string whereOf(const PlacedDot& dot) const;
};

/// Cuts a text to a width in pixels.
[[nodiscard]] std::string fitText(std::string text, double size, double width);

}  // namespace roofscope::plot
