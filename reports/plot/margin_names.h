// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/plot/layout_canvas.h"
#include "reports/plot/roof_lines.h"

namespace roofscope::plot {

/// The names of the compute roofs beside the plot, if there is room.
class MarginNames {
public:
    MarginNames(LayoutCanvas& canvas, const RoofLines& roofs);

    /// Returns the margin that it takes from the `width` right of the y axis in a plot of that
    /// height; 0 if the plot needs it all.
    double reserve(double width, double height);
    /// Whether there is room for the names.
    [[nodiscard]] bool shown() const { return m_shown; }
    /// Whether all names fit into the height of the plot.
    [[nodiscard]] bool complete() const;
    /// Writes the names beside the ends of the roofs, each as near to its own as the others allow.
    void write();

private:
    /// The name of a compute roof, or of a theoretical and a measured one together.
    struct Name {
        std::vector<std::string> lines;
        std::vector<std::string> brief;  ///< shorter lines for little room
        double log = 0;                  ///< log10 of the (higher) rate
        Role role = Role::Fp32;
        bool own = false;  ///< a roof of the selected kernel
    };

    void add(const RoofLine& line);
    [[nodiscard]] double heightOf(const Name& name) const;
    [[nodiscard]] double heightOfAll() const;
    [[nodiscard]] std::vector<double> tops() const;
    void write(const Name& name, double top);

    LayoutCanvas& m_canvas;
    std::vector<Name> m_names;  ///< from top to bottom
    double m_gap = 4;           ///< between names
    bool m_shown = false;
};

}  // namespace roofscope::plot
