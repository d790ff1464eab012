// SPDX-License-Identifier: Apache-2.0
/// A kernel that does the same work in blocks of several sizes.
#include "analyzer/program/actions/action_finder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace roofscope::program {
namespace {

/// Whether both read and write as much. What blocks read for themselves may differ.
bool moveTheSame(const Quantities& a, const Quantities& b) {
    constexpr double kStores = 0.01, kLoads = 0.1;
    const auto near = [](const Derived<Bytes>& x, const Derived<Bytes>& y, double tolerance) {
        return x.has() && y.has() && std::max(x->value, y->value) > 0 &&
               std::abs(x->value - y->value) <= tolerance * std::max(x->value, y->value);
    };
    return near(a.stores.requested, b.stores.requested, kStores) &&
           near(a.loads.requested, b.loads.requested, kLoads);
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

}  // namespace

void ActionFinder::blockSizes() {
    constexpr Seconds kLeastLaunch{5e-6};  // shorter ones mostly start and end
    constexpr double kSlower = 1.1;
    std::map<std::uint32_t, double> gains;
    struct Pair {
        std::uint32_t slow = 0, fast = 0;
        double gain = 0;
    };
    Pair most;
    for (const KernelFunction& function : m_program.functions) {
        if (function.kernels.size() < 2 ||
            isForeign(m_analysis.kernels[function.kernels.front()].origin))
            continue;
        for (const std::uint32_t slow : function.kernels) {
            const KernelAnalysis& kernel = m_analysis.kernels[slow];
            Pair pair{.slow = slow};
            for (const std::uint32_t other : function.kernels) {
                const KernelAnalysis& faster = m_analysis.kernels[other];
                const Seconds time = faster.quantities.duration.median;
                const Seconds takes = withOperationsOf(faster.quantities, kernel.quantities);
                if (time < kLeastLaunch || takes < time * kSlower ||
                    !differInBlocks(kernel.group, faster.group) ||
                    !moveTheSame(kernel.quantities, faster.quantities))
                    continue;
                const double saved = (takes - time) / kernel.quantities.duration.median *
                                     m_program.kernels[slow].time.value;
                if (saved > pair.gain) pair.fast = other, pair.gain = saved;
            }
            if (!(pair.gain > 0)) continue;
            gains[slow] = pair.gain;
            if (pair.gain > most.gain) most = pair;
        }
    }
    if (gains.empty()) return;
    double saved = 0;
    for (const auto& [kernel, gain] : gains) saved += gain;
    const KernelAnalysis &slow = m_analysis.kernels[most.slow],
                         &fast = m_analysis.kernels[most.fast];
    Action action{
        .rule = "block-size",
        .alwaysExplained = true,
        .bound = {saved},
        .estimate = true,
        .title = Words("The same work is faster in blocks of another size"),
        .sentence = Words("With the same bytes and operations, a launch takes {slow} in blocks of "
                          "{block} threads and {fast} in blocks of {better}: both ran in this "
                          "program."),
        .edit = Words("Launch it in blocks of {better} threads wherever the program may choose."),
        .args = {number("slow", slow.quantities.duration.median.value, Unit::Seconds),
                 number("block", static_cast<double>(slow.group.block.total()), Unit::Count),
                 number("fast", fast.quantities.duration.median.value, Unit::Seconds),
                 number("better", static_cast<double>(fast.group.block.total()), Unit::Count)}};
    fuseAt(action, gains);
    add(std::move(action));
}

}  // namespace roofscope::program
