// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profile/model/timeline.h"

/// What the CPU's threads did in a timing run, by samples.
namespace roofscope {

/// What a thread waited for in a call of the operating system; None: it ran, or wanted to.
enum class CpuWait {
    None,
    Lock,    ///< another thread (futex: mutexes, condition variables, semaphores)
    Poll,    ///< data of a file, pipe or socket, often from another process (poll, select, epoll)
    Read,    ///< the same, while it reads
    Write,   ///< until it is written
    Sleep,   ///< time
    Child,   ///< the end of a process
    Driver,  ///< a device's driver (ioctl)
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

/// A place in a thread's stack: a line of Python, or of compiled code (of the innermost function
/// there that the program's author wrote, if functions were inlined).
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
    std::vector<CpuFrame> frames;
    /// Indices into `frames`, innermost first; an empty one: not known.
    std::vector<std::vector<std::uint32_t>> stacks;
    std::vector<CpuSample> samples;  ///< in no particular order
    bool operator==(const CpuSamples&) const = default;
};

}  // namespace roofscope
