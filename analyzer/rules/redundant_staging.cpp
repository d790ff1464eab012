// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/diagnosis/rule_support.h"

namespace roofscope::rules {

namespace {

/// Staged data is there to be read: a tile is read once (a transpose) or many times. A block that
/// reads less than half of what it staged did not need most of it.
constexpr double kMostRead = 0.5;
/// Nearly all that is stored there must have been loaded from global memory, not computed.
constexpr double kLeastLoaded = 0.9;
/// Tensor-core products read shared memory without being seen by these counters.
constexpr double kTensorInUse = 0.01;
/// From this many waves on, later blocks stage again what the first ones did.
constexpr double kLeastWaves = 2.0;

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    GroupSums sums(input.counters, input.kernel.group.launches);
    const auto bytes = sums.joint(
        {counter::kSharedStoreBytes, counter::kSharedLoadBytes, counter::kGlobalLoadBytes});
    if (!bytes.ok()) return cannotTell(bytes.missing);
    const double stored = bytes.mean(0), read = bytes.mean(1), loaded = bytes.mean(2);
    // Blocks of a cluster read each other's shared memory.
    if (!(stored > 0) || input.kernel.group.cluster || read > kMostRead * stored ||
        loaded < kLeastLoaded * stored)
        return NotApplicable{};
    if (!q.tensorUtilisation.has()) return cannotTell(q.tensorUtilisation.missing);
    if (q.tensorUtilisation->value > kTensorInUse) return NotApplicable{};
    const Occupancy& occupancy = q.occupancy;
    if (!occupancy.waves.has()) return cannotTell(occupancy.waves.missing);
    if (*occupancy.waves < kLeastWaves) return NotApplicable{};
    const Resources resources = resourcesOf(q);
    if (!resources.missing.empty()) return cannotTell(resources.missing);

    // A block that stays loads once what later blocks loaded again.
    const double spared = (1.0 - 1.0 / *occupancy.waves) * stored;
    const double stays = resources.busiestExcept(
        {ResourceId::L1, ResourceId::L2, ResourceId::SharedPipe, ResourceId::Issue});
    const double gain =
        limitToEmptyLaunch(input, std::min(std::min(1.0, spared / loaded), 1.0 - stays));
    if (gain < kLeastReportedGain)
        return RuledOut{
            .args = {arg("stored", stored, Unit::Bytes), arg("read", read, Unit::Bytes)},
            .cost = gain};
    Finding finding = makeEstimate(input, gain);
    finding.relief =
        relieves({ResourceId::L1, ResourceId::L2, ResourceId::SharedPipe, ResourceId::Issue});
    const double blocks = occupancy.blocks.has() ? *occupancy.blocks : 0.0;
    finding.args = {arg("stored", stored, Unit::Bytes), arg("read", read, Unit::Bytes),
                    arg("blocks", blocks, Unit::Count),
                    arg("each", blocks > 0 ? stored / blocks : stored, Unit::Bytes)};
    finding.evidence = {{.label = Words("bytes stored to shared memory"),
                         .formula = counter::kSharedStoreBytes,
                         .value = stored,
                         .unit = Unit::Bytes},
                        {.label = Words("of these read at most"),
                         .formula = std::string(counter::kSharedLoadBytes) + " / " +
                                    std::string(counter::kSharedStoreBytes),
                         .value = read / stored,
                         .unit = Unit::Share,
                         .threshold = kMostRead}};
    finding.expected = movementOf(counter::kSharedStoreBytes, stored, stored - spared, Unit::Bytes);
    return finding;
}

}  // namespace

extern const Rule redundant_staging;
const Rule redundant_staging{
    .id = "redundant-staging",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before =
        "for (int i = threadIdx.x; i < TABLE; i += blockDim.x) table[i] = in_table[i];\n"
        "__syncthreads();                          // by every one of many blocks\n"
        "out[id] = table[key[id]];",
    .after =
        "for (int i = threadIdx.x; i < TABLE; i += blockDim.x) table[i] = in_table[i];\n"
        "__syncthreads();                          // once per block that fits the GPU\n"
        "for (; id < n; id += gridDim.x * blockDim.x) out[id] = table[key[id]];",
    .en = {.title = "Little of what is staged in shared memory is used",
           .firesWhen =
               "Blocks store to shared memory what they loaded from global memory, read less than "
               "half as many bytes of it, and come in at least two waves.",
           .sentence =
               "Each of {blocks} blocks copies {each} into shared memory; of {stored} stored there "
               "at most {read} are read.",
           .mechanism = "What one block staged is gone when it ends, and the next one loads the "
                        "same again, whether it needs it or not.",
           .edit =
               "Launch as many blocks as fit at a time (SMs × blocks per SM) and let each go on "
               "with the next piece of the work, so that it fills shared memory once. Where a "
               "block needs few of the values, read them through the L1 instead.",
           .ruledOut = "staging for little use ({stored} stored to shared memory, {read} read)",
           .gain = "min(stored again by later blocks / global loads, 1 − busiest of DRAM and the "
                   "pipes) × duration"},
    .check = check,
    .explains = {"redundant-read"}};

}  // namespace roofscope::rules
