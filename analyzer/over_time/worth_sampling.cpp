// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/diagnosis/verdict.h"
#include "analyzer/over_time/facts.h"
#include "analyzer/over_time/over_time_analysis.h"
#include "analyzer/roofline/resources.h"

namespace roofscope {

namespace {

/// The shortest interval is 0.5 µs, and fewer than 25 of them say little.
constexpr Seconds kShortest{12.5e-6};

/// Upper bound of the gain if SMs idle only at the end, or start late.
double idleSms(const KernelAnalysis& kernel, const Device& device) {
    const Derived<double>& factor = kernel.quantities.busiestSmFactor;
    if (!factor.has() || *factor < 1 || isUnderfilled(device, kernel.group)) return 0;
    return 1.0 - 1.0 / *factor;
}

/// Upper bound of the gain if memory and pipes are busy in turns: the shorter of both. They can
/// only take turns if together they are busy no longer than the kernel lasts.
double phasesInTurns(const Resources& resources) {
    double memory = 0, compute = 0;
    for (const Resource& resource : resources.items)
        (resource.memory ? memory : compute) =
            std::max(resource.memory ? memory : compute, resource.busy);
    constexpr double kSlack = 0.05;
    return memory + compute <= 1.0 + kSlack ? std::min(memory, compute) : 0;
}

}  // namespace

double hiddenByAverages(const KernelAnalysis& kernel, const Device& device) {
    const DurationStats& duration = kernel.quantities.duration;
    if (kernel.overTime || duration.count == 0 || duration.median < kShortest ||
        kernel.verdict.cls == VerdictClass::NearRoof ||
        kernel.verdict.cls == VerdictClass::WaitsForPeers)
        return 0;
    const Resources resources = resourcesOf(kernel.quantities);
    return std::max(0.0, std::min(std::max(idleSms(kernel, device), phasesInTurns(resources)),
                                  1.0 - resources.busiestExcept({})));
}

}  // namespace roofscope
