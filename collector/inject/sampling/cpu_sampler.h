// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "collector/inject/sampling/forked_workers.h"
#include "collector/inject/sampling/sample_signal.h"
#include "collector/inject/sampling/sample_store.h"
#include "collector/inject/sampling/sandbox.h"
#include "collector/inject/sampling/thread_state.h"
#include "collector/inject/sampling/unwinder.h"
#include "collector/inject/threads/background.h"

namespace roofscope::inject {

/// Samples up to 200 times a second what the CPU does: the stacks, in compiled code and in Python,
/// of the main thread and of the threads that give work to the GPU. If one of these waits for
/// another thread, all running threads are sampled as well; if it may wait for another process, so
/// is one of the forked Python processes that work at this moment.
///
/// A waiting thread is not disturbed: the system says where it is, and the sampler reads its stack.
/// A running thread copies its own stack in a signal handler (SampleSignal). Everything else
/// happens in the sampler's thread, which holds no lock that the program may wait for.
class CpuSampler {
public:
    /// Returns CUPTI's time in ns; 0: unknown.
    using Clock = std::function<std::uint64_t()>;

    /// Without a clock, samples have times of CLOCK_MONOTONIC until useClock().
    explicit CpuSampler(Clock clock = {}) : m_clock(std::move(clock)) {}
    ~CpuSampler() { stop(); }
    /// Sets the clock for the samples from the next start() on. If earlier samples had no clock,
    /// they are converted.
    void useClock(Clock clock) { m_clock = std::move(clock); }

    /// The thread with this system id uses CUDA; `number` is its number in the spool. Thread-safe,
    /// also before start().
    void follow(std::uint32_t number, pid_t thread);
    /// False if this process cannot be sampled: problem() says why.
    bool start();
    /// False if the sampler's thread hangs. Then call nothing else and keep this object alive.
    bool stop();

    /// The samples; available after stop().
    struct Result {
        spool::CpuStacksRecord stacks;
        std::vector<spool::CpuSampleRow> samples;
    };
    /// Gives a number to a thread for which follow() was not called. `worker`: it is the first
    /// thread of a forked process.
    using Numbering = std::function<std::uint32_t(pid_t thread, bool worker)>;
    /// Returns the samples; none if CUPTI's time was never known.
    [[nodiscard]] Result result(const Numbering& number) const;
    /// Why samples are missing or incomplete; empty: they are not.
    [[nodiscard]] std::string problem() const { return m_problem; }

private:
    struct Target {
        Target(pid_t id, std::size_t at, std::optional<int> filters)
            : thread(id), index(at), watch(id), sandbox(id, filters), running(id, sandbox) {}
        pid_t thread;
        std::size_t index;  ///< into m_threads
        ThreadWatch watch;
        SandboxWatch sandbox;
        RunningThread running;
        bool followed = false;  ///< it uses CUDA
        bool other = false;     ///< in m_others: sampled only while it runs
        bool blocksSignal = false;
        unsigned rounds = 0, nextCheck = 0;  ///< when to check blocksSignal again
        unsigned betweenChecks = 0;          ///< between checks while it stays true
        std::uintptr_t python = 0;           ///< its state in the interpreter
        /// The times at which the thread was due for a sample since it last answered.
        std::vector<std::uint64_t> looks;
        ThreadNow now = {};
        bool gone = false;
    };
    using Targets = std::vector<std::unique_ptr<Target>>;
    struct Known {
        pid_t thread = 0;
        std::optional<std::uint32_t> number;
        bool worker = false;  ///< the first thread of a forked process
    };

    bool round();
    /// Whether the sampler's own thread is now in a sandbox. If so, it gives up.
    bool sandboxed();
    /// Stops sampling for this reason.
    bool giveUp(std::string why);
    /// Sets m_tick and m_clockOffset; false if CUPTI's time is unknown.
    [[nodiscard]] bool readClock();
    [[nodiscard]] std::chrono::microseconds pause();
    void takeNews();
    void refreshPython();
    /// Adds threads that may be doing what a followed thread waits for.
    void findOthers();
    /// Looks at a forked process that a followed thread may wait for.
    void lookAtWorkers();
    void record(const ForkedWorkers::Seen& seen);
    /// Whether this thread may wait for a worker's answer on behalf of a thread that uses CUDA.
    [[nodiscard]] bool mayFeed(const Target& target) const;
    Target& add(Targets& targets, pid_t thread);
    void look(Target& target);
    void lookAt(Targets& targets);
    void ask(Target& target, std::uint64_t at);
    void collect(Target& target);
    void record(const Target& target, std::uint64_t at, CpuWait wait, std::uint32_t stack);
    std::uint32_t merged(std::span<const RawPythonFrame> python);
    void readWaiting(Target& target, std::uint64_t at);
    [[nodiscard]] static std::uint64_t monotonic();

    Clock m_clock;
    Background m_background;
    std::unique_ptr<SampleSignal> m_signal;
    std::optional<SandboxWatch> m_sandbox;  ///< of the sampler's thread
    std::optional<int> m_filters;           ///< seccompFilters() at start()
    std::string m_problem;
    std::mutex m_newsMutex;  ///< held only for moments
    std::vector<Known> m_news;
    // Used by the sampler's thread only.
    std::vector<Known> m_threads;
    Targets m_targets, m_others;
    Modules m_modules;
    Unwinder m_unwinder{m_modules};
    std::optional<PythonLayout> m_python;
    std::string m_unknownPython;
    PythonCode m_code;
    ForkedWorkers m_workers;
    std::vector<std::size_t> m_workerThreads;  ///< by number of a worker: index into m_threads
    SampleStore m_store;
    std::vector<NativeCodeFrame> m_native;
    std::vector<SampledFrame> m_frames;
    std::vector<std::byte> m_stack;
    std::uint64_t m_period = 0;
    std::uint64_t m_tick = 0;        ///< CUPTI's time in this round
    std::uint64_t m_spent = 0;       ///< CPU time of a round, ns
    std::uint64_t m_last = 0;        ///< the last round since start(); 0: none yet
    std::uint64_t m_sampled = 0;     ///< total time of sampling, ns
    std::int64_t m_clockOffset = 0;  ///< CUPTI's time minus CLOCK_MONOTONIC
    bool m_monotonic = false;        ///< the samples so far have times of CLOCK_MONOTONIC
    std::uint64_t m_random = 88172645463325252ULL;
    pid_t m_own = 0;
    unsigned m_rounds = 0, m_nextSearch = 0;
    unsigned m_feeding = 0;  ///< threads that were asked what they wait for in this round
    bool m_stopped = false;
};

}  // namespace roofscope::inject
