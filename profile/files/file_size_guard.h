// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <signal.h>

#include <ctime>

namespace roofscope {

/// While it lives, a write by this thread beyond the file size limit (`ulimit -f`) fails with
/// EFBIG. Otherwise SIGXFSZ would end the process, which for the injected library is the user's
/// program.
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
        // Remove the signal that our write raised, but leave one that was already pending to the
        // program.
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

/// For main() of our own programs: from now on every write beyond the limit fails with EFBIG, so
/// that we can remove half-written files and report the failure by the exit code.
inline void ignoreFileSizeSignal() {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    sigemptyset(&action.sa_mask);
    sigaction(SIGXFSZ, &action, &file_size_signal::before);
    file_size_signal::ignored = true;
}

/// Undoes ignoreFileSizeSignal(). Call before exec, since the new program would inherit the ignored
/// signal. Async-signal-safe.
inline void restoreFileSizeSignal() {
    if (file_size_signal::ignored) sigaction(SIGXFSZ, &file_size_signal::before, nullptr);
}

}  // namespace roofscope
