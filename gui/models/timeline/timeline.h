// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/program/account/range_accounts.h"
#include "gui/models/text/plain_tip.h"

namespace roofscope::gui {

/// The kind of a bar in the timeline, which decides its colour: the verdict of a launch, the
/// direction of a copy, the purpose of a CPU call.
enum class TimelineTone : std::uint8_t {
    LaunchBound,
    Underfilled,
    NearRoof,
    MemoryBound,
    ComputeBound,
    Balanced,
    LatencyBound,
    WaitsForPeers,
    WaitsForPages,
    Unknown,
    ToDevice,
    ToHost,
    BetweenDevices,
    OnDevice,  ///< copies within a GPU, memsets, others
    LaunchCall,
    WaitCall,
    CopyCall,
    MemoryCall,  ///< allocates or frees memory
    LoadCall,    ///< loads code or builds graphs
    OtherCall,
    Runs,       ///< a sampled thread is running
    WaitsInOs,  ///< a sampled thread is waiting in the operating system
    Range       ///< an NVTX range
};
inline constexpr std::size_t kTimelineTones = std::size_t(TimelineTone::Range) + 1;
[[nodiscard]] TimelineTone toneOf(VerdictClass verdict);
[[nodiscard]] TimelineTone toneOf(TransferKind kind);
[[nodiscard]] TimelineTone toneOf(CallKind kind);
/// The name of a tone in tooltips: "memory-bound", "copies to the GPU", "CPU waits".
[[nodiscard]] QString toneName(TimelineTone tone);

/// Bars on a common clock: launches and copies, the CPU's calls and NVTX ranges, the GPU's work for
/// these ranges, and the functions of sampled threads. There is a row per stream and per direction
/// of copies, one per level of nested ranges, and two per CPU thread (calls, samples). Data is from
/// the timing run; times are in seconds.
struct Timeline {
    /// Phases: the distinct parts of a repeat. RangesOnGpu: from the start of the
    /// first to the end of the last GPU work issued in a range. Ranges: from push to pop.
    enum class RowKind { Phases, RangesOnGpu, Kernels, Copies, Ranges, Calls, Samples };
    /// Nesting levels that get a row: per CPU thread, and per process on the GPU. Those are above
    /// the streams, so only a few are shown.
    static constexpr std::uint32_t kLevels = 4, kLevelsOnGpu = 2;
    struct Bar {
        double start = 0, end = 0;
        /// Depending on the row, an index into Profile::launches; transfers, calls or ranges of
        /// Profile::timeline; Row::stretches; or Row::names.
        std::uint32_t item = 0;
        std::uint32_t kernel = 0;  ///< index into Analysis::kernels; only for launches
        TimelineTone tone = TimelineTone::Unknown;
    };
    struct Row {
        RowKind kind = RowKind::Kernels;
        std::uint32_t device = 0, process = 0;
        /// Stream, TimelineTone (copies), or index into Profile::timeline.threads.
        std::uint32_t lane = 0;
        std::uint32_t level = 0;  ///< nesting level of ranges, 0 is the outermost
        QString name;             ///< "GPU 0 · stream 3", "CPU · main"
        std::vector<Bar> bars;    ///< sorted by start
        /// For each bar, the latest end of this bar and all bars before it. Empty if bars do not
        /// overlap.
        std::vector<double> latestEnds;
        std::vector<program::SampledStretch> stretches;  ///< for rows of kind Samples
        std::vector<QString> names;                      ///< for rows of kind Phases

        /// The latest end of this bar and all bars before it.
        [[nodiscard]] double latestEnd(std::size_t bar) const {
            return latestEnds.empty() ? bars[bar].end : latestEnds[bar];
        }
        /// The bars that may overlap a time span, as indices [first, last).
        [[nodiscard]] std::pair<std::size_t, std::size_t> between(double from, double to) const;
    };
    /// Ordered by device and process. Then come phases, ranges on the GPU, streams and copies, and
    /// for each thread its ranges, calls and samples.
    std::vector<Row> rows;
    double begin = 0, end = 0;
    std::size_t notPlaced = 0;      ///< number of launches without a start or a duration
    std::size_t tooDeep = 0;        ///< number of ranges nested deeper than kLevels
    std::vector<TimeSpan> repeats;  ///< repeats of the program, ascending; may be empty
    /// For each launch of the profile, the call that issued it, or kNoCall.
    std::vector<std::uint32_t> callOf;
    std::vector<std::uint32_t> callOfCopy;  ///< likewise for each transfer of the profile
    static constexpr std::uint32_t kNoCall = 0xffff'ffff;
    /// Whether rows belong to several processes. In a merged profile the times of each process
    /// start at the beginning of its own recording.
    bool severalProcesses = false;

