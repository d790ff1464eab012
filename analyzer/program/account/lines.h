// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profile/model/units.h"

namespace roofscope {
struct Analysis;
struct Program;
}  // namespace roofscope

/// Which lines of the program take the GPU's time.
namespace roofscope::program {

/// The kernels that a line launches, those of its backward pass included.
struct LineTime {
    std::string place;                                       ///< as placeText()
    Seconds time;                                            ///< at least, per window
    std::vector<std::pair<std::uint32_t, Seconds>> kernels;  ///< index into Analysis::kernels
};

/// The lines by the least time that their launches can take, most first. If several lines launch a
/// function, each gets as many of its launches as it made, and of these the shortest. Empty if the
/// lines are not known for most of the kernels' time.
[[nodiscard]] std::vector<LineTime> linesOf(const Analysis& analysis, const Program& program);

}  // namespace roofscope::program
