// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/program/model/program.h"

namespace roofscope::program {

/// The kernels of an action, together.
struct KernelsPerWindow {
    std::vector<std::uint32_t> kernels;  ///< indices into Analysis::kernels, most time first
    double launches = 0;                 ///< per window
    Seconds time;                        ///< per window
};

/// What a part of one launch (a gain, a least time) adds up to in a window. Launches of one kernel
/// may differ in their work, as the levels of a graph search do, so the part is taken as a share of
/// their time. Where a launch took another time while it was counted, the share is not known in the
/// program, and the part counts once per launch.
[[nodiscard]] Seconds partPerWindow(const KernelAnalysis& kernel, Seconds part,
                                    const Program::KernelCounts& counts);

/// The same for all that the kernel stands for (KernelCounts::standsFor).
[[nodiscard]] Seconds gainPerWindow(const KernelAnalysis& kernel, Seconds gain,
                                    const Program::KernelCounts& counts);

/// The kernels that take time and for which `wanted` is true; it is called for no others.
[[nodiscard]] KernelsPerWindow kernelsThat(
    const Analysis& analysis, const Program& program,
    const std::function<bool(const KernelAnalysis&)>& wanted);

/// Whether these are nine tenths of the launches and of the kernels' time, or more.
[[nodiscard]] bool areNearlyAll(const KernelsPerWindow& kernels, const Program::KernelCounts& all);

/// The index into Analysis::kernels of one of these kernels.
[[nodiscard]] inline std::uint32_t indexOf(const Analysis& analysis, const KernelAnalysis& kernel) {
    return static_cast<std::uint32_t>(&kernel - analysis.kernels.data());
}

}  // namespace roofscope::program
