// SPDX-License-Identifier: Apache-2.0
/// GPU idle time in which the CPU works outside of CUDA.
#include <algorithm>
#include <map>

#include "analyzer/language/joined_sentences.h"
#include "analyzer/language/sentence.h"
#include "analyzer/program/account/compilers.h"
#include "analyzer/program/account/functions.h"
#include "analyzer/program/account/sites.h"
#include "analyzer/program/actions/action_finder.h"
#include "analyzer/program/actions/host_work_kind.h"

namespace roofscope::program {

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
        add({.rule = action_rule::kWorkBeforeGpu,
             .timeClass = TimeClass::IdleHost,
             .alwaysExplained = true,
             .bound = run.hostBefore,
             .hostFunctions = std::move(before),
             .title = Words("The CPU works alone before the GPU gets its first work"),
             .edit = named ? editFor(sampled, samplesBefore) : unsampled});
    }
    if (run.afterGpu) {
        const bool named = !after.empty();
        add({.rule = action_rule::kWorkAfterGpu,
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

/// Host time between the ends of the run, without compilers, and what most of it is.
struct ActionFinder::HostTime {
    Seconds time;
    SampleTally samples = {};
    std::vector<HostFunction> functions = {};  ///< by samples
    bool sampled = false;                      ///< there are functions
    bool placed = false;                       ///< and they say where
    bool fetches = false;                      ///< and they are PyTorch's data loading
    bool workers = false;                      ///< and run in processes that the program forked
    /// What it comes before or after; the first two only if it was not sampled.
    BeforeWork before = {};
    bool loader = false;              ///< in a range of a DataLoader
    bool data = false;                ///< before copies to the GPU
    bool copied = false;              ///< none of these, but after copies from the GPU
    double betweenCopies = 0;         ///< seconds after a copy back and before the next copy
    bool worksBetweenCopies = false;  ///< data, and most of it is between copies
    bool launches = false;            ///< before launches of one kernel
    /// The GPU works long enough for doing this meanwhile to save a real part of it.
    bool canOverlap = true;
};

ActionFinder::HostTime ActionFinder::hostTime() const {
    constexpr double kMost = 0.5;  // of the idle time; less would not explain it
    constexpr double kRealPart = 1.0 / 3;
    constexpr double kSeenWorkers = 0.03, kManyInWorkers = 0.3;
    const Profile& profile = *m_analysis.profile;
    const Seconds ends = hostAtEnds();
    HostTime host{.time = {std::max(0.0, (m_account.time[TimeClass::IdleHost] - ends).value)},
                  .samples = m_account.samples[TimeClass::IdleHost]};
    if (m_compiling) {
        CompilerSamples found = compilersIn(profile, host.samples);
        host.time = host.time * (1.0 - found.share());
        host.samples = std::move(found.other);
    }
    if (m_buffersReturn) {
        MemorySamples found = memorySamplesIn(profile, host.samples);
        host.time = host.time * (1.0 - found.share());
        host.samples = std::move(found.other);
    }
    const auto occurrences =
        static_cast<double>(std::max<std::size_t>(m_program.window.counted, 1));
    host.canOverlap = busy() >= host.time * kRealPart;
    host.functions = hostFunctions(profile, host.samples, host.time * occurrences);
    host.sampled = !host.functions.empty();
    // If the window includes the time before the first work, that time would count as preparing it.
    // What came next is known of all host time, not of the part that other actions leave.
    const bool whole = !m_compiling && !m_buffersReturn;
    if (!(ends.value > 0) && whole) host.before = beforeWork();
    const auto isMost = [&](double part) { return part >= kMost * host.time.value; };
    if (host.sampled) {
        // "main" without a line says little.
        host.placed =
            !(host.functions.front().noLines && host.functions.front().share.value >= kMost);
        host.fetches = shareWithin(profile, host.samples, "torch/utils/data/") >= kMost;
        // For a DataLoader, a few samples of workers show that it has some.
        host.workers =
            shareInWorkers(host.samples) >= (host.fetches ? kSeenWorkers : kManyInWorkers);
    } else {
        // If samples show what the CPU did, do not guess it from what came next.
        host.loader = isMost(host.before.loader) && host.before.loader > 0;
        host.data = isMost(host.before.data) && host.before.data > 0;
    }
    host.copied = !host.loader && !host.data && !host.fetches && host.time.value > 0 &&
                  !m_buffersReturn && isMost(m_account.hostAfterCopy.value);
    // At least so much is both after a copy back and before the next copy.
    host.betweenCopies =
        std::max(0.0, host.before.data + (m_account.hostAfterCopy - host.time).value);
    host.worksBetweenCopies = host.data && isMost(host.betweenCopies);
    host.launches =
        host.before.most && host.before.most->kernel && isMost(host.before.most->idle.value);
    return host;
}

void ActionFinder::sayBesideWhat(Action& action, const HostTime& host) const {
    const BeforeWork& before = host.before;
    if (host.fetches) action.title = Words("The GPU waits for data loading");
    if (host.loader) {
        action.title = Words("The GPU waits for data loading");
        action.sentence = Words(
            "The GPU is idle for {idle} while the CPU works outside of CUDA; {part} of that is in "
            "the range {range}.");
        action.args.push_back(number("part", before.loader, Unit::Seconds));
        action.args.push_back(words("range", Words::same(before.range)));
    } else if (host.data) {
        action.title = Words("The CPU prepares data while the GPU waits");
        action.sentence = Words(
            "The GPU is idle for {idle} while the CPU works outside of CUDA; {part} of that is "
            "right before it copies {bytes} to the GPU.");
        action.args.push_back(number(
            "part", host.worksBetweenCopies ? host.betweenCopies : before.data, Unit::Seconds));
        action.args.push_back(number("bytes", before.bytes, Unit::Bytes));
        if (host.worksBetweenCopies) {
            action.title = Words("The CPU works between two copies while the GPU waits");
            action.sentence = Words(
                "The GPU is idle for {idle} while the CPU works outside of CUDA; {part} of that is "
                "after a copy from the GPU and before the next one to it.");
        }
    } else if (host.copied) {
        action.sentence = Words(
            "The GPU is idle for {idle} while the CPU works outside of CUDA; {part} of that is "
            "right after it copied {bytes} from the GPU.");
        action.args.push_back(
            number("part", std::min(m_account.hostAfterCopy, host.time).value, Unit::Seconds));
        action.args.push_back(number("bytes", m_account.copiedForHost.value, Unit::Bytes));
    } else if (!host.placed && host.launches) {
        action.sentence = Words(
            "The GPU is idle for {idle} while the CPU works outside of CUDA; {part} of that is "
            "right before it launches {kernel}.");
        action.args.push_back(number("part", before.most->idle.value, Unit::Seconds));
        action.args.push_back(
            words("kernel",
                  Words::same(shortKernelName(
                      m_analysis.profile->kernels[*before.most->kernel].name, kLongestKernel))));
    }
}

Words ActionFinder::editOfHostWork(const HostTime& host) const {
    if (host.worksBetweenCopies)
        return host.canOverlap
                   ? Words(
                         "If this work is on what was copied, do it on the GPU and copy only the "
                         "result back. If it prepares what is copied next, do it on another thread "
                         "while the GPU works.")
                   : Words(
                         "If this work is on what was copied, do it on the GPU and copy only the "
                         "result back. If it prepares what is copied next, do that on the GPU, or "
                         "spread it over threads.");
    if (host.workers) return editOfWorkers(host.samples);
    if ((host.loader || host.data || host.fetches) && m_frameworks.torch)
        return host.canOverlap
                   ? Words(
                         "Prepare the next batch while the GPU works. Where a DataLoader makes it: "
                         "num_workers=4, pin_memory=True, persistent_workers=True; or fetch whole "
                         "batches instead of single samples.")
                   : Words(
                         "Prepare batches on many cores: the GPU has too little work to hide one. "
                         "Where a DataLoader makes them: num_workers=4 or more, pin_memory=True, "
                         "persistent_workers=True; or fetch whole batches instead of single "
                         "samples, or do this on the GPU.");
    if (host.loader || host.data || host.fetches)
        return host.canOverlap
                   ? Words(
                         "Prepare the data of the next copy on another thread while the GPU works, "
                         "or on the GPU.")
                   : Words(
                         "Make the data of the next copy on the GPU, or spread this work over "
                         "threads: the GPU has too little work to hide it.");
    const Profile& profile = *m_analysis.profile;
    const HostWorkAdvice special =
        host.sampled ? adviceFor(hostWorkKinds(profile, host.samples), !m_program.window.isWhole())
                     : HostWorkAdvice{};
    constexpr double kMuchOnCpu = 0.4;
    if (!special.enough && host.sampled && m_frameworks.torch &&
        shareOnCpuTensors(profile, host.samples) >= kMuchOnCpu)
        return Words(
            "PyTorch computes with CPU tensors here while the GPU waits: create these tensors on "
            "the GPU (device=\"cuda\"), keep the data there, and compute there; or prepare the "
            "next step in a DataLoader's workers.");
    constexpr double kMostlyNumpy = 0.4;
    if (!special.enough && host.sampled && shareInNumpy(profile, host.samples) >= kMostlyNumpy)
        return host.canOverlap
                   ? Words(
                         "NumPy does this on one core while the GPU waits: prepare the next step "
                         "meanwhile in a process or thread of its own, do it once before the loop, "
                         "or do it on the GPU (jax.numpy within jit, CuPy, PyTorch).")
                   : Words(
                         "NumPy does this on one core while the GPU waits: do it on the GPU "
                         "(jax.numpy within jit, CuPy, PyTorch), once before the loop, or in "
                         "several processes.");
    if (m_frameworks.xla)
        return Words(
            "Between calls of compiled functions, this time is Python and JAX's dispatch: put "
            "several steps into one jit (jax.lax.scan or fori_loop), and read results "
            "(float(loss), numpy) less often.");
    if (special.enough) return special.words;
    return special.words.empty() ? usualEditOfHostWork(host)
                                 : joinedSentences(usualEditOfHostWork(host), special.words);
}

Words ActionFinder::editOfWorkers(const SampleTally& samples) const {
    const Profile& profile = *m_analysis.profile;
    std::size_t workers = 0, cpus = 0;
    for (const auto& [key, count] : samples) {
        if (!key.worker) continue;
        workers = std::max(workers, workersAtOnce(profile, key.process));
        cpus = profile.processes[key.process].cpuSamples->cpus.value_or(0);
    }
    if (workers < cpus)
        return wordsOf(
            "Worker processes do this already (seen at a time: {}). Make the named functions "
            "cheaper: do once what repeats, vectorise, or compute on the GPU. Or run more workers: "
            "the program may use {} CPUs.",
            workers, cpus);
    if (cpus > 0)
        return wordsOf(
            "Worker processes do this already, on all {} CPUs that the program may use. Make the "
            "named functions cheaper: do once what repeats, vectorise, or compute on the GPU.",
            cpus);
    return Words(
        "Worker processes do this already. Make the named functions cheaper: do once what repeats, "
        "vectorise, or compute on the GPU.");
}

Words ActionFinder::usualEditOfHostWork(const HostTime& host) const {
    if (host.copied)
        return host.canOverlap
                   ? Words(
                         "If this work is on what was copied, do it on the GPU and copy only the "
                         "result back. Otherwise make it shorter, or move it to another thread.")
                   : Words(
                         "If this work is on what was copied, do it on the GPU and copy only the "
                         "result back. Otherwise make it shorter, or spread it over threads.");
    if (pagesComeBack())
        return host.canOverlap
                   ? Words(
                         "Where this work touches managed memory that kernels use, each page comes "
                         "back by a page fault: prefetch to the CPU, too (cudaMemPrefetchAsync "
                         "with cudaCpuDeviceId), or keep a copy in host memory. Otherwise make it "
                         "shorter, or move it to another thread.")
                   : Words(
                         "Where this work touches managed memory that kernels use, each page comes "
                         "back by a page fault: prefetch to the CPU, too (cudaMemPrefetchAsync "
                         "with cudaCpuDeviceId), or keep a copy in host memory. Otherwise make it "
                         "shorter, spread it over threads, or do it on the GPU.");
    if (!host.canOverlap)
        return host.sampled
                   ? Words(
                         "Make this work shorter, spread it over threads, or do it on the GPU: the "
                         "GPU has too little work to hide it.")
                   : Words(
                         "Make this work shorter, spread it over threads, or do it on the GPU: the "
                         "GPU has too little work to hide it. A CPU profiler shows the function.");
    if (host.sampled)
        return Words(
            "Make this work shorter, move it to another thread, or issue the next launches first.");
    return Words(
        "Move this work to another thread, or issue the next launches first. A CPU profiler shows "
        "the function.");
}

void ActionFinder::host() {
    if (!m_account.causesKnown) return;
    HostTime host = hostTime();
    std::map<std::string, double> sites;
    for (const HostWork& work : m_account.hostWork)
        addSitesAfter(sites, *m_analysis.profile, work,
                      [&](const CallSite& site) { return mayCopy(site, work.copy); });
    Action action{
        .rule = action_rule::kHostBound,
        .timeClass = TimeClass::IdleHost,
        .bound = host.time,
        .sites = host.sampled ? std::vector<ActionSite>() : mostFirst(sites),
        .hostFunctions = std::move(host.functions),
        .title = Words("The GPU waits for work on the CPU"),
        .sentence = Words("The GPU is idle for {idle} while the CPU works outside of CUDA."),
        .edit = editOfHostWork(host),
        .args = {number("idle", host.time.value, Unit::Seconds)}};
    sayBesideWhat(action, host);
    const Seconds bound = action.bound;
    if (add(std::move(action)) && (host.copied || host.worksBetweenCopies)) dropCopiesBack(bound);
}

void ActionFinder::dropCopiesBack(Seconds bound) {
    constexpr double kNearlyAll = 0.8;
    Bytes back, others;
    for (const CopyTime& copy : m_account.copies) {
        if (copy.kind == TransferKind::DeviceToHost) back += copy.bytes;
        if (copy.kind == TransferKind::HostToDevice) others += copy.bytes;
    }
    if (m_account.copiedForHost < back * kNearlyAll) return;
    std::erase_if(m_actions, [&](const Action& action) {
        return action.bound * 2 <= bound &&
               (action.rule == action_rule::kPageableCopyBack ||
                (action.rule == action_rule::kCopyNotOverlapped && others < kLeastCopy));
    });
}

}  // namespace roofscope::program
