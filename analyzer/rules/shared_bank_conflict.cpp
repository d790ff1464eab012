// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/language/sentence.h"
#include "analyzer/roofline/roofline.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope::rules {

namespace {

/// Below a tenth of the wavefronts even a saturated pipe gains little, and the upper bound of the
/// ideal leaves room for odd shapes (partial warps, unaligned vectors).
constexpr double kLeastExcess = 0.10;
/// On tensor cores, shared loads may be LDSM instructions. These need four wavefronts without a
/// conflict, and the counters of widths do not distinguish them.
constexpr double kMatrixWavefronts = 4.0;

double certainExcess(const ConflictEstimate& estimate, bool matrixLoads) {
    if (!estimate.wavefronts.has() || !estimate.idealHigh.has()) return 0;
    double ideal = *estimate.idealHigh;
    if (matrixLoads) ideal = std::max(ideal, kMatrixWavefronts * *estimate.instructions);
    return std::max(0.0, *estimate.wavefronts - ideal);
}

/// Conflicts by each instruction's own ideal; all are ratios of one launch.
struct ExactConflicts {
    struct Side {
        double wavefronts = 0, excess = 0;
        [[nodiscard]] double share() const { return wavefronts > 0 ? excess / wavefronts : 0.0; }
        [[nodiscard]] double degree() const {
            return wavefronts > excess ? wavefronts / (wavefronts - excess) : 1.0;
        }
    };
    Side loads, stores;
    /// Loads and stores together; tensor-core operands and atomics are left out.
    [[nodiscard]] Side both() const {
        return {loads.wavefronts + stores.wavefronts, loads.excess + stores.excess};
    }
};

std::optional<ExactConflicts> exactConflicts(const RuleInput& input) {
    const SourceAnalysis* source = input.kernel.source.get();
    if (!source || !source->hasSass || !source->agrees || !source->total.wavefronts)
        return std::nullopt;
    const auto side = [&](std::span<const SassKind> kinds) -> std::optional<ExactConflicts::Side> {
        const SourceSums sums = source->sumOf(kinds);
        if (!sums.wavefronts) return ExactConflicts::Side{};  // no such instruction
        if (!sums.excessWavefronts) return std::nullopt;
        return ExactConflicts::Side{*sums.wavefronts, *sums.excessWavefronts};
    };
    const auto loads = side(kSharedLoadKinds), stores = side(kSharedStoreKinds);
    if (!loads || !stores || !(loads->wavefronts + stores->wavefronts > 0)) return std::nullopt;
    return ExactConflicts{*loads, *stores};
}

Words kindOf(bool loads) { return loads ? Words("loads") : Words("stores"); }

/// Shared loads and shared stores, each judged for itself.
struct Sides {
    const Quantities& q;
    const std::optional<ExactConflicts>& exact;
    bool matrixLoads;

    [[nodiscard]] const ConflictEstimate& estimate(bool loads) const {
        return loads ? q.sharedLoads : q.sharedStores;
    }
    [[nodiscard]] const ExactConflicts::Side& exactSide(bool loads) const {
        return loads ? exact->loads : exact->stores;
    }
    [[nodiscard]] bool conflict(bool loads) const {
        if (exact) return exactSide(loads).share() >= kLeastExcess;
        const ConflictEstimate& side = estimate(loads);
        return side.wavefronts.has() && *side.wavefronts > 0 &&
               certainExcess(side, matrixLoads) / *side.wavefronts >= kLeastExcess;
    }
    /// Wavefronts per ideal wavefront; 0 where the side does not certainly conflict.
    [[nodiscard]] double degree(bool loads) const {
        if (!conflict(loads)) return 0;
        if (exact) return exactSide(loads).degree();
        return estimate(loads).degree.has() ? *estimate(loads).degree : 0.0;
    }
    /// Adds the side's evidence, and what its wavefronts should become.
    void show(Finding& finding, bool loads) const {
        const ConflictEstimate& side = estimate(loads);
        if (exact ? !side.wavefronts.has() : !side.degree.has() || !side.idealHigh.has()) return;
        const std::string name(loads ? counter::kSharedLoadWavefronts
                                     : counter::kSharedStoreWavefronts);
        finding.evidence.push_back(
            {.label = wordsOf("wavefronts per ideal wavefront, shared {}", kindOf(loads)),
             .formula = exact ? std::string(counter::kSassSharedWavefronts) + " / …_ideal"
                              : name + " / " + side.idealHigh.how,
             .value = exact ? exactSide(loads).degree() : *side.degree,
             .unit = Unit::Ways,
             .healthy = 1.0});
        finding.expected.push_back(
            {.counter = Words::same(name),
             .what = moved::Counters{name},
             .from = *side.wavefronts,
             .to = exact ? *side.wavefronts * (1.0 - exactSide(loads).share()) : *side.idealHigh,
             .unit = Unit::Count});
    }
};

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (!q.shared.wavefronts.has()) return cannotTell(q.shared.wavefronts.missing);
    if (!q.shared.excessCertain.has()) return NotApplicable{};  // no shared-memory accesses
    const bool matrixLoads = usesTensorCores(q);
    const double wavefronts = *q.shared.wavefronts;
    const std::optional<ExactConflicts> exact = exactConflicts(input);
    // If only loads or only stores are wide, judging them separately shows more than their sum.
    const double excess = exact ? exact->both().share() * wavefronts
                                : std::max(certainExcess(q.shared, matrixLoads),
                                           certainExcess(q.sharedLoads, matrixLoads) +
                                               certainExcess(q.sharedStores, matrixLoads));
    const double share = wavefronts > 0 ? excess / wavefronts : 0.0;

