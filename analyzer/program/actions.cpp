// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/program/floor.h"
#include "analyzer/program/graph_inputs.h"
#include "analyzer/program/repeated_copies.h"
#include "analyzer/program/sites.h"
#include "analyzer/rule.h"

namespace roofscope::program {
namespace {

/// Of a kernel's name in a sentence.
constexpr std::size_t kLongestKernel = 50;

Arg number(std::string name, double value, Unit unit) {
    return {.name = std::move(name), .value = value, .unit = unit};
}
Arg words(std::string name, Words text) {
    return {.name = std::move(name), .value = 0, .unit = Unit::Count, .text = std::move(text)};
}

class ActionFinder {
public:
    ActionFinder(const Analysis& analysis, const Program& program, const LaunchOrder& order)
        : m_analysis(analysis),
          m_program(program),
          m_order(order),
          m_account(program.account),
          m_frameworks(frameworksOf(*analysis.profile)) {}

    std::vector<Action> run() {
        if (!(m_program.window.seconds.value > 0)) return {};
        findings();
        elementwise();
        unevenRanks();
        graphInputs();
        repeatedCopies();
        copies();
        synchronisation();
        launches();
        allocation();
        loading();
        host();
        std::ranges::stable_sort(m_actions, std::greater{}, &Action::bound);
        if (m_actions.size() > kMostActions) m_actions.resize(kMostActions);
        return std::move(m_actions);
    }

private:
    /// Sets what follows from the bound; drops what is not worth doing.
    void add(Action action) {
        const Seconds window = m_program.window.seconds;
        action.bound = std::min(action.bound, window);
        action.share = {action.bound / window};
        const auto counted = std::max<std::size_t>(m_program.window.counted, 1);
        action.total = action.bound * static_cast<double>(counted);
        if (action.share.value >= kWorthDoing) m_actions.push_back(std::move(action));
    }

    void findings() {
        struct Group {
            Action action;
            std::vector<std::pair<double, std::uint32_t>> kernels;  // bound, index
            std::map<std::string, double> sites;
            double most = 0;
        };
        std::map<std::pair<std::string, std::string>, Group> groups;
        for (std::uint32_t k = 0; k < m_analysis.kernels.size(); ++k) {
            const KernelAnalysis& kernel = m_analysis.kernels[k];
            const double perWindow = m_program.kernels[k].perWindow;
            for (std::size_t f = 0; f < kernel.findings.size(); ++f) {
                const Finding& finding = kernel.findings[f];
                if (finding.minor || !finding.gain.has()) continue;
                const double bound = finding.gain->value * perWindow;
                if (!(bound > 0)) continue;
                Group& group = groups[{finding.ruleId, finding.edit.in(Language::En)}];
                group.action.rule = finding.ruleId;
                group.action.bound += Seconds{bound};
                group.action.estimate |= finding.estimate;
                group.kernels.emplace_back(bound, k);
                addLaunchSites(group.sites, *m_analysis.profile, kernel, bound);
                if (bound > group.most) {
                    group.most = bound;
                    group.action.finding = f;
                }
            }
        }
        for (auto& [key, group] : groups) {
            std::ranges::stable_sort(
                group.kernels, [](const auto& a, const auto& b) { return a.first > b.first; });
            for (const auto& [bound, k] : group.kernels) group.action.kernels.push_back(k);
            group.action.sites = mostFirst(group.sites);
            add(std::move(group.action));
        }
        // Without calls on the CPU the gaps between launches say what launching costs.
        if (m_account.causesKnown || m_program.window.kind != WindowKind::Whole) return;
        for (const Finding& finding : m_analysis.sequenceFindings) {
            if (!finding.gain.has() || finding.minor) continue;
            const Rule* rule = findRule(finding.ruleId);
            if (!rule) continue;
            add({.rule = finding.ruleId,
                 .bound = *finding.gain,
                 .title = {std::string(rule->en.title), std::string(rule->zh.title)},
                 .sentence = {std::string(rule->en.sentence), std::string(rule->zh.sentence)},
                 .edit = {std::string(rule->en.edit), std::string(rule->zh.edit)},
                 .args = finding.args});
        }
    }

