// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/kernels_per_window.h"

#include <algorithm>

namespace roofscope::program {

Seconds partPerWindow(const KernelAnalysis& kernel, Seconds part,
                      const Program::KernelCounts& counts) {
    const DurationStats& duration = kernel.quantities.duration;
    if (duration.whileCounted || !(duration.judged().value > 0)) return part * counts.perWindow;
    return counts.time * (part / duration.judged());
}

Seconds gainPerWindow(const KernelAnalysis& kernel, Seconds gain,
                      const Program::KernelCounts& counts) {
    const Seconds judged = kernel.quantities.duration.judged();
    if (counts.time.value > 0)
        return partPerWindow(kernel, gain, counts) * (counts.standsFor / counts.time);
    return judged.value > 0 ? counts.standsFor * (gain / judged) : Seconds{};
}

KernelsPerWindow kernelsThat(const Analysis& analysis, const Program& program,
                             const std::function<bool(const KernelAnalysis&)>& wanted) {
    KernelsPerWindow found;
    for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k) {
        const Seconds time = program.kernels[k].time;
        if (!(time.value > 0) || !wanted(analysis.kernels[k])) continue;
        found.kernels.push_back(k);
        found.launches += program.kernels[k].perWindow;
        found.time += time;
    }
    std::ranges::stable_sort(found.kernels, std::greater{},
                             [&](std::uint32_t k) { return program.kernels[k].time.value; });
    return found;
}

bool areNearlyAll(const KernelsPerWindow& kernels, const Program::KernelCounts& all) {
    constexpr double kNearlyAll = 0.9;
    return kernels.launches >= kNearlyAll * all.perWindow && kernels.time >= all.time * kNearlyAll;
}

}  // namespace roofscope::program
