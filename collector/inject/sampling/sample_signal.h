// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "collector/inject/sampling/python_frames.h"
#include "collector/inject/sampling/sandbox.h"
#include "collector/inject/sampling/unwinder.h"

namespace roofscope::inject {

/// A running thread's copy of its own registers, stack and Python frames. Filled by a signal
/// handler.
struct ThreadCopy {
    /// A thread answers by going from Asked to Done, through Writing.
    enum State : std::uint32_t { Idle, Asked, Writing, Done };
    std::atomic<std::uint32_t> state{Idle};
    bool taken = false;                    ///< in use by a RunningThread
    pid_t thread = 0;                      ///< who may answer
    const PythonLayout* layout = nullptr;  ///< null: no Python
    std::uintptr_t threadState = 0;
    const SandboxWatch* sandbox = nullptr;  ///< of the thread
    // The answer.
    std::uint64_t when = 0;  ///< CLOCK_MONOTONIC, ns
    ThreadRegisters registers;
    std::size_t pythonFrames = 0, stackBytes = 0;
    std::array<RawPythonFrame, 48> python;
    alignas(16) std::array<std::byte, 32768> stack;

    [[nodiscard]] StackMemory memory() const {
        return {registers.values[kRsp], std::span(stack).first(stackBytes)};
    }
};

/// The signal that asks threads to copy their registers and stack: SIGURG. By default it is
/// ignored, so a late signal does no harm, and a program that does not use it notices nothing.
class SampleSignal {
public:
    /// Installs the handler. Null if the program uses the signal, or if this CPU is not supported.
    static std::unique_ptr<SampleSignal> install();
    /// Restores the program's handling of the signal, unless the program has changed it in the
    /// meantime.
    ~SampleSignal();
    SampleSignal(const SampleSignal&) = delete;
    SampleSignal& operator=(const SampleSignal&) = delete;

    /// Whether the handler is still ours.
    [[nodiscard]] static bool ours();

private:
    SampleSignal() = default;
};

/// Asks one thread. A timer on the thread's CPU time sends the signal. So it reaches the thread
/// only while it runs, at one of the system's clock ticks, and never interrupts a waiting call.
class RunningThread {
public:
    /// `sandbox` watches the thread and must outlive this object.
    RunningThread(pid_t thread, const SandboxWatch& sandbox);
    ~RunningThread();
    RunningThread(const RunningThread&) = delete;
    RunningThread& operator=(const RunningThread&) = delete;

    /// False if the system has no timer for the thread, or if too many threads are being asked.
    [[nodiscard]] bool works() const { return m_copy != nullptr; }
    /// Asks the thread for a copy of itself. It answers at the next tick at which it runs.
    bool ask(const PythonLayout* layout, std::uintptr_t threadState);
    [[nodiscard]] bool asked() const { return m_asked; }
    /// Its answer; null if there is none yet.
    [[nodiscard]] const ThreadCopy* answer() const;
    /// The answer has been read: the thread may be asked again.
    void done();

private:
    ThreadCopy* m_copy = nullptr;
    timer_t m_timer{};
    bool m_asked = false;
};

/// Whether the thread blocks the signal; also true if it is gone.
[[nodiscard]] bool blocksSampleSignal(pid_t thread);

}  // namespace roofscope::inject
