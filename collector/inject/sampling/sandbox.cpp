// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/sandbox.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <string_view>

namespace roofscope::inject {
namespace {

/// The number of filters in the status of a process or thread; where the system does not count
/// them (before Linux 5.9), the kind of sandbox. Async-signal-safe.
std::optional<int> filtersIn(int status, std::span<std::byte> buffer) {
    const ssize_t length = status < 0 ? -1 : pread(status, buffer.data(), buffer.size(), 0);
    if (length <= 0) return std::nullopt;
    const std::string_view text(reinterpret_cast<const char*>(buffer.data()),
                                static_cast<std::size_t>(length));
    // Strict mode has no filters, but kills the process for any system call that sampling needs.
    if (text.find("\nSeccomp:\t1\n") != text.npos) return std::numeric_limits<int>::max();
    for (const std::string_view key : {"\nSeccomp_filters:\t", "\nSeccomp:\t"}) {
        const std::size_t at = text.find(key);
        if (at == text.npos) continue;
        int filters = 0;
        const char* const from = text.data() + at + key.size();
        if (std::from_chars(from, text.data() + text.size(), filters).ec == std::errc())
            return filters;
    }
    return std::nullopt;
}

std::optional<int> filtersIn(int status) {
    std::array<std::byte, 4096> buffer{};
    return filtersIn(status, buffer);
}

int openStatus(const char* format, pid_t id) {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), format, static_cast<int>(id));
    return open(path.data(), O_RDONLY | O_CLOEXEC);
}

std::optional<int> filtersOf(pid_t process) {
    const int status = openStatus("/proc/%d/status", process);
    const auto filters = filtersIn(status);
    if (status >= 0) close(status);
    return filters;
}

}  // namespace

SandboxWatch::SandboxWatch(pid_t thread, std::optional<int> before)
    : m_file(openStatus("/proc/self/task/%d/status", thread)), m_filters(before) {}

SandboxWatch::~SandboxWatch() {
    if (m_file >= 0) close(m_file);
}

bool SandboxWatch::added() const {
    const auto now = m_filters ? filtersIn(m_file) : std::nullopt;
    return now && *now > *m_filters;
}

bool SandboxWatch::addedHere(std::span<std::byte> buffer) const {
    // Without a sandbox, this check takes a tenth of the time.
    if (!m_filters || (*m_filters == 0 && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0)) return false;
    const auto now = filtersIn(m_file, buffer);
    return now && *now > *m_filters;
}

std::optional<int> seccompFilters() { return filtersOf(getpid()); }

bool isInOwnSandbox() {
    const auto ours = seccompFilters(), theirs = filtersOf(getppid());
    return ours && theirs && *ours > *theirs;
}

}  // namespace roofscope::inject
