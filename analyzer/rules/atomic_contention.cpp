// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/atomic_share.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/language/sentence.h"
#include "analyzer/source/source_analysis.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "profile/names/instrumented.h"

namespace roofscope::rules {

namespace {

/// Addresses are hashed over the slices, so atomics to many addresses load all slices equally.
/// Twice the average in one slice means few addresses.
constexpr double kConcentrated = 2.0;
/// From this share of global accesses on, a kernel may wait for atomics.
constexpr double kManyAtomics = 0.05;

/// Whether accesses may queue up although L1 and L2 are hardly busy, as atomics to few addresses
/// do. For kernels so long that their instructions were not counted by kind.
bool mayQueueUp(const RuleInput& input) {
    constexpr double kMuch = 0.25, kIdle = 0.2;
    const Resources resources = resourcesOf(input.kernel.quantities);
    if (resources.busiestExcept({}) >= kIdle || isForeign(input.kernel.origin)) return false;
    const Stalls stalls = stallsOf(input.profile, input.kernel);
    const auto& time = input.kernel.quantities.duration;
    if (stalls.reasons.empty()) return time.count > 0 && isLongToInstrument(time.median.value);
    return stalls.shareOf("lg_throttle") >= kMuch;
}

/// Whether the busiest unit may be at its limit although its counted use is low: a floating-point
/// addition to an address takes several cycles, and it is not known how many on this chip.
bool mayBeSlowAdditions(const RuleInput& input, double busiest, double average) {
    constexpr double kFewAddresses = 4, kLeast = 0.10;  // at most ten cycles for an addition
    const auto chip = chipTable(deviceOf(input));
    return (!chip || !chip->floatAtomicCycles) && busiest >= kLeast &&
           busiest >= kFewAddresses * average &&
           input.kernel.verdict.cls == VerdictClass::LatencyBound;
}

/// Whether warps may wait for additions of floating-point numbers to a few addresses. These take
/// several cycles each, fewer where a slice holds more than one of the addresses, so a unit that
/// does nothing else shows less than 60 %: at least the share for one address. All else idles.
bool mayBeSerialAdditions(const RuleInput& input, double busiest, double average) {
    constexpr double kFewAddresses = 10, kMargin = 0.06, kIdle = 0.25, kWaits = 0.3;
    const auto chip = chipTable(deviceOf(input));
    if (!chip || !chip->floatAtomicCycles || isForeign(input.kernel.origin) ||
        input.kernel.verdict.cls != VerdictClass::LatencyBound ||
        busiest < (1 - kMargin) / *chip->floatAtomicCycles || busiest < kFewAddresses * average ||
        resourcesOf(input.kernel.quantities).busiestExcept({ResourceId::L2Atomics}) > kIdle)
        return false;
    const Stalls stalls = stallsOf(input.profile, input.kernel);
    return stalls.shareOf("lg_throttle") + stalls.shareOf("mio_throttle") >= kWaits;
}

/// Whether at least half of the atomics that are issued add floating-point numbers; of kernels that
/// were only sampled, by where their warps are seen.
bool addsFloats(const SourceAnalysis& source) {
    constexpr double kHalf = 0.5;
    const std::vector<double>& weights =
        source.issuedTotal > 0 ? source.issued : source.stalls.perRow;
    double all = 0, floats = 0;
    for (std::size_t row = 0; row < std::min(source.facts.size(), weights.size()); ++row) {
        if (!isGlobalAtomic(source.facts[row].kind)) continue;
        all += weights[row];
        if (source.facts[row].opcode.find(".ADD.F") != std::string::npos) floats += weights[row];
    }
    return floats > 0 && floats >= kHalf * all;
}

SharedText ofReach(const Derived<Ratio>& unit, const Quantities& q, bool serial) {
    if (serial) return unit.how + " / what additions to a few addresses reach";
    if (!q.atomicUnitReach.has() || q.atomicUnitReach->value == 1.0) return unit.how;
    return unit.how + " / (" + q.atomicUnitReach.how.str() + ")";
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (!q.atomicUnitBusiest.has() || !q.atomicUnitAverage.has()) {
        if (input.kernel.verdict.cls != VerdictClass::LatencyBound) return NotApplicable{};
        const auto share = atomicShareOfAccesses(input);
        if (share ? *share < kManyAtomics : !mayQueueUp(input)) return NotApplicable{};
        return cannotTell(q.atomicUnitBusiest.missing, CounterGroup::Atomics);
    }
    const double known = q.atomicUnitReach.has() ? q.atomicUnitReach->value : 1.0;
    const SourceAnalysis* const source = input.kernel.source.get();
    const bool hasCode = source && source->hasSass;
    bool serial = known == 1.0 && mayBeSerialAdditions(input, q.atomicUnitBusiest->value,
                                                       q.atomicUnitAverage->value);
    if (serial && !hasCode)
        return cannotTell(Words("what the atomics do, by machine code"), CounterGroup::Source);
    serial = serial && addsFloats(*source);
    const double reach = serial ? q.atomicUnitBusiest->value : known;
    const double busiest = std::min(1.0, q.atomicUnitBusiest->value / reach);
    const double average = q.atomicUnitAverage->value / reach;
    if (busiest == 0.0) return NotApplicable{};  // no atomics reach the L2
    const double others = resourcesOf(q).busiestExcept({ResourceId::L2Atomics});
    const RuledOut ruledOut{
        .args = {arg("busiest", busiest, Unit::Share), arg("average", average, Unit::Share)},
        .cost = std::max(0.0, std::min(busiest - average, 1.0 - others))};
    if (busiest < kBusyShare && mayBeSlowAdditions(input, busiest, average)) {
        CannotTell unknown =
            cannotTell(Words("the cycles of a floating-point addition to one address on this chip"),
                       Words("compare with a run that adds to more addresses, or integers"));
        unknown.forImports = true;
        return unknown;
    }
    if (busiest < kBusyShare || busiest < others + kLead || busiest < kConcentrated * average)
        return ruledOut;
    const double gain = limitToEmptyLaunch(input, std::min(busiest - average, 1.0 - others));
    if (gain < kLeastReportedGain) return ruledOut;
    Finding finding = makeEstimate(input, gain);
    finding.args = ruledOut.args;
    const auto chip = chipTable(deviceOf(input));
    if (reach < 1.0) {
        const std::string percent = fmt::format("{:.3g} %", average * 100);
        finding.args.back().text =
            wordsOf("{} (a floating-point addition takes {:.0f} cycles)", percent,
                    serial && chip ? chip->floatAtomicCycles.value_or(1 / reach) : 1 / reach);
    }
    finding.relief =
        relieves({ResourceId::L2Atomics, ResourceId::L2, ResourceId::L1, ResourceId::Issue});
    finding.evidence = {{.label = Words("atomic unit of the busiest L2 slice in use"),
                         .formula = ofReach(q.atomicUnitBusiest, q, serial),
                         .value = busiest,
                         .unit = Unit::Share,
                         .threshold = kBusyShare},
                        {.label = Words("atomic unit of the average L2 slice in use"),
                         .formula = ofReach(q.atomicUnitAverage, q, serial),
                         .value = average,
                         .unit = Unit::Share,
                         .threshold = busiest / kConcentrated}};
    finding.expected = {{.counter = Words::lasting(q.atomicUnitBusiest.how),
                         .what = moved::Value::AtomicUnit,
                         .from = q.atomicUnitBusiest->value,
                         .to = q.atomicUnitAverage->value,
                         .unit = Unit::Share}};
    return finding;
}

}  // namespace

extern const Rule atomic_contention;
const Rule atomic_contention{
    .id = "atomic-contention",
    .category = "memory",
    .needs = {CounterGroup::Default, CounterGroup::Atomics},
    .helpedBy = {CounterGroup::Stalls, CounterGroup::Source},
    .before = "atomicAdd(&total, x);  // every thread, one address",
    .after =
        "x = cg::reduce(warp, x, cg::plus<int>());\n"
        "if (warp.thread_rank() == 0) atomicAdd(&blockTotal, x);  // shared memory\n"
        "__syncthreads();\n"
        "if (threadIdx.x == 0) atomicAdd(&total, blockTotal);",
    .en = {.title = "Contended atomics",
           .firesWhen = "The atomic unit of one L2 slice is at least 60 % busy, leads every other "
                        "resource by 10 points, and has at least twice the work of the "
                        "average slice; or it is as busy as additions of floating-point numbers "
                        "to a few addresses make it, with ten times the work of the average "
                        "slice, while warps queue up and all else idles.",
           .sentence =
               "The atomic unit of one L2 slice is {busiest} busy, that of the average slice "
               "{average}: the atomics go to few addresses.",
           .mechanism =
               "Addresses are spread over the slices of the L2. Atomics to one address are "
               "done one after the other by the one slice that holds it, whatever the "
               "other slices do.",
           .edit = "Combine before going to memory: reduce within the warp, then within the block "
                   "in shared memory, and issue one atomic per block. Where the address depends on "
                   "the data (a histogram), give each block its own counters in shared memory and "
                   "add them up at the end.",
           .ruledOut = "contended atomics (busiest slice {busiest}, average {average})",
           .gain = "min(atomic unit of the busiest L2 slice − of the average slice, "
                   "1 − busiest other resource) × duration"},
    .check = check,
    .canChangeVerdict = true,
    .explains = {"short-blocks"}};

}  // namespace roofscope::rules
