// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/program/program.h"

namespace roofscope::program {

/// Kernels that an action is about, together.
struct KernelsPerWindow {
    std::vector<std::uint32_t> kernels;  ///< indices into Analysis::kernels, most time first
    double launches = 0;                 ///< per window
    Seconds time;                        ///< per window
};

/// What all launches of a kernel take in a window, by their median; 0 where none was timed.
[[nodiscard]] Seconds timePerWindow(const Analysis& analysis, const Program& program,
                                    std::uint32_t kernel);

/// The kernels that take time and that `wanted` takes, which is asked of no others.
[[nodiscard]] KernelsPerWindow kernelsThat(
    const Analysis& analysis, const Program& program,
    const std::function<bool(const KernelAnalysis&)>& wanted);

}  // namespace roofscope::program
