// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/language/sentence.h"

namespace roofscope::rules {

namespace {

/// Tile products are multiply-adds and little else.
constexpr double kLeastFused = 0.9;
/// Shared wavefronts per multiply-add of a warp. An SM starts four multiply-adds in the time of one
/// wavefront, so at 0.25 both pipes are equally busy. A wide read of one operand and a broadcast of
/// the other make 1.25; at 1.5 every multiply-add reads both operands anew.
constexpr double kLeastWavefronts = 1.4;
constexpr double kBalanced = 0.25;
/// How often each byte that came to the SM must be read there. Without reuse there is nothing to
/// keep in registers (a matrix times a vector, read once or less). A lower bound: what the kernel
/// writes counts as having come (an LU decomposition by tiles of 16 × 16 has 2.3).
constexpr double kLeastReuse = 2;
/// Bytes of shared loads per multiply-add of a warp, each counted once: the words of half the
/// lanes. A word that all lanes read (a filter's coefficient) is not a row of a tile.
constexpr double kLeastBytes = 64;
/// Above this, replays fill the pipe, and shared-bank-conflict reports them.
constexpr double kMostExcess = 0.1;
/// Loops of other arithmetic (the sum and the minimum of a shortest path): the share of loads among
/// all instructions, and how many stores come with them at most. A sort or a scan stores as much as
/// it loads: its values move, and none of them is used again from a register.
constexpr double kLeastLoads = 0.25, kMostStores = 0.2;

/// A loop that waits for its operands.
struct Loop {
    Words title = {};
    Words what;        ///< what the loads are for, as the finding's first words
    double loads = 0;  ///< wavefronts per multiply-add; of other arithmetic, per load
    std::optional<double> reuse = {};  ///< reads of each byte in shared memory, lower bound
    Evidence evidence;
    Words edit = {};  ///< empty: the rule's
};

/// A loop of something else than multiply-adds. `share`: of loads among all instructions.
Loop loopOfLoads(double share, double wavefronts, std::optional<double> reuse) {
    return {.title = Words("Inner loop bound by shared-memory bandwidth"),
            .what = wordsOf("{:.0f} % of all instructions load from shared memory", 100 * share),
            .loads = wavefronts,
            .reuse = reuse,
            .evidence = {.label = Words("loads from shared memory among all instructions"),
                         .formula = std::string(counter::kSharedLoads) + " / " +
                                    std::string(counter::kWarpInstructions),
                         .value = share,
                         .unit = Unit::Share,
                         .threshold = kLeastLoads},
            .edit = Words(
                "Let each thread compute several neighbouring results (a tile of 4 × 4, or a row) "
                "from values that it loads into registers once. Where results are sums over "
                "windows or patches that overlap, add the parts that they share once: running or "
                "separable sums.")};
}

/// A loop of something else than multiply-adds; absent if it is none, or that is not known.
/// `incoming`: bytes that came to the SMs.
std::optional<Loop> loopOfOthers(const RuleInput& input, double incoming) {
    const Quantities& q = input.kernel.quantities;
    const auto sums = jointSums(
        input, {counter::kSharedLoads, counter::kSharedStores, counter::kSharedLoadBytes});
    if (!sums.ok() || !q.warpInstructions.has() || !q.sharedLoads.wavefronts.has())
        return std::nullopt;
    const double loads = sums.mean(0), share = loads / *q.warpInstructions;
    if (!(loads > 0) || share > 1 || share < kLeastLoads || sums.mean(1) > kMostStores * loads ||
        sums.mean(2) < kLeastBytes * loads || sums.mean(2) < kLeastReuse * incoming)
        return std::nullopt;
    return loopOfLoads(share, *q.sharedLoads.wavefronts / loads, sums.mean(2) / incoming);
}

/// A loop of a long kernel, of which the bytes of accesses were not counted. Without conflicts, a
/// load of 4 bytes per lane is one wavefront; wider loads are more, and are a tile's already. That
/// all lanes read one word is not seen. What asynchronous copies bring is not counted as stored.
std::optional<Loop> loopOfLong(const RuleInput& input) {
    constexpr double kOneWavefront = 1.1;
    const Quantities& q = input.kernel.quantities;
    const auto sums = jointSums(
        input, {counter::kSharedLoads, counter::kSharedStores, counter::kSharedLoadWavefronts});
    if (!sums.ok() || !q.warpInstructions.has()) return std::nullopt;
    const double loads = sums.mean(0), stores = sums.mean(1);
    const double share = loads / *q.warpInstructions, each = loads > 0 ? sums.mean(2) / loads : 0;
    if (!(loads > 0) || !(stores > 0) || share > 1 || share < kLeastLoads ||
        stores > kMostStores * loads || each > kOneWavefront)
        return std::nullopt;
    return loopOfLoads(share, each, std::nullopt);
}

/// The loop that waits, or why there is none. `others`: how busy everything else is.
std::variant<Loop, RuleResult> loopOf(const RuleInput& input, double others) {
    const Quantities& q = input.kernel.quantities;
    const auto& fused = q.fusedShare[Precision::Fp32];
    const auto& operations = q.flops[Precision::Fp32];
    if (!operations.has() && !q.sharedLoadBytes.has())
        if (auto loop = loopOfLong(input)) return std::move(*loop);
    if (!q.shared.excessCertain.has() || q.shared.excessCertain->value >= kMostExcess)
        return NotApplicable{};
    if (!fused.has() && !fused.notApplicable()) return cannotTell(fused.missing);
    if (const auto missing =
            firstMissing(operations, q.sharedLoads.wavefronts, q.sharedLoadBytes, q.l2Counted))
        return cannotTell(*missing);
    // The L2's traffic with the SMs is an upper bound of what came into shared memory.
    const double incoming = q.l2Counted->value;
    const double reuse = incoming > 0 ? q.sharedLoadBytes->value / incoming : 0;
    if (!fused.has() || fused->value < kLeastFused || !(operations->value > 0)) {
        if (auto loop = loopOfOthers(input, incoming)) return std::move(*loop);
        return NotApplicable{};
    }
    // operations = (plain + 2·fused) instructions, of which `fused` is the share of the whole.
    constexpr double kLanes = 32;
    const double multiplyAdds =
        operations->value * fused->value / (1 + fused->value) / kLanes;  // of warps
    const double each = *q.sharedLoads.wavefronts / multiplyAdds;
    if (each < kLeastWavefronts || q.sharedLoadBytes->value < kLeastBytes * multiplyAdds ||
        reuse < kLeastReuse)
        return RuledOut{.args = {arg("loads", each, Unit::Count), arg("reuse", reuse, Unit::Count)},
                        .cost = 1.0 - others};
    return Loop{
        .what = wordsOf("Each multiply-add of a warp takes {:.2f} wavefronts of "
                        "shared-memory loads",
                        each),
        .loads = each,
        .reuse = reuse,
        .evidence = {.label = Words("shared wavefronts of loads per multiply-add of a warp"),
                     .formula = q.sharedLoads.wavefronts.how + " / (FP32 multiply-adds / 32)",
                     .value = each,
                     .unit = Unit::Count,
                     .threshold = kLeastWavefronts,
                     .healthy = kBalanced}};
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const Resources resources = resourcesOf(q);
    const Resource* const pipe = resources.find(ResourceId::SharedPipe);
    // If the pipe has time to spare, or something else takes longer, fewer loads save nothing.
    if (!pipe || pipe->busy < kBusyShare) return NotApplicable{};
    const double others = resources.busiestExcept({ResourceId::SharedPipe, ResourceId::Issue});
    if (pipe->busy - others < kLead) return NotApplicable{};
    auto found = loopOf(input, others);
    if (auto* const none = std::get_if<RuleResult>(&found)) return std::move(*none);
    Loop& loop = std::get<Loop>(found);

    const double gain = limitToEmptyLaunch(input, std::max(0.0, 1.0 - others));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    finding.title = loop.title;
    finding.edit = loop.edit;
    finding.relief = relieves({ResourceId::SharedPipe, ResourceId::L1, ResourceId::Issue});
    finding.args = {arg("what", loop.what), arg("loads", loop.loads, Unit::Count),
                    arg("pipe", pipe->busy, Unit::Share), arg("others", others, Unit::Share)};
    finding.evidence = {loop.evidence,
                        {.label = Words("LSU data pipe utilisation"),
                         .formula = q.sharedPipeUtilisation.how,
                         .value = pipe->busy,
                         .unit = Unit::Share,
                         .threshold = kBusyShare}};
    if (loop.reuse)
        finding.evidence.insert(finding.evidence.begin() + 1,
                                {.label = Words("reads of each byte in shared memory, lower bound"),
                                 .formula = q.sharedLoadBytes.how + " / bytes between L2 and SMs",
                                 .value = *loop.reuse,
                                 .unit = Unit::Count,
                                 .threshold = kLeastReuse});
    // The edit asks for at least two by two results per thread.
    finding.expected = movementOf(counter::kSharedLoadWavefronts, *q.sharedLoads.wavefronts,
                                  *q.sharedLoads.wavefronts / 2);
    return finding;
}

}  // namespace

extern const Rule shared_operands;
const Rule shared_operands{
    .id = "shared-operands",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "for (int k = 0; k < kDepth; ++k) sum = fmaf(a[row][k], b[k][column], sum);",
    .after =
        "for (int k = 0; k < kDepth; ++k) {  // 8 loads for 16 multiply-adds\n"
        "    for (int i = 0; i < 4; ++i) x[i] = a[row + i][k];\n"
        "    for (int j = 0; j < 4; ++j) y[j] = b[k][column + j];\n"
        "    for (int i = 0; i < 4; ++i)\n"
        "        for (int j = 0; j < 4; ++j) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);\n"
        "}",
    .en =
        {.title = "FMA loop bound by shared-memory bandwidth",
         .firesWhen =
             "The shared pipe is at least 60 % busy, without bank conflicts, and leads every "
             "other resource but instruction issue by 10 points; each byte in shared memory is "
             "read at least twice; and the FP32 arithmetic is multiply-adds, each of which takes a "
             "warp at least 1.4 wavefronts and 64 bytes of shared loads, or a quarter of all "
             "instructions load from there, 64 bytes or more on average, with few stores. Of long "
             "kernels, only the share of loads of one wavefront is known.",
         .sentence =
             "{what}; the shared pipe is {pipe} busy, everything else except instruction issue at "
             "most {others}.",
         .mechanism =
             "An SM starts four multiply-adds in the time of one wavefront. A thread that "
             "computes one result reads both operands of every multiply-add anew, although its "
             "neighbours read the same bytes.",
         .edit = "Let each thread compute a tile of results, 4 × 4 or 8 × 8, from operands that "
                 "it loads into registers once per step: t × t results need 2t loads for t² "
                 "multiply-adds. Load them 16 bytes at a time.",
         .ruledOut =
             "operands from shared memory ({loads} {loads?wavefront:wavefronts} per multiply-add, "
             "each byte read {reuse} {reuse?time:times})",
         .gain = "(1 − busiest resource other than shared memory and issue) × duration"},
    .check = check};

}  // namespace roofscope::rules
