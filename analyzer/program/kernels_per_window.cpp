// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/kernels_per_window.h"

#include <algorithm>

namespace roofscope::program {

Seconds timePerWindow(const Analysis& analysis, const Program& program, std::uint32_t kernel) {
    const auto& duration = analysis.kernels[kernel].quantities.duration;
    if (duration.count == 0) return {};
    return duration.median * program.kernels[kernel].perWindow;
}

KernelsPerWindow kernelsThat(const Analysis& analysis, const Program& program,
                             const std::function<bool(const KernelAnalysis&)>& wanted) {
    KernelsPerWindow found;
    for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k) {
        const Seconds time = timePerWindow(analysis, program, k);
        if (!(time.value > 0) || !wanted(analysis.kernels[k])) continue;
        found.kernels.push_back(k);
        found.launches += program.kernels[k].perWindow;
        found.time += time;
    }
    std::ranges::stable_sort(found.kernels, std::greater{}, [&](std::uint32_t k) {
        return timePerWindow(analysis, program, k).value;
    });
    return found;
}

}  // namespace roofscope::program
