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
    Seconds time;                                            ///< per window
    std::vector<std::pair<std::uint32_t, Seconds>> kernels;  ///< index into Analysis::kernels
};

/// The lines by time, most first. A kernel that several lines launch counts for each by how often
/// it did. Empty where it is not known for most of the kernels' time.
[[nodiscard]] std::vector<LineTime> linesOf(const Analysis& analysis, const Program& program);

}  // namespace roofscope::program
