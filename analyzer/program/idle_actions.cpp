// SPDX-License-Identifier: Apache-2.0
/// What the GPU waits for on the CPU.
#include "analyzer/program/action_finder.h"

#include <algorithm>
#include <map>

#include "analyzer/program/sites.h"

namespace roofscope::program {

std::vector<ActionSite> ActionFinder::sitesOf(CallKind kind, Seconds bound) const {
    return sitesOfCalls(*m_analysis.profile, kind, bound);
}

Words ActionFinder::callsOf(std::initializer_list<CallKind> kinds) const {
    constexpr std::size_t kMostNames = 2;
    std::string names;
    std::size_t count = 0;
    for (const CallTime& call : m_account.calls) {
        if (std::ranges::find(kinds, call.kind) == kinds.end() || count == kMostNames) continue;
        names += (names.empty() ? "" : ", ") + call.name;
        ++count;
    }
    return names.empty() ? Words("a synchronous call", "同步调用") : Words::same(names);
}

void ActionFinder::synchronisation() {
    if (!m_account.causesKnown || !m_account.cpuBusy) return;
    const Seconds idle = m_account.time[TimeClass::IdleSync] + m_account.hostAfterSync;
    Seconds busy;
    for (const TimeClass cls : kTimeClasses)
        if (!isIdle(cls)) busy += m_account.time[cls];
    const Seconds least = std::max(busy, *m_account.cpuBusy);
    const Seconds bound = std::min(idle, m_program.window.seconds - least);
    add({.rule = "sync-stops-queue",
         .timeClass = TimeClass::IdleSync,
         .bound = bound,
         .sites = sitesOf(CallKind::Wait, bound),
         .title = {"The CPU waits, and the GPU runs dry", "CPU 等待，GPU 无事可做"},
         .sentence = {"After {call} the GPU has nothing to do for {idle} until the CPU issues "
                      "new work.",
                      "在 {call} 之后，GPU 有 {idle} 无事可做，直到 CPU 发出新的工作。"},
         .edit = m_frameworks.torch
                     ? Words("Read results later or less often: .item(), .cpu(), print() "
                             "and conditions on tensors wait for the GPU.",
                             "推迟或减少读取结果：.item()、.cpu()、print() 以及对张量的"
                             "条件判断都会等待 GPU。")
                     : Words("Wait later or less often: issue the next work before the "
                             "results are read; order streams with events.",
                             "推迟或减少等待：先发出后续工作，再读取结果；用事件为流"
                             "排序。"),
         .args = {words("call", callsOf({CallKind::Wait, CallKind::Transfer})),
                  number("idle", idle.value, Unit::Seconds)}});
}

bool ActionFinder::growsByCat() const {
    constexpr double kPerLayer = 4;
    double cats = 0;
    for (std::size_t k = 0; k < m_analysis.kernels.size(); ++k) {
        const std::string& name = m_analysis.kernels[k].fullName;
        if (name.find("ackward") != name.npos || name.find("_bprop_") != name.npos) return false;
        if (name.find("CatArrayBatchedCopy") != name.npos) cats += m_program.kernels[k].perWindow;
    }
    return cats >= kPerLayer;
}

void ActionFinder::launches() {
    if (!m_account.causesKnown) return;
    const Program::KernelCounts all = m_program.launches();
    const double perWindow = all.perWindow;
    const double idle = m_account.time[TimeClass::IdleLaunch].value;
    // Sums of shares: half of them may be a little less.
    const bool graphs = all.fromGraphs > 0.45 * perWindow;
    Words edit;
    if (perWindow < kLeastOfGraph)
        edit = {
            "Give each launch more work (a larger batch): launching as few as these takes "
            "longer than the GPU needs for them, from a CUDA graph as well, unless it holds "
            "several repeats.",
            "让每次启动做更多工作（更大的批次）：启动这么少的内核比 GPU 执行它们更久，用 CUDA "
            "图也一样，除非图中包含多次重复。"};
    else if (graphs && m_frameworks.xla)
        edit = {
            "XLA launches graphs already: unroll the loop (jax.lax.scan(..., unroll=8)), put "
            "more of it into one jit, or give each step more work (a larger batch).",
            "XLA 已使用图启动：展开循环（jax.lax.scan(..., unroll=8)），把循环的更多部分放进"
            "一个 jit，或让每步做更多工作（更大的批次）。"};
    else if (graphs)
        edit = {
            "Most kernels come from CUDA graphs already: fuse them or give each more work "
            "(a larger batch).",
            "大多数内核已来自 CUDA 图：融合它们，或让每个内核做更多工作（更大的批次）。"};
    else if (m_frameworks.torch && growsByCat())
        edit = {
            "Use a cache of fixed size (transformers: generate(cache_implementation="
            "\"static\")), so that every step has the same shapes, and "
            "torch.compile(mode=\"reduce-overhead\"); or decode a larger batch.",
            "使用固定大小的缓存（transformers：generate(cache_implementation=\"static\")），"
            "使每步形状相同，并使用 torch.compile(mode=\"reduce-overhead\")；或解码更大的批"
            "次。"};
    else if (m_frameworks.torch)
        edit = {
            "Use torch.compile(mode=\"reduce-overhead\"), or capture the step with "
            "torch.cuda.graph; or give each launch more work (a larger batch).",
            "使用 torch.compile(mode=\"reduce-overhead\")，或用 torch.cuda.graph 捕获该"
            "步骤；或让每次启动做更多工作（更大的批次）。"};
    else if (m_frameworks.xla)
        edit = {
            "Put more of the loop into one jit (jax.lax.scan or fori_loop over the steps), or "
            "give each step more work (a larger batch).",
            "把循环的更多部分放进一个 jit（对各步使用 jax.lax.scan 或 fori_loop），或让每步做"
            "更多工作（更大的批次）。"};
    else
        edit = {
            "Capture the launches that repeat in a CUDA graph, fuse kernels, or give each "
            "launch more work.",
            "用 CUDA 图捕获重复的启动，融合内核，或让每次启动做更多工作。"};
    add({.rule = "launch-bound-program",
         .timeClass = TimeClass::IdleLaunch,
         .bound = {std::max(0.0, idle - perWindow * kGraphGap.value)},
         .title = {"The GPU waits for launches", "GPU 等待启动"},
         .sentence = perWindow < 1.5
                         ? Words("The GPU does nothing for {idle} while the CPU issues the "
                                 "next launch.",
                                 "CPU 发出下一次启动期间，GPU 有 {idle} 无事可做。")
                         : Words("The GPU does nothing for {idle} while the CPU issues "
                                 "{launches} {launches?launch:launches}.",
                                 "CPU 发出 {launches} 次启动期间，GPU 有 {idle} 无事可做。"),
         .edit = std::move(edit),
         .args = {number("idle", idle, Unit::Seconds),
                  number("launches", perWindow, Unit::Count)}});
}

void ActionFinder::idle(TimeClass cls, std::string rule, Words title, Words sentence, Words edit,
                        Words call) {
    const Seconds time = m_account.time[cls];
    add({.rule = std::move(rule),
         .timeClass = cls,
         .bound = time,
         .title = std::move(title),
         .sentence = std::move(sentence),
         .edit = std::move(edit),
         .args = {number("idle", time.value, Unit::Seconds), words("call", std::move(call))}});
}

bool ActionFinder::usesThrust() const {
    return std::ranges::any_of(m_analysis.profile->kernels, [](const Kernel& kernel) {
        return kernel.name.find("thrust::") != std::string::npos;
    });
}

void ActionFinder::allocation() {
    idle(TimeClass::IdleAlloc, "allocation-in-loop",
         {"Memory is allocated while the GPU waits", "GPU 等待内存分配"},
         {"The GPU does nothing for {idle} while the CPU is in {call}.",
          "CPU 处于 {call} 期间，GPU 有 {idle} 无事可做。"},
         m_frameworks.torch
             ? Words("Reuse tensors, and leave out torch.cuda.empty_cache(): PyTorch keeps "
                     "freed memory for the next step.",
                     "复用张量，并去掉 torch.cuda.empty_cache()：PyTorch 会为下一步保留已"
                     "释放的内存。")
         : usesThrust()
             ? Words("Thrust's algorithms allocate scratch memory in each call: give them an "
                     "allocator that keeps it (thrust::cuda::par(allocator)), or call CUB with "
                     "scratch memory that is allocated once, before the loop.",
                     "Thrust 的算法每次调用都会分配临时内存：为其提供会保留内存的分配器"
                     "（thrust::cuda::par(allocator)），或调用 CUB 并使用在循环之前一次性分配的"
                     "临时内存。")
             : Words("Allocate once, before the loop, or use cudaMallocAsync.",
                     "在循环之前一次性分配，或使用 cudaMallocAsync。"),
         callsOf({CallKind::Allocate, CallKind::Free}));
}

void ActionFinder::loading() {
    idle(TimeClass::IdleLoad, "first-call-costs",
         {"Code is loaded in the measured time", "测量时间内加载代码"},
         {"The GPU does nothing for {idle} while {call} loads code.",
          "{call} 加载代码期间，GPU 有 {idle} 无事可做。"},
         {"It happens once per process: run each kernel once before the time that counts, or "
          "measure more repetitions.",
          "每个进程只发生一次：在计时之前先运行每个内核一次，或测量更多次重复。"},
         callsOf({CallKind::Load}));
}

ActionFinder::BeforeWork ActionFinder::beforeWork() const {
    constexpr double kLeastData = 1024;  // a learning rate or a loss is no data
    // A thread copies memory at 10 GB/s: what took less was not loaded or computed then.
    constexpr double kFastest = 10e9;
    const auto occurrences =
        static_cast<double>(std::max<std::size_t>(m_program.window.counted, 1));
    BeforeWork before;
    for (const HostWork& work : m_account.hostWork) {  // most first
        if (!before.most) before.most = &work;
        if (work.range.find("DataLoader") != work.range.npos) {
            before.loader += work.idle.value;
            if (before.range.empty()) before.range = work.range;
        }
        if (work.copy != TransferKind::HostToDevice || work.count == 0 ||
            work.bytes.value * occurrences < kLeastData * static_cast<double>(work.count) ||
            work.bytes.value > kFastest * work.idle.value)
            continue;
        before.data += work.idle.value;
        before.bytes += work.bytes.value;
    }
    return before;
}

void ActionFinder::host() {
    if (!m_account.causesKnown) return;
    constexpr double kMost = 0.5;  // of the idle time; less would not explain it
    const Seconds time = m_account.time[TimeClass::IdleHost];
    const BeforeWork before = beforeWork();
    const bool loader = before.loader >= kMost * time.value && before.loader > 0;
    const bool data = before.data >= kMost * time.value && before.data > 0;
    const bool named = before.most && before.most->idle.value >= kMost * time.value;
    std::map<std::string, double> sites;
    for (const HostWork& work : m_account.hostWork) addSitesAfter(sites, *m_analysis.profile, work);
    Action action{.rule = "host-bound",
                  .timeClass = TimeClass::IdleHost,
                  .bound = time,
                  .sites = mostFirst(sites),
                  .title = {"The GPU waits for work on the CPU", "GPU 等待 CPU 上的工作"},
                  .sentence = {"The GPU does nothing for {idle} while the CPU does something "
                               "without CUDA.",
                               "CPU 执行与 CUDA 无关的工作期间，GPU 有 {idle} 无事可做。"},
                  .edit = {"Do it on another thread, or issue the next launches first; a CPU "
                           "profiler names it.",
                           "放到另一个线程，或先发出后续启动；CPU 分析器可以指出是什么。"},
                  .args = {number("idle", time.value, Unit::Seconds)}};
    if (loader) {
        action.title = {"The GPU waits for data loading", "GPU 等待数据加载"};
        action.sentence = {
            "The GPU does nothing for {idle} while the CPU works without CUDA, "
            "for {part} of it in the range {range}.",
            "CPU 执行与 CUDA 无关的工作期间，GPU 有 {idle} 无事可做，其中 "
            "{part} 在范围 {range} 中。"};
        action.args.push_back(number("part", before.loader, Unit::Seconds));
        action.args.push_back(words("range", Words::same(before.range)));
    } else if (data) {
        action.title = {"The GPU waits for what the CPU copies next",
                        "GPU 等待 CPU 接下来拷贝的数据"};
        action.sentence = {
            "The GPU does nothing for {idle} while the CPU works without CUDA, "
            "for {part} of it right before it copies {bytes} to the GPU, as "
            "where the thread that launches also loads the data.",
            "CPU 执行与 CUDA 无关的工作期间，GPU 有 {idle} 无事可做，其中 "
            "{part} 紧接在向 GPU 拷贝 {bytes} 之前，发起启动的线程同时加载数据"
            "时就是这样。"};
        action.args.push_back(number("part", before.data, Unit::Seconds));
        action.args.push_back(number("bytes", before.bytes, Unit::Bytes));
    } else if (named && before.most->kernel) {
        action.sentence = {
            "The GPU does nothing for {idle} while the CPU does something "
            "without CUDA, for {part} of it right before it launches {kernel}.",
            "CPU 执行与 CUDA 无关的工作期间，GPU 有 {idle} 无事可做，其中 "
            "{part} 紧接在启动 {kernel} 之前。"};
        action.args.push_back(number("part", before.most->idle.value, Unit::Seconds));
        action.args.push_back(
            words("kernel",
                  Words::same(shortKernelName(
                      m_analysis.profile->kernels[*before.most->kernel].name, kLongestKernel))));
    }
    if (m_frameworks.xla)
        action.edit = {
            "Between two calls of compiled functions that is Python and JAX's dispatch: put "
            "several steps into one jit (jax.lax.scan or fori_loop), and read results "
            "(float(loss), numpy) less often.",
            "在两次编译函数调用之间，这是 Python 与 JAX 的调度：把多步放进一个 jit"
            "（jax.lax.scan 或 fori_loop），并减少读取结果（float(loss)、numpy）的次数。"};
    if (loader || data)
        action.edit =
            m_frameworks.torch
                ? Words(
                      "If that is data loading: DataLoader(num_workers=4, pin_memory=True, "
                      "persistent_workers=True) loads the next batches while the GPU works; "
                      "decode and augment on the GPU.",
                      "若这是数据加载：DataLoader(num_workers=4, pin_memory=True, "
                      "persistent_workers=True) 会在 GPU 工作时加载后续批次；在 GPU 上解码"
                      "和增强。")
                : Words(
                      "If that is data loading: load and prepare the next data on another "
                      "thread while the GPU works, one or two batches ahead.",
                      "若这是数据加载：在 GPU 工作时由另一个线程加载并准备后续数据，提前"
                      "一两个批次。");
    add(std::move(action));
}

}  // namespace roofscope::program
