// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/analysis.h"

namespace roofscope::gui {

/// When launches ran, one row per stream. From the starts and durations of the timing run; times
/// are in seconds.
struct Timeline {
    struct Bar {
        double start = 0, end = 0;
        std::uint32_t launch = 0;  ///< index into Profile::launches
        std::uint32_t kernel = 0;  ///< index into Analysis::kernels
    };
    struct Row {
        std::uint32_t device = 0, process = 0, stream = 0;
        QString name;                   ///< "GPU 0 · stream 3"
        std::vector<Bar> bars;          ///< by start
        std::vector<double> latestEnd;  ///< by bar: the latest end up to it

        /// The bars that may touch a span of time, as indices [first, last).
        [[nodiscard]] std::pair<std::size_t, std::size_t> between(double from, double to) const;
    };
    std::vector<Row> rows;  ///< by device, process and stream
    double begin = 0, end = 0;
    std::size_t notPlaced = 0;           ///< launches without a start or a duration
    std::vector<VerdictClass> verdicts;  ///< that occur, in the order of the enumeration
    /// Several processes: merged ones each count from the start of their own recording.
    bool severalProcesses = false;

    [[nodiscard]] bool empty() const { return rows.empty(); }
};

[[nodiscard]] Timeline buildTimeline(const Analysis& analysis);

/// A part of a row as drawn: one launch that is wide enough to be seen, or a run of pixels in which
/// launches of mostly one verdict ran.
struct TimelinePiece {
    double left = 0, right = 0;  ///< pixels from the left of the row
    VerdictClass verdict = VerdictClass::Unknown;
    double busy = 1;  ///< share of the time in which a launch ran
    bool selected = false;
    std::optional<std::size_t> bar;  ///< index into Row::bars of a launch that is drawn alone
};

/// Lays out the span [from, to) of a row over `width` pixels. The number of pieces is bounded by
/// the width, however many launches there are. `selected`: by kernel.
[[nodiscard]] std::vector<TimelinePiece> layoutTimelineRow(const Analysis& analysis,
                                                           const Timeline::Row& row, double from,
                                                           double to, int width,
                                                           const std::vector<bool>& selected);

/// What is at a time in a row: the launch that runs then or, within `slack`, the nearest one.
struct TimelineHit {
    std::size_t bar = 0;     ///< index into Row::bars
    std::size_t others = 0;  ///< further launches within the slack
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

/// Hover text of a launch, as HTML.
[[nodiscard]] QString timelineTooltip(const Analysis& analysis, const Timeline::Row& row,
                                      const TimelineHit& hit);
/// The same of a place where nothing runs on the stream; empty outside of the row's launches.
[[nodiscard]] QString timelineGapTooltip(const Timeline::Row& row, double time);

/// What to record when there are no starts.
[[nodiscard]] QString noTimelineText(const Analysis& analysis);
/// What must be known to read the timeline: launches that are not in it, clocks; may be empty.
[[nodiscard]] QString timelineNote(const Timeline& timeline);

}  // namespace roofscope::gui
