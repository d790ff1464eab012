// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/plot/label_placement.h"
#include "reports/plot/layout_canvas.h"

namespace roofscope::plot {

/// The dots of the kernels and their names.
class DotLayout {
public:
    /// Places the dots and chooses which of them carry their kernel's name.
    explicit DotLayout(LayoutCanvas& canvas);

    void draw();
    void write(LabelPlacement& labels);

private:
    /// A name and its place.
    struct Written {
        const PlacedDot* dot;
        LabelPlacement::Placed placed;
        std::string name;
    };
    void placeAll();
    void placeOfCrowd();
    void chooseNames();
    void draw(std::size_t dot, bool faint);
    void write(const Written& written);
    [[nodiscard]] std::optional<Written> anywhere(LabelPlacement& labels, const PlacedDot& dot,
                                                  const std::string& name) const;
    [[nodiscard]] std::vector<const PlacedDot*> firstOfKernels() const;
    [[nodiscard]] std::string nameOf(std::size_t kernel) const;
    [[nodiscard]] std::string tip(const PlacedDot& dot) const;
    [[nodiscard]] std::optional<LabelPlacement::Placed> farFrom(const LabelPlacement& labels,
                                                                const PlacedDot& dot, double width,
                                                                double height) const;
    [[nodiscard]] std::optional<LabelPlacement::Placed> beside(const PlacedDot& dot, double width,
                                                               double height) const;

    LayoutCanvas& m_canvas;
    std::vector<std::size_t> m_weights;     ///< per dot of the plot: how many dots it stands for
    std::vector<const PlacedDot*> m_named;  ///< pointers into the plot's dots, most important first
};

}  // namespace roofscope::plot
