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

/// The timeline of a profile in the order in which viewers of traces show it: groups ("processes"
/// there) of tracks ("threads") of events.
namespace roofscope::trace {

/// Viewers still load this many within a minute: Chromium's tracing page is the slowest of them.
inline constexpr std::size_t kMostEvents = 500'000;

enum class TrackKind : std::uint8_t {
    Window,       ///< the counted occurrences of the window; of a lane
    Account,      ///< the classes of the account; of a lane
    Actions,      ///< where the actions have most of their time; of the first lane
    RangesOnGpu,  ///< from the first to the last GPU work of NVTX ranges
    Kernels,      ///< of a stream
    Copies,       ///< of a direction
    Ranges,       ///< NVTX ranges of a thread, from push to pop
    Calls,        ///< of a thread
    Samples       ///< of a thread
};

/// What a track is about; also its place among the others.
struct TrackKey {
    /// The account of a lane comes first, then each process: its GPUs and its threads.
    enum class Part : std::uint8_t { Account, Device, Threads };
    Part part = Part::Account;
    std::uint32_t process = 0;  ///< index into Profile::processes; of an account: into lanes
    std::uint32_t device = 0;   ///< index into Profile::devices, or 0
    std::uint32_t thread = 0;   ///< index into Timeline::threads, or 0
    TrackKind kind = TrackKind::Window;
    std::uint32_t lane = 0;   ///< stream, or TransferKind
    std::uint32_t level = 0;  ///< for events that overlap others of the track without being in them

    /// The same for tracks of one group.
    [[nodiscard]] TrackKey group() const {
        return {.part = part, .process = process, .device = device};
    }
    [[nodiscard]] bool isOfAccount() const { return part == Part::Account; }
    bool operator==(const TrackKey&) const = default;
};

/// One event. Those of a track are disjoint, or one is within the other.
struct TraceEvent {
    TimeSpan time;
    /// Index into what the track shows: Lane::occurrences, Lane::stretches, Program::actions,
    /// RangeSpan, Launch, Transfer, Call, or TraceEvents::samples.
    std::uint32_t row = 0;
    std::uint32_t track = 0;  ///< index into TraceEvents::tracks
};

/// What a marker of an action stands at.
enum class MarkedPlace {
    LongestLaunch,   ///< of its kernels
    LongestStretch,  ///< of its class
    BeforeGpu,       ///< the time before the first work on the GPU
    AfterGpu,        ///< the time after the last
    Window           ///< the beginning of the window
};

struct TraceEvents {
    std::vector<TrackKey> tracks;
    std::vector<TraceEvent> events;  ///< by start
    std::vector<program::SampledStretch> samples;
    std::vector<MarkedPlace> places;  ///< by index of Program::actions
    std::size_t all = 0;              ///< events of the profile, those left out included
    /// If some were left out because they are too many: what is shown.
    std::optional<TimeSpan> shown;
    std::size_t overlapping = 0;  ///< left out because too many overlap at a time
};

/// Whether a profile has any times to show.
[[nodiscard]] bool hasTimes(const Profile& profile);

/// The events of a profile; of launches only those of `kernels` (indices into Analysis::kernels).
/// `program` was analysed with Stretches::Kept. If they are more than `most`, those from the first
/// counted occurrence of the window on are kept.
[[nodiscard]] TraceEvents traceEvents(const Analysis& analysis, const Program& program,
                                      const std::vector<std::size_t>& kernels,
                                      std::size_t most = kMostEvents);

}  // namespace roofscope::trace
