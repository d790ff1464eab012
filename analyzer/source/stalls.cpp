// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/stalls.h"

#include <algorithm>
#include <functional>

#include "analyzer/counters/group_sums.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope {

namespace {

constexpr std::string_view kPrefix = "smsp__average_warps_issue_stalled_";
constexpr std::string_view kSuffix = "_per_issue_active.ratio";

/// Of all reasons, those that every chip counts. Some chips add "imc_miss" and "gmma".
constexpr std::string_view kEveryChip[] = {"barrier",
                                           "branch_resolving",
                                           "dispatch_stall",
                                           "drain",
                                           "lg_throttle",
                                           "long_scoreboard",
                                           "math_pipe_throttle",
                                           "membar",
                                           "mio_throttle",
                                           "misc",
                                           "no_instruction",
                                           "not_selected",
                                           "selected",
                                           "short_scoreboard",
                                           "sleeping",
                                           "tex_throttle",
                                           "wait"};

constexpr StallCause kCauses[] = {
    {"barrier", "other warps of their block at a barrier", "同一线程块的其他线程束到达屏障",
     "Warps that reach a barrier early wait for the slowest one.",
     "先到屏障的线程束要等最慢的那个。",
     "Give all warps between two barriers the same work, use fewer barriers (__syncwarp where one "
     "warp is enough) or smaller blocks, so that other blocks fill the wait.",
     "让两个屏障之间各线程束的工作量相同，减少屏障（一个线程束内用 __syncwarp 即可），或用更小的"
     "线程块，让其他线程块填补等待。",
     "In Triton, barriers come from reductions, scans, tl.dot and turning blocks over: keep one "
     "sum for each element in a loop and reduce once behind it, or use fewer warps (num_warps=1 "
     "needs no barrier to reduce).",
     "在 Triton 中，屏障来自归约、扫描、tl.dot "
     "和分块翻转：循环中为每个元素保留一个累加值，循环之后只归约一次，或使用更少的线程束（num_"
     "warps=1 时归约无需屏障）。"},
    {"branch_resolving", "the target of a branch", "分支目标的确定",
     "After every jump a warp waits until its next instruction is known.",
     "每次跳转后，线程束要等下一条指令确定。",
     "Unroll short loops and replace small branches by selects, so that fewer jumps are taken.",
     "展开短循环，用条件选择代替小分支，减少跳转次数。",
     "In Triton, unroll short loops (tl.static_range) and use tl.where in place of small branches.",
     "在 Triton 中，展开短循环（tl.static_range），用 tl.where 代替小分支。"},
    {"dispatch_stall", "the dispatcher", "指令分派器",
     "The dispatcher holds instructions back, mostly because of conflicts at the register file.",
     "分派器推迟发射指令，多半是寄存器文件冲突造成的。",
     "Let fewer operands of neighbouring instructions come from the register file at once: keep "
     "reused values in one place and try another unroll factor.",
     "减少相邻指令同时从寄存器文件读取的操作数：让复用的值固定在一处，并尝试其他展开因子。"},
    {"drain", "their last stores to leave", "最后的存储写出",
     "A warp that has finished keeps its slot until all of its stores have left the SM.",
     "线程束结束后，要等全部存储离开 SM 才让出槽位。",
     "Store coalesced and 16 bytes per thread, and spread the stores over the kernel instead of "
     "leaving all of them for its end.",
     "存储要合并，每线程 16 字节，并把存储分散到内核各处，不要全部留到最后。",
     "In Triton, store at contiguous offsets, 16 bytes of neighbouring elements per thread (a "
     "larger BLOCK or fewer warps), and not everything at the kernel's end.",
     "在 Triton 中，按连续偏移存储，每线程 16 字节的相邻元素（更大的 BLOCK "
     "或更少的线程束），并且不要全部留到内核末尾。"},
    {"gmma", "tensor cores to finish (wgmma)", "张量核心完成（wgmma）",
     "Warps wait for asynchronous products of matrices that they issued themselves.",
     "线程束在等自己发出的异步矩阵乘法。",
     "Keep more than one wgmma group in flight, and let a second warp group do the softmax or the "
     "epilogue meanwhile.",
     "让多个 wgmma 组同时在途，并让另一个线程束组同时做 softmax 或收尾。",
     "In Triton, let more steps of the loop run ahead (num_stages), and use two groups of four "
     "warps (num_warps=8) for larger blocks.",
     "在 Triton "
     "中，让循环的更多步提前执行（num_stages），较大的分块使用两组四个线程束（num_warps=8）。"},
    {"imc_miss", "constants that missed the constant cache", "未命中常量缓存的常量",
     "Constants and kernel arguments are read through a small cache; misses go to memory.",
     "常量和内核参数经过一个很小的缓存读取，未命中就要访问内存。",
     "Index constant memory with the same value in all lanes of a warp, and move large tables to "
     "shared or global memory.",
     "让线程束各线程用相同下标访问常量内存，把大表移到共享内存或全局内存。"},
    {"lg_throttle", "a slot for global or local accesses", "全局或本地访存的队列空位",
     "The queue for global and local accesses is full: too many instructions, not too many bytes.",
     "全局和本地访存的队列已满：指令太多，而不是字节太多。",
     "Move 16 bytes per access (float4, uint4), combine neighbouring accesses, and keep local "
     "arrays in registers (constant indices).",
     "每次访问搬运 16 字节（float4、uint4），合并相邻访问，并让局部数组留在寄存器里（常量下标）。",
     "In Triton, move more bytes per access: contiguous offsets, and a BLOCK that gives each "
     "thread 16 bytes of neighbouring elements (a larger BLOCK or fewer warps).",
     "在 Triton 中，让每次访问搬运更多字节：偏移连续，并让 BLOCK 为每个线程提供 16 "
     "字节的相邻元素（更大的 BLOCK 或更少的线程束）。"},
    {"long_scoreboard", "data from global or local memory", "来自全局或本地内存的数据",
     "Each warp has too few loads on their way while it waits for the L2 or the DRAM.",
     "线程束在等 L2 或 DRAM 时，在途的加载太少。",
     "Issue several independent loads before the first use (unroll, prefetch the next tile, "
     "asynchronous copies), keep what is re-read in shared memory, or keep more warps resident.",
     "在首次使用之前先发出多个互不依赖的加载（展开循环、预取下一个分块、异步拷贝），把反复读取的"
     "数据放进共享内存，或让更多线程束驻留。",
     "In Triton, let more loads run at once: more elements per thread (a larger BLOCK or fewer "
     "warps), several rows or blocks per program, and in a loop num_stages (of the launch or of "
     "tl.range), which loads the next steps ahead.",
     "在 Triton 中，让更多加载同时进行：每个线程处理更多元素（更大的 BLOCK 或更少的线程束），每个 "
     "program 处理多行或多个分块，在循环中用 num_stages（启动参数或 tl.range）提前加载后续步骤。"},
    {"math_pipe_throttle", "a free arithmetic pipe", "空闲的运算流水线",
     "Many warps want the same pipe in the same cycles.", "许多线程束在同一周期要用同一条流水线。",
     "Mix instructions of different pipes between each other, or do less of the kind that "
     "dominates (record the counter group \"pipes\").",
     "把不同流水线的指令交错排列，或减少占主导的那类指令（可录制计数器组 \"pipes\"）。"},
    {"membar", "a memory fence", "内存栅栏",
     "A fence waits until all earlier accesses of the warp are visible.",
     "栅栏要等该线程束此前的所有访存都可见。",
     "Use the narrowest fence that is right (__threadfence_block, or acquire and release on the "
     "one "
     "atomic), and fence once for many stores.",
     "使用满足要求的最小范围栅栏（__threadfence_block，或只在那一个原子操作上用 acquire/release），"
     "多次存储共用一次栅栏。",
     "In Triton, give atomics the weakest order and scope that is right (sem=\"relaxed\", "
     "scope=\"cta\").",
     "在 Triton 中，为原子操作选择满足要求的最弱次序和范围（sem=\"relaxed\"、scope=\"cta\"）。"},
    {"mio_throttle", "a slot for shared-memory instructions", "共享内存指令的队列空位",
     "The queue for shared memory, special functions and dynamic branches is full: too many "
     "instructions for it.",
     "共享内存、特殊函数和动态分支共用的队列已满：这类指令太多。",
     "Use 16-byte shared accesses, keep more values in registers, and exchange values with warp "
     "shuffles less often.",
     "共享内存访问用 16 字节，让更多值留在寄存器里，减少线程束洗牌。",
     "In Triton, shared memory serves reductions, tl.dot and turning blocks over: keep one sum for "
     "each element in a loop and reduce once behind it, and load blocks in the order in which they "
     "are used.",
     "在 Triton 中，归约、tl.dot "
     "和分块翻转使用共享内存：循环中为每个元素保留一个累加值，循环之后只归约一次，并按使用顺序加载"
     "分块。"},
    {"misc", "something that is not counted apart", "未单独计数的原因",
     "The hardware sums up several rare reasons here.", "硬件把几种少见原因合计在这里。",
     "Record PC samples or a source pass to see the instructions.",
     "用逐指令的录制查看是哪些指令。"},
    {"no_instruction", "their next instruction", "下一条指令",
     "The instruction cache does not have it: code larger than the cache, long jumps, or a kernel "
     "that ends before it gets going.",
     "指令缓存里没有它：代码比缓存大、跳转很远，或内核刚起步就结束了。",
     "Make the hot loop smaller (unroll less, fewer inlined variants), and give short kernels more "
     "work per launch.",
     "缩小热点循环（少展开、少内联变体），并让短内核每次启动做更多工作。",
     "In Triton, make the code smaller (fewer steps of tl.static_range, smaller BLOCK sizes), and "
     "give short kernels more work per launch.",
     "在 Triton 中，缩小代码（减少 tl.static_range 的步数，减小 "
     "BLOCK），并让短内核每次启动做更多工作。"},
    {"short_scoreboard", "shared memory or special functions", "共享内存或特殊函数",
     "Results from shared memory, special functions or warp shuffles arrive later than they are "
     "needed.",
     "共享内存、特殊函数或线程束洗牌的结果到得比需要时晚。",
     "Load the next values from shared memory before the arithmetic on the present ones, remove "
     "bank conflicts, and replace slow functions by fast ones.",
     "在计算当前值之前先从共享内存取下一批值，消除存储体冲突，用快速函数代替慢速函数。",
     "In Triton, keep one sum for each element in a loop and reduce once behind it, use fewer "
     "warps for a reduction (num_warps), and cheaper functions (tl.exp2 with the factor folded in, "
     "tl.rsqrt).",
     "在 Triton "
     "中，循环中为每个元素保留一个累加值，循环之后只归约一次，归约时使用更少的线程束（num_"
     "warps），并使用更便宜的函数（并入系数的 tl.exp2、tl.rsqrt）。"},
    {"sleeping", "a sleep that the code asks for (__nanosleep)", "代码要求的休眠（__nanosleep）",
     "Warps sleep because the code tells them to.", "线程束按代码要求休眠。",
     "Shorten the back-off, or wait on a barrier instead of polling.",
     "缩短退避时间，或用屏障等待代替轮询。"},
    {"tex_throttle", "a slot for texture accesses", "纹理访问的队列空位",
     "The queue for texture and surface accesses is full.", "纹理和表面访问的队列已满。",
     "Read through ordinary loads where no filtering is needed, and fetch several values at once.",
     "不需要滤波时改用普通加载，并一次取多个值。"},
    {"warpgroup_arrive", "their group of warps to arrive (wgmma)", "同组线程束到达（wgmma）",
     "A tensor operation of a group of four warps starts when all of them are there.",
     "四个线程束一组的张量运算要等四个都到齐才开始。",
     "Give the four warps of a group the same work before the wgmma, and issue it for several "
     "tiles "
     "between two waits.",
     "让同组四个线程束在 wgmma 之前的工作量相同，并在两次等待之间为多个分块发出 wgmma。",
     "In Triton, let more steps of the loop run ahead (num_stages), and keep work beside tl.dot "
     "out of the loop.",
     "在 Triton 中，让循环的更多步提前执行（num_stages），并把 tl.dot 以外的工作移出循环。"},
    {"wait", "the result of the instruction before", "前一条指令的结果",
     "Each instruction depends on the one before, whose latency is fixed.",
     "每条指令都依赖前一条，而前一条的延迟是固定的。",
     "Give each thread independent chains: several accumulators, two elements at once.",
     "给每个线程多条互不依赖的计算链：多个累加器，同时处理两个元素。",
     "In Triton, give each thread more independent elements (a larger BLOCK or fewer warps), or "
     "let a program handle several rows at once.",
     "在 Triton 中，让每个线程处理更多相互独立的元素（更大的 BLOCK 或更少的线程束），或让一个 "
     "program 同时处理多行。"},
};

}  // namespace

