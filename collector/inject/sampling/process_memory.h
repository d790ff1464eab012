// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace roofscope::inject {

/// The memory of a process, read at addresses that may be wrong: at an unmapped address, the system
/// call fails instead of crashing the program. If the process writes there at the same time, old
/// and new bytes may be mixed. Async-signal-safe.
class ProcessMemory {
public:
    /// Of this process.
    ProcessMemory() = default;
    /// Of another one, which the system may forbid: then nothing can be read.
    explicit ProcessMemory(pid_t process) : m_process(process) {}

    /// Copies up to `bytes` bytes from `address` and stops at the first that cannot be read.
    /// Returns how many were copied.
    std::size_t copy(std::uintptr_t address, void* to, std::size_t bytes) const;

    /// False unless all of it could be read.
    template <class T>
    requires std::is_trivially_copyable_v<T>
    [[nodiscard]] bool read(std::uintptr_t address, T& value) const {
        return copy(address, &value, sizeof value) == sizeof value;
    }

    /// 0: this process, whatever its id is (a forked one has another).
    [[nodiscard]] pid_t process() const { return m_process; }

private:
    pid_t m_process = 0;
};

}  // namespace roofscope::inject
