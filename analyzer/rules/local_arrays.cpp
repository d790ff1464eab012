// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/source/stalls.h"

namespace roofscope::rules {

namespace {

/// A few spilled registers are no array.
constexpr double kLeastLocal = 256;
/// The DRAM moves at least this many times what the buffers hold, and what all local arrays
/// together hold.
constexpr double kManyTimes = 4;
/// The least share that is assumed, because without stalls nobody knows it.
constexpr double kAbout = 0.5;

/// The share of the time in which warps wait for local memory; at least kAbout.
double waitShare(const RuleInput& input) {
    const Stalls stalls = stallsOf(input.profile, input.kernel);
    if (stalls.reasons.empty()) return kAbout;
    return std::max(kAbout, stalls.shareOf("long_scoreboard") + stalls.shareOf("lg_throttle"));
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const Device& device = deviceOf(input);
    const LaunchGroup& group = input.kernel.group;
    // Where local memory was counted, local-memory-spill knows more.
    const KernelOrigin origin = input.kernel.origin;
    if (q.localSectors.has() || (origin != KernelOrigin::Own && origin != KernelOrigin::Numba))
        return NotApplicable{};
    // Pointers in memory lead to data that is no argument.
    if (input.kernel.fullName.find("**") != std::string::npos) return NotApplicable{};
    const auto& dram = q.bytes[Level::Dram];
    const auto& waves = q.occupancy.waves;
    const auto buffers = bufferBytes(input);
    const double each = input.profile.kernels[group.kernel].localBytesPerThread.value_or(0);
    if (!dram.has() || !waves.has() || !(*waves > 0) || !device.l2Bytes || !buffers ||
        each < kLeastLocal)
        return NotApplicable{};
    const double threads = static_cast<double>(group.grid.total() * group.block.total());
    const double atOnce = each * threads / std::max(1.0, *waves);
    const auto l2 = static_cast<double>(*device.l2Bytes);
    if (atOnce <= l2 ||
        dram->value < kManyTimes * std::max(*buffers * std::max(1.0, *waves), atOnce))
        return NotApplicable{};
    const double others = resourcesOf(q).busiestExcept(
        {ResourceId::L1, ResourceId::L2, ResourceId::Dram, ResourceId::Issue});
    const double gain =
        limitToEmptyLaunch(input, std::min(waitShare(input), std::max(0.0, 1.0 - others)));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeEstimate(input, gain);
    finding.relief =
        relieves({ResourceId::L1, ResourceId::L2, ResourceId::Dram, ResourceId::Issue});
    finding.args = {arg("each", each, Unit::Bytes), arg("all", atOnce, Unit::Bytes),
                    arg("dram", dram->value, Unit::Bytes), arg("buffers", *buffers, Unit::Bytes)};
    finding.evidence = {{.label = Words("local memory of the threads that run at once"),
                         .formula = "local bytes per thread × threads / waves",
                         .value = atOnce,
                         .unit = Unit::Bytes,
                         .threshold = l2},
                        {.label = Words("bytes of the DRAM / bytes of the launch's buffers"),
                         .formula = dram.how + " / buffers among the arguments",
                         .value = dram->value / *buffers,
                         .unit = Unit::Factor,
                         .threshold = kManyTimes}};
    finding.expected = {{.counter = Words("DRAM bytes read"),
                         .what = moved::Value::DramRead,
                         .from = q.dramRead.has() ? q.dramRead->value : dram->value,
                         .to = *buffers,
                         .unit = Unit::Bytes}};
    return finding;
}

}  // namespace

extern const Rule local_arrays;
const Rule local_arrays{
    .id = "local-arrays",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "int board[N];  // one per thread: board[row] = column; then search it for conflicts",
    .after = "unsigned columns, left, right;  // a bit for each; in registers",
    .en =
        {.title = "Arrays of each thread in local memory",
         .firesWhen =
             "Local memory was not counted (a long kernel), the local memory of the threads that "
             "run at once does not fit into the L2, and the DRAM moves four times that, and four "
             "times what the launch's buffers hold for each wave.",
         .sentence = "Each thread has {each} of local memory, {all} for those that run at once. "
                     "The DRAM moves {dram} for buffers of {buffers}: most of it is probably "
                     "these arrays.",
         .mechanism = "An array with an index that is only known at run time lives in local "
                      "memory, not in registers: each access goes through the L1 and the L2, "
                      "and to the DRAM if the arrays of all threads do not fit there.",
         .edit = "Make the array smaller, so that it fits into registers or shared memory: bits "
                 "or bytes in place of numbers, only what changes, or values recomputed. Or "
                 "group the work so that a thread needs one entry at a time.",
         .ruledOut = "arrays in local memory",
         .gain =
             "min(half or, if it is more, the share of the time in which warps wait for global or "
             "local memory; 1 − busiest resource other than memory and issue) × duration",
         .editInNumba =
             "In Numba, a cuda.local.array that is indexed at run time lives in local memory: make "
             "it smaller (bits or bytes in place of numbers, only what changes), keep it in a "
             "cuda.shared.array, a column for each thread, or give each lane of a warp one of its "
             "values (cuda.shfl_sync)."},
    .check = check,
    .causesStalls = {"long_scoreboard", "lg_throttle"}};

}  // namespace roofscope::rules