    const auto& pipe = q.sharedPipeUtilisation;
    if (share >= kLeastExcess && (!pipe.has() || !q.lsuWavefronts.has()))
        return cannotTell(pipe.has() ? q.lsuWavefronts.missing : pipe.missing);

    // Removing wavefronts saves at most the time that they occupy the pipe of the busiest SM, and
    // nothing below what the other resources need.
    double gain = 0, busy = 0;
    const Resources resources = resourcesOf(q);
    if (pipe.has() && q.lsuWavefronts.has() && *q.lsuWavefronts > 0) {
        busy = std::min(1.0, pipe->value * (q.busiestSmFactor.has() ? *q.busiestSmFactor : 1.0));
        const double removed = std::min(1.0, excess / *q.lsuWavefronts) * busy;
        const double floor = resources.busiestExcept({ResourceId::SharedPipe, ResourceId::L1});
        gain = limitToEmptyLaunch(input, std::max(0.0, std::min(removed, 1.0 - floor)));
    }
    if (share < kLeastExcess || gain < kLeastReportedGain)
        return RuledOut{.args = {arg("excess", share, Unit::Share), arg("cost", gain, Unit::Share)},
                        .cost = gain};

    // The side with the higher degree is named; both are shown if both certainly conflict.
    const Sides sides{q, exact, matrixLoads};
    const bool loadsWorse = sides.degree(true) >= sides.degree(false);
    const double worst = sides.degree(loadsWorse);
    const double degree = worst > 0 ? worst : exact ? exact->both().degree() : *q.shared.degree;
    Finding finding = makeEstimate(input, gain);
    const double left = 1.0 - std::min(1.0, excess / *q.lsuWavefronts);
    finding.relief = {{ResourceId::SharedPipe, left}, {ResourceId::L1, left}};
    // A pipe that is not among the leading resources is not what the kernel waits for.
    const Resource* busiest = resources.busiest();
    if (busiest && busiest->busy - busy >= kLead && busiest->busy >= kBusyShare && !finding.minor)
        finding.minor = finding.blocked = true;
    finding.args = {arg("degree", degree, Unit::Ways),
                    arg("kind", kindOf(loadsWorse)),
                    arg("excess", share, Unit::Share),
                    arg("pipe", pipe->value, Unit::Share),
                    arg("wavefronts", wavefronts, Unit::Count),
                    arg("instructions", *q.shared.instructions, Unit::Count)};
    finding.evidence = {
        {.label = exact ? Words("excess shared wavefronts, by instruction")
                        : Words("excess shared wavefronts, certain"),
         .formula = exact ? "(wavefronts − ideal) / wavefronts, instruction by instruction: " +
                                std::string(counter::kSassSharedWavefronts) + ", …_ideal"
                          : "(wavefronts − highest ideal) / wavefronts",
         .value = share,
         .unit = Unit::Share,
         .threshold = kLeastExcess,
         .healthy = 0.0},
        {.label = Words("LSU data pipe utilisation"),
         .formula = counter::kLsuPipe,
         .value = pipe->value,
         .unit = Unit::Share}};
    sides.show(finding, loadsWorse);
    if (sides.conflict(true) && sides.conflict(false)) sides.show(finding, !loadsWorse);
    if (input.kernel.source) finding.places = conflictPlaces(input.profile, *input.kernel.source);
    return finding;
}

}  // namespace

extern const Rule shared_bank_conflict;
const Rule shared_bank_conflict{
    .id = "shared-bank-conflict",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "__shared__ float tile[32][32];\nx = tile[threadIdx.x][row];",
    .after =
        "__shared__ float tile[32][32 + 1];  // stride 33: odd, so no two lanes "
        "collide\nx = tile[threadIdx.x][row];",
    .en =
        {.title = "Bank conflicts in shared memory",
         .firesWhen = "At least 10 % of the shared-memory wavefronts are certainly caused by bank "
                      "conflicts, and removing them can save time.",
         .sentence = "Shared-memory {kind} run at least {degree}: {excess} of all shared "
                     "wavefronts ({wavefronts} for {instructions} instructions) are replays, "
                     "while the LSU data pipe is {pipe} busy.",
         .mechanism = "Lanes of one warp address different rows of the same bank. There are 32 "
                      "banks of 4 bytes; a row stride that is a multiple of 32 words puts a whole "
                      "column into one bank, and the hardware serves one row after the other.",
         .edit = "Pad the row of the tile by one word so that a column spreads over all banks; "
                 "for 16-byte accesses or asynchronous copies use an XOR swizzle of the column "
                 "index instead, which keeps rows aligned.",
         .ruledOut = "bank conflicts ({excess} of the shared wavefronts are certain replays, "
                     "worth at most {cost} of the time)",
         .gain = "min(excess shared wavefronts / all LSU wavefronts × LSU pipe utilisation of "
                 "the busiest SM, 1 − busiest other resource) × duration",
         .editInTriton =
             "Triton lays out shared memory itself; conflicts come from transposing blocks "
             "(tl.trans, tl.reshape, a reduction along another axis than the loads'). Load each "
             "operand in the order in which it is used, and try other BLOCK sizes and num_warps."},
    .check = check,
    .namesLine = NamesLine::ByCounters,
    .causesStalls = {"short_scoreboard", "mio_throttle"}};

}  // namespace roofscope::rules
