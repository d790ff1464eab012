// SPDX-License-Identifier: Apache-2.0
/// GPU idle time that the CPU causes.
#include "analyzer/program/actions/action_finder.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "analyzer/language/joined_sentences.h"
#include "analyzer/program/account/compilers.h"
#include "analyzer/program/account/functions.h"
#include "analyzer/program/account/sites.h"
#include "analyzer/program/actions/host_work_kind.h"

namespace roofscope::program {

std::vector<ActionSite> ActionFinder::sitesOf(CallKind kind, TimeClass cls, Seconds bound) const {
    const Profile& profile = *m_analysis.profile;
    auto sampled = sampledSites(profile, m_account.samples[cls], "libcuda.so", bound);
    if (!sampled.empty()) return sampled;
    double calls = 0;
    for (const Call& call : profile.timeline.calls)
        calls += profile.timeline.callNames[call.name].kind == kind ? 1 : 0;
    const double most = mostCalls(calls);
    return sitesOfCalls(profile, kind, bound, [most](const CallSite& site) {
        return static_cast<double>(site.count) <= most;
    });
}

double ActionFinder::repeatsWithSites() const {
    if (m_repeatsWithSites) return *m_repeatsWithSites;
    double repeats = 0;
    for (const KernelFunction& function : m_program.functions) {
        if (!(function.launches > 0)) continue;
        std::set<const CallSite*> sites;  // all shapes of a function may have the same ones
        for (const std::uint32_t kernel : function.kernels)
            for (const CallSite* site :
                 launchSitesOf(*m_analysis.profile, m_analysis.kernels[kernel]))
                sites.insert(site);
        double noted = 0;
        for (const CallSite* site : sites) noted += static_cast<double>(site->count);
        repeats = std::max(repeats, noted / function.launches);
    }
    m_repeatsWithSites = repeats;
    return repeats;
}

double ActionFinder::mostCalls(double all) const {
    constexpr double kMargin = 1.5, kFew = 2;
    const double repeats = repeatsWithSites();
    const auto counted = static_cast<double>(std::max<std::size_t>(m_program.window.counted, 1));
    return repeats > 0 ? kMargin * repeats * all / counted + kFew
                       : std::numeric_limits<double>::infinity();
}

bool ActionFinder::mayCopy(const CallSite& site, TransferKind kind) const {
    // The driver's functions have the direction in their name.
    const bool toGpu = site.call.find("HtoD") != site.call.npos;
    const bool toHost = site.call.find("DtoH") != site.call.npos;
    if (kind == TransferKind::HostToDevice ? toHost : toGpu) return false;
    // Sizes were noted of copies to the GPU only.
    if (!site.hostCopies.empty())
        return kind == TransferKind::HostToDevice &&
               std::ranges::any_of(site.hostCopies, [&](const HostCopies& host) {
                   return std::ranges::find(m_account.toGpu, host.bytes, &SizedCopies::bytes) !=
                          m_account.toGpu.end();
               });
    double copies = 0;
    for (const CopyTime& copy : m_account.copies)
        if (copy.kind == kind || !(toGpu || toHost)) copies += static_cast<double>(copy.count);
    return static_cast<double>(site.count) <= mostCalls(copies);
}

std::vector<ActionSite> ActionFinder::sitesOfCopies(TransferKind kind, Seconds bound) const {
    return sitesOfCalls(*m_analysis.profile, CallKind::Transfer, bound,
                        [&](const CallSite& site) { return mayCopy(site, kind); });
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
    return names.empty() ? Words("a synchronous call") : Words::same(names);
}

std::vector<HostFunction> ActionFinder::functionsIn(TimeClass cls, std::string_view without) const {
    const auto occurrences =
        static_cast<double>(std::max<std::size_t>(m_program.window.counted, 1));
    const Profile& profile = *m_analysis.profile;
    const SampleTally& samples = m_account.samples[cls];
    return hostFunctions(profile,
                         without.empty() ? samples : withoutModule(profile, samples, without),
                         m_account.time[cls] * occurrences);
}

Seconds ActionFinder::busy() const {
    Seconds busy;
    for (const TimeClass cls : kTimeClasses)
        if (!isIdle(cls)) busy += m_account.time[cls];
    return busy;
}

bool ActionFinder::roundTrips() {
    constexpr std::size_t kLeastRepeats = 16;
    constexpr double kMostLaunches = 16;
    // With longer work, the round trip can be hidden by issuing the next repeat ahead.
    constexpr Seconds kMostWork{100e-6};
    constexpr double kLeastIdle = 0.3;     // of the repeat
    constexpr Bytes kResult = kLeastCopy;  // more is data, not the result of a test
    constexpr double kWaitsInEach = 0.9;   // a few repeats may end otherwise
    const Window& window = m_program.window;
    const Program::KernelCounts all = m_program.launches();
    if (!m_account.causesKnown || window.counted < kLeastRepeats || m_frameworks.torch ||
        m_frameworks.xla || all.perWindow > kMostLaunches)
        return false;
    // Copies of results come back; more bytes are data that each repeat needs.
    Bytes in, out;
    Seconds results;
    for (const CopyTime& copy : m_account.copies) {
        if (copy.kind == TransferKind::HostToDevice) in += copy.bytes;
        if (copy.kind != TransferKind::DeviceToHost) continue;
        out += copy.bytes;
        results += copy.exposed;
    }
    if (in >= kResult || out >= kResult) return false;
    double waits = 0;
    for (const CallTime& call : m_account.calls)
        if (call.kind == CallKind::Wait || (out.value > 0 && call.kind == CallKind::Transfer))
            waits += static_cast<double>(call.count);
    if (waits < kWaitsInEach * static_cast<double>(window.counted)) return false;
    const Seconds work = busy();
    const Seconds idle = m_account.time[TimeClass::IdleSync] +
                         m_account.time[TimeClass::IdleLaunch] + m_account.hostAfterSync;
    if (work > kMostWork || idle < window.seconds * kLeastIdle) return false;
    // The GPU's work and the CPU's own work do not get shorter, and graphs keep a gap between
    // nodes.
    const Seconds least = std::max(work - results, m_account.cpuOutsideCalls.value_or(Seconds{}));
    const Seconds bound{std::min((idle + results).value - all.perWindow * kGraphGap.value,
                                 (window.seconds - least).value)};
    if (bound < window.seconds * kLeastIdle) return false;
    constexpr double kLeastWork = 0.05;
    const bool worksBetween =
        m_account.cpuOutsideCalls.value_or(Seconds{}) + m_account.time[TimeClass::IdleHost] >=
        window.seconds * kLeastWork;
    add({.rule = "wait-per-repeat",
         .timeClass = TimeClass::IdleSync,
         .bound = bound,
         .sites = sitesOf(CallKind::Wait, TimeClass::IdleSync, bound),
         .title = Words("Each repeat waits for the GPU"),
         .sentence = Words("{launches} {launches?launch:launches} per repeat, then {call}: {idle} "
                           "of idle time for {work} of work on the GPU."),
         .edit = in.value > 0 && out.value > 0 && worksBetween
                     ? Words("The CPU works on each result before it sends the next input: do that "
                             "step on the GPU as well, so that one launch runs many repeats. If "
                             "there is so little work, the CPU alone may be faster.")
                 : all.fromGraphs > 0
                     ? Words("Put several repeats into the graph and wait once for all of them: "
                             "test the result in every 32nd repeat, or on the GPU (a conditional "
                             "WHILE node).")
                     : Words("Wait less often: test the result in every 32nd repeat, or on the "
                             "GPU, and issue the repeats in between without a wait, at best as "
                             "one CUDA graph."),
         .args = {number("launches", all.perWindow, Unit::Count),
                  words("call", callsOf({CallKind::Wait, CallKind::Transfer})),
                  number("idle", idle.value, Unit::Seconds),
                  number("work", work.value, Unit::Seconds)}});
    return true;
}

void ActionFinder::synchronisation() {
    if (!m_account.causesKnown || !m_account.cpuBusy) return;
    // What the CPU does by itself afterwards is another matter: it may need what it waited for.
    const Seconds idle = m_account.time[TimeClass::IdleSync];
    const Seconds least = std::max(busy(), *m_account.cpuBusy);
    const Seconds bound = std::min(idle, m_program.window.seconds - least);
    add({.rule = "sync-stops-queue",
         .timeClass = TimeClass::IdleSync,
         .bound = bound,
         .sites = sitesOf(CallKind::Wait, TimeClass::IdleSync, bound),
         .hostFunctions = functionsIn(TimeClass::IdleSync, "libcuda.so"),
         .title = Words("GPU idle after synchronisation"),
         .sentence =
             Words("After {call} the GPU is idle for {idle} until the CPU issues new work."),
         .edit = m_frameworks.torch
                     ? Words("Read results later or less often: .item(), .cpu(), print() "
                             "and conditions on tensors wait for the GPU.")
                     : Words("Wait later or less often: issue the next work before the "
                             "results are read; order streams with events."),
         .args = {words("call", callsOf({CallKind::Wait, CallKind::Transfer})),
                  number("idle", idle.value, Unit::Seconds)}});
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

bool ActionFinder::allocatesPinned() const {
    const auto isPinned = [](const CallTime& call) {
        return call.name.find("HostAlloc") != std::string::npos ||
               call.name.find("AllocHost") != std::string::npos ||
               call.name.find("HostRegister") != std::string::npos;
    };
    Seconds pinned;
    for (const CallTime& call : m_account.calls)
        if (isPinned(call)) pinned += call.idle;
    return pinned.value > m_account.time[TimeClass::IdleAlloc].value / 4;
}

void ActionFinder::allocation() {
    if (m_account.mayBeOneLoad(TimeClass::IdleAlloc)) return;
    idle(TimeClass::IdleAlloc, "allocation-in-loop",
         Words("Memory is allocated while the GPU waits"),
         Words("The GPU does nothing for {idle} while the CPU is in {call}."),
         m_frameworks.torch
             ? Words("Reuse tensors, and leave out torch.cuda.empty_cache(): PyTorch keeps "
                     "freed memory for the next step.")
         : usesThrust()
             ? Words("Thrust's algorithms allocate scratch memory in each call: give them an "
                     "allocator that keeps it (thrust::cuda::par(allocator)), or call CUB with "
                     "scratch memory that is allocated once, before the loop.")
         : allocatesPinned()
             ? Words("Pinned memory takes milliseconds to allocate, and no thread can launch "
                     "meanwhile: allocate buffers once and use them again, in a pool that all "
                     "threads share.")
             : Words("Allocate once, before the loop, or use cudaMallocAsync."),
         callsOf({CallKind::Allocate, CallKind::Free}));
}

void ActionFinder::loading() {
    idle(TimeClass::IdleLoad, "first-call-costs", Words("Code is loaded in the measured time"),
         Words("The GPU does nothing for {idle} while {call} loads code."),
         Words("It happens once per process: run each kernel once before the time that counts, or "
               "measure more repetitions."),
         callsOf({CallKind::Load}));
}

ActionFinder::BeforeWork ActionFinder::beforeWork() const {
    constexpr double kLeastData = 1024;  // a learning rate or a loss is no data
    // A thread copies memory at 10 GB/s. Host work shorter than that did not load or compute the
    // data.
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

Seconds ActionFinder::hostAtEnds() const {
    if (m_program.window.kind != WindowKind::Run || !m_program.run) return {};
    return m_program.run->hostBefore + m_program.run->context + m_program.run->hostAfter;
}

void ActionFinder::runEnds() {
    if (m_program.window.kind != WindowKind::Run || !m_program.run) return;
    const WholeRun& run = *m_program.run;
    const Profile& profile = *m_analysis.profile;
    const Words unsampled(
        "Make this part shorter, spread it over threads, or let the GPU begin with what is ready. "
        "What the CPU does there was not recorded: a CPU profiler (perf record -g) names the "
        "functions.");
    const Words sampled(
        "Make this part shorter, spread it over threads, or let the GPU begin with what is ready.");
    const SampleTally samplesBefore = withoutModule(profile, m_account.samplesBefore, "libcuda.so");
    auto before = hostFunctions(profile, samplesBefore, run.hostBefore);
    auto after = hostFunctions(profile, m_account.samplesAfter, run.hostAfter);
    const auto editFor = [&](const Words& usual, const SampleTally& samples) {
        const HostWorkAdvice special = adviceFor(hostWorkKinds(profile, samples), false);
        return special.enough ? special.words : joinedSentences(usual, special.words);
    };
    if (run.beforeGpu) {
        const bool named = !before.empty();
        add({.rule = "work-before-gpu",
             .timeClass = TimeClass::IdleHost,
             .alwaysExplained = true,
             .bound = run.hostBefore,
             .hostFunctions = std::move(before),
             .title = Words("The CPU works alone before the GPU gets its first work"),
             .edit = named ? editFor(sampled, samplesBefore) : unsampled});
    }
    if (run.afterGpu) {
        const bool named = !after.empty();
        add({.rule = "work-after-gpu",
             .timeClass = TimeClass::IdleHost,
             .alwaysExplained = true,
             .bound = run.hostAfter,
             .hostFunctions = std::move(after),
             .title = Words("The CPU works alone after the last work on the GPU"),
             .edit = named
                         ? editFor(Words("Make this part shorter, spread it over threads, or do it "
                                         "on the GPU."),
                                   m_account.samplesAfter)
                         : Words("Make this part shorter, spread it over threads, or do it on the "
                                 "GPU. What the CPU does there was not recorded: a CPU profiler "
                                 "(perf record -g) names the functions.")});
    }
}

void ActionFinder::host() {
    if (!m_account.causesKnown) return;
    constexpr double kMost = 0.5;  // of the idle time; less would not explain it
    const Seconds ends = hostAtEnds();
    Seconds time{std::max(0.0, (m_account.time[TimeClass::IdleHost] - ends).value)};
    // If the window includes the time before the first work, that time would count as preparing it.
    const BeforeWork before = ends.value > 0 ? BeforeWork{} : beforeWork();
    // If samples show what the CPU did, do not guess it from what came next.
    const auto occurrences =
        static_cast<double>(std::max<std::size_t>(m_program.window.counted, 1));
    SampleTally samples = m_account.samples[TimeClass::IdleHost];
    if (m_compiling) {
        CompilerSamples found = compilersIn(*m_analysis.profile, samples);
        time = time * (1.0 - found.share());
        samples = std::move(found.other);
    }
    auto functions = hostFunctions(*m_analysis.profile, samples, time * occurrences);
    const HostWorkAdvice special =
        functions.empty()
            ? HostWorkAdvice{}
            : adviceFor(hostWorkKinds(*m_analysis.profile, samples), !m_program.window.isWhole());
    const bool sampled = !functions.empty();
    // "main" without a line says little.
    const bool placed =
        sampled && !(functions.front().noLines && functions.front().share.value >= kMost);
    const bool fetches =
        sampled && shareWithin(*m_analysis.profile, samples, "torch/utils/data/") >= kMost;
    const bool loader = !sampled && before.loader >= kMost * time.value && before.loader > 0;
    const bool data = !sampled && before.data >= kMost * time.value && before.data > 0;
    const bool copied = !loader && !data && !fetches && time.value > 0 &&
                        m_account.hostAfterCopy.value >= kMost * time.value;
    // At least so much is both after a copy back and before the next copy.
    const double betweenCopies =
        std::max(0.0, before.data + (m_account.hostAfterCopy - time).value);
    const bool worksBetweenCopies = data && betweenCopies >= kMost * time.value;
    const bool named = before.most && before.most->idle.value >= kMost * time.value;
    std::map<std::string, double> sites;
    for (const HostWork& work : m_account.hostWork)
        addSitesAfter(sites, *m_analysis.profile, work,
                      [&](const CallSite& site) { return mayCopy(site, work.copy); });
    Action action{
        .rule = "host-bound",
        .timeClass = TimeClass::IdleHost,
        .bound = time,
        .sites = sampled ? std::vector<ActionSite>() : mostFirst(sites),
        .hostFunctions = std::move(functions),
        .title = Words("The GPU waits for work on the CPU"),
        .sentence = Words("The GPU is idle for {idle} while the CPU works outside of CUDA."),
        .edit = sampled
                    ? Words("Make this work shorter, move it to another thread, or issue the next "
                            "launches first.")
                    : Words("Move this work to another thread, or issue the next launches first. "
                            "A CPU profiler shows the function."),
        .args = {number("idle", time.value, Unit::Seconds)}};
    if (fetches) action.title = Words("The GPU waits for data loading");
    if (loader) {
        action.title = Words("The GPU waits for data loading");
        action.sentence = Words(
            "The GPU is idle for {idle} while the CPU works outside of CUDA; {part} of that is in "
            "the range {range}.");
        action.args.push_back(number("part", before.loader, Unit::Seconds));
        action.args.push_back(words("range", Words::same(before.range)));
    } else if (data) {
        action.title = Words("The CPU prepares data while the GPU waits");
        action.sentence = Words(
            "The GPU is idle for {idle} while the CPU works outside of CUDA; {part} of that is "
            "right before it copies {bytes} to the GPU.");
        action.args.push_back(
            number("part", worksBetweenCopies ? betweenCopies : before.data, Unit::Seconds));
        action.args.push_back(number("bytes", before.bytes, Unit::Bytes));
        if (worksBetweenCopies) {
            action.title = Words("The CPU works between two copies while the GPU waits");
            action.sentence = Words(
                "The GPU is idle for {idle} while the CPU works outside of CUDA; {part} of that is "
                "after a copy from the GPU and before the next one to it.");
        }
    } else if (copied) {
        action.sentence = Words(
            "The GPU is idle for {idle} while the CPU works outside of CUDA; {part} of that is "
            "right after it copied {bytes} from the GPU.");
        action.edit = Words(
            "If this work is on what was copied, do it on the GPU and copy only the result back. "
            "Otherwise make it shorter, or move it to another thread.");
        action.args.push_back(
            number("part", std::min(m_account.hostAfterCopy, time).value, Unit::Seconds));
        action.args.push_back(number("bytes", m_account.copiedForHost.value, Unit::Bytes));
    } else if (!placed && named && before.most->kernel) {
        action.sentence = Words(
            "The GPU is idle for {idle} while the CPU works outside of CUDA; {part} of that is "
            "right before it launches {kernel}.");
        action.args.push_back(number("part", before.most->idle.value, Unit::Seconds));
        action.args.push_back(
            words("kernel",
                  Words::same(shortKernelName(
                      m_analysis.profile->kernels[*before.most->kernel].name, kLongestKernel))));
    }
    if (!copied && !data && !loader && !fetches && pagesComeBack())
        action.edit = Words(
            "Where this work touches managed memory that kernels use, each page comes back by a "
            "page fault: prefetch to the CPU, too (cudaMemPrefetchAsync with cudaCpuDeviceId), or "
            "keep a copy in host memory. Otherwise make it shorter, or move it to another thread.");
    if (!special.words.empty())
        action.edit = special.enough ? special.words : joinedSentences(action.edit, special.words);
    if (m_frameworks.xla)
        action.edit = Words(
            "Between calls of compiled functions, this time is Python and JAX's dispatch: put "
            "several steps into one jit (jax.lax.scan or fori_loop), and read results "
            "(float(loss), numpy) less often.");
    constexpr double kMostlyNumpy = 0.4;
    if (!special.enough && sampled && shareInNumpy(*m_analysis.profile, samples) >= kMostlyNumpy)
        action.edit = Words(
            "NumPy does this on one core while the GPU waits: prepare the next step meanwhile in a "
            "process or thread of its own, do it once before the loop, or do it on the GPU "
            "(jax.numpy within jit, CuPy, PyTorch).");
    constexpr double kMuchOnCpu = 0.4;
    if (!special.enough && sampled && m_frameworks.torch &&
        shareOnCpuTensors(*m_analysis.profile, samples) >= kMuchOnCpu)
        action.edit = Words(
            "PyTorch computes with CPU tensors here while the GPU waits: create these tensors on "
            "the GPU (device=\"cuda\"), keep the data there, and compute there; or prepare the "
            "next step in a DataLoader's workers.");
    if (worksBetweenCopies)
        action.edit = Words(
            "If this work is on what was copied, do it on the GPU and copy only the result back. "
            "If "
            "it prepares what is copied next, do it on another thread while the GPU works.");
    else if (loader || data || fetches)
        action.edit =
            m_frameworks.torch
                ? Words(
                      "Prepare the next batch while the GPU works. Where a DataLoader makes it: "
                      "num_workers=4, pin_memory=True, persistent_workers=True; or fetch whole "
                      "batches instead of single samples.")
                : Words(
                      "Prepare the data of the next copy on another thread while the GPU works, or "
                      "on the GPU.");
    add(std::move(action));
}

}  // namespace roofscope::program
