// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <array>

namespace roofscope {

/// While this object lives, the first SIGINT, SIGQUIT, SIGTERM or SIGHUP is only recorded, so that
/// measurements can still be joined and written. A second one ends the process. SIGUSR1, SIGUSR2
/// and SIGXCPU are meant for the program and do not end the process. runChild() has its own
/// handlers while a program runs. Only one object may exist at a time.
class Interruptions {
public:
    Interruptions();
    ~Interruptions();
    Interruptions(const Interruptions&) = delete;
    Interruptions& operator=(const Interruptions&) = delete;

    /// Whether such a signal came since the last Interruptions object was created.
    [[nodiscard]] static bool seen();

private:
    static constexpr std::array kSignals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    static constexpr std::array kMeantForProgram{SIGUSR1, SIGUSR2, SIGXCPU};
    std::array<struct sigaction, kSignals.size()> m_old{};
    std::array<struct sigaction, kMeantForProgram.size()> m_oldOfProgram{};
};

}  // namespace roofscope
