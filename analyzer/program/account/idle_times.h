// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "analyzer/program/account/account.h"
#include "analyzer/program/account/issuing_calls.h"
#include "analyzer/program/account/time_by_class.h"

namespace roofscope::program {

/// The sums of idle time that is explained: by class, by call, and what the CPU did meanwhile.
class IdleTimes {
public:
    IdleTimes(const AccountInput& input, TimeByClass& times);

    /// From now on samples of this thread are counted, or none.
    void sampleFrom(std::optional<std::uint32_t> thread) { m_sampled = thread; }

    /// Counts idle time of this class, which this call causes.
    void spend(TimeClass cls, const TimeSpan& time, std::uint32_t call = kNoCall);
    /// Counts time in which work ran whose recorded time cannot be.
    void spendUntimed(const TimeSpan& time);
    /// Counts the time of a run before it was recorded: what the CPU did from the start of the
    /// process (`before`) stands for `hosts`.
    void spendUnrecorded(const TimeSpan& hosts, const TimeSpan& before);
    /// Notes a part of a call, to find the call with most idle time of its class.
    void noteOneCall(TimeClass cls, std::uint32_t call, Nanoseconds length);

    /// Sets Account::oneCall, untimed, calls and samples.
    void setIn(Account& account, double occurrences);

private:
    struct CallSum {
        std::size_t count = 0;
        Nanoseconds idle = 0;
        std::uint32_t last = kNoCall;
    };
    /// The idle time of a class in the latest call, and in the one that has most.
    struct OneCall {
        std::uint32_t call = kNoCall;
        Nanoseconds idle = 0, most = 0;
    };
    /// The tally for samples of idle time that begins at `from`.
    SampleTally& tallyOf(TimeClass cls, Nanoseconds from);

    const AccountInput& m_in;
    const Timeline& m_timeline;
    TimeByClass& m_times;
    std::optional<std::uint32_t> m_sampled;  ///< the thread whose samples are counted
    Nanoseconds m_lastWork = std::numeric_limits<Nanoseconds>::min();
    PerTimeClass<SampleTally> m_samples{};
    SampleTally m_samplesBefore, m_samplesAfter;
    PerTimeClass<OneCall> m_oneCall{};
    Nanoseconds m_untimed = 0;
    std::map<std::uint32_t, CallSum> m_calls;  ///< by index of Timeline::callNames
};

}  // namespace roofscope::program
