// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/cpu_sampler.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <initializer_list>
#include <map>
#include <utility>

#include "collector/inject/sampling/own_memory.h"
#include "collector/inject/sampling/usable_cpus.h"
#include "profile/names/foreign_modules.h"

namespace roofscope::inject {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

/// 200 samples a second: after a minute, shares are accurate to about 1 %. Each sample takes 10 µs
/// of the program's time.
constexpr std::uint64_t kFirstPeriod = 5'000'000;
/// The most threads that are sampled only because a followed thread waits.
constexpr std::size_t kMostOthers = 64;
constexpr std::size_t kMostFramesKept = 48;
constexpr std::size_t kStackCopied = 32768;
constexpr std::size_t kMostLooks = 256;
/// A running thread answers within this time (ns), because the system's clock ticks come every 1 to
/// 10 ms.
constexpr std::uint64_t kTicks = 12'000'000;
/// The sampler's thread takes at most 1/kShare of a CPU. If many threads must be sampled, it
/// samples less often.
constexpr std::uint64_t kShare = 50;

/// Whether the thread belongs to the recorder or the driver rather than the program.
bool isOurs(pid_t thread) {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/proc/self/task/%d/comm", static_cast<int>(thread));
    std::string name;
    std::ifstream file(path.data());
    return !std::getline(file, name) || name.starts_with("roofscope") || name.starts_with("cuda");
}

/// Whether a thread that uses CUDA waits for one of these.
bool anyWaits(const auto& targets, std::initializer_list<CpuWait> waits) {
    return std::ranges::any_of(targets, [&](const auto& target) {
        return target->followed && !target->gone && !target->now.running &&
               std::ranges::find(waits, waitOf(target->now.call)) != waits.end();
    });
}

std::uint64_t nanosecondsOf(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::uint64_t CpuSampler::monotonic() { return nanosecondsOf(CLOCK_MONOTONIC); }

void CpuSampler::follow(std::uint32_t number, pid_t thread) {
    const std::lock_guard lock(m_newsMutex);
    m_news.push_back({.thread = thread, .number = number, .worker = false});
}

bool CpuSampler::start() {
    if (m_background.running()) return true;
    if (isInOwnSandbox()) {
        m_problem = "the program runs in a sandbox (seccomp) of its own";
        return false;
    }
    // Read this now: the program may put itself into a sandbox before the first round.
    m_filters = seccompFilters();
    if (!own_memory::works() || !ThreadWatch(getpid()).now()) {
        m_problem = "the system does not let a process look at its own threads";
        return false;
    }
    if (!m_signal) m_signal = SampleSignal::install();
    if (!m_signal) {
        m_problem = "the program uses the signal SIGURG, or this CPU is not supported";
        return false;
    }
    if (m_period == 0) m_period = kFirstPeriod;
    m_own = 0;
    m_last = 0;
    return m_background.start([this] { return round(); }, [this] { return pause(); });
}

bool CpuSampler::stop() {
    if (!m_background.running()) return true;
    if (!m_background.stop()) return false;
    takeNews();  // threads that began to use CUDA since the last round
    // Tear down everything that a late signal handler could use.
    m_targets.clear();
    m_others.clear();
    m_signal.reset();
    return true;
}

microseconds CpuSampler::pause() {
    // Pauses are random. Otherwise a program that repeats itself every few milliseconds would
    // always be sampled at the same place.
    m_random ^= m_random << 13U;
    m_random ^= m_random >> 7U;
    m_random ^= m_random << 17U;
    const std::uint64_t mean = std::max(m_period, m_spent * kShare);
    const std::uint64_t next = mean / 2 + m_random % mean;
    return std::chrono::duration_cast<microseconds>(
        nanoseconds(next > m_spent ? next - m_spent : next / 2));
}

void CpuSampler::takeNews() {
    std::vector<Known> news;
    {
        const std::lock_guard lock(m_newsMutex);
        news.swap(m_news);
    }
    for (const Known& known : news) {
        std::erase_if(m_others, [&](const auto& t) { return t->thread == known.thread; });
        const auto same =
            std::ranges::find(m_targets, known.thread, [](const auto& t) { return t->thread; });
        // The system may have reused the id of a thread that has ended.
        const bool again = same != m_targets.end() && m_threads[(*same)->index].number.has_value();
        if (again) (*same)->gone = true;
        Target& target = same == m_targets.end() || again ? add(m_targets, known.thread) : **same;
        m_threads[target.index].number = known.number;
        target.followed = true;
    }
}

CpuSampler::Target& CpuSampler::add(Targets& targets, pid_t thread) {
    m_threads.push_back({.thread = thread, .number = {}, .worker = false});
    targets.push_back(std::make_unique<Target>(thread, m_threads.size() - 1, m_filters));
    return *targets.back();
}

void CpuSampler::refreshPython() {
    if (m_python) return;
    m_python = pythonLayout(m_unknownPython);
    if (!m_python && !m_unknownPython.empty())
        m_problem = "the frames of Python " + m_unknownPython +
                    " cannot be read: its compiled code stands for them";
}

bool CpuSampler::round() {
    if (m_stopped) return false;
    const std::uint64_t begun = monotonic(), usedBefore = nanosecondsOf(CLOCK_THREAD_CPUTIME_ID);
    if (m_own == 0) {
        m_own = static_cast<pid_t>(syscall(SYS_gettid));
        m_sandbox.emplace(m_own, m_filters);
        add(m_targets, getpid());
    }
    if (sandboxed()) return false;
    takeNews();
    if (m_modules.refresh()) {
        m_unwinder.forget();
        refreshPython();
    }
    if (!SampleSignal::ours())
        return giveUp("the program took over the signal SIGURG: no samples from then on");
    if (!readClock()) return false;
    lookAt(m_targets);
    if (anyWaits(m_targets, {CpuWait::Lock})) {
        findOthers();
        m_feeding = 0;
        lookAt(m_others);
    }
    lookAtWorkers();
    for (auto* const targets : {&m_targets, &m_others})
        std::erase_if(*targets, [](const auto& t) { return t->gone; });
    ++m_rounds;
    if (m_store.thinOut()) {
        m_period *= 2;
        m_rounds /= 2;
    }
    if (m_last != 0) m_sampled += begun - m_last;
    m_last = begun;
    // Count only the sampler's own CPU time. On a busy machine it also waits for a CPU, which must
    // not reduce the sampling rate.
    m_spent = (m_spent * 7 + (nanosecondsOf(CLOCK_THREAD_CPUTIME_ID) - usedBefore)) / 8;
    return true;
}

bool CpuSampler::sandboxed() {
    if (!m_sandbox->added()) return false;
    giveUp("the program went into a sandbox (seccomp): no samples from then on");
    return true;
}

bool CpuSampler::giveUp(std::string why) {
    m_problem = std::move(why);
    m_stopped = true;
    return false;
}

bool CpuSampler::readClock() {
    if (!m_clock) {
        m_monotonic = true;
        m_tick = monotonic();
        return true;
    }
    m_tick = m_clock();
    if (m_tick == 0) return false;
    m_clockOffset = static_cast<std::int64_t>(m_tick) - static_cast<std::int64_t>(monotonic());
    if (std::exchange(m_monotonic, false)) m_store.shift(m_clockOffset);
    return true;
}

void CpuSampler::findOthers() {
    constexpr unsigned kRoundsBetween = 20;
    if (m_rounds < m_nextSearch) return;
    m_nextSearch = m_rounds + kRoundsBetween;
    const auto known = [this](pid_t thread) {
        const auto is = [&](const auto& t) { return t->thread == thread; };
        return std::ranges::any_of(m_targets, is) || std::ranges::any_of(m_others, is);
    };
    for (const pid_t thread : allThreads()) {
        if (m_others.size() >= kMostOthers) return;
        if (thread == m_own || known(thread) || isOurs(thread)) continue;
        add(m_others, thread).other = true;
    }
}

void CpuSampler::lookAt(Targets& targets) {
    for (const auto& target : targets)
        if (!target->gone && !m_stopped) look(*target);
}

void CpuSampler::look(Target& target) {
    collect(target);
    const auto now = target.watch.now();
    if (!now) {
        target.gone = true;
        return;
    }
    target.now = *now;
    // Ask as late as possible, because this thread may lose its CPU at any time.
    if (target.sandbox.added() && !target.blocksSignal) {
        if (sandboxed()) return;
        target.blocksSignal = true;
        target.nextCheck = ~0U;
    }
    // A thread that starts another one blocks all signals for a moment, which is long enough to be
    // seen on a busy machine. So after "blocked" ask again soon, then less and less often.
    constexpr unsigned kSoon = 4, kRoundsBetweenChecks = 256;
    if (target.rounds++ >= target.nextCheck) {
        target.blocksSignal = blocksSampleSignal(target.thread);
        target.betweenChecks =
            target.blocksSignal ? std::clamp(2 * target.betweenChecks, kSoon, kRoundsBetweenChecks)
                                : 0;
        target.nextCheck =
            target.rounds + (target.blocksSignal ? target.betweenChecks : kRoundsBetweenChecks);
    }
    if (m_python) {
        std::uint64_t id = 0;
        const bool known = target.python != 0 &&
                           own_memory::read(target.python + m_python->nativeId, id) &&
                           id == static_cast<std::uint64_t>(target.thread);
        constexpr unsigned kRoundsBetweenSearches = 16;
        if (!known && (target.python != 0 || target.rounds % kRoundsBetweenSearches == 1))
            target.python = pythonThread(*m_python, target.thread);
    }
    if (now->running)
        ask(target, m_tick);
    else if (!target.other || mayFeed(target))
        readWaiting(target, m_tick);
}

bool CpuSampler::mayFeed(const Target& target) const {
    constexpr unsigned kMostFeeding = 2;  // a DataLoader has one such thread
    const CpuWait wait = waitOf(target.now.call);
    return m_workers.any() && target.python != 0 && m_feeding < kMostFeeding &&
           (wait == CpuWait::Poll || wait == CpuWait::Read);
}

void CpuSampler::lookAtWorkers() {
    if (!m_python || m_stopped ||
        !anyWaits(m_targets, {CpuWait::Lock, CpuWait::Poll, CpuWait::Read, CpuWait::Child}))
        return;
    // These are calls of this thread, so its own sandbox counts, not the worker's.
    if (sandboxed()) return;
    m_workers.find(*m_python, m_code);
    if (const auto seen = m_workers.look(*m_python, m_code)) record(*seen);
    if (m_problem.empty() && m_workers.forbidden())
        m_problem = "the system does not let a process look at those that it has forked";
    if (m_problem.empty() && m_workers.tooMany())
        m_problem = "the program forked so many processes that the later ones were left out";
}

void CpuSampler::record(const ForkedWorkers::Seen& seen) {
    constexpr std::size_t kNone = ~std::size_t{0};
    if (m_workerThreads.size() <= seen.worker) m_workerThreads.resize(seen.worker + 1, kNone);
    std::size_t& thread = m_workerThreads[seen.worker];
    if (thread == kNone) {
        thread = m_threads.size();
        m_threads.push_back({.thread = seen.process, .number = {}, .worker = true});
    }
    m_frames.clear();
    for (const PythonPlace& place : seen.frames)
        m_frames.push_back({.module = {}, .offset = 0, .python = place});
    m_store.add({.thread = static_cast<std::uint32_t>(thread),
                 .stack = m_store.stack(m_frames),
                 .wait = seen.wait,
                 .atNs = m_tick});
}

void CpuSampler::ask(Target& target, std::uint64_t at) {
    if (target.blocksSignal || !target.running.works()) {
        m_frames.clear();
        return record(target, at, CpuWait::None, m_store.stack(m_frames));
    }
    // A thread that does not use CUDA counts as working only if it is still running at one of the
    // next clock ticks: many such threads wake up only briefly.
    if (target.other)
        std::erase_if(target.looks, [at](std::uint64_t look) { return look + kTicks < at; });
    if (target.looks.size() < kMostLooks) target.looks.push_back(at);
    if (!target.running.asked()) target.running.ask(m_python ? &*m_python : nullptr, target.python);
}

void CpuSampler::collect(Target& target) {
    const ThreadCopy* const copy = target.running.answer();
    if (!copy) return;
    m_unwinder.walk(copy->registers, copy->memory(), m_native);
    const std::uint32_t stack = merged(std::span(copy->python).first(copy->pythonFrames));
    const std::int64_t answered = static_cast<std::int64_t>(copy->when) + m_clockOffset;
    // The stack shows the moment of the answer. Clamp its time, because the two clocks differ
    // slightly and an answer never comes before the question. Threads that do not use CUDA keep the
    // time of the question, so that their samples match that of the thread that waits for them.
    for (const std::uint64_t look : target.looks) {
        const auto when =
            static_cast<std::uint64_t>(std::max(answered, static_cast<std::int64_t>(look)));
        record(target, target.other ? look : when, CpuWait::None, stack);
    }
    target.looks.clear();
    target.running.done();
}

void CpuSampler::readWaiting(Target& target, std::uint64_t at) {
    const ThreadNow before = target.now;
    m_native.clear();
    if (target.other) {
        ++m_feeding;  // only its Python code says whom it waits for
    } else {
        ThreadRegisters registers;
        registers.set(kRsp, before.stack);
        registers.set(kReturn, before.code);
        m_stack.resize(kStackCopied);
        const std::size_t copied = own_memory::copy(before.stack, m_stack.data(), m_stack.size());
        m_unwinder.walk(registers, {before.stack, std::span(m_stack).first(copied)}, m_native);
    }
    std::array<RawPythonFrame, kMostFramesKept> python;
    const std::size_t frames =
        m_python && target.python != 0 ? copyPythonFrames(*m_python, target.python, python) : 0;
    std::uint32_t stack = merged(std::span(python).first(frames));
    if (target.watch.now() != before) {  // the thread ran while its stack was read
        m_frames.clear();
        stack = m_store.stack(m_frames);
    }
    record(target, at, waitOf(before.call), stack);
}

void CpuSampler::record(const Target& target, std::uint64_t at, CpuWait wait, std::uint32_t stack) {
    m_store.add({.thread = static_cast<std::uint32_t>(target.index),
                 .stack = stack,
                 .wait = wait,
                 .atNs = at});
}

/// Joins the compiled frames (m_native) with Python's, which replace the frames of the interpreter.
/// Returns the stack's number.
std::uint32_t CpuSampler::merged(std::span<const RawPythonFrame> python) {
    m_frames.clear();
    std::size_t next = 0;
    const auto addPython = [&] {  // the Python frames that one C frame of the interpreter runs
        while (next < python.size()) {
            const RawPythonFrame& frame = python[next++];
            if (frame.shown)
                if (auto place = m_code.place(*m_python, frame))
                    m_frames.push_back({.module = {}, .offset = 0, .python = std::move(*place)});
            if (frame.last) return;
        }
    };
    for (const NativeCodeFrame& frame : m_native) {
        if (m_frames.size() >= kMostFramesKept) break;
        if (m_python && frame.function != 0 && frame.function == m_python->evaluator) {
            addPython();
            continue;
        }
        if (!frame.module || frame.module->path.empty()) continue;
        if (m_python && frame.module->interpreter) continue;
        // For libraries keep only the function: with every address, one stack would become many.
        const bool foreign = isInstalledModule(frame.module->path);
        const std::uintptr_t address =
            foreign && frame.function != 0 ? frame.function : frame.address;
        m_frames.push_back(
            {.module = frame.module->path, .offset = address - frame.module->base, .python = {}});
    }
    while (next < python.size()) addPython();
    if (m_frames.size() > kMostFramesKept) m_frames.resize(kMostFramesKept);
    return m_store.stack(m_frames);
}

CpuSampler::Result CpuSampler::result(const Numbering& number) const {
    if (m_monotonic) return {};
    Result result{.stacks = m_store.stacks(m_rounds > 0 ? m_sampled / m_rounds : 0),
                  .samples = m_store.samples()};
    result.stacks.cpus = usableCpus();
    // If start() was called again, a thread that was sampled before has two entries.
    std::map<pid_t, std::uint32_t> ofThread;
    for (const Known& known : m_threads)
        if (known.number) ofThread[known.thread] = *known.number;
    std::vector<std::optional<std::uint32_t>> numbers;
    for (const Known& known : m_threads) {
        const auto same = ofThread.find(known.thread);
        const bool other = known.number || known.worker || same == ofThread.end();
        numbers.push_back(other ? known.number : std::optional(same->second));
    }
    for (spool::CpuSampleRow& sample : result.samples) {
        auto& of = numbers[sample.thread];
        if (!of) {
            const Known& thread = m_threads[sample.thread];
            if (thread.worker) {
                of = number(thread.thread, true);
            } else {
                const auto [known, added] = ofThread.try_emplace(thread.thread, 0);
                if (added) known->second = number(thread.thread, false);
                of = known->second;
            }
        }
        sample.thread = *of;
    }
    return result;
}

}  // namespace roofscope::inject