    [[nodiscard]] bool empty() const { return rows.empty(); }
};

/// `program`: the analysis's program, for repeats and phases; may be null.
[[nodiscard]] Timeline buildTimeline(const Analysis& analysis, const Program* program = nullptr);

/// A bar of a timeline: indices into Timeline::rows and Row::bars.
struct TimelinePlace {
    std::size_t row = 0, bar = 0;
    bool operator==(const TimelinePlace&) const = default;
};
/// The bar of a launch; absent if it has none.
[[nodiscard]] std::optional<TimelinePlace> placeOfLaunch(const Profile& profile,
                                                         const Timeline& timeline,
                                                         std::uint32_t launch);
/// The call that issued the launch or the copy of a bar, an index into Profile::timeline.calls;
/// absent for other bars, or if it is unknown.
[[nodiscard]] std::optional<std::uint32_t> callOfBar(const Timeline& timeline,
                                                     const TimelinePlace& place);
/// The copy that a call issued; absent if it issued none, or if the copy is unknown.
[[nodiscard]] std::optional<TimelinePlace> copyOfCall(const Profile& profile,
                                                      const Timeline& timeline, std::uint32_t call);
/// The next bar of the row that shows the same (step 1), or the previous one (-1): a copy in this
/// direction, a call of this function, the range of this name, samples in this function.
[[nodiscard]] std::optional<TimelinePlace> barBeside(const Analysis& analysis,
                                                     const Timeline& timeline,
                                                     const TimelinePlace& place, int step);
/// The next launch of this kernel that begins after `time` (`step` 1), or the last one before it
/// (-1).
[[nodiscard]] std::optional<std::uint32_t> launchBeside(const Analysis& analysis,
                                                        std::size_t kernel, double time, int step);
/// The repeat that contains this time, or else the last one before it; absent before the first.
[[nodiscard]] std::optional<std::size_t> repeatAt(const Timeline& timeline, Nanoseconds time);
/// The repeats that a span touches: "repeat 7 of 40", "repeats 7 to 9 of 40". Empty if there are
/// none.
[[nodiscard]] QString repeatText(const Timeline& timeline, const TimeSpan& span);

/// A drawn part of a row: a single bar that is wide enough, or a run of pixels with many narrow
/// bars of mostly one tone.
struct TimelinePiece {
    double left = 0, right = 0;  ///< pixels from the left of the row
    TimelineTone tone = TimelineTone::Unknown;
    double busy = 1;  ///< share of the time that bars cover
    bool selected = false;
    std::optional<std::size_t> bar;  ///< index into Row::bars of a single bar
};

/// Lays out the span [from, to) of a row over `width` pixels. The width bounds the number of
/// pieces, however many bars there are. `selected`: for each kernel, whether it is selected.
[[nodiscard]] std::vector<TimelinePiece> layoutTimelineRow(const Timeline::Row& row, double from,
                                                           double to, int width,
                                                           const std::vector<bool>& selected);
/// The name of a bar: as timelineBarText(), but of a copy what it copies.
[[nodiscard]] QString timelineBarTitle(const Analysis& analysis, const Timeline::Row& row,
                                       const Timeline::Bar& bar);
/// The text inside a bar that is wide enough: the name of the kernel, call or range, or "64.0 MB".
[[nodiscard]] QString timelineBarText(const Analysis& analysis, const Timeline::Row& row,
                                      const Timeline::Bar& bar);

/// The bar at a time in a row: one that covers it or, within `slack`, the nearest one.
struct TimelineHit {
    std::size_t bar = 0;     ///< index into Row::bars
    std::size_t others = 0;  ///< further bars within the slack
};
[[nodiscard]] std::optional<TimelineHit> hitTimelineRow(const Timeline::Row& row, double time,
                                                        double slack);

/// Times and labels of the ticks below a timeline.
struct TimelineTicks {
    std::vector<double> times;
    std::vector<QString> labels;
};
/// Where the labels of ticks begin, so that each lies between `left` and `right`: centred below its
/// tick, else moved to the side. Absent for a label that would touch the one before it.
[[nodiscard]] std::vector<std::optional<double>> placeTickLabels(const std::vector<double>& ticks,
                                                                 const std::vector<double>& widths,
                                                                 double left, double right);
/// At most one tick per `spacing` pixels, at multiples of 1, 2 or 5 times a power of ten.
[[nodiscard]] TimelineTicks timelineTicks(double from, double to, int width, int spacing = 90);

/// A time with all of its digits: "2.341567890 s".
[[nodiscard]] QString momentOf(double seconds);
/// Label and value of what is known about a bar.
[[nodiscard]] Facts timelineBarFacts(const Analysis& analysis, const Timeline::Row& row,
                                     const Timeline::Bar& bar);
/// The call stack of a bar of samples, "augment (train.py:12) ← main"; empty for other bars.
[[nodiscard]] QString timelineStackText(const Analysis& analysis, const Timeline::Row& row,
                                        const Timeline::Bar& bar);
/// Tooltip of a bar, as HTML.
[[nodiscard]] QString timelineTooltip(const Analysis& analysis, const Timeline::Row& row,
                                      const TimelineHit& hit);
/// The gap between bars at a time. Absent within a bar, before the first bar and after the last.
[[nodiscard]] std::optional<TimeSpan> timelineGap(const Timeline::Row& row, double time);
/// Tooltip of a gap: its length and, if known, the time classes of the GPU's idle time and what the
/// sampled CPU thread did. `accounts` may be null.
[[nodiscard]] QString timelineGapTooltip(const Analysis& analysis, const Timeline& timeline,
                                         const Timeline::Row& row, double time,
                                         const RangeAccounts* accounts);

/// Why there is no timeline, and what to record for one.
[[nodiscard]] QString noTimelineText(const Analysis& analysis);
/// What to know when reading the timeline: what is not shown, and clocks. May be empty.
[[nodiscard]] QString timelineNote(const Timeline& timeline);

}  // namespace roofscope::gui
