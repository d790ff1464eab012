// SPDX-License-Identifier: Apache-2.0
#include "collector/run/interruptions.h"

namespace roofscope {
namespace {

volatile sig_atomic_t g_seen = 0;

void note(int number) {
    if (g_seen) {
        // Whoever asks twice means it.
        struct sigaction action {};
        action.sa_handler = SIG_DFL;
        sigaction(number, &action, nullptr);
        raise(number);
        return;
    }
    g_seen = 1;
}

}  // namespace

Interruptions::Interruptions() {
    g_seen = 0;
    struct sigaction action {};
    action.sa_handler = note;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], nullptr, &m_old[i]);
        // What is ignored (nohup) stays ignored.
        if (m_old[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
}

Interruptions::~Interruptions() {
    for (std::size_t i = 0; i < kSignals.size(); ++i)
        if (m_old[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &m_old[i], nullptr);
}

bool Interruptions::seen() { return g_seen != 0; }

}  // namespace roofscope
