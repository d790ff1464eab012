// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/host_samples.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <tuple>

#include "analyzer/program/account/compilers.h"
#include "profile/names/foreign_modules.h"
#include "profile/names/function_name.h"
#include "profile/text/base_name.h"

namespace roofscope::program {
namespace {

bool isPython(const CpuFrame& frame) { return frame.module.empty(); }

bool isOwn(const CpuFrame& frame) {
    if (isPython(frame)) return !isInstalledPython(frame.file);
    return !isInstalledModule(frame.module) && !isCudaRuntime(frame.function) &&
           !isInstalledHeader(frame.file) && frame.function != "_start";
}

/// "lulesh.cu:2214"
std::string lineText(const CpuFrame& frame) {
    if (frame.file.empty()) return {};
    const std::string file(baseName(frame.file));
    return frame.line > 0 ? file + ":" + std::to_string(frame.line) : file;
}

/// "libfoo" for "/a/libfoo.so.2", "_umath" for "/a/_umath.cpython-312-x86_64.so". Well-known
/// modules get the name that everyone knows.
std::string moduleText(const CpuFrame& frame) {
    std::string name(baseName(frame.module));
    name.resize(std::min({name.size(), name.find(".so"), name.find(".cpython-")}));
    if (name.starts_with("libtorch") || name.starts_with("libc10")) return "PyTorch";
    if (name == "_multiarray_umath" || name == "_umath_linalg") return "NumPy";
    return name;
}

/// "read" for "__GI___libc_read", "fscanf" for "__isoc99_fscanf".
std::string nameInC(std::string_view name) {
    const std::string_view whole = name;
    for (const std::string_view start : {"__GI_", "__", "_", "libc_", "isoc99_", "isoc23_", "IO_"})
        if (name.starts_with(start)) name.remove_prefix(start.size());
    return std::string(name.empty() ? whole : name);
}

std::string functionText(const CpuFrame& frame) {
    if (frame.function.empty()) return moduleText(frame);
    if (baseName(frame.module).starts_with("libc.so")) return nameInC(frame.function);
    if (const std::string kernel = kernelOfStub(frame.function); !kernel.empty())
        return kernel + "<<<>>>";
    // Names from Python stay unchanged: "Model.forward.<locals>.step".
    return isPython(frame) ? frame.function : functionName(frame.function);
}

/// Whether it is the recorder's own work.
bool isRecorder(const CpuFrame& frame) {
    const auto name = baseName(frame.module);
    return name.starts_with("libcupti") || name.starts_with("libroofscope");
}

/// Whether a stack that waits does so in Python's or PyTorch's code for other processes.
bool isOfProcesses(const CpuSamples& samples, const std::vector<std::uint32_t>& stack) {
    return std::ranges::any_of(stack, [&](std::uint32_t at) {
        const CpuFrame& frame = samples.frames[at];
        return isPython(frame) && isInstalledPython(frame.file) &&
               std::ranges::any_of(
                   std::array{"/multiprocessing/", "/concurrent/futures/process.py",
                              "/torch/utils/data/"},
                   [&](const char* part) { return frame.file.find(part) != frame.file.npos; });
    });
}

/// The program's own frame of a stack, and what it called in a library; null where there is none.
struct OwnFrame {
    const CpuFrame* own = nullptr;
    const CpuFrame* callee = nullptr;
    std::size_t place = 0;  ///< of `own` on the stack
};

OwnFrame ownFrameOf(const CpuSamples& samples, const std::vector<std::uint32_t>& stack) {
    for (std::size_t i = 0; i < stack.size(); ++i) {
        const CpuFrame& frame = samples.frames[stack[i]];
        if (!isOwn(frame)) continue;
        const CpuFrame* callee = i > 0 ? &samples.frames[stack[i - 1]] : nullptr;
        // A lambda or the recorder's own frame says nothing about the work.
        if (callee && (functionText(*callee) == "operator()" || isRecorder(*callee)))
            callee = nullptr;
        return {.own = &frame, .callee = callee, .place = i};
    }
    // No frame is the program's own: the stack is that of an installed command, or of a library's
    // thread.
    for (const std::uint32_t at : stack)
        if (isPython(samples.frames[at])) return {.own = &samples.frames[at], .callee = nullptr};
    for (const std::uint32_t at : stack)
        if (!samples.frames[at].function.empty())
            return {.own = &samples.frames[at], .callee = nullptr};
    return {};
}

/// A stack of a group of samples: where the program's own function is on it, and its samples.
struct GroupedStack {
    const CpuSamples* samples = nullptr;
    const std::vector<std::uint32_t>* stack = nullptr;
    std::size_t own = 0;
    double count = 0;
};

/// The innermost function of a Python library that nearly all of these samples share: starts with
/// the one that the program called and goes inwards as long as one callee has most of the samples.
/// "fetch" says more than the "Trainer.fit" around it.
std::string innermostShared(std::vector<GroupedStack> stacks) {
    constexpr double kMost = 0.7;  // of the samples of the function around it
    std::string name;
    for (std::size_t inwards = 1; !stacks.empty(); ++inwards) {
        std::map<std::string, std::vector<GroupedStack>> called;
        std::map<std::string, double> counts;
        double all = 0;
        for (const GroupedStack& s : stacks) {
            all += s.count;
            if (s.own < inwards) continue;
            const CpuFrame& frame = s.samples->frames[(*s.stack)[s.own - inwards]];
            if (!isPython(frame)) continue;
            const std::string text = functionText(frame);
            called[text].push_back(s);
            counts[text] += s.count;
        }
        const auto most =
            std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
        if (most == counts.end() || most->second < kMost * all) break;
        name = most->first;
        stacks = std::move(called[name]);
    }
    return name;
}

}  // namespace

StackFunction functionOf(const CpuSamples& samples, std::uint32_t stack) {
    const auto [own, callee, place] = ownFrameOf(samples, samples.stacks[stack]);
    if (!own) return {};
    return {.function = functionText(*own),
            .file = own->file,
            .place = lineText(*own),
            .callee = callee ? functionText(*callee) : std::string()};
}

std::vector<SampledStretch> sampledStretches(const Profile& profile) {
    std::vector<SampledStretch> stretches;
    for (std::uint32_t p = 0; p < profile.processes.size(); ++p) {
        if (!profile.processes[p].cpuSamples) continue;
        const CpuSamples& of = *profile.processes[p].cpuSamples;
        const Nanoseconds longest = of.period * kLongestSample;
        // Stacks that show the same have the same number.
        std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> numbers;
        std::vector<std::uint32_t> shown;
        for (std::uint32_t stack = 0; stack < of.stacks.size(); ++stack) {
            StackFunction f = functionOf(of, stack);
            const auto next = static_cast<std::uint32_t>(numbers.size());
            shown.push_back(
                numbers
                    .try_emplace({std::move(f.function), std::move(f.file), std::move(f.callee)},
                                 next)
                    .first->second);
        }
        std::vector<const CpuSample*> samples;
        for (const CpuSample& sample : of.samples) samples.push_back(&sample);
        std::ranges::stable_sort(samples, {},
                                 [](const CpuSample* s) { return std::pair(s->thread, s->time); });
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const CpuSample& sample = *samples[i];
            const bool last = i + 1 == samples.size() || samples[i + 1]->thread != sample.thread;
            const Nanoseconds end = last ? sample.time + of.period
                                         : std::min(samples[i + 1]->time, sample.time + longest);
            SampledStretch* const before = stretches.empty() ? nullptr : &stretches.back();
            if (before && before->process == p && before->thread == sample.thread &&
                before->wait == sample.wait && before->time.end == sample.time &&
                shown[before->stack] == shown[sample.stack]) {
                before->time.end = end;
                ++before->samples;
                continue;
            }
            stretches.push_back({.process = p,
                                 .thread = sample.thread,
                                 .stack = sample.stack,
                                 .wait = sample.wait,
                                 .samples = 1,
                                 .time = {.start = sample.time, .end = end}});
        }
    }
    return stretches;
}

