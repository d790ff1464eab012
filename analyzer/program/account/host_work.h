// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "analyzer/program/account/account.h"
#include "analyzer/program/account/issuing_calls.h"

namespace roofscope::program {

/// What the CPU does without CUDA while the GPU is idle: for what, and after what.
class HostWorkSums {
public:
    explicit HostWorkSums(const AccountInput& input)
        : m_in(input), m_timeline(input.profile.timeline), m_ranges(input.profile) {}

    /// Notes host work by what the thread gives the GPU next: a launch, or a copy of what it
    /// prepared.
    void add(const ThreadActivity& thread, const TimeSpan& time);
    /// Notes host work that follows this call, which waited for the GPU.
    void addAfter(std::uint32_t synced, Nanoseconds length);

    /// Sets Account::hostWork, hostAfterSync, hostAfterCopy and copiedForHost.
    void setIn(Account& account, double occurrences) const;

private:
    /// What distinguishes host work.
    struct Key {
        HostWork work;
        [[nodiscard]] auto parts() const {
            return std::tie(work.kernel, work.copy, work.call, work.range);
        }
        bool operator<(const Key& other) const { return parts() < other.parts(); }
    };
    struct Sum {
        Nanoseconds idle = 0;
        double bytes = 0;
        std::size_t count = 0;
        std::uint32_t last = kNoCall;
    };

    const AccountInput& m_in;
    const Timeline& m_timeline;
    RangesOfThreads m_ranges;
    std::map<Key, Sum> m_sums;
    Nanoseconds m_afterSync = 0, m_afterCopy = 0;
    double m_copied = 0;                     ///< bytes
    std::uint32_t m_copiedBefore = kNoCall;  ///< the copy that was added last
};

}  // namespace roofscope::program
