// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope::gui {

/// What a bar of the timeline is, which gives it its colour: a launch by its verdict, a copy by its
/// direction, a call by what the CPU is in it for.
enum class TimelineTone : std::uint8_t {
    LaunchBound,
    Underfilled,
    NearRoof,
    MemoryBound,
    ComputeBound,
    Balanced,
    LatencyBound,
    WaitsForPeers,
    Unknown,
    ToDevice,
    ToHost,
    BetweenDevices,
    OnDevice,  ///< copies within a GPU, memsets, others
    LaunchCall,
    WaitCall,
    CopyCall,
    MemoryCall,  ///< allocates or frees
    LoadCall,    ///< loads code, makes graphs
    OtherCall,
    Range  ///< an NVTX range
};
inline constexpr std::size_t kTimelineTones = std::size_t(TimelineTone::Range) + 1;
[[nodiscard]] TimelineTone toneOf(VerdictClass verdict);
[[nodiscard]] TimelineTone toneOf(TransferKind kind);
[[nodiscard]] TimelineTone toneOf(CallKind kind);
/// As the legend has it: "memory-bound", "copy to the GPU", "CPU waits".
[[nodiscard]] QString toneName(TimelineTone tone);

/// When launches and copies ran, in which calls and NVTX ranges the CPU was, and when the GPU did
/// the work of these ranges, on one clock: a row per stream, a row per direction of copies, a row
/// per CPU thread, a row per level of nested ranges. From the timing run; times are in seconds.
struct Timeline {
    /// RangesOnGpu: from the first to the last GPU work that was issued in a range. Ranges: from
    /// push to pop.
    enum class RowKind { RangesOnGpu, Kernels, Copies, Ranges, Calls };
    /// Levels of nested ranges that have a row: for each thread, and on the GPU for all of them,
    /// above the streams, which are not to be pushed away.
    static constexpr std::uint32_t kLevels = 4, kLevelsOnGpu = 2;
    struct Bar {
        double start = 0, end = 0;
        /// Index into Profile::launches, or into Timeline::transfers, calls or ranges of the
        /// profile.
        std::uint32_t item = 0;
        std::uint32_t kernel = 0;  ///< index into Analysis::kernels; of launches only
        TimelineTone tone = TimelineTone::Unknown;
    };
    struct Row {
        RowKind kind = RowKind::Kernels;
        std::uint32_t device = 0, process = 0;
        /// The stream, a TimelineTone of copies, or an index into Timeline::threads of the profile.
        std::uint32_t lane = 0;
        std::uint32_t level = 0;        ///< of ranges: how many others they lie in
        QString name;                   ///< "GPU 0 · stream 3", "CPU · main"
        std::vector<Bar> bars;          ///< by start
        std::vector<double> latestEnd;  ///< by bar: the latest end up to it

        /// The bars that may touch a span of time, as indices [first, last).
        [[nodiscard]] std::pair<std::size_t, std::size_t> between(double from, double to) const;
    };
    /// By device and process: ranges on the GPU, streams, copies, then ranges and calls by thread.
    std::vector<Row> rows;
    double begin = 0, end = 0;
    std::size_t notPlaced = 0;        ///< launches without a start or a duration
    std::size_t tooDeep = 0;          ///< ranges beyond kLevels
    std::vector<TimelineTone> tones;  ///< that occur, in the order of the enumeration
    /// Several processes: merged ones each count from the start of their own recording.
    bool severalProcesses = false;

    [[nodiscard]] bool empty() const { return rows.empty(); }
};

[[nodiscard]] Timeline buildTimeline(const Analysis& analysis);

/// A part of a row as drawn: one bar that is wide enough to be seen, or a run of pixels in which
/// bars of mostly one tone lie.
struct TimelinePiece {
    double left = 0, right = 0;  ///< pixels from the left of the row
    TimelineTone tone = TimelineTone::Unknown;
    double busy = 1;  ///< share of the time in which anything of the row ran
    bool selected = false;
    std::optional<std::size_t> bar;  ///< index into Row::bars of one that is drawn alone
};

/// Lays out the span [from, to) of a row over `width` pixels. The number of pieces is bounded by
/// the width, however many bars there are. `selected`: by kernel.
[[nodiscard]] std::vector<TimelinePiece> layoutTimelineRow(const Timeline::Row& row, double from,
                                                           double to, int width,
                                                           const std::vector<bool>& selected);
/// What stands in a bar that is wide enough: the kernel's name, "64.0 MB", the call.
[[nodiscard]] QString timelineBarText(const Analysis& analysis, const Timeline::Row& row,
                                      const Timeline::Bar& bar);

/// What is at a time in a row: the bar that lies there or, within `slack`, the nearest one.
struct TimelineHit {
    std::size_t bar = 0;     ///< index into Row::bars
    std::size_t others = 0;  ///< further bars within the slack
};
[[nodiscard]] std::optional<TimelineHit> hitTimelineRow(const Timeline::Row& row, double time,
                                                        double slack);

/// Times of the marks below a timeline, and how they are written.
struct TimelineTicks {
    std::vector<double> times;
    std::vector<QString> labels;
};
/// At most one per `spacing` pixels, at 1, 2 or 5 times a power of ten.
[[nodiscard]] TimelineTicks timelineTicks(double from, double to, int width, int spacing = 90);

/// Hover text of a bar, as HTML.
[[nodiscard]] QString timelineTooltip(const Analysis& analysis, const Timeline::Row& row,
                                      const TimelineHit& hit);
/// The same of a place where nothing is in the row; empty outside of the row's bars.
[[nodiscard]] QString timelineGapTooltip(const Timeline::Row& row, double time);

/// What to record when there are no starts.
[[nodiscard]] QString noTimelineText(const Analysis& analysis);
/// What must be known to read the timeline: launches that are not in it, clocks; may be empty.
[[nodiscard]] QString timelineNote(const Timeline& timeline);

}  // namespace roofscope::gui