std::string stallCounter(std::string_view reason) {
    return std::string(kPrefix) + std::string(reason) + std::string(kSuffix);
}

namespace {

const std::vector<std::string>& namesOnEveryChip() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        for (const std::string_view reason : kEveryChip) names.push_back(stallCounter(reason));
        return names;
    }();
    return kNames;
}

/// What is missing where nobody asked for any.
SharedText allNames() {
    static const SharedText kAll = [] {
        std::string all;
        for (const std::string& name : namesOnEveryChip()) all += (all.empty() ? "" : ", ") + name;
        return all;
    }();
    return kAll;
}

}  // namespace

Stalls stallsOf(const Profile& profile, const LaunchGroup& group) {
    Stalls stalls;
    const auto isStall = [](const std::string& name) { return name.starts_with(kPrefix); };
    if (std::ranges::none_of(profile.counters.names(), isStall)) {
        stalls.missing = allNames();
        return stalls;
    }
    std::vector<std::string> names = namesOnEveryChip();
    const GroupSums sums(profile.counters, group.launches);
    for (const std::string& name : profile.counters.names())
        if (name.starts_with(kPrefix) && name.ends_with(kSuffix) &&
            std::ranges::find(names, name) == names.end() && sums.joint({name}).ok())
            names.push_back(name);
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto joint = sums.joint(views);
    if (!joint.ok()) {
        stalls.missing = joint.missing;
        return stalls;
    }
    double all = 0;
    for (std::size_t i = 0; i < names.size(); ++i) all += joint[i];
    if (!(all > 0)) return stalls;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string reason =
            names[i].substr(kPrefix.size(), names[i].size() - kPrefix.size() - kSuffix.size());
        if (!isWaiting(reason)) continue;
        stalls.reasons.push_back({.reason = reason, .share = joint[i] / all});
    }
    std::ranges::stable_sort(stalls.reasons, std::greater{}, &Stall::share);
    return stalls;
}

