// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "analyzer/program/account/account.h"
#include "analyzer/program/account/allocation_lock.h"
#include "analyzer/program/account/gpu_work.h"
#include "analyzer/program/account/host_work.h"
#include "analyzer/program/account/idle_times.h"
#include "analyzer/program/account/issuing_calls.h"
#include "analyzer/program/account/tracing_time.h"
#include "analyzer/program/account/unseen_kernels.h"

namespace roofscope::program {

/// The sums that receive idle time, and details of it.
struct IdleSums {
    IdleTimes& idle;
    CopySums& copies;  ///< time in which the CPU stages a copy is exposed time of the copy
    HostWorkSums& host;
    TracingShares& tracing;
};

/// Says why the GPU was idle, by what the thread that issues its next work did.
class IdleCauses {
public:
    /// `callsMayLoad`: Account::callsMayLoad.
    IdleCauses(const AccountInput& input, const IssuingCalls& issuing, bool callsMayLoad,
               const IdleSums& sums);

    /// Puts every nanosecond of a gap in a class.
    void explain(TimeSpan gap);

private:
    using Stretches = std::vector<CpuStretch>;

    /// What held the thread up before a moment in a gap.
    struct Before {
        std::uint32_t synced = kNoCall;  ///< the wait, if nothing was issued since
        Nanoseconds end;                 ///< of the last call
    };
    /// The thread's last call before its stretch `next` decides what a short break belongs to.
    [[nodiscard]] Before lastCallBefore(const Stretches& stretches,
                                        Stretches::const_iterator next) const;
    /// The copy to the host that the CPU can work on before its stretch `next`: nothing else was
    /// issued since. A smaller one may have followed it.
    [[nodiscard]] std::optional<std::uint32_t> copiedBack(const Stretches& stretches,
                                                          Stretches::const_iterator next) const;
    /// Takes off the gap's beginning what kernels that no call shows may have run.
    [[nodiscard]] TimeSpan afterUnseenKernels(TimeSpan gap);
    /// Takes off the gap's end what began so late that something else held it up.
    [[nodiscard]] TimeSpan untilDue(TimeSpan gap, Nanoseconds issued);
    /// Explains a gap by the stretches of the thread that issues what follows.
    void followThread(const ThreadActivity& thread, const TimeSpan& gap,
                      const IssuingCalls::Issuer& issuer);
    /// Whether the GPU has work after the gap.
    [[nodiscard]] bool isFollowed(const TimeSpan& gap) const;
    /// Counts a short break, or a launch, as part of what held the thread up before.
    void pause(std::uint32_t synced, const TimeSpan& time);
    void inCall(const CpuStretch& stretch, TimeSpan part, std::uint32_t synced);
    void inLaunch(const CpuStretch& stretch, const TimeSpan& part, std::uint32_t synced);
    void inCopy(const CpuStretch& stretch, TimeSpan part, std::uint32_t synced);
    /// Where not all loading was recorded, what lies beyond kLongestCall of a call is unknown.
    [[nodiscard]] TimeSpan withoutLoading(const CpuStretch& stretch, TimeSpan part);
    /// Explains a call that issues work up to the end of the last allocation for which it waits;
    /// returns the rest.
    [[nodiscard]] TimeSpan afterAllocations(const CpuStretch& stretch, TimeSpan part,
                                            std::uint32_t synced);

    const AccountInput& m_in;
    const Timeline& m_timeline;
    const IssuingCalls& m_issuing;
    const bool m_callsMayLoad;
    IdleSums m_sums;
    std::optional<UnseenKernels> m_unseenKernels;  ///< only if kernels launch others
    AllocationLock m_allocations;
    std::map<std::uint32_t, std::size_t> m_byThread;  ///< index into AccountInput::threads
};

}  // namespace roofscope::program