    /// A rule has a bound of its own for chains through the DRAM: the larger of the two is said.
    void elementwise() {
        const auto joinsLaunches = [](const Action& action) {
            const Rule* rule = findRule(action.rule);
            return rule && rule->removesLaunch;
        };
        const auto chain = std::ranges::find_if(m_actions, joinsLaunches);
        if (chain != m_actions.end() && chain->bound >= m_order.runs.gain) return;
        Action action{
            .rule = "unfused-elementwise",
            .bound = m_order.runs.gain,
            .estimate = true,
            .title = {"Unfused elementwise operators", "未融合的逐元素算子"},
            .sentence = {"{launches} elementwise {launches?launch works:launches work} on what the "
                         "one before them wrote; "
                         "joined, each group takes as long as its longest.",
                         "{launches} 次逐元素启动处理前一次启动写出的数据；合并后，每组只需其中最"
                         "长一次的时间。"},
            .edit = m_frameworks.cupy && !m_frameworks.torch
                        ? Words("Let one kernel do them: decorate the function that holds them "
                                "with cupy.fuse(), or write a cupy.ElementwiseKernel.",
                                "让一个内核完成它们：用 cupy.fuse() 装饰包含它们的函数，或编写 "
                                "cupy.ElementwiseKernel。")
                        : Words("Compile the function that holds them (torch.compile fuses "
                                "elementwise operators and their casts).",
                                "编译包含它们的函数（torch.compile 会融合逐元素算子及其类型转"
                                "换）。"),
            .args = {number("launches", m_order.runs.launches, Unit::Count)}};
        std::vector<std::pair<double, std::uint32_t>> kernels;
        std::map<std::string, double> sites;
        for (const auto& [kernel, gain] : m_order.runs.kernels) {
            kernels.emplace_back(gain, kernel);
            addLaunchSites(sites, *m_analysis.profile, m_analysis.kernels[kernel], gain);
        }
        std::ranges::stable_sort(kernels, std::greater{},
                                 [](const auto& entry) { return entry.first; });
        for (const auto& [gain, kernel] : kernels) action.kernels.push_back(kernel);
        action.sites = mostFirst(sites);
        const std::size_t before = m_actions.size();
        add(std::move(action));
        if (m_actions.size() > before) std::erase_if(m_actions, joinsLaunches);
    }

    /// With even work all ranks take the mean of what their kernels take now.
    void unevenRanks() {
        if (!m_order.uneven) return;
        const UnevenRanks& uneven = *m_order.uneven;
        const bool kernels = !uneven.kernel.empty();
        // Another batch is another shape, for which libraries choose other kernels.
        const bool slowAlone = kernels && !(uneven.waitingInKernel.value > 0);
        const double difference = (uneven.slowKernels - uneven.waitingKernels).value;
        const double ranks = static_cast<double>(m_program.lanes.size());
        std::vector<Arg> args{number("waiting", uneven.waiting, Unit::Count),
                              number("slow", uneven.slow, Unit::Count),
                              number("waits", uneven.waits.value, Unit::Seconds),
                              words("in", Words::same(shortKernelName(uneven.in, kLongestKernel))),
                              number("slowTime", uneven.slowKernels.value, Unit::Seconds),
                              number("waitingTime", uneven.waitingKernels.value, Unit::Seconds)};
        if (kernels) {
            args.push_back(
                words("kernel", Words::same(shortKernelName(uneven.kernel, kLongestKernel))));
            args.push_back(number("slowPart", uneven.slowInKernel.value, Unit::Seconds));
            args.push_back(number("waitingPart", uneven.waitingInKernel.value, Unit::Seconds));
        }
        add({.rule = "uneven-ranks",
             .alwaysExplained = true,
             .bound = kernels
                          ? Seconds{std::min(uneven.waits.value, difference * (ranks - 1) / ranks)}
                          : uneven.waits,
             .estimate = true,
             .title = {"Ranks wait for the slowest", "各 rank 等待最慢者"},
             .sentence =
                 slowAlone
                     ? Words("Rank {waiting} waits {waits} in {in} for rank {slow}, whose kernels "
                             "take {slowTime} (rank {waiting}: {waitingTime}); {slowPart} of that "
                             "is {kernel}, which rank {waiting} does not launch (libraries "
                             "choose kernels by shape).",
                             "rank {waiting} 在 {in} 中等待 rank {slow} {waits}；后者的内核用时 "
                             "{slowTime}（rank {waiting}：{waitingTime}），其中 {slowPart} 是 "
                             "{kernel}，rank {waiting} 不启动它（库按形状选择内核）。")
                 : kernels
                     ? Words("Rank {waiting} waits {waits} in {in} for rank {slow}, whose kernels "
                             "take {slowTime} (rank {waiting}: {waitingTime}), most of the "
                             "difference in {kernel}: {slowPart} against {waitingPart}.",
                             "rank {waiting} 在 {in} 中等待 rank {slow} {waits}；后者的内核用时 "
                             "{slowTime}（rank {waiting}：{waitingTime}），差别主要在 {kernel}："
                             "{slowPart} 对 {waitingPart}。")
                     : Words("Rank {waiting} waits {waits} in {in} for rank {slow}, whose kernels "
                             "take {slowTime} (rank {waiting}: {waitingTime}): it gets its work "
                             "later.",
                             "rank {waiting} 在 {in} 中等待 rank {slow} {waits}；后者的内核用时 "
                             "{slowTime}（rank {waiting}：{waitingTime}）：它更晚得到工作。"),
             .edit = kernels ? Words("Give all ranks the same work: equal batches, sequences of "
                                     "equal length, the same sampler.",
                                     "让各 rank 的工作相同：相等的批次、等长的序列、同样的采样"
                                     "器。")
                             : Words("Look at what the CPU of the slow rank does: data loading, "
                                     "logging, checkpoints on one rank only.",
                                     "查看慢 rank 的 CPU 在做什么：数据加载、日志、只在一个 rank "
                                     "上做的检查点。"),
             .args = std::move(args)});
    }

