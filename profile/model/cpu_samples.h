// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/model/timeline.h"

/// Samples of what the CPU's threads did in a timing run.
namespace roofscope {

/// What a thread waited for in a system call. None: it ran, or was ready to run.
enum class CpuWait {
    None,
    Lock,    ///< for another thread (futex: mutexes, condition variables, semaphores)
    Poll,    ///< for a file, pipe or socket, often one of another process (poll, select, epoll)
    Read,    ///< until data can be read
    Write,   ///< until data is written
    Sleep,   ///< until some time has passed
    Child,   ///< until a process ends
    Driver,  ///< for a device's driver (ioctl)
    Other
};
/// The names in files, in this order.
inline constexpr std::array<std::pair<const char*, CpuWait>, 9> kCpuWaits{{
    {"none", CpuWait::None},
    {"lock", CpuWait::Lock},
    {"poll", CpuWait::Poll},
    {"read", CpuWait::Read},
    {"write", CpuWait::Write},
    {"sleep", CpuWait::Sleep},
    {"child", CpuWait::Child},
    {"driver", CpuWait::Driver},
    {"other", CpuWait::Other},
}};

/// A frame of a thread's stack: a line of Python or of compiled code. If functions were inlined,
/// the line is in the innermost one that the program's author wrote.
struct CpuFrame {
    std::string module;        ///< program or library; empty: Python
    std::uint64_t offset = 0;  ///< address in the module
    std::string function;      ///< empty: not known
    std::string file;          ///< empty: not known
    std::uint32_t line = 0;    ///< 0: not known
    auto operator<=>(const CpuFrame&) const = default;
};

struct CpuSample {
    Nanoseconds time = 0;
    std::uint32_t thread = 0;  ///< index into Timeline::threads
    std::uint32_t stack = 0;   ///< index into CpuSamples::stacks
    CpuWait wait = CpuWait::None;
    bool operator==(const CpuSample&) const = default;
};

/// The samples of one process.
struct CpuSamples {
    Nanoseconds period = 0;  ///< mean time between two samples of a thread
    /// How many CPUs the process could use at a time; at least 1.
    std::optional<std::uint32_t> cpus = {};
    std::vector<CpuFrame> frames;
    /// Each stack: indices into `frames`, innermost first. Empty if the stack is not known.
    std::vector<std::vector<std::uint32_t>> stacks;
    std::vector<CpuSample> samples;  ///< in no particular order
    bool operator==(const CpuSamples&) const = default;
};

}  // namespace roofscope
