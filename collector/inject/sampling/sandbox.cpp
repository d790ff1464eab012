// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/sandbox.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
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

}  // namespace

SandboxWatch::SandboxWatch(pid_t thread)
    : m_file(openStatus("/proc/self/task/%d/status", thread)), m_filters(filtersIn(m_file)) {}

SandboxWatch::~SandboxWatch() {
    if (m_file >= 0) close(m_file);
}

bool SandboxWatch::added() const {
    const auto now = m_filters ? filtersIn(m_file) : std::nullopt;
    return now && *now > *m_filters;
}

bool SandboxWatch::addedHere(std::span<std::byte> buffer) const {
    // Without a sandbox this costs a tenth of the time.
    if (!m_filters || (*m_filters == 0 && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0)) return false;
    const auto now = filtersIn(m_file, buffer);
    return now && *now > *m_filters;
}

bool isInOwnSandbox() {
    const int own = openStatus("/proc/%d/status", getpid());
    const int parent = openStatus("/proc/%d/status", getppid());
    const auto ours = filtersIn(own), theirs = filtersIn(parent);
    for (const int file : {own, parent})
        if (file >= 0) close(file);
    return ours && theirs && *ours > *theirs;
}

}  // namespace roofscope::inject
