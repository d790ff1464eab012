// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/language/words.h"
#include "reports/plot/label_placement.h"
#include "reports/plot/roof_lines.h"

namespace roofscope::plot {

/// A roof and its visible part.
struct ShownRoof {
    const RoofLine* line = nullptr;
    Segment part;
};

/// A placed name.
struct RoofName {
    std::string text;
    Role role = Role::Dram;
    TurnedBox box;
    bool overDots = false;   ///< hides parts of dots
    bool overLines = false;  ///< lies on other roofs, too: ambiguous
    std::string roof = {};   ///< RoofLine::name of the named roof
};

/// Finds and takes places for the names of the roofs. A theoretical and a measured roof close
/// together share a name: "DRAM 4.81 TB/s, 4.71 measured". `roofs` are the lines of `labels`, in
/// its order; `size` is the text size. Where dots leave no free place, a name covers as few of them
/// as possible, since a roof's name matters more. This does not apply to measured roofs if the
/// theoretical ones have names. In a `crowd`, whose dots are faint, any place is acceptable.
/// `brief` names have no rates. A name without room is left out.
[[nodiscard]] std::vector<RoofName> nameRoofs(LabelPlacement& labels,
                                              std::span<const ShownRoof> roofs, double size,
                                              bool crowd, bool brief, Language language);

}  // namespace roofscope::plot
