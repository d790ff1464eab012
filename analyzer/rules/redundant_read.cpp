// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/quantities/coalescing.h"

namespace roofscope::rules {

namespace {

/// Two or three reads of a byte through the L2 are normal: tiles share their edges, a row is read
/// for its maximum and again for its sum. Four or more mean that a tile is too small, or missing.
constexpr double kLeastReadsL2 = 4.0;
/// Neighbours are re-read from the L1 by design: a 3 × 3 stencil reads each value nine times, and
/// that is what an L1 is for. Beyond 16, the values should have been kept in registers.
constexpr double kLeastReadsL1 = 16.0;
/// The L2's roof is its read-return peak, which kernels do not get near: published measurements of
/// Hopper's L2 reach little more than half of it. A kernel that uses 40 % of it, more than of
/// anything else, waits for it. The same threshold applies to the L1's data pipe.
constexpr double kInUse = 0.40;

/// Upper bound of the bytes that a launch reads, each once: bytes that came from DRAM, that were in
/// the L2 when it started (no more than the L2 holds), or that it wrote itself.
double footprintBound(const Quantities& q, double l2Bytes) {
    return q.dramRead->value + l2Bytes + q.stores.requested->value;
}

/// One of the caches that loads go through.
struct Path {
    const char* level;
    double reads;       ///< of each byte, lower bound
    double leastReads;  ///< from this many on they are reported
    double busy;        ///< share of the cache's bandwidth
    double others;      ///< busy share of what else could limit

    [[nodiscard]] bool again() const { return reads >= leastReads; }
    [[nodiscard]] bool leads() const { return busy >= kInUse && busy >= others + kLead; }
};

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (!q.loads.requested.has()) return cannotTell(q.loads.requested.missing);
    if (!(q.loads.requested->value > 0)) return NotApplicable{};
    if (const auto missing =
            firstMissing(q.stores.requested, q.stores.sectors, q.dramRead, q.l2Counted))
        return cannotTell(*missing);
    const auto l2Bytes = deviceOf(input).l2Bytes;
    if (!l2Bytes)
        return cannotTell(Words("size of the L2"),
                          Words("record again with a driver that reports it"));

    // Where half of the sectors or more are excess, the caches are busy with bytes that nobody
    // asked for: global-uncoalesced tells that, and reads may be few once they are coalesced.
    if (isMostlyExcess(q.loads)) return NotApplicable{};

    const Resources resources = resourcesOf(q);
    const double footprint = footprintBound(q, static_cast<double>(*l2Bytes));
    // Requests that the L1 serves do not reach the L2, and sectors that the L2 returns may hold
    // more than was requested. The smaller of the two was certainly requested and came from the L2.
    const double returned = *returnedToLoads(q);
    // The data pipe of the L1 is about global loads only if shared memory does not fill it. Issuing
    // those loads is part of their cost.
    const bool l1IsGlobal = !resources.find(ResourceId::SharedPipe);
    const Path paths[] = {
        {"L2", std::min(q.loads.requested->value, returned) / footprint, kLeastReadsL2,
         resources.busy(ResourceId::L2), resources.busiestExcept({ResourceId::L2})},
        {"L1", l1IsGlobal ? q.loads.requested->value / footprint : 0.0, kLeastReadsL1,
         resources.busy(ResourceId::L1),
         resources.busiestExcept({ResourceId::L1, ResourceId::Issue})}};
    if (std::ranges::none_of(paths, [](const Path& p) { return p.again(); }))
        return NotApplicable{};  // nothing is certainly read again and again
    if (!resources.missing.empty()) return cannotTell(resources.missing);

    // Fewer reads relieve both caches, and the instructions that request them.
    const double stays =
        resources.busiestExcept({ResourceId::L1, ResourceId::L2, ResourceId::Issue});
    // Tiled products read everything many times. That is no fault as long as it hides behind the
    // arithmetic, or behind what they do in shared memory.
    const auto gainOf = [&](const Path& p) {
        return limitToEmptyLaunch(input, std::min(1.0 - 1.0 / p.reads, 1.0 - stays));
    };
    const auto found = std::ranges::find_if(paths, [&](const Path& p) {
        return p.again() && p.leads() && gainOf(p) >= kLeastReportedGain;
    });
    if (found == std::end(paths)) {
        const Path& p = paths[0].again() ? paths[0] : paths[1];
        return RuledOut{
            .args = {arg("level", Words::lasting(p.level)), arg("reads", p.reads, Unit::Count),
                     arg("busy", p.busy, Unit::Share)},
            .cost = gainOf(p)};
    }
    const bool throughL2 = found == std::begin(paths);
    const double reads = found->reads, busy = found->busy, others = found->others;
    const double gain = gainOf(*found);

