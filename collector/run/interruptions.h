// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <array>

namespace roofscope {

/// While it lives, a first SIGINT, SIGQUIT, SIGTERM or SIGHUP does not end this process: it is
/// noted, so that what was measured can still be joined and written. A second one ends it as ever.
/// SIGUSR1, SIGUSR2 and SIGXCPU, meant for the program, do not end it either.
/// runChild() has handlers of its own while a program runs. One at a time.
class Interruptions {
public:
    Interruptions();
    ~Interruptions();
    Interruptions(const Interruptions&) = delete;
    Interruptions& operator=(const Interruptions&) = delete;

    /// Whether one came since the last Interruptions was made.
    [[nodiscard]] static bool seen();

private:
    static constexpr std::array kSignals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    static constexpr std::array kMeantForProgram{SIGUSR1, SIGUSR2, SIGXCPU};
    std::array<struct sigaction, kSignals.size()> m_old{};
    std::array<struct sigaction, kMeantForProgram.size()> m_oldOfProgram{};
};

}  // namespace roofscope
