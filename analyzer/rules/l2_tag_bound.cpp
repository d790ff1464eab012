// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/diagnosis/rule_support.h"
#include "profile/chips/chip.h"

namespace roofscope::rules {

namespace {

/// A line of the L2 has four sectors of 32 bytes, which one look-up can serve together.
constexpr double kSectorsPerLine = 4.0;
/// Sectors per look-up. A coalesced copy shows 3.0 (H200), because fills and traffic between the
/// halves of the L2 are looked up as well. Below two, at least half of each line goes unused.
constexpr double kFewSectors = 2.0;
/// A slice receives at most one request per cycle, and each may be looked up in both halves of the
/// L2. So below this share of the L2's roof, its tags cannot be 60 % busy.
constexpr double kL2InUse = kBusyShare / 2;

/// From here on, whole sectors are used; less is reported by global-uncoalesced.
constexpr double kWholeSectors = 0.8;
/// The least share of what the L2 returns that global loads must explain, because bulk copies (TMA)
/// bypass the counters of lines.
constexpr double kOfLoads = 0.5;

bool wholeSectors(const CoalescingEstimate& side) {
    return !side.efficiency.has() || side.efficiency->value >= kWholeSectors;
}

/// Whether tags may be the limit, if they were not counted: each instruction touches few sectors of
/// a line, and the L2 is busy enough.
bool tagsMayLimit(const RuleInput& input, const Resources& resources) {
    const Quantities& q = input.kernel.quantities;
    const double l2 = resources.busy(ResourceId::L2);
    if (l2 < kL2InUse || 2 * l2 < resources.busiestExcept({ResourceId::L2}) + kLead) return false;
    if (!wholeSectors(q.loads) || !wholeSectors(q.stores)) return false;
    const auto sums =
        jointSums(input, {counter::kGlobalSectors, counter::kGlobalTags, counter::kL2ReadReturns});
    return sums.ok() && sums[1] > 0 && sums[0] < kFewSectors * sums[1] &&
           sums[0] >= kOfLoads * sums[2];
}

/// Share of the time that the sectors that are read need to leave the L2, regardless of look-ups; 0
/// if the chip's table does not state it.
double readReturns(const RuleInput& input, double cycles) {
    const Device& device = deviceOf(input);
    const auto chip = chipTable(device);
    const auto sums = jointSums(input, {counter::kL2ReadReturns});
    if (!chip.ok() || !chip->l2ReturnsPerArrival || !sums.ok()) return 0;
    return sums.mean(0) / (*chip->l2ReturnsPerArrival * cycles);
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const Resources resources = resourcesOf(q);
    const GroupSums sums(input.counters, input.kernel.group.launches);
    const auto lookUps = sums.joint({counter::kL2TagRequests, counter::kL2Sectors});
    if (!q.l2TagUtilisation.has() || !lookUps.ok()) {
        if (!tagsMayLimit(input, resources)) return NotApplicable{};
        const SharedText missing =
            q.l2TagUtilisation.has() ? SharedText(lookUps.missing) : q.l2TagUtilisation.missing;
        if (sums.joint({counter::kL2HitRate}).ok())  // of the same counter group
            return cannotTell(missing, Words("record again: the group cache counts them by now"));
        return cannotTell(missing, CounterGroup::Cache);
    }
    const double busy = q.l2TagUtilisation->value;
    if (!(lookUps[0] > 0) || !(busy > 0)) return NotApplicable{};
    const double sectors = std::min(lookUps[1] / lookUps[0], kSectorsPerLine);
    const double others =
        resources.busiestExcept({ResourceId::L2, ResourceId::L1, ResourceId::Issue});
    // The peak is one look-up per slice and cycle.
    const double stays = std::max(
        {others, busy * sectors / kSectorsPerLine, readReturns(input, lookUps.mean(0) / busy)});
    const double gain = limitToEmptyLaunch(input, std::clamp(busy - stays, 0.0, 1.0));
    const RuledOut ruledOut{
        .args = {arg("tags", busy, Unit::Share), arg("sectors", sectors, Unit::Count)},
        .cost = gain};
    const double next = std::max(others, resources.busy(ResourceId::L1));
    if (busy < kBusyShare || busy < next + kLead || sectors >= kFewSectors ||
        gain < kLeastReportedGain)
        return ruledOut;
    Finding finding = makeEstimate(input, gain);
    finding.args = ruledOut.args;
    finding.relief =
        relieves({ResourceId::L2, ResourceId::L2Tags, ResourceId::L1, ResourceId::Issue});
    finding.evidence = {
        {.label = Words("tag look-ups of the L2, of their peak"),
         .formula = q.l2TagUtilisation.how,
         .value = busy,
         .unit = Unit::Share,
         .threshold = kBusyShare},
        {.label = Words("sectors per tag look-up"),
         .formula = std::string(counter::kL2Sectors) + " / " + std::string(counter::kL2TagRequests),
         .value = sectors,
         .unit = Unit::Count,
         .threshold = kFewSectors,
         .healthy = kSectorsPerLine}};
    finding.expected = movementOf(counter::kL2TagRequests, lookUps.mean(0),
                                  lookUps.mean(0) * sectors / kSectorsPerLine);
    return finding;
}

}  // namespace

extern const Rule l2_tag_bound;
const Rule l2_tag_bound{
    .id = "l2-tag-bound",
    .category = "memory",
    .needs = {CounterGroup::Default, CounterGroup::Cache},
    .before = "x = record[index[i]];  // 32 B of each 128 B line, other lines for other lanes",
    .after =
        "// records of 128 B, aligned: neighbouring lanes read one record together\n"
        "x = record[index[i / 8]].part[i % 8];  // 8 lanes × 16 B: one look-up in place of four",
    .en = {.title = "Bound by L2 tag look-ups",
           .firesWhen = "The L2 looks up tags in at least 60 % of the slots that it has, leads "
                        "DRAM and pipes by 10 points, and serves fewer than two of a line's four "
                        "sectors per look-up.",
           .sentence =
               "Tag look-ups of the L2 are at {tags} of their peak and serve {sectors} "
               "{sectors?sector:sectors} each; one look-up can serve the four sectors of a line.",
           .mechanism = "Every request to the L2 is looked up once per 128-byte line, whether it "
                        "wants one sector of it or all four. Requests for single sectors of many "
                        "lines use up the look-ups long before the bytes use up the L2.",
           .edit = "Let one instruction of a warp touch whole 128-byte lines: store what is used "
                   "together side by side and aligned to 128 B, let neighbouring lanes read one "
                   "record, sort or group the indices, or keep the table in shared memory if it "
                   "fits. The number of requests is the problem here, not the bytes.",
           .ruledOut = "L2 tag look-ups ({tags} of their peak, {sectors} {sectors?sector:sectors} "
                       "each)",
           .gain = "(tag look-ups − busiest of DRAM, pipes, read returns and the look-ups that "
                   "whole lines need) × duration"},
    .check = check,
    .canChangeVerdict = true,
    .explains = {"redundant-read"}};

}  // namespace roofscope::rules
