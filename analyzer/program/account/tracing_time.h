// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/account/account.h"
#include "analyzer/program/account/time_by_class.h"

namespace roofscope::program {

/// How much of each class is time that tracing added, in nanoseconds over all occurrences.
class TracingShares {
public:
    explicit TracingShares(const AccountInput& input) : m_in(input) {}

    /// Notes a part of a launch call that kept the GPU idle, and its class.
    void addLaunch(TimeClass cls, const CpuStretch& call, Nanoseconds length);

    /// Decides how much of each class is tracing, once all launch calls were added. `subtracted` is
    /// over all occurrences.
    [[nodiscard]] TracingTime decide(const TimeByClass& times);
    [[nodiscard]] double operator[](TimeClass cls) const { return m_traced[cls]; }

private:
    /// Distributes a measured tracing time (ns) over idle time that the CPU causes. Returns what
    /// found no room.
    double distribute(const TimeByClass& times, double left);
    /// The share of a launch call that is tracing.
    [[nodiscard]] double shareOf(const CpuStretch& call) const;

    const AccountInput& m_in;
    PerTimeClass<double> m_launchCalls{};  ///< ns of launch calls in idle time of the class
    PerTimeClass<double> m_traced{};
};

}  // namespace roofscope::program