    Finding finding = makeEstimate(input, gain);
    finding.relief = relieves({ResourceId::L1, ResourceId::L2, ResourceId::Issue});
    finding.args = {arg("level", Words::lasting(found->level)),
                    arg("reads", reads, Unit::Count),
                    arg("busy", busy, Unit::Share),
                    arg("others", others, Unit::Share),
                    arg("requested", q.loads.requested->value, Unit::Bytes),
                    arg("dram", q.dramRead->value, Unit::Bytes)};
    finding.evidence = {
        {.label = throughL2 ? Words("reads of each byte through the L2, lower bound")
                            : Words("reads of each byte through the L1, lower bound"),
         .formula = std::string(throughL2 ? "min(requested by global loads, returned by the L2)"
                                          : "requested by global loads") +
                    " / (DRAM read + L2 size + requested by global stores)",
         .value = reads,
         .unit = Unit::Factor,
         .threshold = found->leastReads,
         .healthy = 1.0},
        {.label = throughL2 ? Words("L2 bandwidth of its read-return peak")
                            : Words("L1 data pipe in use"),
         .formula = throughL2 ? q.utilisation[Level::L2].how : q.sharedPipeUtilisation.how,
         .value = busy,
         .unit = Unit::Share,
         .threshold = kInUse},
        {.label = Words("busiest other resource"),
         .formula = throughL2 ? "largest busy share of DRAM, L1, shared memory, pipes and issue"
                              : "largest busy share of DRAM, L2 and pipes",
         .value = others,
         .unit = Unit::Share}};
    // What one step of the edit saves; how far it can go depends on what outputs share.
    finding.expected = movementOf(counter::kGlobalLoadBytes, q.loads.requested->value,
                                  q.loads.requested->value / 2, Unit::Bytes);
    return finding;
}

}  // namespace

extern const Rule redundant_read;
const Rule redundant_read{
    .id = "redundant-read",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before =
        "int column = blockIdx.x;                 // every block reads all rows\n"
        "for (int row = 0; row < rows; ++row) sum += a[row] * b[row][column];",
    .after =
        "int first = blockIdx.x * COLUMNS;        // rows read once for COLUMNS outputs\n"
        "for (int row = 0; row < rows; ++row)\n"
        "    for (int c = 0; c < COLUMNS; ++c) sum[c] += a[row] * b[row][first + c];",
    .en =
        {.title = "Repeated reads of the same bytes",
         .firesWhen = "The L2 (or the L1's data pipe) is at least 40 % busy and leads every other "
                      "resource by 10 "
                      "points, and global loads fetch each byte through it at least 4 (16) times "
                      "on average, "
                      "even "
                      "if the L2 was full of their data when the kernel started. Less than half of "
                      "the loads' sectors are excess.",
         .sentence =
             "Global loads request {requested}, of which {dram} come from the DRAM: on average "
             "each byte crosses the {level} at least {reads} times, and the {level} is the busiest "
             "resource ({busy} busy; all others except instruction issue at most {others}).",
         .mechanism =
             "Blocks or threads that need the same rows fetch them separately. The DRAM is "
             "spared, because the caches hold them, but the way from the {level} to the "
             "registers carries every copy.",
         .edit = "Do more with each byte while it is on chip: let a block compute several outputs "
                 "that need the same rows, with a tile of them in shared memory and several "
                 "outputs per thread in registers. Twice the outputs per block halve the reads. "
                 "Scattered look-ups in a table have no such tile: there only fewer or smaller "
                 "elements help.",
         .ruledOut =
             "repeated reads (on average each byte crosses the {level} at least "
             "{reads} {reads?time:times}, but the {level} is {busy} busy and not what leads)",
         .gain = "min(1 − 1 / reads, 1 − busiest of DRAM and the pipes) × duration",
         .editInTriton = "In Triton, compute larger tiles of the result, which use each loaded row "
                         "more often, and let programs that need the same rows run side by side "
                         "(grouped order of tl.program_id, tl.swizzle2d)."},
    .check = check};

}  // namespace roofscope::rules