HostSamples::HostSamples(const Profile& profile)
    : m_profile(profile),
      m_running(profile.processes.size()),
      m_compiling(profile.processes.size()),
      m_workers(profile.processes.size()),
      m_feeders(profile.processes.size()),
      m_isCompilers(profile.processes.size()),
      m_hasPython(profile.processes.size()) {
    for (std::size_t p = 0; p < profile.processes.size(); ++p) {
        static const CpuSamples kNone;
        const CpuSamples& of =
            profile.processes[p].cpuSamples ? *profile.processes[p].cpuSamples : kNone;
        m_weights.emplace_back(of);
        std::vector<bool> hasPython;  // by stack
        for (std::uint32_t stack = 0; stack < of.stacks.size(); ++stack) {
            m_isCompilers[p].push_back(compilerOn(of, stack) != Compiler::None);
            hasPython.push_back(std::ranges::any_of(
                of.stacks[stack], [&](std::uint32_t frame) { return isPython(of.frames[frame]); }));
        }
        for (const CpuSample& sample : of.samples) {
            m_byThread[sample.thread].push_back(&sample);
            if (profile.timeline.threads[sample.thread].worker) {
                m_workers[p].push_back(&sample);
                continue;
            }
            const bool mayFeed = sample.wait == CpuWait::Poll || sample.wait == CpuWait::Read;
            if (mayFeed && isOfProcesses(of, of.stacks[sample.stack]))
                m_feeders[p].push_back(&sample);
            if (hasPython[sample.stack]) {
                m_hasPython[p] = true;
                m_pythonThreads.insert(sample.thread);
            }
            if (m_isCompilers[p][sample.stack]) m_compiling[p].push_back(&sample);
            if (sample.wait == CpuWait::None) m_running[p].push_back(&sample);
        }
        for (auto* samples : {&m_running[p], &m_compiling[p], &m_workers[p], &m_feeders[p]})
            std::ranges::stable_sort(*samples, {}, &CpuSample::time);
    }
    for (auto& [thread, samples] : m_byThread)
        std::ranges::stable_sort(samples, {}, &CpuSample::time);
}

