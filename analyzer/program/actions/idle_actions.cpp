// SPDX-License-Identifier: Apache-2.0
/// GPU idle time that the CPU causes.
#include "analyzer/program/actions/action_finder.h"

#include <algorithm>
#include <limits>
#include <set>

#include "analyzer/program/account/functions.h"
#include "analyzer/program/account/sites.h"

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
    // Only calls after which the GPU idled are counted; a few repeats end otherwise.
    constexpr double kWaitsInEach = 0.75;
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
         .sentence =
             results.value > 0
                 ? Words("{launches} {launches?launch:launches} per repeat, then {call}: {idle} of "
                         "idle time and {results} of copies back for {work} of other work on the "
                         "GPU.")
                 : Words("{launches} {launches?launch:launches} per repeat, then {call}: {idle} "
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
                  number("results", results.value, Unit::Seconds),
                  number("work", (work - results).value, Unit::Seconds)}});
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
             ? Words("Make vectors once, before the loop. Thrust's algorithms allocate scratch "
                     "memory in each call, too: give them an allocator that keeps it "
                     "(thrust::cuda::par(allocator)), or call CUB with scratch memory of your own.")
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

}  // namespace roofscope::program
