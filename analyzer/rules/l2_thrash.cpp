// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>

#include "analyzer/chains/buffer_access.h"
#include "analyzer/chains/chains.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"

namespace roofscope::rules {

namespace {

/// DRAM reads per byte. One is needed. Edges of tiles and partly written sectors may be fetched
/// again; two or more are due to the kernel's access pattern.
constexpr double kLeastReads = 2.0;
/// Scattered loads fetch bytes that were not requested, and follow pointers to buffers that are no
/// arguments; global-uncoalesced reports them.
constexpr double kCoalesced = 0.8;

/// All bytes that a launch can read: its buffers, each from its pointer to the end of the
/// allocation. The maximum over the group's launches; absent if a buffer may be unknown.
std::optional<double> footprint(const RuleInput& input) {
    const Profile& profile = input.profile;
    const KernelAnalysis& kernel = input.kernel;
    double largest = 0;
    std::set<std::uint32_t> lists;
    for (const std::uint32_t row : kernel.group.launches) {
        const auto list = profile.launches[row].arguments;
        if (!list) return std::nullopt;
        lists.insert(*list);
    }
    const KernelBuffers buffersOf(kernel.fullName);
    for (const std::uint32_t list : lists) {
        const BufferAccess access = buffersOf.access(profile.argumentLists[list]);
        if (!access.known) return std::nullopt;
        std::set<std::uint32_t> buffers(access.reads.begin(), access.reads.end());
        buffers.insert(access.mutables.begin(), access.mutables.end());
        double bytes = 0;
        for (const std::uint32_t buffer : buffers)
            bytes += static_cast<double>(profile.buffers[buffer].bytes);
        largest = std::max(largest, bytes);
    }
    return largest > 0 ? std::optional(largest) : std::nullopt;
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (!q.dramRead.has() || !q.dramWrite.has() || !isDramLimited(input.kernel))
        return NotApplicable{};
    if (!q.loads.efficiency.has() || q.loads.efficiency->value < kCoalesced) return NotApplicable{};
    const auto hitRate = jointSums(input, {counter::kL2HitRate});
    const auto bytes = footprint(input);
    if (!bytes) {
        if (!hitRate.ok()) return NotApplicable{};  // the cache's counters were not requested
        return cannotTell(Words("the buffers that its launches were given"),
                          Words("not known for pointers in structs, Triton kernels, nodes of CUDA "
                                "graphs, and drivers before CUDA 12.4"));
    }
    const double read = q.dramRead->value, moved = read + q.dramWrite->value;
    const double reads = read / *bytes;
    const double gain = limitToEmptyLaunch(
        input,
        std::min((read - *bytes) / moved, 1.0 - resourcesOf(q).busiestExcept({ResourceId::Dram})));
    const RuledOut ruledOut{
        .args = {arg("read", read, Unit::Bytes), arg("footprint", *bytes, Unit::Bytes)},
        .cost = gain};
    if (reads < kLeastReads) return ruledOut;
    if (gain < kLeastReportedGain) return ruledOut;
    Finding finding = makeEstimate(input, gain);
    finding.relief = {{ResourceId::Dram, 1.0 - (read - *bytes) / moved},
                      {ResourceId::L2, 0.0},
                      {ResourceId::L1, 0.0},
                      {ResourceId::Issue, 0.0}};
    finding.args = {arg("read", read, Unit::Bytes), arg("footprint", *bytes, Unit::Bytes),
                    arg("reads", reads, Unit::Factor)};
    finding.evidence = {{.label = Words("DRAM reads of each byte, lower bound"),
                         .formula = q.dramRead.how + " / bytes of all buffers of the launch",
                         .value = reads,
                         .unit = Unit::Factor,
                         .threshold = kLeastReads,
                         .healthy = 1.0}};
    constexpr double kPercent = 0.01;
    if (hitRate.ok())
        finding.evidence.push_back({.label = Words("L2 hit rate"),
                                    .formula = counter::kL2HitRate,
                                    .value = hitRate.mean(0) * kPercent,
                                    .unit = Unit::Share});
    finding.expected = {{.counter = Words("DRAM bytes read"),
                         .what = moved::Value::DramRead,
                         .from = read,
                         .to = *bytes,
                         .unit = Unit::Bytes}};
    return finding;
}

}  // namespace

extern const Rule l2_thrash;
const Rule l2_thrash{
    .id = "l2-thrash",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .helpedBy = {CounterGroup::Cache},
    .before =
        "for (int row = 0; row < rows; ++row)\n    for (int i = tid; i < n; i += step) "
        "sum[row] += x[i] * w[row][i];",
    .after =
        "for (int i = tid; i < n; i += step) {\n    const float xi = x[i];  // once, for all "
        "rows\n    for (int row = 0; row < rows; ++row) sum[row] += xi * w[row][i];\n}",
    .en = {.title = "Repeated DRAM reads of the same bytes",
           .firesWhen =
               "The kernel is limited by the DRAM, its loads are coalesced, and it reads at least "
               "twice as many bytes from DRAM as all buffers that it was given hold.",
           .sentence = "{read} are read from DRAM, but all buffers of the launch hold only "
                       "{footprint}: on average each byte is read at least {reads}.",
           .mechanism = "Between two uses of a byte, more other bytes pass through the L2 than it "
                        "can hold, so the byte is fetched again.",
           .edit = "Bring the uses together: swap the loops so that a piece that fits the L2 (or "
                   "shared memory) is used completely before the next, order blocks so that those "
                   "that run at the same time share their rows, and do all passes over a piece in "
                   "one.",
           .ruledOut = "repeated DRAM reads ({read} read, the buffers hold {footprint})",
           .gain = "min((DRAM bytes read − bytes of all its buffers) / DRAM bytes, 1 − busiest "
                   "other resource) × duration"},
    .check = check};

}  // namespace roofscope::rules
