// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "collector/inject/sampling/python_frames.h"
#include "collector/inject/sampling/thread_state.h"

namespace roofscope::inject {

/// What /proc/PID/stat says of a process, as far as it tells a forked copy from another program.
struct ProcessImage {
    char state = '?';
    pid_t parent = 0;
    /// Where its code and its stack begin. fork() keeps them; exec() chooses others.
    std::uint64_t codeBegin = 0, codeEnd = 0, stackBegin = 0;
    [[nodiscard]] bool sameProgram(const ProcessImage& other) const {
        return codeBegin == other.codeBegin && codeEnd == other.codeEnd &&
               stackBegin == other.stackBegin;
    }
};
/// Absent if the text is not that of such a file.
[[nodiscard]] std::optional<ProcessImage> parseProcessImage(std::string_view stat);

/// The Python processes that this one has forked, for instance the workers of a DataLoader. They
/// have their parent's memory layout, so the parent can read what they do. Nothing runs in them,
/// and they are not stopped. Each call makes a few system calls and takes no lock.
class ForkedWorkers {
public:
    /// A worker at one moment.
    struct Seen {
        std::uint32_t worker = 0;  ///< 0 for the first that was ever found, and so on
        pid_t process = 0;
        CpuWait wait = CpuWait::None;     ///< None: it ran; otherwise it waited for a disk
        std::vector<PythonPlace> frames;  ///< innermost first; empty: not known
    };

    /// Looks for workers that were forked since it last did so, at most every 100 ms.
    void find(const PythonLayout& layout, PythonCode& code);
    /// Looks at one of the workers that work at this moment, chosen at random. Absent if none does.
    /// A worker that waits for a lock, a pipe or a socket does not work: it may wait for its next
    /// task.
    [[nodiscard]] std::optional<Seen> look(const PythonLayout& layout, PythonCode& code);

    [[nodiscard]] bool any() const { return !m_workers.empty(); }
    /// Whether the system forbade to look at some.
    [[nodiscard]] bool forbidden() const { return m_forbidden; }
    /// Whether there were more than can be told apart.
    [[nodiscard]] bool tooMany() const { return m_tooMany; }

    static constexpr std::size_t kMostAtOnce = 64;
    static constexpr std::uint32_t kMostEver = 4096;

private:
    struct Worker {
        Worker(pid_t id, std::uint32_t as)
            : process(id), number(as), watch(ThreadWatch::ofProcess(id)), memory(id) {}
        pid_t process;
        std::uint32_t number;
        ThreadWatch watch;  ///< of its first thread
        ProcessMemory memory;
        std::uintptr_t python = 0;  ///< the state of this thread in the interpreter
        bool gone = false;
    };

    void adopt(const PythonLayout& layout, pid_t process);
    void dropGone(PythonCode& code);
    [[nodiscard]] static std::optional<CpuWait> workOf(Worker& worker);
    /// Whether the interpreter's state of its first thread is known.
    [[nodiscard]] static bool isPython(const PythonLayout& layout, Worker& worker);
    std::uint64_t random();

    std::vector<std::unique_ptr<Worker>> m_workers;
    std::uint32_t m_found = 0;
    std::chrono::steady_clock::time_point m_nextSearch;
    std::uint64_t m_random = 0x2545F4914F6CDD1DULL;
    bool m_forbidden = false, m_tooMany = false;
};

/// The outer frames that two looks at a running thread have in common: how many of `second`, from
/// its end. Where the thread went on between the looks, the inner ones differ.
[[nodiscard]] std::size_t commonFrames(std::span<const RawPythonFrame> first,
                                       std::span<const RawPythonFrame> second);

}  // namespace roofscope::inject