Stalls stallsOf(const Profile& profile, const KernelAnalysis& kernel) {
    // Samples of a launch that did other work than the counted one tell nothing of this one.
    if (!kernel.source || !kernel.source->agrees || !kernel.source->stalls.enough())
        return stallsOf(profile, kernel.group);
    const SampledStalls& sampled = kernel.source->stalls;
    Stalls stalls;
    stalls.sampled = true;
    for (const SampledStalls::State& state : sampled.states)
        if (isWaiting(state.reason))
            stalls.reasons.push_back(
                {.reason = state.reason, .share = state.total / sampled.total});
    std::ranges::stable_sort(stalls.reasons, std::greater{}, &Stall::share);
    return stalls;
}

std::string stallFormula(const Stalls& stalls, std::string_view reason) {
    return stalls.sampled ? sampledStallCounter(reason) + " / " + std::string(kSampleCount)
                          : stallCounter(reason) + " / sum over all reasons";
}

const StallCause* findStallCause(std::string_view reason) {
    // Samples name it in the plural.
    if (reason == "no_instructions") reason = "no_instruction";
    for (const StallCause& cause : kCauses)
        if (cause.reason == reason) return &cause;
    return nullptr;
}

Words stallWords(std::string_view reason) {
    const StallCause* cause = findStallCause(reason);
    if (!cause) return Words::same(std::string(reason));
    return {std::string(cause->what), std::string(cause->whatZh)};
}

}  // namespace roofscope
