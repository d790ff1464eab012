// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

/// What a kernel did over its time, from counters interval by interval (Profile::overTime).
namespace roofscope {

/// How busy the GPU was over a stretch of time. A share is missing if a counter or a roof is.
struct Activity {
    std::optional<double> sms;     ///< share of the SMs with a resident warp
    std::optional<double> dram;    ///< bytes, as a share of the DRAM's theoretical roof
    std::optional<double> issue;   ///< instructions, as a share of all SMs' issue slots
    std::optional<double> tensor;  ///< share of the cycles of all SMs in which tensor cores work
    std::optional<double> l2;      ///< bytes per second of the sectors that L2 slices looked up
};

/// A stretch of the curve; times count from the beginning of the first interval.
struct OverTimeInterval {
    Seconds from, to;
    Activity activity;

    [[nodiscard]] Seconds length() const { return to - from; }
};

/// Why a curve cannot be judged.
enum class CurveProblem {
    None,
    Counters,   ///< a counter that is needed is missing or impossible in some interval
    Intervals,  ///< too few of them: the kernel is too short
    Duration    ///< the sampled launch took another time than launches usually do
};
[[nodiscard]] const char* toString(CurveProblem lack);  ///< "none", "counters", "intervals", …

/// The end of a kernel, after the last interval in which 90 % of its SMs are active.
struct Tail {
    Seconds from, length;
    Activity activity;     ///< mean
    double medianSms = 0;  ///< share of the SMs, median of its intervals
    /// Lower bound of the lost time: the sum of interval × (1 − use / use in the steady part), for
    /// the resource with the highest such use: SMs, DRAM, L2, issue slots or tensor cores. The last
    /// interval does not count, because the kernel's end within it is not known.
    Seconds lost;
    /// Upper bound of what is saved if its work runs on all SMs: its length − the longest of the
    /// times that the same bytes, instructions and SM time take at the roofs and on all SMs.
    Seconds atMost;
};

/// The beginning of a kernel, until the resource that limits it later is used as much as later.
struct SlowStart {
    Seconds from, length;  ///< from the beginning of the kernel
    Activity activity;     ///< mean
    /// What it waits to use: the resource that is used most afterwards.
    enum class Resource { Dram, L2, Issue, Tensor } resource = Resource::Dram;
    double level = 0;  ///< share of its roof that is held afterwards
    /// Lower bound of the lost time: the sum of interval × (1 − use / use that is held later), for
    /// the resource with the highest such use. The first interval does not count, because the
    /// kernel's start within it is not known.
    Seconds lost;
    Seconds atMost;  ///< upper bound: `lost` and the kernel's part of the first interval
};

/// A stretch in which mostly one kind of work is done.
struct Phase {
    enum class Kind { Memory, Compute } kind = Kind::Memory;
    Seconds from, to;
};

/// Alternating stretches: in some mostly data moves, in the others mostly instructions are issued.
struct Phases {
    std::vector<Phase> list;  ///< in time order; between two of them neither kind may dominate
    std::size_t memoryCount = 0, computeCount = 0;
    std::size_t changes = 0;       ///< from one kind to the other
    Seconds from, to;              ///< start of the first and end of the last
    Seconds memory, compute;       ///< sums of their lengths
    Activity inMemory, inCompute;  ///< means
    bool tensor = false;           ///< tensor cores are busier than the issue slots
    /// Time that is saved if the shorter kind runs at the same time as the longer one, each at the
    /// rate of its own phases: the time from the first to the last phase − the longer of both
    /// kinds' work at that rate.
    Seconds hidden;
};

/// The curve of one launch and what is certain about it.
struct OverTimeAnalysis {
    std::size_t trace = 0;  ///< index into Profile::overTime
    std::vector<OverTimeInterval> curve;
    /// What some interval has more of than the GPU can do ("DRAM"). There it counts as missing.
    std::vector<std::string_view> impossible;
    Seconds interval;  ///< mean length
    /// When the kernel begins in the first interval and ends in the last one, by how many SMs are
    /// active in them compared with their neighbours; the whole curve if that is not known.
    Seconds begin, end;
    CurveProblem lack = CurveProblem::None;
    // Set only if `lack` is None.
    double steadySms = 0;  ///< the highest share of SMs that is active for three intervals
    /// The time in which at least 90 % of them are active, dips included.
    Seconds steadyFrom, steadyTo;
    Activity steady;                     ///< mean of that part
    Seconds ramp;                        ///< from the beginning to `steadyFrom`
    std::optional<SlowStart> slowStart;  ///< absent if no longer than three intervals
    std::optional<Tail> tail;            ///< absent if no longer than three intervals
    std::optional<Phases> phases;        ///< absent unless the kind changes at least three times

    [[nodiscard]] Seconds duration() const { return end - begin; }
};

/// The curve of a launch group: of a launch in the group or, if the launch is not known, of the
/// only group of its kernel. Null if there is none.
[[nodiscard]] std::shared_ptr<const OverTimeAnalysis> analyzeOverTime(const Profile& profile,
                                                                      const LaunchGroup& group,
                                                                      const Quantities& quantities,
                                                                      std::span<const Roof> roofs,
                                                                      bool onlyGroupOfKernel);

/// Whether a kernel does little in its first part, beyond the usual start of a launch and not as a
/// part of its work: at least 5 % of the time and more than 5 µs are lost, the part takes at most
/// half of the time, and at least half of the part is lost.
[[nodiscard]] bool startsSlowly(const OverTimeAnalysis& life);

/// Upper bound of the share of its time that a kernel loses to SMs that idle at its beginning and
/// end; nullopt without a curve that can be judged.
[[nodiscard]] std::optional<double> idleAtEnds(const OverTimeAnalysis* life);

/// The share of a kernel's time that is not lost in its tail. Means over warps refer to this time,
/// since few warps are left in the tail. 1 without a curve.
[[nodiscard]] double shareBeforeTail(const OverTimeAnalysis* life);

/// The share of a kernel's time that a curve could explain and averages cannot: SMs that idle while
/// the busiest one works, or memory and pipes that may be busy in turns. 0 if a new curve would
/// show nothing: the kernel has one, is too short, or is near a roof.
[[nodiscard]] double hiddenByAverages(const KernelAnalysis& kernel, const Device& device);

/// Joins intervals, from the start of the first to the end of the last. Each share is the mean over
/// time, missing if it is missing in one of them.
[[nodiscard]] OverTimeInterval joined(std::span<const OverTimeInterval> intervals);

}  // namespace roofscope
