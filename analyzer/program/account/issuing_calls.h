// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "analyzer/program/window/activity.h"

/// Which calls gave the GPU its work.
namespace roofscope::program {

inline constexpr std::uint32_t kNoCall = std::numeric_limits<std::uint32_t>::max();

[[nodiscard]] CallKind kindOf(const Timeline& timeline, std::uint32_t call);
/// What a call of kind Transfer moved; null if that is not known.
[[nodiscard]] const Transfer* movedBy(const Timeline& timeline, std::uint32_t call);
/// Whether the call returned only when the GPU was done.
[[nodiscard]] bool waited(const Timeline& timeline, std::uint32_t call);
/// Whether the driver must stage the copy, because the host memory is pageable.
[[nodiscard]] bool isPageable(const Transfer& transfer);

/// Finds the call that launched or copied what a lane worked on.
class IssuingCalls {
public:
    IssuingCalls() = default;
    IssuingCalls(const Profile& profile, const LaneActivity& lane,
                 const std::vector<ThreadActivity>& threads);

    /// The call that issues what the GPU does next.
    struct Issuer {
        std::uint32_t call = kNoCall;  ///< none: not known
        Nanoseconds issued = 0;        ///< from then on the GPU could begin
    };
    /// The call that is known to have issued what begins at `at`; else the latest call that
    /// launches or copies. If nothing begins (the window ends), nothing was issued yet.
    ///
    /// The trace of another tool may begin after work was issued, and so lack the call. There, the
    /// latest call is not taken, except for a graph, because only one of its nodes names the call.
    [[nodiscard]] Issuer before(Nanoseconds at) const;
    /// The call that copied this (index into Timeline::transfers), or kNoCall.
    [[nodiscard]] std::uint32_t ofTransfer(std::size_t transfer) const {
        return transfer < m_ofTransfer.size() ? m_ofTransfer[transfer] : kNoCall;
    }

private:
    [[nodiscard]] bool isOfGraph(const Activity& activity) const;
    /// The latest launch of a graph that had begun by then: the first node may begin before the
    /// call returns.
    [[nodiscard]] Issuer graphLaunchBefore(Nanoseconds at) const;

    const Profile* m_profile = nullptr;
    const LaneActivity* m_lane = nullptr;
    std::vector<std::uint32_t> m_ofLaunch, m_ofTransfer;
    std::vector<std::uint32_t> m_issues;         ///< calls that launch or copy, by start
    std::vector<std::uint32_t> m_graphLaunches;  ///< those of them that launch graphs
};

/// NVTX ranges by thread.
class RangesOfThreads {
public:
    explicit RangesOfThreads(const Profile& profile) : m_profile(profile) {}
    /// The path of the innermost range of the thread that was open during all of `time`; empty if
    /// there is none.
    [[nodiscard]] std::string around(std::uint32_t thread, const TimeSpan& time);

private:
    const Profile& m_profile;
    std::map<std::uint32_t, std::vector<const RangeSpan*>> m_byThread;  ///< by start
};

}  // namespace roofscope::program
