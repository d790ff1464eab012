// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope::rules {

namespace {

/// A kernel cannot be given more: 255 is the most that an instruction can name, a few of which the
/// compiler may leave over.
constexpr std::uint32_t kAllRegisters = 248;
/// An SM has 32 registers for each thread that it can hold: nothing is gained by fewer, and no
/// compiler spills for them unless it is told to.
constexpr std::uint32_t kNoPressure = 32;

/// What lies in local memory, as far as the registers tell, and what to do about it.
struct Cause {
    Words what, edit;
};

Cause causeOf(std::optional<std::uint32_t> registers) {
    const Words constant("unroll the loop so that every array index is a constant",
                         "展开循环，使所有数组下标都成为常量");
    if (registers && *registers >= kAllRegisters)
        return {
            {"the kernel keeps more than the 255 registers that a thread can have",
             "内核要保留的值超过一个线程最多 255 个寄存器"},
            {"Keep fewer values live at once: a smaller tile per thread, fewer unrolled steps, or "
             "more threads for the same tile; and " +
                 constant.in(Language::En),
             "减少同时存活的值：每线程更小的分块、更少的展开步数，或用更多线程处理同一分块；并" +
                 constant.in(Language::Zh)}};
    if (registers && *registers < kNoPressure) {
        const std::string n = std::to_string(*registers);
        return {{"with " + n +
                     " registers per thread nothing had to be spilled, so it will be arrays "
                     "with an index that is only known at run time",
                 "每线程只用 " + n + " 个寄存器，不必溢出，因此应是下标在运行时才知道的数组"},
                {"Make every array index a constant (unroll the loop that it comes from, or select "
                 "with comparisons), or keep the array in shared memory, a column for each thread",
                 "使所有数组下标都成为常量（展开产生下标的循环，或用比较来选择），或把数组放进共享"
                 "内存，每个线程一列"}};
    }
    const std::string n = registers ? std::to_string(*registers) : "";
    return {
        {(registers ? n + " registers per thread" : "the registers of a thread") +
             " do not hold what the kernel keeps, or an array has an index that is only known at "
             "run time",
         (registers ? "每线程 " + n + " 个寄存器" : "一个线程的寄存器") +
             "放不下内核要保留的值，或有下标在运行时才知道的数组"},
        {"Keep fewer values live at once; raise the register limit (smaller blocks, or launch "
         "bounds without a second argument); " +
             constant.in(Language::En),
         "减少同时存活的值；提高寄存器上限（更小的线程块，或 launch bounds 不写第二个参数）；" +
             constant.in(Language::Zh)}};
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (!q.localSectors.has()) return cannotTell(q.localSectors.missing);
    if (!(*q.localSectors > 0))
        return RuledOut{.args = {arg("sectors", 0, Unit::Count), arg("cost", 0, Unit::Share)},
                        .cost = 0};
    const Resources resources = resourcesOf(q);
    const Resource* busiest = resources.busiest();
    if (!busiest || !(busiest->busy > 0)) return cannotTell(resources.missing);

    // Local memory takes its share of the sectors' time in L1, L2 and DRAM; that time counts in
    // proportion to how close those levels are to the busiest resource.
    // The L1 does not count what bulk copies bring past it; the L2 counts all of that.
    constexpr double kSector = 32;
    const double fromL2 = q.l2Counted.has() ? q.l2Counted->value / kSector : 0;
    const double share =
        std::min(q.localSectorShare->value,
                 fromL2 > 0 ? *q.localSectors / fromL2 : q.localSectorShare->value);
    const double levels = std::max({resources.busy(ResourceId::L1), resources.busy(ResourceId::L2),
                                    resources.busy(ResourceId::Dram)});
    const double others = resources.busiestExcept(
        {ResourceId::L1, ResourceId::L2, ResourceId::Dram, ResourceId::Issue});
    const double gain = aboveEmptyLaunch(
        input, std::max(0.0, std::min({share * std::min(1.0, levels / busiest->busy), 1.0 - others,
                                       share * memoryTimeWhereUnderfilled(input)})));
    if (gain < kWorthNaming)
        return RuledOut{
            .args = {arg("sectors", *q.localSectors, Unit::Count), arg("cost", gain, Unit::Share)},
            .cost = gain};
    Finding finding = makeEstimate(input, gain);
    finding.relief =
        relieves({ResourceId::L1, ResourceId::L2, ResourceId::Dram, ResourceId::Issue});
    const Kernel& kernel = input.profile.kernels[input.kernel.group.kernel];
    finding.args = {arg("sectors", *q.localSectors, Unit::Count), arg("share", share, Unit::Share)};
    Cause cause = causeOf(kernel.registersPerThread);
    finding.args.push_back(arg("cause", std::move(cause.what)));
    finding.args.push_back(arg("edit", std::move(cause.edit)));
    finding.evidence = {
        {.label = {"local-memory sectors", "本地内存扇区"},
         .formula = counter::kLocalSectors,
         .value = *q.localSectors,
         .unit = Unit::Count,
         .threshold = 0.0,
         .healthy = 0.0},
        {.label = {"share of all sectors", "占全部扇区"},
         .formula = "local sectors / max(global + local sectors, sectors of the L2)",
         .value = share,
         .unit = Unit::Share,
         .healthy = 0.0}};
    finding.expected = {{.counter = Words::lasting(counter::kLocalSectors),
                         .from = *q.localSectors,
                         .to = 0.0,
                         .unit = Unit::Count}};
    if (input.kernel.source)
        finding.places = localMemoryPlaces(input.profile, *input.kernel.source);
    return finding;
}

}  // namespace

