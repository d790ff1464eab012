// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/roofline/roofline.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope::rules {

namespace {

/// Instructions of one try to add a floating-point number to shared memory: load, add,
/// compare-and-swap, test, jump. No chip adds them there by itself.
constexpr double kPerTry = 5;
/// With less than a tenth of the instructions, the loop is not what takes the time.
constexpr double kLeastInstructions = 0.10;
/// The same launch executes the same instructions each time, unless it tries again what others
/// prevented. Loops without contention differed by up to 1.4 % between the two passes that count
/// instructions, contended ones by 11 to 90 % (H200).
constexpr double kLeastDifference = 0.04;
/// If the average try has no more than this share of a warp's lanes, lanes lose to each other and
/// try again. Otherwise all lanes add to addresses of their own. Known where instructions were
/// counted one by one.
constexpr double kFewLanes = 0.75;

/// Atomics on shared memory of a launch group, per launch.
struct SharedAtomics {
    double tries = 0;                  ///< warp instructions
    double wavefronts = 0;             ///< of these and of the loads before them
    double instructions = 0;           ///< all warp instructions
    double difference = 0;             ///< of `instructions` between two passes, as a share
    double listed = 0;                 ///< tries that the source pass counted
    std::optional<double> lanes = {};  ///< of the average try, as a share; absent without SASS
};

/// By counters: the shared-memory instructions that are neither loads nor stores. Absent for tensor
/// cores and asynchronous copies, because then these may be matrix loads. Each try of the loop
/// begins with a load, so there must be as many loads.
std::optional<SharedAtomics> byCounters(const RuleInput& input) {
    const auto sums = jointSums(
        input, {counter::kSharedInstructions, counter::kSharedLoads, counter::kSharedStores,
                counter::kSharedGmma, counter::kAsyncCopies, counter::kSharedWavefronts,
                counter::kSharedLoadWavefronts, counter::kSharedStoreWavefronts,
                counter::kWarpInstructions, counter::kWarpInstructionsAgain});
    if (!sums.ok() || sums[3] > 0 || sums[4] > 0 || usesTensorCores(input.kernel.quantities))
        return std::nullopt;
    const double tries = sums.mean(0) - sums.mean(1) - sums.mean(2);
    if (!(tries > 0) || sums.mean(1) < tries || !(sums[8] > 0) || !(sums[9] > 0))
        return std::nullopt;
    return SharedAtomics{.tries = tries,
                         .wavefronts = sums.mean(5) - sums.mean(6) - sums.mean(7) + tries,
                         .instructions = sums.mean(8),
                         .difference = std::abs(sums[8] - sums[9]) / std::min(sums[8], sums[9])};
}

bool isSwap(const SassFacts& facts) {
    return facts.kind == SassKind::SharedAtomic && facts.opcode.find(".CAS") != std::string::npos;
}

/// Adds what the machine code says of the same instructions. False if they are no loop.
bool addSource(SharedAtomics& atomics, const SourceAnalysis& source) {
    double executed = 0, threads = 0;
    for (std::size_t row = 0; row < source.perRow.size(); ++row) {
        if (!isSwap(source.facts[row])) continue;
        executed += source.perRow[row].executed.value_or(0);
        threads += source.perRow[row].threads.value_or(0);
    }
    if (!(executed > 0)) return false;
    atomics.listed = executed;
    constexpr double kLanes = 32;
    if (threads > 0) atomics.lanes = threads / (kLanes * executed);
    return true;
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    const Quantities& q = kernel.quantities;
    auto atomics = byCounters(input);
    if (!atomics) return NotApplicable{};
    // The number of tries differs from run to run, so the source pass need not agree with the
    // counters.
    const SourceAnalysis* source =
        kernel.source && kernel.source->hasSass ? kernel.source.get() : nullptr;
    if (source && !addSource(*atomics, *source)) return NotApplicable{};
    const double loop = std::min(1.0, atomics->tries * kPerTry / atomics->instructions);
    if (loop < kLeastInstructions) return NotApplicable{};
    const bool contended =
        atomics->difference >= kLeastDifference || (atomics->lanes && *atomics->lanes <= kFewLanes);
    const Resources resources = resourcesOf(q);
    const auto& pipe = q.sharedPipeUtilisation;
    if (!pipe.has() || !q.lsuWavefronts.has() || !(*q.lsuWavefronts > 0)) return NotApplicable{};
    const double busy =
        std::min(1.0, pipe->value * (q.busiestSmFactor.has() ? *q.busiestSmFactor : 1.0));
    if (!contended) {
        // Without contention, the atomics may be integers, which one instruction adds, or lanes may
        // have addresses of their own.
        if (source || busy < kBusyShare || isForeign(kernel.origin)) return NotApplicable{};
        return cannotTell(Words("which atomics on shared memory try again"), CounterGroup::Source);
    }
    const auto all = jointSums(input, {counter::kSharedWavefronts});
    const double most = std::max(*q.lsuWavefronts, all.ok() ? all.mean(0) : 0.0);
    const double part = std::min(1.0, atomics->wavefronts / most);
    const double others = std::max(
        resources.busiestExcept({ResourceId::SharedPipe, ResourceId::L1, ResourceId::Issue}),
        resources.busy(ResourceId::Issue) * (1.0 - loop));
    const double gain =
        limitToEmptyLaunch(input, std::max(0.0, std::min(part * busy, 1.0 - others)));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeEstimate(input, gain);
    finding.relief = {{ResourceId::SharedPipe, 1.0 - part},
                      {ResourceId::L1, 1.0 - part},
                      {ResourceId::Issue, 1.0 - loop}};
    finding.args = {arg("tries", atomics->tries, Unit::Count), arg("part", part, Unit::Share),
                    arg("loop", loop, Unit::Share)};
    finding.evidence = {
        {.label = Words("shared-memory wavefronts of these atomics and their loads"),
         .formula = std::string(counter::kSharedWavefronts) + " − those of loads and stores + " +
                    "one for each atomic, / all",
         .value = part,
         .unit = Unit::Share},
        {.label = Words("warp instructions of the loop that tries again"),
         .formula = "5 × (" + std::string(counter::kSharedInstructions) + " − loads − stores) / " +
                    std::string(counter::kWarpInstructions),
         .value = loop,
         .unit = Unit::Share,
         .threshold = kLeastInstructions,
         .healthy = 0.0},
        {.label = Words("instructions of the same launch in two passes differ by"),
         .formula = std::string(counter::kWarpInstructions) + " / " +
                    std::string(counter::kWarpInstructionsAgain) + " − 1",
         .value = atomics->difference,
         .unit = Unit::Share,
         .threshold = kLeastDifference,
         .healthy = 0.0}};
    if (atomics->lanes)
        finding.evidence.push_back({.label = Words("lanes that take part in the average try"),
                                    .formula = std::string(counter::kSassThreads) + " / (32 × " +
                                               std::string(counter::kSassExecuted) + "), ATOMS.CAS",
                                    .value = *atomics->lanes,
                                    .unit = Unit::Share,
                                    .threshold = kFewLanes,
                                    .healthy = 1.0});
    finding.expected =
        movementOf(counter::kSharedWavefronts, all.ok() ? all.mean(0) : most,
                   std::max(0.0, (all.ok() ? all.mean(0) : most) - atomics->wavefronts));
    if (source)
        finding.places = worstPlaces(
            input.profile, *source, Words("tries"), atomics->listed, [&](std::size_t row) {
                return isSwap(source->facts[row]) ? source->perRow[row].executed.value_or(0) : 0.0;
            });
    return finding;
}

}  // namespace