    /// Copies between host and GPU that nothing runs beside: pageable ones can do no better, others
    /// can be moved.
    void copies() {
        for (const bool pageable : {true, false}) {
            double count = 0, exposed = 0, bytes = 0;
            for (const CopyTime& copy : m_account.copies) {
                const bool overLink = copy.kind == TransferKind::HostToDevice ||
                                      copy.kind == TransferKind::DeviceToHost;
                if (!overLink || copy.pageable != pageable) continue;
                count += static_cast<double>(copy.count);
                bytes += copy.bytes.value;
                exposed += copy.exposed.value;
            }
            const auto occurrences =
                static_cast<double>(std::max<std::size_t>(m_program.window.counted, 1));
            count /= occurrences;
            if (count == 0 || bytes / count < kLeastCopy.value) continue;
            // Copies can go beside kernels and no further.
            const double kernels = m_account.time[TimeClass::Kernels].value +
                                   m_account.time[TimeClass::Communication].value;
            const double left = std::max(0.0, linkTime(m_account).value - kernels);
            double bound = std::max(0.0, exposed - left);
            if (!pageable) bound = std::min(bound, kernels);
            // Copies that are rarer than the step are told of all its occurrences.
            const bool rare = count < 1;
            if (rare)
                for (double* value : {&count, &bytes, &exposed}) *value *= occurrences;
            std::vector<Arg> args{number("count", count, Unit::Count),
                                  number("bytes", bytes, Unit::Bytes),
                                  number("exposed", exposed, Unit::Seconds)};
            if (pageable)
                add({.rule = "pageable-copy",
                     .timeClass = TimeClass::Copies,
                     .bound = {bound},
                     .sites = sitesOf(CallKind::Transfer, {bound}),
                     .title = {"Copies of pageable memory", "可分页内存的拷贝"},
                     .sentence =
                         {"{count} {count?copy:copies} between pageable host memory and the "
                          "GPU {count?moves:move} {bytes} and {count?takes:take} {exposed} in "
                          "which no kernel runs.",
                          "{count} 次可分页主机内存与 GPU 之间的拷贝移动 {bytes}，占用 "
                          "{exposed}，其间没有内核运行。"},
                     .edit = m_frameworks.torch
                                 ? Words("Pin the memory (DataLoader(pin_memory=True), "
                                         "tensor.pin_memory()) and copy with "
                                         "non_blocking=True; keep on the GPU what does not "
                                         "have to leave it.",
                                         "固定内存（DataLoader(pin_memory=True)、"
                                         "tensor.pin_memory()）并用 non_blocking=True 拷贝；"
                                         "不必离开 GPU 的数据留在 GPU 上。")
                                 : Words("Allocate the host memory with cudaMallocHost and "
                                         "copy with cudaMemcpyAsync on a stream of its own.",
                                         "用 cudaMallocHost 分配主机内存，并在单独的流上用 "
                                         "cudaMemcpyAsync 拷贝。"),
                     .args = std::move(args)});
            else
                add({.rule = "copy-not-overlapped",
                     .timeClass = TimeClass::Copies,
                     .bound = {bound},
                     .sites = sitesOf(CallKind::Transfer, {bound}),
                     .title = {"Copies with no kernel beside them", "没有与内核重叠的拷贝"},
                     .sentence =
                         rare
                             ? Words("{count} {count?copy:copies} of pinned memory, in all repeats "
                                     "together, {count?moves:move} {bytes} and {count?takes:take} "
                                     "{exposed} in which "
                                     "no kernel runs.",
                                     "所有重复中共有 {count} 次固定内存的拷贝，移动 {bytes}，"
                                     "占用 {exposed}，其间没有内核运行。")
                             : Words("{count} {count?copy:copies} of pinned memory "
                                     "{count?moves:move} {bytes} and "
                                     "{count?takes:take} {exposed} in which no kernel runs.",
                                     "{count} 次固定内存的拷贝移动 {bytes}，占用 "
                                     "{exposed}，其间没有内核运行。"),
                     .edit = {"Copy the next batch on a second stream while the kernels of this "
                              "one run.",
                              "在第二个流上拷贝下一批数据，同时运行当前这一批的内核。"},
                     .args = std::move(args)});
        }
    }

