// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/roofline/roofline.h"

namespace roofscope::rules {

namespace {

/// The counters do not show how many loads a thread has in flight. Compilers unroll simple loops
/// four times, so four loads are assumed.
constexpr double kIndependentLoads = 4.0;
constexpr double kLanes = 32.0;
/// As for global-narrow-access: the kernel uses the DRAM, which is not busy enough.
constexpr double kDramInUse = 0.15, kDramCeiling = 0.75;
/// Mostly narrow accesses are reported by global-narrow-access; its edit helps here, too.
constexpr double kMostlyNarrow = 0.75;
/// Bulk copies and asynchronous copies keep more in flight than a thread's registers hold. DRAM
/// reads beyond what loads request are theirs, or come from elsewhere.
constexpr double kExplained = 1.5;

/// Bytes of a thread's widest access; 0 if widths are not known.
double widest(const Quantities& q) {
    double bytes = 0;
    for (std::size_t i = 0; i < q.widths.instructions.size(); ++i) {
        const auto& count = q.widths.instructions[i];
        if (!count.has()) return 0;
        if (*count > 0) bytes = static_cast<double>(std::size_t{1} << i);
    }
    return bytes;
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const auto cls = input.kernel.verdict.cls;
    if (cls != VerdictClass::LatencyBound && cls != VerdictClass::MemoryBound)
        return NotApplicable{};
    const Resources resources = resourcesOf(q);
    const Resource* dram = resources.find(ResourceId::Dram);
    if (!dram || dram->busy < kDramInUse || dram->busy >= kDramCeiling ||
        resources.busiestExcept({ResourceId::Dram}) > dram->busy || !q.dramRead.has() ||
        !(q.dramRead->value > q.dramWrite->value))
        return NotApplicable{};  // reads from DRAM do not dominate the time
    const auto l2Bytes = deviceOf(input).l2Bytes;
    if (!l2Bytes || q.bytes[Level::Dram]->value < static_cast<double>(*l2Bytes))
        return NotApplicable{};  // too short: mostly start and end, see global-narrow-access
    if (q.widths.globalNarrowCertain.has() && q.widths.globalNarrowCertain->value >= kMostlyNarrow)
        return NotApplicable{};
    if (!q.inFlightNeed.has()) return NotApplicable{};  // not known for this chip
    const auto copies = jointSums(input, {counter::kAsyncCopies});
    if (!copies.ok()) return cannotTell(copies.missing);
    if (!q.loads.requested.has()) return cannotTell(q.loads.requested.missing);
    if (copies[0] > 0 || q.dramRead->value > kExplained * q.loads.requested->value)
        return NotApplicable{};
    if (usesTensorCores(q)) return NotApplicable{};
    const double width = widest(q);
    if (!(width > 0)) return cannotTell(q.widths.globalNarrowCertain.missing);
    const Occupancy& occupancy = q.occupancy;
    if (!occupancy.residentBlocksPerSm.has())
        return cannotTell(occupancy.residentBlocksPerSm.missing,
                          Words("record again: the launch's occupancy is needed"));

    // As many warps as can be resident at all, with four of the widest loads per thread.
    const auto& group = input.kernel.group;
    const double blocks =
        std::min(*occupancy.residentBlocksPerSm,
                 std::ceil(static_cast<double>(group.grid.total()) / deviceOf(input).smCount));
    const double warps = blocks * std::ceil(static_cast<double>(group.block.total()) / kLanes);
    const double most = warps * kLanes * width * kIndependentLoads;
    // Reads need only their share of the DRAM's time.
    const double reads = q.dramRead->value / q.bytes[Level::Dram]->value;
    const double need = q.inFlightNeed->value * reads;
    const RuledOut ruledOut{.args = {arg("most", most, Unit::Bytes), arg("need", need, Unit::Bytes),
                                     arg("warps", warps, Unit::Count)},
                            .cost = 1.0 - std::min(1.0, dram->busy)};
    if (most >= need) return ruledOut;
    const double gain = limitToEmptyLaunch(input, 1.0 - std::min(1.0, dram->busy));
    if (gain < kLeastReportedGain) return ruledOut;
    Finding finding = makeFinding(input, gain);
    finding.args = {arg("most", most, Unit::Bytes), arg("need", need, Unit::Bytes),
                    arg("warps", warps, Unit::Count), arg("width", width, Unit::Bytes),
                    arg("dram", dram->busy, Unit::Share)};
    finding.evidence = {{.label = Words("bytes in flight per SM, upper bound"),
                         .formula = "resident warps × 32 × widest access × 4 loads",
                         .value = most,
                         .unit = Unit::Bytes,
                         .threshold = need,
                         .healthy = need},
                        {.label = Words("resident warps per SM"),
                         .formula = occupancy.residentBlocksPerSm.how,
                         .value = warps,
                         .unit = Unit::Count},
                        {.label = Words("DRAM bandwidth, share of what this mix can attain"),
                         .formula = q.utilisation[Level::Dram].how + " / attainable share",
                         .value = dram->busy,
                         .unit = Unit::Share,
                         .threshold = kDramCeiling,
                         .healthy = 0.95}};
    finding.expected = {{.counter = Words("DRAM bandwidth, share of what can be attained"),
                         .what = moved::Value::DramBandwidth,
                         .from = dram->busy,
                         .to = 1.0,
                         .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule bytes_in_flight;
const Rule bytes_in_flight{
    .id = "bytes-in-flight",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "for (int i = first; i < n; i += step) sum += x[i];",
    .after =
        "float4 a = x4[i], b = x4[i + step], c = x4[i + 2 * step], d = x4[i + 3 * step];\n"
        "sum += total(a) + total(b) + total(c) + total(d);  // four loads before the first use",
    .en = {.title = "Too few bytes in flight to hide the DRAM's latency",
           .firesWhen =
               "The kernel reads mostly from DRAM, which is the busiest resource but below 75 % of "
               "what can be attained, and even if each resident thread had four of its widest "
               "loads in flight, that would be fewer bytes than bandwidth × latency.",
           .sentence = "The {warps} {warps?warp:warps} that an SM holds can have at most {most} in "
                       "flight (four loads of {width} per thread); the DRAM needs {need} in flight "
                       "per SM to stay busy, and runs at {dram} of what it can attain.",
           .mechanism = "Bandwidth is bytes in flight divided by latency. With too few of them the "
                        "DRAM idles, however well each access is coalesced.",
           .edit =
               "Keep more warps resident (smaller blocks, fewer registers or less shared memory "
               "per block), let each thread load more before it uses the first value (unroll, "
               "float4), or copy asynchronously into shared memory (cp.async, TMA), which needs "
               "no registers.",
           .ruledOut = "bytes in flight ({warps} {warps?warp:warps} per SM can have {most} in "
                       "flight with four loads each, {need} are needed)",
           .gain =
               "(1 − DRAM bandwidth / bandwidth that this mix of reads and writes can attain) × "
               "duration",
           .editInTriton =
               "In Triton, let a loop's loads run ahead (num_stages, in the launch or in "
               "tl.range), give each thread more bytes per load (a larger BLOCK or fewer "
               "warps), or keep more programs resident (smaller blocks)."},
    .check = check,
    .tooLittleWork = true,
    .causesStalls = {"long_scoreboard"}};

}  // namespace roofscope::rules