extern const Rule local_memory_spill;
const Rule local_memory_spill{
    .id = "local-memory-spill",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "float acc[8];\nfor (int i = 0; i < n; ++i) acc[i] += x;",
    .after = "float acc[8];\n#pragma unroll\nfor (int i = 0; i < 8; ++i) acc[i] += x;",
    .en =
        {.title = "Local-memory traffic (register spills or dynamically indexed arrays)",
         .firesWhen =
             "The kernel moves local-memory sectors (spilled registers, or arrays indexed at run "
             "time), and they take at least 0.5 % of its time.",
         .sentence = "{sectors} local-memory {sectors?sector is:sectors are} moved, {share} of "
                     "all: {cause}.",
         .mechanism =
             "What does not fit into registers, and every array with an index that is only "
             "known at run time, lives in local memory: real memory traffic through L1 "
             "and L2.",
         .edit = "{edit}. -Xptxas -v tells spills from indexed arrays.",
         .ruledOut =
             "local memory ({sectors} {sectors?sector:sectors}, worth at most {cost} of the time)",
         .gain = "min(share of local sectors × (busiest memory level / busiest resource), 1 − "
                 "busiest other resource) × duration",
         .editInGeneral = "Keep fewer values alive (smaller tiles, launch bounds that allow more "
                          "registers), or index local arrays by constants (unrolled loops). "
                          "-Xptxas -v tells spills from indexed arrays.",
         .editInTriton =
             "In Triton, leave each thread fewer values: smaller BLOCK sizes, or more warps "
             "(num_warps) for the same block; and no maxnreg below what it needs."},
    .zh = {.title = "本地内存流量（寄存器溢出或动态下标数组）",
           .firesWhen =
               "内核搬运了本地内存扇区（寄存器溢出，或用运行时下标访问的数组），且至少占其时"
               "间的 0.5 %。",
           .sentence = "搬运了 {sectors} 个本地内存扇区，占全部的 {share}：{cause}。",
           .mechanism =
               "放不进寄存器的值，以及下标在运行时才知道的数组，都放在本地内存里：那是真正经"
               "过 L1 和 L2 的访存流量。",
           .edit = "{edit}。-Xptxas -v 可以区分寄存器溢出和动态下标数组。",
           .ruledOut = "本地内存（{sectors} 个扇区，至多占 {cost} 的时间）",
           .gain = "min(本地扇区占比 × (最忙存储层级 / 最忙资源), 1 − 其他最忙资源) × 耗时",
           .editInGeneral = "减少同时存活的值（更小的分块，允许更多寄存器的 launch "
                            "bounds），或用常量下标访问局部数组（展开循环）。-Xptxas -v "
                            "可以区分寄存器溢出和动态下标数组。",
           .editInTriton =
               "在 Triton 中，让每个线程保存更少的值：减小 "
               "BLOCK，或为同一分块使用更多线程束（num_warps）；maxnreg 不要低于所需。"},
    .check = check,
    .namesLine = NamesLine::ByCounters,
    .causesStalls = {"long_scoreboard", "lg_throttle"}};

}  // namespace roofscope::rules
