// SPDX-License-Identifier: Apache-2.0
#include "collector/run/processes/interruptions.h"

namespace roofscope {
namespace {

volatile sig_atomic_t g_seen = 0;

void note(int number) {
    if (g_seen) {
        // The second signal ends the process.
        struct sigaction action {};
        action.sa_handler = SIG_DFL;
        sigaction(number, &action, nullptr);
        raise(number);
        return;
    }
    g_seen = 1;
}

/// Used instead of SIG_IGN, which programs would inherit.
void doNothing(int) {}

/// Signals that are ignored (nohup) stay ignored.
template <std::size_t N>
void handle(const std::array<int, N>& signals, std::array<struct sigaction, N>& old,
            void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < N; ++i) {
        sigaction(signals[i], nullptr, &old[i]);
        if (old[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, nullptr);
    }
}

template <std::size_t N>
void restore(const std::array<int, N>& signals, const std::array<struct sigaction, N>& old) {
    for (std::size_t i = 0; i < N; ++i)
        if (old[i].sa_handler != SIG_IGN) sigaction(signals[i], &old[i], nullptr);
}

}  // namespace

Interruptions::Interruptions() {
    g_seen = 0;
    handle(kSignals, m_old, note);
    handle(kMeantForProgram, m_oldOfProgram, doNothing);
}

Interruptions::~Interruptions() {
    restore(kSignals, m_old);
    restore(kMeantForProgram, m_oldOfProgram);
}

bool Interruptions::seen() { return g_seen != 0; }

}  // namespace roofscope
