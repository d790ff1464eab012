// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <signal.h>

#include <ctime>

namespace roofscope {

/// While it lives, a write of this thread beyond the process' limit for files (`ulimit -f`) fails
/// with EFBIG. Without it the signal that comes with that would end the process, which in the
/// injected library is somebody else's.
class FileSizeGuard {
public:
    FileSizeGuard() {
        sigemptyset(&m_signal);
        sigaddset(&m_signal, SIGXFSZ);
        sigset_t pending;
        m_pendingBefore = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
        pthread_sigmask(SIG_BLOCK, &m_signal, &m_before);
    }
    ~FileSizeGuard() {
        // Ours is taken off; one that was there before stays the process' own business.
        const timespec now{};
        if (!m_pendingBefore) sigtimedwait(&m_signal, nullptr, &now);
        pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    FileSizeGuard(const FileSizeGuard&) = delete;
    FileSizeGuard& operator=(const FileSizeGuard&) = delete;

private:
    sigset_t m_signal, m_before;
    bool m_pendingBefore = false;
};

namespace file_size_signal {
inline struct sigaction before {};
inline bool ignored = false;
}  // namespace file_size_signal

/// For the main of our own programs: from here on such a write fails with EFBIG everywhere, so that
/// what is half written is removed and the exit code says what happened.
inline void ignoreFileSizeSignal() {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    sigemptyset(&action.sa_mask);
    sigaction(SIGXFSZ, &action, &file_size_signal::before);
    file_size_signal::ignored = true;
}

/// Before an exec, which hands on what is ignored: as it was before ignoreFileSizeSignal().
/// Async-signal-safe.
inline void restoreFileSizeSignal() {
    if (file_size_signal::ignored) sigaction(SIGXFSZ, &file_size_signal::before, nullptr);
}

}  // namespace roofscope
