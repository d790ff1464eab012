// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/source/stalls.h"

namespace roofscope::rules {

namespace {

/// Cycles that an access waits. One of the DRAM takes less than 1,000, a few thousand in a long
/// queue; a page fault takes 20 µs and more.
constexpr double kFar = 10'000;
/// Cycles of the launch for each access. With fewer, a queue explains the wait: 32 atomics of a
/// warp to one address take up to 64 cycles.
constexpr double kNoQueue = 100;
constexpr std::string_view kReason = "long_scoreboard";

/// Of all launches together.
struct Waits {
    double warpCycles = 0;  ///< cycles of all resident warps
    double accesses = 0;    ///< warp instructions to global memory
    double cycles = 0;      ///< elapsed
};

std::optional<Waits> waitsOf(const RuleInput& input) {
    const GroupSums sums(input.counters, input.kernel.group.launches);
    std::vector<double> warps = sums.perLaunch(counter::kWarpsActive);
    const auto active = sums.perLaunch(counter::kSmCyclesActiveAvg);
    for (std::size_t i = 0; i < warps.size(); ++i) warps[i] *= active[i] * deviceOf(input).smCount;
    const GroupSums::Extra extras[] = {{counter::kWarpsActive, warps}};
    const auto joint =
        sums.joint({counter::kGlobalInstructions, counter::kSmCyclesElapsed}, extras);
    if (!joint.ok()) return std::nullopt;
    return Waits{.warpCycles = joint[2], .accesses = joint[0], .cycles = joint[1]};
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    const Quantities& q = kernel.quantities;
    if (kernel.verdict.cls != VerdictClass::LatencyBound || kernel.verdict.reason.emptyLaunch ||
        !q.smClock.has())
        return NotApplicable{};
    const auto waits = waitsOf(input);
    if (!waits || !(waits->accesses > 0) || waits->warpCycles < kFar * waits->accesses ||
        waits->cycles < kNoQueue * waits->accesses)
        return NotApplicable{};
    const Stalls stalls = stallsOf(input.profile, kernel);
    if (!stalls.missing.empty()) return cannotTell(stalls.missing, CounterGroup::Stalls);
    const auto stall = std::ranges::find(stalls.reasons, kReason, &Stall::reason);
    if (stall == stalls.reasons.end()) return NotApplicable{};
    const double each = stall->share * waits->warpCycles / waits->accesses;
    if (each < kFar) return NotApplicable{};
    const double gain = limitToEmptyLaunch(input, stall->share);
    Finding finding = makeEstimate(input, gain);
    finding.args = {arg("wait", each / q.smClock->value, Unit::Seconds)};
    finding.evidence = {{.label = Words("cycles that an access to global memory waits"),
                         .formula = stallFormula(stalls, kReason) + " × " +
                                    std::string(counter::kWarpsActive) + " × " +
                                    std::string(counter::kSmCyclesActiveAvg) + " × SMs / " +
                                    std::string(counter::kGlobalInstructions),
                         .value = each,
                         .unit = Unit::Count,
                         .threshold = kFar,
                         .healthy = 1000}};
    finding.expected = {withoutStall(stalls, *stall)};
    return finding;
}

}  // namespace

extern const Rule memory_not_on_gpu;
const Rule memory_not_on_gpu{
    .id = "memory-not-on-gpu",
    .category = "latency",
    .needs = {CounterGroup::Default, CounterGroup::Stalls},
    .before = "__managed__ int found;  // written by kernels, read by the host",
    .after =
        "__device__ int found;\n"
        "cudaMemcpyFromSymbolAsync(pinned, found, sizeof(int), 0, cudaMemcpyDeviceToHost);",
    .en = {.title = "Memory that is not on the GPU",
           .firesWhen =
               "The kernel is latency-bound, an access to global memory waits 10,000 cycles or "
               "more, and there are too few accesses for a queue.",
           .sentence = "An access to global memory waits {wait} on average, and nothing on the GPU "
                       "is busy: pages move between host and GPU, or the data lies in the host's "
                       "memory.",
           .mechanism = "Managed memory that host and GPU use in turns moves with each use, or "
                        "stays with the host, and then every access crosses the link. While a "
                        "page fault is served, other accesses of the SM wait as well.",
           .edit = "Keep what kernels write or count with in device memory (cudaMalloc, "
                   "__device__), and copy the few values that the host needs. Prefetch managed "
                   "memory that kernels read (cudaMemPrefetchAsync).",
           .ruledOut = "memory that is not on the GPU",
           .gain = "duration × share of the resident warps' time that waits for memory"},
    .check = check,
    .explains = {"imbalance"},
    .causesStalls = {kReason}};

}  // namespace roofscope::rules
