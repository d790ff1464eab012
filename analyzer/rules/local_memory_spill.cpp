// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/language/sentence.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope::rules {

namespace {

/// From here on, a kernel cannot get more registers. An instruction can name at most 255, and the
/// compiler may leave a few of them unused.
constexpr std::uint32_t kAllRegisters = 248;
/// Bytes that the registers of a thread hold at most.
constexpr std::uint32_t kAllRegisterBytes = 255 * 4;
/// An SM has 32 registers for each thread that it can hold. Fewer gain nothing, and no compiler
/// spills to get there unless it is told to.
constexpr std::uint32_t kNoPressure = 32;

/// The compiler may leave a few registers of a limit unused.
constexpr std::uint32_t kUnused = 8;
/// Fewer bytes may be spilled registers, if the number of these says nothing.
constexpr std::uint32_t kSmallArray = 256;

/// Whether the kernel has clearly fewer registers than each limit that launch bounds set: as many
/// blocks on an SM as the registers of all their threads allow. Compilers of C++ have an option for
/// any other limit (-maxrregcount), which hardly anybody gives Numba.
bool isBelowLimits(const Device& device, const Kernel& kernel) {
    if (!kernel.registersPerThread || !kernel.maxThreadsPerBlock || !device.registersPerSm ||
        *kernel.maxThreadsPerBlock == 0)
        return false;
    constexpr std::uint32_t kMostBlocks = 32, kAllocated = 8;
    const std::uint32_t registers = *kernel.registersPerThread;
    for (std::uint32_t blocks = 1; blocks <= kMostBlocks; ++blocks) {
        const std::uint32_t each = *device.registersPerSm / *kernel.maxThreadsPerBlock / blocks;
        const std::uint32_t limit = std::min(each / kAllocated * kAllocated, kAllRegisters + 7);
        if (registers <= limit && registers + kUnused > limit) return false;
    }
    return registers < kAllRegisters;
}

/// Whether most of local memory is accessed at addresses that the thread computes. Spilled
/// registers lie at fixed places of the frame, which R1 points to.
bool isIndexedInCode(const RuleInput& input) {
    constexpr double kMost = 0.5;
    const SourceAnalysis* const source = input.kernel.source.get();
    if (!source || !source->hasSass) return false;
    const SourcePass& pass = input.profile.sources[source->pass];
    double all = 0, computed = 0;
    for (std::size_t row = 0; row < source->facts.size(); ++row) {
        const SassKind kind = source->facts[row].kind;
        if (kind != SassKind::LocalLoad && kind != SassKind::LocalStore) continue;
        const double sectors = source->perRow[row].localSectors.value_or(0);
        const std::string_view operands = splitSass(pass.instructions[row].sass).operands;
        const bool fixed = operands.find("[R1]") != std::string_view::npos ||
                           operands.find("[R1+0x") != std::string_view::npos;
        all += sectors;
        if (!fixed) computed += sectors;
    }
    return computed > kMost * all;
}

/// What is in local memory, as far as the registers show, and what to do about it.
struct Cause {
    Words what, edit;
    bool arrays = false;   ///< larger than all registers of a thread
    bool indexed = false;  ///< arrays, of whatever size
};

Cause causeOf(const RuleInput& input) {
    const Kernel& kernel = input.profile.kernels[input.kernel.group.kernel];
    const auto& registers = kernel.registersPerThread;
    const Words constant("unroll the loop so that every array index is a constant");
    const Words which("-Xptxas -v tells spills from indexed arrays.");
    if (kernel.localBytesPerThread.value_or(0) > kAllRegisterBytes)
        return {
            wordsOf("each thread has {} B of it, more than all registers hold, so these are "
                    "arrays, not spilled registers",
                    *kernel.localBytesPerThread),
            Words("Make the arrays smaller (bytes or fp16 in place of numbers, recompute what they "
                  "hold, write over it step by step), or give each element to several lanes, with "
                  "its array in shared memory or spread over their registers. Fewer threads with "
                  "several elements each may also let all arrays fit into the L2."),
            true, true};
    if (isIndexedInCode(input))
        return {Words("most of it is accessed at addresses that the thread computes, so these are "
                      "arrays with an index that is only known at run time"),
                Words("Make every array index a constant (unroll the loop that it comes from, "
                      "select with comparisons, sort by a network), or keep the array in shared "
                      "memory, a column for each thread."),
                false, true};
    if (registers && *registers >= kAllRegisters)
        return {Words("the kernel needs more than the 255 registers that a thread can have"),
                wordsOf("Keep fewer values live at once: a smaller tile per thread, fewer unrolled "
                        "steps, or more threads for the same tile; and {}. {}",
                        constant, which)};
    if (registers &&
        (*registers < kNoPressure ||
         (kernel.localBytesPerThread.value_or(0) >= kSmallArray &&
          input.kernel.origin == KernelOrigin::Numba && isBelowLimits(deviceOf(input), kernel))))
        return {
            wordsOf("with {} registers per thread nothing had to be spilled, so these are probably "
                    "arrays with an index that is only known at run time",
                    *registers),
            Words("Make every array index a constant (unroll the loop that it comes from, or "
                  "select with comparisons), or keep the array in shared memory, a column for each "
                  "thread. -Xptxas -v tells spills from indexed arrays."),
            false, true};
    const Words edit = wordsOf(
        "Keep fewer values live at once; raise the register limit (smaller blocks, or launch "
        "bounds without a second argument); {}. {}",
        constant, which);
    if (registers)
        return {wordsOf("{} registers per thread are not enough, or an array has an index that is "
                        "only known at run time",
                        *registers),
                edit};
    return {Words("the registers of a thread are not enough, or an array has an index that is only "
                  "known at run time"),
            edit};
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (!q.localSectors.has()) return cannotTell(q.localSectors.missing);
    if (!(*q.localSectors > 0))
        return RuledOut{.args = {arg("sectors", 0, Unit::Count), arg("cost", 0, Unit::Share)},
                        .cost = 0};
    if (!q.localSectorShare.has()) return cannotTell(q.localSectorShare.missing);
    const Resources resources = resourcesOf(q);
    const Resource* busiest = resources.busiest();
    if (!busiest || !(busiest->busy > 0)) return cannotTell(resources.missing);

    // Local memory takes its share of the sectors' time in L1, L2 and DRAM. That time counts in
    // proportion to how close those levels are to the busiest resource. The L1 does not count what
    // bulk copies bring past it; the L2 counts all of it.
    constexpr double kSector = 32;
    const double fromL2 = q.l2Counted.has() ? q.l2Counted->value / kSector : 0;
    const double share =
        std::min(q.localSectorShare->value,
                 fromL2 > 0 ? *q.localSectors / fromL2 : q.localSectorShare->value);
    const double levels = std::max({resources.busy(ResourceId::L1), resources.busy(ResourceId::L2),
                                    resources.busy(ResourceId::Dram)});
    const double others = resources.busiestExcept(
        {ResourceId::L1, ResourceId::L2, ResourceId::Dram, ResourceId::Issue});
    const double gain = limitToEmptyLaunch(
        input, std::max(0.0, std::min({share * std::min(1.0, levels / busiest->busy), 1.0 - others,
                                       share * memoryTimeIfUnderfilled(input)})));
    if (gain < kLeastReportedGain)
        return RuledOut{
            .args = {arg("sectors", *q.localSectors, Unit::Count), arg("cost", gain, Unit::Share)},
            .cost = gain};
    Finding finding = makeEstimate(input, gain);
    finding.relief =
        relieves({ResourceId::L1, ResourceId::L2, ResourceId::Dram, ResourceId::Issue});
    finding.args = {arg("sectors", *q.localSectors, Unit::Count), arg("share", share, Unit::Share)};
    Cause cause = causeOf(input);
    if (cause.indexed) finding.title = Words("Arrays of each thread in local memory");
    if (cause.arrays) {
        finding.before =
            "int i = blockIdx.x * blockDim.x + threadIdx.x;  // n threads\nif (i < n) f(i);";
        finding.after =
            "// as many threads as run at once: their arrays stay in the L2\n"
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
            "blockDim.x)\n"
            "    f(i);";
    }
    finding.args.push_back(arg("cause", std::move(cause.what)));
    finding.args.push_back(arg("edit", std::move(cause.edit)));
    finding.evidence = {
        {.label = Words("local-memory sectors"),
         .formula = counter::kLocalSectors,
         .value = *q.localSectors,
         .unit = Unit::Count,
         .threshold = 0.0,
         .healthy = 0.0},
        {.label = Words("share of all sectors"),
         .formula = "local sectors / max(global + local sectors, sectors of the L2)",
         .value = share,
         .unit = Unit::Share,
         .healthy = 0.0}};
    // An array that is too large for registers stays in local memory, at best within the L2.
    if (cause.arrays && q.dramRead.has())
        finding.expected = {{.counter = Words("DRAM bytes read"),
                             .what = moved::Value::DramRead,
                             .from = q.dramRead->value,
                             .to = q.dramRead->value / 2,
                             .unit = Unit::Bytes}};
    else if (!cause.arrays)
        finding.expected = movementOf(counter::kLocalSectors, *q.localSectors, 0.0);
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
         .edit = "{edit}",
         .ruledOut =
             "local memory ({sectors} {sectors?sector:sectors}, worth at most {cost} of the time)",
         .gain = "min(share of local sectors × (busiest memory level / busiest resource), 1 − "
                 "busiest other resource) × duration",
         .editInGeneral = "Keep fewer values alive (smaller tiles, launch bounds that allow more "
                          "registers), or index local arrays by constants (unrolled loops). "
                          "-Xptxas -v tells spills from indexed arrays.",
         .editInTriton =
             "In Triton, leave each thread fewer values: smaller BLOCK sizes, or more warps "
             "(num_warps) for the same block; and no maxnreg below what it needs.",
         .editInNumba =
             "In Numba, a cuda.local.array that is indexed at run time lives in local memory: "
             "index it by constants only (a selection or sorting network), keep it in a "
             "cuda.shared.array, a column for each thread, or give each lane of a warp one of its "
             "values (cuda.shfl_sync). Without such an array, registers are spilled: keep fewer "
             "values live at once."},
    .check = check,
    .namesLine = NamesLine::ByCounters,
    .causesStalls = {"long_scoreboard", "lg_throttle"}};

}  // namespace roofscope::rules
