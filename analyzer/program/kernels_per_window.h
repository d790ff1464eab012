// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/program/program.h"

namespace roofscope::program {

/// The kernels of an action, together.
struct KernelsPerWindow {
    std::vector<std::uint32_t> kernels;  ///< indices into Analysis::kernels, most time first
    double launches = 0;                 ///< per window
    Seconds time;                        ///< per window
};

/// Time of all launches of a kernel in a window, by their median; 0 if none was timed.
[[nodiscard]] Seconds timePerWindow(const Analysis& analysis, const Program& program,
                                    std::uint32_t kernel);

/// The kernels that take time and for which `wanted` is true; it is called for no others.
[[nodiscard]] KernelsPerWindow kernelsThat(
    const Analysis& analysis, const Program& program,
    const std::function<bool(const KernelAnalysis&)>& wanted);

}  // namespace roofscope::program