    /// Without the copies the graph reads the input itself.
    void graphInputs() {
        const GraphInputs found = program::graphInputs(m_analysis, m_program);
        if (found.kernels.empty()) return;
        std::map<std::string, double> sites;
        for (const std::uint32_t k : found.kernels)
            addLaunchSites(sites, *m_analysis.profile, m_analysis.kernels[k],
                           m_analysis.kernels[k].quantities.duration.median.value *
                               m_program.kernels[k].perWindow);
        add({.rule = "graph-input-copy",
             .kernels = found.kernels,
             .bound = found.time,
             .sites = mostFirst(sites),
             .title = {"Inputs are copied for a CUDA graph", "为 CUDA 图拷贝输入"},
             .sentence = {"{launches} {launches?launch copies:launches copy} inputs of a compiled "
                          "function to where its CUDA graph reads them.",
                          "{launches} 次启动把已编译函数的输入拷贝到其 CUDA 图读取的位置。"},
             // mark_static_address() is not the first advice: PyTorch 2.11 does not see it where
             // Inductor's cache has the graph from before (measured; docs/program.md).
             .edit = {"Hold these inputs in buffers of the compiled module (register_buffer), "
                      "which its graph reads where they are; what makes new data writes it there.",
                      "把这些输入放进已编译模块的缓冲区（register_buffer），图会就地读取；"
                      "新数据直接写到那里。"},
             .args = {number("launches", found.launches, Unit::Count)}});
    }

    /// All copies of a size count, so that the bound is one.
    void repeatedCopies() {
        const RepeatedCopies found = program::repeatedCopies(*m_analysis.profile, m_program);
        if (!(found.copies > 0)) return;
        Seconds exposed;
        for (const CopyTime& copy : m_account.copies)
            if (copy.kind == TransferKind::HostToDevice) exposed += copy.exposed;
        const Seconds bound = std::min(found.time, exposed);
        std::map<std::string, double> sites = found.places;
        for (auto& [place, part] : sites) part *= bound.value;
        add({.rule = "repeated-copy",
             .timeClass = TimeClass::Copies,
             .bound = bound,
             .sites = mostFirst(sites),
             .title = {"The same data is copied again and again", "反复拷贝相同的数据"},
             .sentence =
                 found.same
                     ? Words("{repeated} of {count} copies to the GPU carry the same {kept}.",
                             "{count} 次到 GPU 的拷贝中有 {repeated} 次携带相同的 {kept}。")
                     : Words("{repeated} of {count} copies to the GPU carry what was copied to it "
                             "before: {kept} of different contents.",
                             "{count} 次到 GPU 的拷贝中有 {repeated} 次携带先前已拷贝过的内容；"
                             "其中不同的内容共 {kept}。"),
             .edit =
                 m_frameworks.torch
                     ? Words(
                           "Keep the {kept} on the GPU: move them there once, before the loop "
                           "(x = x.to(\"cuda\")).",
                           "把这 {kept} 留在 GPU 上：在循环之前只移动一次（x = x.to(\"cuda\")）。")
                     : Words(
                           "Keep the {kept} on the GPU: copy them once, before the loop, into "
                           "memory that nothing overwrites.",
                           "把这 {kept} 留在 GPU 上：在循环之前只拷贝一次，放入不会被覆盖的内存。"),
             .args = {number("repeated", found.repeated, Unit::Count),
                      number("count", found.copies, Unit::Count),
                      number("kept", found.kept, Unit::Bytes)}});
    }

