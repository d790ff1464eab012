// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/language/words.h"
#include "reports/plot/label_placement.h"
#include "reports/plot/roof_lines.h"

namespace roofscope::plot {

/// A roof, and the part of it that is in the picture.
struct ShownRoof {
    const RoofLine* line = nullptr;
    Segment part;
};

/// A name as placed.
struct RoofName {
    std::string text;
    Role role = Role::Dram;
    TurnedBox box;
    bool overDots = false;   ///< it hides a part of them
    bool overLines = false;  ///< it lies on other roofs, too: which one it names is hard to tell
    std::string roof = {};   ///< RoofLine::name of what it names
};

/// Finds room for the names of the roofs and takes it. A theoretical and a measured roof that lie
/// side by side have one name: "DRAM 4.81 TB/s, 4.71 measured". `roofs` are the lines of `labels`,
/// in its order; `size` is that of the text. Among many dots no place is free: the name of a roof
/// matters more than they do, and lies where it hides the least of them; but not that of a measured
/// one where theoretical ones have names. In a `crowd`, whose dots are faint, any place will do.
/// `brief` names have no rates. A name without room is left out.
[[nodiscard]] std::vector<RoofName> nameRoofs(LabelPlacement& labels,
                                              std::span<const ShownRoof> roofs, double size,
                                              bool crowd, bool brief, Language language);

}  // namespace roofscope::plot