void HostSamples::addTo(SampleTally& tally, std::uint32_t thread, const TimeSpan& time) const {
    const std::uint32_t process = m_profile.timeline.threads[thread].process;
    static const std::vector<const CpuSample*> kNone;
    const auto found = m_byThread.find(thread);
    const auto& samples = found == m_byThread.end() ? kNone : found->second;
    const auto first = std::ranges::lower_bound(samples, time.start, {}, &CpuSample::time);
    if (first == samples.end() || (*first)->time >= time.end) {
        const auto& of = m_profile.processes[process].cpuSamples;
        if (of && time.length() >= kLongestSample * of->period) addRunning(tally, process, time);
        return;
    }
    for (auto at = first; at != samples.end() && (*at)->time < time.end; ++at) {
        const CpuSample& sample = **at;
        const TimeSpan round = m_weights[process].roundAt(sample.time);
        const bool isCompilers = m_isCompilers[process][sample.stack];
        const bool isWorkers = m_hasPython[process] && !m_pythonThreads.contains(thread);
        const bool waits = sample.wait == CpuWait::Lock;
        if (!isCompilers && (waits || isWorkers) &&
            addSharesOf(m_compiling[process], tally, process, round, thread))
            continue;
        if (!isCompilers && waits && addSharesOf(m_running[process], tally, process, round, thread))
            continue;
        if (!isCompilers && waitsForWorkers(sample, process, round) &&
            addSharesOf(m_workers[process], tally, process, round, thread))
            continue;
        tally[{.process = process, .stack = sample.stack, .wait = sample.wait}] +=
            m_weights[process].at(sample.time);
    }
}

bool HostSamples::waitsForWorkers(const CpuSample& sample, std::uint32_t process,
                                  const TimeSpan& round) const {
    if (m_workers[process].empty()) return false;
    const CpuSamples& of = *m_profile.processes[process].cpuSamples;
    switch (sample.wait) {
        case CpuWait::Child:
            return true;
        case CpuWait::Poll:
        case CpuWait::Read:
            return isOfProcesses(of, of.stacks[sample.stack]);
        case CpuWait::Lock: {
            if (isOfProcesses(of, of.stacks[sample.stack])) return true;
            const auto& feeders = m_feeders[process];
            const auto at = std::ranges::lower_bound(feeders, round.start, {}, &CpuSample::time);
            return at != feeders.end() && (*at)->time <= round.end;
        }
        default:
            return false;
    }
}

bool HostSamples::addSharesOf(const std::vector<const CpuSample*>& samples, SampleTally& tally,
                              std::uint32_t process, const TimeSpan& round,
                              std::optional<std::uint32_t> except) const {
    std::vector<const CpuSample*> found;
    for (auto at = std::ranges::lower_bound(samples, round.start, {}, &CpuSample::time);
         at != samples.end() && (*at)->time <= round.end; ++at)
        if ((*at)->thread != except) found.push_back(*at);
    for (const CpuSample* sample : found)
        tally[{.process = process,
               .stack = sample->stack,
               .wait = sample->wait,
               .worker = m_profile.timeline.threads[sample->thread].worker}] +=
            m_weights[process].at(round.start) / static_cast<double>(found.size());
    return !found.empty();
}

void HostSamples::addRunning(SampleTally& tally, std::uint32_t process,
                             const TimeSpan& time) const {
    const auto& running = m_running[process];
    auto at = std::ranges::lower_bound(running, time.start, {}, &CpuSample::time);
    while (at != running.end() && (*at)->time < time.end) {
        const TimeSpan round{(*at)->time,
                             std::min(m_weights[process].roundAt((*at)->time).end, time.end - 1)};
        if (!addSharesOf(m_compiling[process], tally, process, round, std::nullopt))
            addSharesOf(running, tally, process, round, std::nullopt);
        while (at != running.end() && (*at)->time <= round.end) ++at;
    }
}

