// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/plot/layout_canvas.h"
#include "reports/plot/roof_lines.h"

namespace roofscope::plot {

/// The names of the compute roofs beside the plot, where there is room for them.
class MarginNames {
public:
    MarginNames(LayoutCanvas& canvas, const RoofLines& roofs);

    /// Takes its part of the `width` right of the axis of a plot of that height; 0 when the plot
    /// needs all of it.
    double reserve(double width, double height);
    /// Whether they have room.
    [[nodiscard]] bool shown() const { return m_shown; }
    /// Whether all of them have room in the height of the plot.
    [[nodiscard]] bool complete() const;
    /// Beside the ends of the roofs, each as near to its own as the others let it be.
    void write();

private:
    /// A name: of a compute roof, or of a theoretical and a measured one.
    struct Name {
        std::vector<std::string> lines;
        std::vector<std::string> brief;  ///< the same where there is little room
        double log = 0;                  ///< of the (higher) rate
        Role role = Role::Fp32;
        bool own = false;  ///< a roof of the selected kernel
    };

    void add(const RoofLine& line);
    [[nodiscard]] double heightOf(const Name& name) const;
    [[nodiscard]] double heightOfAll() const;
    [[nodiscard]] std::vector<double> tops() const;
    void write(const Name& name, double top);

    LayoutCanvas& m_canvas;
    std::vector<Name> m_names;  ///< from above
    double m_gap = 4;           ///< between names
    bool m_shown = false;
};

}  // namespace roofscope::plot