extern const Rule shared_atomics;
const Rule shared_atomics{
    .id = "shared-atomics",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .helpedBy = {CounterGroup::Source},
    .before = "atomicAdd(&sum, x);  // __shared__ float sum, every thread of the block",
    .after =
        "for (int lanes = 16; lanes > 0; lanes /= 2) x += __shfl_down_sync(~0u, x, lanes);\n"
        "if (threadIdx.x % 32 == 0) atomicAdd(&sum, x);  // one per warp",
    .en = {.title = "Contended atomics on shared memory",
           .firesWhen =
               "Atomics on shared memory that are a loop of compare-and-swap (floating-point "
               "numbers) are at least 10 % of the instructions, and threads try again: the same "
               "launch executes at least 4 % more instructions in one pass than in another, or at "
               "most 75 % of the lanes take part in the average try.",
           .sentence = "Threads try again and again to change the same words of shared memory: "
                       "{tries} tries are {loop} of all instructions and {part} of the "
                       "shared-memory wavefronts.",
           .mechanism = "Shared memory cannot add floating-point numbers: atomicAdd is a loop of "
                        "load, add and compare-and-swap, and of all threads that try at the same "
                        "time one succeeds. With 256 threads and one word, the last one tries up "
                        "to 256 times.",
           .edit = "Reduce within the warp first (__shfl_down_sync, or cg::reduce), then one "
                   "atomic per warp; or write one value per warp to shared memory and let the "
                   "first warp add them. Where the address depends on the data (a histogram), "
                   "give each warp its own copy.",
           .ruledOut = "contended atomics on shared memory",
           .gain = "min(part of the shared-memory wavefronts × pipe utilisation of the busiest SM, "
                   "1 − busiest other resource, the remaining instructions included) × duration"},
    .check = check,
    .namesLine = NamesLine::ByCounters,
    .canBeatItsRoof = true,
    .causesStalls = {"short_scoreboard", "mio_throttle"}};

}  // namespace roofscope::rules
