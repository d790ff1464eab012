// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/model/analysis.h"

/// What a kernel did over its time, from counters interval by interval (Profile::overTime).
namespace roofscope {

/// How busy the GPU was over a stretch of time. A share is missing where a counter or a roof is.
struct Activity {
    std::optional<double> sms;     ///< share of the SMs with a resident warp
    std::optional<double> dram;    ///< bytes of the DRAM's theoretical roof
    std::optional<double> issue;   ///< instructions of the issue slots of all SMs
    std::optional<double> tensor;  ///< share of the cycles of all SMs in which tensor cores work
    std::optional<double> l2;      ///< bytes per second of sectors that L2 slices looked up
};

/// A stretch of the curve; times count from the beginning of the first interval.
struct OverTimeInterval {
    Seconds from, to;
    Activity activity;

    [[nodiscard]] Seconds length() const { return to - from; }
};

/// Why nothing is said of a curve.
enum class OverTimeLack {
    None,
    Counters,   ///< one that is needed is missing in some interval
    Intervals,  ///< the kernel is too short for the interval
    Duration    ///< the launch that was sampled took another time than launches usually do
};
[[nodiscard]] const char* toString(OverTimeLack lack);  ///< "none", "counters", "intervals", …

/// The end of a kernel, from the last moment at which 90 % of its SMs are active.
struct Tail {
    Seconds from, length;
    Activity activity;     ///< mean
    double medianSms = 0;  ///< share of the SMs in the middle one of its intervals
    /// How much of it is certainly lost: the sum of interval × (1 − use / use in the steady part)
    /// of what is used most beside that part: SMs, DRAM, L2, issue slots or tensor cores. The last
    /// interval does not count: when in it the kernel ends is not known.
    Seconds lost;
    /// What is saved at most if its work runs on all SMs: its length − the longest of what the same
    /// bytes, instructions and SM time take at the roofs and on all SMs.
    Seconds atMost;
};

/// The beginning of a kernel, until what limits it later is used as it is then.
struct SlowStart {
    Seconds from, length;  ///< from the beginning of the kernel
    Activity activity;     ///< mean
    /// What it waits to use: the resource that is used most afterwards.
    enum class Resource { Dram, L2, Issue, Tensor } resource = Resource::Dram;
    double level = 0;  ///< share of its roof that it holds afterwards
    /// How much of it is certainly lost: the sum of interval × (1 − use / use that is held later)
    /// of what is used most. The first interval does not count: when in it the kernel begins is not
    /// known.
    Seconds lost;
    Seconds
        atMost;  ///< that is saved: the same with what of the first interval may be the kernel's
};

/// A stretch in which mostly one kind of work is done.
struct Phase {
    enum class Kind { Memory, Compute } kind = Kind::Memory;
    Seconds from, to;
};

/// Stretches in which mostly data moves and others in which mostly instructions are issued, in
/// turns.
struct Phases {
    std::vector<Phase> list;  ///< in the order of time; between two of them neither may be busy
    std::size_t memoryCount = 0, computeCount = 0;
    std::size_t changes = 0;       ///< from one kind to the other
    Seconds from, to;              ///< of the first and the last
    Seconds memory, compute;       ///< sums of their lengths
    Activity inMemory, inCompute;  ///< means
    bool tensor = false;           ///< instructions are fewer than what tensor cores do
    /// What is saved if the shorter kind runs beside the longer one, each at the rate of its own
    /// phases: the time from the first to the last phase − the longer of both kinds' work at that
    /// rate.
    Seconds hidden;
};

/// The curve of one launch and what is certain about it.
struct OverTimeAnalysis {
    std::size_t trace = 0;  ///< index into Profile::overTime
    std::vector<OverTimeInterval> curve;
    Seconds interval;  ///< mean length
    /// Where in the first interval the kernel begins and in the last it ends, by how many SMs are
    /// active in them compared with their neighbours; the whole curve where that is not known.
    Seconds begin, end;
    OverTimeLack lack = OverTimeLack::None;
    // Below: only without a lack.
    double steadySms = 0;  ///< the highest share of SMs that are active for three intervals
    /// From when to when at least 90 % of them are active, dips between included.
    Seconds steadyFrom, steadyTo;
    Activity steady;                     ///< mean of that part
    Seconds ramp;                        ///< from the beginning to `steadyFrom`
    std::optional<SlowStart> slowStart;  ///< nothing where it is no longer than three intervals
    std::optional<Tail> tail;            ///< nothing where it is no longer than three intervals
    std::optional<Phases> phases;        ///< nothing unless they change three times

    [[nodiscard]] Seconds duration() const { return end - begin; }
};

/// The curve of a launch group: the one whose launch is in the group, or whose kernel has no other
/// group. Null where there is none.
[[nodiscard]] std::shared_ptr<const OverTimeAnalysis> analyzeOverTime(const Profile& profile,
                                                                      const LaunchGroup& group,
                                                                      const Quantities& quantities,
                                                                      std::span<const Roof> roofs,
                                                                      bool onlyGroupOfKernel);

/// Whether a kernel does little in its first part, which is neither what every launch takes nor
/// work of another kind: 5 % of the time and more than 5 µs are lost, in at most half of the time,
/// of which at least half is lost.
[[nodiscard]] bool startsSlowly(const OverTimeAnalysis& life);

/// The share of its time that a kernel can gain at most by SMs that are idle at its beginning and
/// end; nothing without a curve, or with one that says nothing.
[[nodiscard]] std::optional<double> idleAtEnds(const OverTimeAnalysis* life);

/// The share of a kernel's time that is not lost in its tail: means over its warps are of this
/// time, since few warps are left in the tail. 1 without a curve.
[[nodiscard]] double shareBeforeTail(const OverTimeAnalysis* life);

/// The share of a kernel's time that its course could explain and its averages cannot: SMs that
/// are idle while the busiest one works, or memory and pipes that may be busy one after the other.
/// 0 where a curve would show nothing, because the kernel is too short or near a roof.
[[nodiscard]] double hiddenByAverages(const KernelAnalysis& kernel, const Device& device);

/// Intervals put together: times as of the first and the last; each share is the mean over the
/// time, missing where it is missing in one of them.
[[nodiscard]] OverTimeInterval joined(std::span<const OverTimeInterval> intervals);

}  // namespace roofscope