    [[nodiscard]] std::vector<ActionSite> sitesOf(CallKind kind, Seconds bound) const {
        return sitesOfCalls(*m_analysis.profile, kind, bound);
    }

    [[nodiscard]] Words callsOf(std::initializer_list<CallKind> kinds) const {
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

    /// Without waits the window lasts as long as the busier of GPU and CPU.
    void synchronisation() {
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

    /// Whether torch.cat runs in every repeat, once per layer for instance, and nothing goes
    /// backward: a decode loop whose cache grows, which cannot be captured in a graph.
    [[nodiscard]] bool growsByCat() const {
        constexpr double kPerLayer = 4;
        double cats = 0;
        for (std::size_t k = 0; k < m_analysis.kernels.size(); ++k) {
            const std::string& name = m_analysis.kernels[k].fullName;
            if (name.find("ackward") != name.npos || name.find("_bprop_") != name.npos)
                return false;
            if (name.find("CatArrayBatchedCopy") != name.npos)
                cats += m_program.kernels[k].perWindow;
        }
        return cats >= kPerLayer;
    }

    void launches() {
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

    void idle(TimeClass cls, std::string rule, Words title, Words sentence, Words edit,
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

    [[nodiscard]] bool usesThrust() const {
        return std::ranges::any_of(m_analysis.profile->kernels, [](const Kernel& kernel) {
            return kernel.name.find("thrust::") != std::string::npos;
        });
    }

    void allocation() {
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

    void loading() {
        idle(TimeClass::IdleLoad, "first-call-costs",
             {"Code is loaded in the measured time", "测量时间内加载代码"},
             {"The GPU does nothing for {idle} while {call} loads code.",
              "{call} 加载代码期间，GPU 有 {idle} 无事可做。"},
             {"It happens once per process: run each kernel once before the time that counts, or "
              "measure more repetitions.",
              "每个进程只发生一次：在计时之前先运行每个内核一次，或测量更多次重复。"},
             callsOf({CallKind::Load}));
    }

    /// What the CPU did without CUDA is not recorded; what it gave the GPU next is, and the ranges
    /// of the program around it. Before a copy to the GPU it is the copied data that it made ready.
    struct BeforeWork {
        double data = 0, bytes = 0;  ///< before copies to the GPU of more than a few numbers
        double loader = 0;           ///< in a range of a DataLoader
        std::string range;           ///< of most of that
        const HostWork* most = nullptr;
    };
    [[nodiscard]] BeforeWork beforeWork() const {
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

    void host() {
        if (!m_account.causesKnown) return;
        constexpr double kMost = 0.5;  // of the idle time; less would not explain it
        const Seconds time = m_account.time[TimeClass::IdleHost];
        const BeforeWork before = beforeWork();
        const bool loader = before.loader >= kMost * time.value && before.loader > 0;
        const bool data = before.data >= kMost * time.value && before.data > 0;
        const bool named = before.most && before.most->idle.value >= kMost * time.value;
        std::map<std::string, double> sites;
        for (const HostWork& work : m_account.hostWork)
            addSitesAfter(sites, *m_analysis.profile, work);
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
            action.args.push_back(words(
                "kernel",
                Words::same(shortKernelName(m_analysis.profile->kernels[*before.most->kernel].name,
                                            kLongestKernel))));
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

    const Analysis& m_analysis;
    const Program& m_program;
    const LaunchOrder& m_order;
    const Account& m_account;
    Frameworks m_frameworks;
    std::vector<Action> m_actions;
};

}  // namespace

std::vector<Action> findActions(const Analysis& analysis, const Program& program,
                                const LaunchOrder& order) {
    return ActionFinder(analysis, program, order).run();
}

}  // namespace roofscope::program
