// SPDX-License-Identifier: Apache-2.0
/// A kernel that does the same work in blocks of several sizes.
#include "analyzer/program/actions/action_finder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace roofscope::program {
namespace {

bool areNear(double a, double b, double tolerance) {
    return std::max(a, b) > 0 && std::abs(a - b) <= tolerance * std::max(a, b);
}

/// Whether both read and write as much, in as many sectors. What blocks read for themselves may
/// differ, and an access along another dimension is other work.
bool moveTheSame(const Quantities& a, const Quantities& b) {
    constexpr double kStores = 0.01, kLoads = 0.1, kSectors = 0.25;
    const auto same = [](const CoalescingEstimate& x, const CoalescingEstimate& y,
                         double tolerance) {
        return x.requested.has() && y.requested.has() && x.sectors.has() && y.sectors.has() &&
               areNear(x.requested->value, y.requested->value, tolerance) &&
               areNear(*x.sectors, *y.sectors, kSectors);
    };
    return same(a.stores, b.stores, kStores) && same(a.loads, b.loads, kLoads);
}

/// Whether floating-point operations were counted.
bool isCounted(const Quantities& q) {
    return std::ranges::any_of(kPrecisions, [&](Precision p) { return q.flops[p].has(); });
}

double operationsOf(const Quantities& q) {
    double sum = 0;
    for (const Precision precision : kPrecisions)
        if (q.flops[precision].has()) sum += q.flops[precision]->value;
    return sum;
}

/// How long a launch of `slow` would take if it had no more operations than one of `fast`. Larger
/// blocks need more of them to combine their results.
Seconds withOperationsOf(const Quantities& fast, const Quantities& slow) {
    const double more = operationsOf(slow), less = operationsOf(fast);
    return slow.duration.median * (more > less ? less / more : 1.0);
}

/// Whether these are launches of one kernel in blocks of different sizes.
bool differInBlocks(const LaunchGroup& a, const LaunchGroup& b) {
    return a.kernel == b.kernel && a.device == b.device && a.block.total() != b.block.total();
}

/// A shape that another one of its function does the work of in less time.
struct Slower {
    std::uint32_t slow = 0, fast = 0;  ///< indices into Analysis::kernels
    double gain = 0;                   ///< s per window
};

Slower slowerThan(const Analysis& analysis, const Program& program,
                  const std::vector<std::uint32_t>& shapes, std::uint32_t slow) {
    constexpr Seconds kLeastLaunch{5e-6};  // shorter ones mostly start and end
    constexpr double kSlower = 1.1;
    const KernelAnalysis& kernel = analysis.kernels[slow];
    Slower found{.slow = slow};
    for (const std::uint32_t other : shapes) {
        const KernelAnalysis& faster = analysis.kernels[other];
        const Seconds time = faster.quantities.duration.median;
        if (time < kLeastLaunch || !differInBlocks(kernel.group, faster.group) ||
            !isCounted(kernel.quantities) || !isCounted(faster.quantities) ||
            !moveTheSame(kernel.quantities, faster.quantities))
            continue;
        const Seconds takes = withOperationsOf(faster.quantities, kernel.quantities);
        if (takes < time * kSlower) continue;
        const double saved =
            (takes - time) / kernel.quantities.duration.median * program.kernels[slow].time.value;
        if (saved > found.gain) found.fast = other, found.gain = saved;
    }
    return found;
}

}  // namespace

void ActionFinder::blockSizes() {
    std::map<std::uint32_t, double> gains;  // of the function that gains most
    Slower most;
    double saved = 0;
    for (const KernelFunction& function : m_program.functions) {
        if (function.kernels.size() < 2 ||
            isForeign(m_analysis.kernels[function.kernels.front()].origin))
            continue;
        std::map<std::uint32_t, double> own;
        Slower largest;
        double sum = 0;
        for (const std::uint32_t slow : function.kernels) {
            const Slower one = slowerThan(m_analysis, m_program, function.kernels, slow);
            if (!(one.gain > 0)) continue;
            own[slow] = one.gain;
            sum += one.gain;
            if (one.gain > largest.gain) largest = one;
        }
        if (sum > saved) gains = std::move(own), most = largest, saved = sum;
    }
    if (gains.empty()) return;
    const KernelAnalysis &slow = m_analysis.kernels[most.slow],
                         &fast = m_analysis.kernels[most.fast];
    Action action{
        .rule = "block-size",
        .alwaysExplained = true,
        .bound = {saved},
        .estimate = true,
        .title = Words("The same work is faster in blocks of another size"),
        .sentence =
            Words("For about the same bytes and operations, a launch takes {slow} in blocks "
                  "of {block} threads and {fast} in blocks of {better}: both ran in this "
                  "program."),
        .edit = Words("Launch it in blocks of {better} threads wherever the program may choose."),
        .args = {
            number("slow", withOperationsOf(fast.quantities, slow.quantities).value, Unit::Seconds),
            number("block", static_cast<double>(slow.group.block.total()), Unit::Count),
            number("fast", fast.quantities.duration.median.value, Unit::Seconds),
            number("better", static_cast<double>(fast.group.block.total()), Unit::Count)}};
    fuseAt(action, gains);
    add(std::move(action));
}

}  // namespace roofscope::program
