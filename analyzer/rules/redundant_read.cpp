// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counter_names.h"
#include "analyzer/rule_support.h"

namespace roofscope::rules {

namespace {

constexpr std::string_view kId = "redundant-read";

/// Two or three reads of a byte are ordinary: tiles share their edges, a row is read for its
/// maximum and again for its sum. Four and more are a tile that is too small, or none.
constexpr double kLeastReads = 4.0;
/// The L2's roof is its read-return peak, which kernels do not come near: published measurements
/// of Hopper's L2 reach little more than half of it. A kernel that has 40 % in use, more than of
/// anything else, waits for the L2.
constexpr double kL2InUse = 0.40;

/// What the launch reads, at most once each: bytes that came from DRAM, that lay in the L2 when it
/// started (no more than the L2 holds), or that it wrote itself.
double footprintBound(const Quantities& q, double l2Bytes) {
    return q.dramRead->value + l2Bytes + q.stores.requested->value;
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (!q.loads.requested.has()) return cannotTell(kId, q.loads.requested.missing);
    if (!(q.loads.requested->value > 0)) return NotApplicable{};
    if (!q.stores.requested.has() || !q.stores.sectors.has())
        return cannotTell(
            kId, q.stores.requested.has() ? q.stores.sectors.missing : q.stores.requested.missing);
    if (!q.dramRead.has()) return cannotTell(kId, q.dramRead.missing);
    if (!q.bytes[Level::L2].has()) return cannotTell(kId, q.bytes[Level::L2].missing);
    const auto l2Bytes = deviceOf(input).l2Bytes;
    if (!l2Bytes)
        return cannotTell(kId, "size of the L2", "record again with a driver that reports it");

    // Requests that the L1 serves do not reach the L2, and sectors that the L2 returns may hold
    // more than was asked for: the smaller of the two was certainly asked for and came from the L2.
    const double returned = q.bytes[Level::L2]->value - 32.0 * *q.stores.sectors;
    const double read = std::min(q.loads.requested->value, returned);
    const double footprint = footprintBound(q, static_cast<double>(*l2Bytes));
    const double reads = read / footprint;
    if (reads < kLeastReads) return NotApplicable{};  // nothing is certainly read again and again

    const Resources resources = resourcesOf(q);
    if (!resources.missing.empty()) return cannotTell(kId, resources.missing);
    const double busy = std::min(1.0, resources.busy(ResourceId::L2));
    const double others = resources.busiestExcept({ResourceId::L2});
    // Tiled products read everything many times, and nothing is wrong as long as it hides behind
    // the arithmetic or behind what they do in shared memory.
    const double gain = aboveEmptyLaunch(input, std::min(1.0 - 1.0 / reads, 1.0 - others));
    if (busy < kL2InUse || busy < others + kLead || gain < kWorthNaming)
        return RuledOut{.ruleId = std::string(kId),
                        .args = {arg("reads", reads, Unit::Factor), arg("l2", busy, Unit::Share)}};

    Finding finding =
        makeFinding(input, kId, gain, "min(1 − 1 / reads, 1 − busiest other resource) × duration");
    finding.args = {arg("reads", reads, Unit::Factor), arg("l2", busy, Unit::Share),
                    arg("others", others, Unit::Share),
                    arg("requested", q.loads.requested->value, Unit::Bytes),
                    arg("dram", q.dramRead->value, Unit::Bytes)};
    finding.evidence = {
        {.label = "reads of each byte through the L2, lower bound",
         .formula = "min(requested by global loads, returned by the L2) / (DRAM "
                    "read + L2 size + requested by global stores)",
         .value = reads,
         .unit = Unit::Factor,
         .threshold = kLeastReads,
         .healthy = 1.0},
        {.label = "L2 bandwidth of its read-return peak",
         .formula = q.utilisation[Level::L2].how,
         .value = busy,
         .unit = Unit::Share,
         .threshold = kL2InUse,
         .healthy = std::nullopt},
        {.label = "busiest other resource",
         .formula = "largest busy share of DRAM, L1, shared memory, pipes and issue",
         .value = others,
         .unit = Unit::Share,
         .threshold = std::nullopt,
         .healthy = std::nullopt}};
    finding.expected = {{.counter = std::string(counter::kGlobalLoadBytes),
                         .from = q.loads.requested->value,
                         .to = q.loads.requested->value / reads,
                         .unit = Unit::Bytes}};
    return finding;
}

}  // namespace

extern const Rule redundant_read;
const Rule redundant_read{
    .id = kId,
    .category = "memory",
    .firesWhen =
        "The L2 is at least 40 % busy and leads every other resource by 10 points, and global "
        "loads "
        "fetch each byte through it at least 4 times on average, even if the L2 was full of their "
        "data when the kernel started.",
    .needs = "default",
    .en = {.title = "The same bytes are read again and again",
           .sentence =
               "Global loads ask for {requested} where {dram} come from the DRAM: on average "
               "each byte crosses the L2 at least {reads} times, and the L2 ({l2} busy, all "
               "else at most {others}) is what the kernel waits for.",
           .mechanism =
               "Blocks that need the same rows fetch them separately. The DRAM is spared, because "
               "the L2 holds them, but the way from the L2 to the SMs carries every copy.",
           .edit =
               "Do more with each byte while it is on chip: let a block compute several outputs "
               "that need the same rows, with a tile of them in shared memory and several "
               "outputs per thread in registers. Twice the outputs per block halve the reads. "
               "Scattered look-ups in a table have no such tile: there only fewer or smaller "
               "elements help.",
           .before = "int column = blockIdx.x;                 // every block reads all rows\n"
                     "for (int row = 0; row < rows; ++row) sum += a[row] * b[row][column];",
           .after =
               "int first = blockIdx.x * COLUMNS;        // rows read once for COLUMNS outputs\n"
               "for (int row = 0; row < rows; ++row)\n"
               "    for (int c = 0; c < COLUMNS; ++c) sum[c] += a[row] * b[row][first + c];",
           .ruledOut = "not repeated reads (on average each byte crosses the L2 at least {reads} "
                       "times, but the L2 is {l2} busy and not what leads)"},
    .check = check};

}  // namespace roofscope::rules
