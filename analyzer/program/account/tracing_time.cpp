// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/tracing_time.h"

#include <algorithm>
#include <array>

namespace roofscope::program {
namespace {

/// Rounding leaves less than this share of a tracing time over.
constexpr double kLeastLeft = 1e-3;

}  // namespace

void TracingShares::addLaunch(TimeClass cls, const CpuStretch& call, Nanoseconds length) {
    m_launchCalls[cls] += static_cast<double>(length);
    m_traced[cls] += static_cast<double>(length) * shareOf(call);
}

TracingTime TracingShares::decide(const TimeByClass& times) {
    TracingTime tracing;
    if (m_in.tracing) {
        const double left = distribute(times, m_in.tracing->value * 1e9);
        // More than the CPU can have spent on it: then it is not the program's time alone.
        tracing.measured = left <= kLeastLeft * m_in.tracing->value * 1e9;
    } else if (m_in.tracedLaunches) {
        for (const TimeClass cls : kTimeClasses)
            m_traced[cls] = std::min(static_cast<double>(times[cls]),
                                     m_launchCalls[cls] * *m_in.tracedLaunches);
    }
    double calls = 0, traced = 0;
    for (const TimeClass cls : kTimeClasses) {
        calls += m_launchCalls[cls];
        traced += m_traced[cls];
    }
    tracing.subtracted = {traced / 1e9};
    if (calls > 0) tracing.ofLaunchCalls = traced / calls;
    return tracing;
}

double TracingShares::distribute(const TimeByClass& times, double left) {
    m_traced = {};
    constexpr std::array kByCpu{TimeClass::IdleLaunch, TimeClass::IdleSync, TimeClass::IdleHost};
    const auto room = [&](TimeClass cls) {
        return static_cast<double>(times[cls]) - m_traced[cls];
    };
    const auto distributeBy = [&](const auto& weightOf) {
        double weights = 0;
        for (const TimeClass cls : kByCpu) weights += weightOf(cls);
        if (weights <= 0) return;
        const double all = left;
        for (const TimeClass cls : kByCpu) {
            const double part = std::min(room(cls), all * weightOf(cls) / weights);
            m_traced[cls] += part;
            left -= part;
        }
    };
    distributeBy([&](TimeClass cls) { return m_launchCalls[cls]; });
    PerTimeClass<double> rooms{};
    for (const TimeClass cls : kByCpu) rooms[cls] = room(cls);
    distributeBy([&](TimeClass cls) { return rooms[cls]; });
    return left;
}

double TracingShares::shareOf(const CpuStretch& call) const {
    if (m_in.profile.capture.origin != "recorded") return 0;
    const Timeline& timeline = m_in.profile.timeline;
    const std::uint32_t thread = timeline.calls[call.call].thread;
    const auto& traced = m_in.profile.processes[timeline.threads[thread].process].tracedLaunch;
    if (!traced || *traced <= kPlainLaunch) return 0;
    return (*traced - kPlainLaunch) / *traced;
}

}  // namespace roofscope::program
