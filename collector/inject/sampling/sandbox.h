// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>

namespace roofscope::inject {

/// How many seccomp filters this process has; absent if the system does not say.
[[nodiscard]] std::optional<int> seccompFilters();

/// Tells whether a thread was put into a sandbox (seccomp) since sampling began. A sandbox may end
/// the process for a system call that the program itself never makes, and sampling needs such
/// calls. A sandbox that was there before, as in every container, is accepted.
class SandboxWatch {
public:
    /// `before`: seccompFilters() when sampling began.
    SandboxWatch(pid_t thread, std::optional<int> before);
    ~SandboxWatch();
    SandboxWatch(const SandboxWatch&) = delete;
    SandboxWatch& operator=(const SandboxWatch&) = delete;

    /// Asks the system with a single pread().
    [[nodiscard]] bool added() const;
    /// The same for the signal handler in the thread itself, whose stack has no room for a buffer.
    [[nodiscard]] bool addedHere(std::span<std::byte> buffer) const;

private:
    int m_file = -1;
    std::optional<int> m_filters;
};

/// Whether this process has filters that its parent has not: it has put itself into a sandbox.
[[nodiscard]] bool isInOwnSandbox();

}  // namespace roofscope::inject
