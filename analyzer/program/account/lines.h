// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/program/model/program.h"

/// Which lines of the program take the GPU's time.
namespace roofscope::program {

/// The lines by the least time that their launches can take, most first. If several lines launch a
/// function, each gets as many of its launches as it made, and of these the shortest. Empty if the
/// lines are not known for most of the kernels' time.
[[nodiscard]] std::vector<LineTime> linesOf(const Analysis& analysis, const Program& program);

}  // namespace roofscope::program