std::vector<HostFunction> hostFunctions(const Profile& profile, const SampleTally& tally,
                                        Seconds time, double least) {
    constexpr double kLeastShare = 0.03;
    /// With less, most of the time was not sampled, for instance before CUDA's initialisation
    /// loaded the recorder.
    constexpr double kLeastCovered = 0.5;
    struct Group {
        double samples = 0;
        std::map<std::string, double> lines;
        std::vector<GroupedStack> stacks = {};
        bool noLines = false;
    };
    using Key = std::tuple<std::string, std::string, std::string, CpuWait, bool>;
    std::map<Key, Group> groups;
    const double all = samplesIn(tally);
    Seconds covered;
    for (const auto& [stack, samples] : tally) {
        const CpuSamples& of = *profile.processes[stack.process].cpuSamples;
        covered += Seconds{samples * static_cast<double>(of.period) / 1e9};
        const auto [own, callee, place] = ownFrameOf(of, of.stacks[stack.stack]);
        if (!own) continue;
        Group& group =
            groups[{functionText(*own), own->file, callee ? functionText(*callee) : std::string(),
                    stack.wait, stack.worker}];
        group.samples += samples;
        group.lines[lineText(*own)] += samples;
        group.noLines = group.noLines || (own->file.empty() && !isPython(*own) && isOwn(*own));
        if (callee && isPython(*callee))
            group.stacks.push_back({&of, &of.stacks[stack.stack], place, samples});
    }
    std::vector<HostFunction> functions;
    if (all < least || covered < time * kLeastCovered) return functions;
    for (const auto& [key, group] : groups) {
        const auto& [function, file, callee, wait, worker] = key;
        const auto line = std::ranges::max_element(group.lines, {},
                                                   [](const auto& entry) { return entry.second; });
        const std::string inner = innermostShared(group.stacks);
        functions.push_back({.function = function,
                             .place = line->first,
                             .callee = inner.empty() ? callee : inner,
                             .wait = wait,
                             .share = {group.samples / all},
                             .noLines = group.noLines && line->first.empty(),
                             .inWorker = worker});
    }
    std::ranges::stable_sort(functions, std::greater{},
                             [](const HostFunction& f) { return f.share.value; });
    std::erase_if(functions, [](const HostFunction& f) { return f.share.value < kLeastShare; });
    if (functions.size() > kMostHostFunctions) functions.resize(kMostHostFunctions);
    return functions;
}

SampleTally withoutModule(const Profile& profile, SampleTally tally, std::string_view name) {
    std::erase_if(tally, [&](const auto& entry) {
        const SampledStack& at = entry.first;
        const CpuSamples& of = *profile.processes[at.process].cpuSamples;
        return std::ranges::any_of(of.stacks[at.stack], [&](std::uint32_t frame) {
            return baseName(of.frames[frame].module).starts_with(name);
        });
    });
    return tally;
}

double shareWithin(const Profile& profile, const SampleTally& tally, std::string_view path) {
    double within = 0;
    for (const auto& [stack, samples] : tally) {
        const CpuSamples& of = *profile.processes[stack.process].cpuSamples;
        const bool found = std::ranges::any_of(of.stacks[stack.stack], [&](std::uint32_t frame) {
            return of.frames[frame].file.find(path) != std::string::npos;
        });
        if (found) within += samples;
    }
    const double all = samplesIn(tally);
    return all > 0 ? within / all : 0;
}

double shareInWorkers(const SampleTally& tally) {
    double inside = 0;
    for (const auto& [stack, samples] : tally)
        if (stack.worker) inside += samples;
    const double all = samplesIn(tally);
    return all > 0 ? inside / all : 0;
}

std::size_t workersAtOnce(const Profile& profile, std::uint32_t process) {
    const auto& of = profile.processes[process].cpuSamples;
    if (!of) return 0;
    std::map<std::uint32_t, TimeSpan> spans;  // by thread
    for (const CpuSample& sample : of->samples) {
        if (!profile.timeline.threads[sample.thread].worker) continue;
        TimeSpan& span =
            spans.try_emplace(sample.thread, TimeSpan{sample.time, sample.time}).first->second;
        span = {std::min(span.start, sample.time), std::max(span.end, sample.time)};
    }
    std::vector<std::pair<Nanoseconds, int>> changes;
    for (const auto& [thread, span] : spans) {
        changes.emplace_back(span.start, 1);
        changes.emplace_back(span.end + 1, -1);
    }
    std::ranges::sort(changes);
    int now = 0, most = 0;
    for (const auto& [time, change] : changes) most = std::max(most, now += change);
    return static_cast<std::size_t>(most);
}

}  // namespace roofscope::program
