// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/program/account/host_samples.h"
#include "analyzer/program/program.h"
#include "profile/model/timeline.h"

/// The timeline of a profile in the order in which trace viewers show it: events on tracks
/// ("threads" there) in groups ("processes" there).
namespace roofscope::trace {

/// Viewers load this many events within a minute; the slowest is Chromium's tracing page.
inline constexpr std::size_t kMostEvents = 500'000;

enum class TrackKind : std::uint8_t {
    Window,       ///< counted occurrences of a lane's window
    Account,      ///< time classes of a lane's account
    Actions,      ///< where actions have most of their time in the first lane
    RangesOnGpu,  ///< NVTX ranges, from their first to their last GPU work
    Kernels,      ///< of a stream
    Copies,       ///< of a direction
    Ranges,       ///< NVTX ranges of a thread, from push to pop
    Calls,        ///< of a thread
    Samples       ///< of a thread
};

/// What a track shows. Also defines its position among the others.
struct TrackKey {
    /// The accounts of all lanes come first, then for each process its GPUs and its threads.
    enum class Part : std::uint8_t { Account, Device, Threads };
    Part part = Part::Account;
    /// index into Profile::processes; in an account the index of the lane
    std::uint32_t process = 0;
    std::uint32_t device = 0;  ///< index into Profile::devices, or 0
    std::uint32_t thread = 0;  ///< index into Timeline::threads, or 0
    TrackKind kind = TrackKind::Window;
    std::uint32_t lane = 0;  ///< stream, or TransferKind
    /// which track of its kind, if events overlap without one containing the other
    std::uint32_t level = 0;

    /// The key of the track's group.
    [[nodiscard]] TrackKey group() const {
        return {.part = part, .process = process, .device = device};
    }
    [[nodiscard]] bool isOfAccount() const { return part == Part::Account; }
    bool operator==(const TrackKey&) const = default;
};

/// An event. Two events of a track are either disjoint, or one contains the other.
struct TraceEvent {
    TimeSpan time;
    /// Index into the list that the track shows: Lane::occurrences, Lane::stretches,
    /// Program::actions, RangeSpan, Launch, Transfer, Call, or TraceEvents::samples.
    std::uint32_t row = 0;
    std::uint32_t track = 0;  ///< index into TraceEvents::tracks
};

/// Where the marker of an action points to.
enum class MarkedPlace {
    LongestLaunch,   ///< the longest launch of its kernels
    LongestStretch,  ///< the longest stretch of its time class
    BeforeGpu,       ///< the time before the first GPU work
    AfterGpu,        ///< the time after the last GPU work
    Window           ///< the beginning of the window
};

struct TraceEvents {
    std::vector<TrackKey> tracks;
    std::vector<TraceEvent> events;  ///< by start
    std::vector<program::SampledStretch> samples;
    std::vector<MarkedPlace> places;  ///< by index of Program::actions
    std::size_t all = 0;  ///< number of all events of the profile, including those left out
    /// The shown part of the time, if events were left out because there are too many.
    std::optional<TimeSpan> shown;
    std::size_t overlapping = 0;  ///< number of events left out because too many overlap
};

/// The events of a profile; launches only of `kernels` (indices into Analysis::kernels). `program`
/// must have been analysed with Stretches::Kept. If there are more than `most` events, keeps those
/// from the first counted occurrence of the window on.
[[nodiscard]] TraceEvents traceEvents(const Analysis& analysis, const Program& program,
                                      const std::vector<std::size_t>& kernels,
                                      std::size_t most = kMostEvents);

}  // namespace roofscope::trace
