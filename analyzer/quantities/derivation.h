// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <forward_list>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/quantities/quantities.h"

namespace roofscope {

/// Derives the Quantities of one launch group; one function per part of the result. The parts are
/// in the files of this folder.
class Derivation {
public:
    using D = Derived<double>;
    using R = Derived<Ratio>;

    Derivation(const Profile& profile, const LaunchGroup& group, const DeviceFormulas& formulas);
    Quantities run();

private:
    static constexpr std::initializer_list<std::string_view> kNoCounters{};

    // derivation.cpp
    /// The formula, with the substitutes for counters that the profile lacks.
    SharedText named(SharedText how) const;
    GroupSums::Extra shownTime() const { return {counter::kDuration, m_shown}; }
    GroupSums::Extra countedTime() const { return {counter::kDuration, m_counted}; }
    /// Cycles of a clock per launch: clock × duration of the counter run, because the counters are
    /// from that run.
    std::span<const double> cycles(std::string_view clock);
    void turns();
    void time();
    Derived<Hertz> clock(std::string_view name, SharedText how);
    /// Σ sum / Σ (peak per cycle × cycles): the share of a roof at the clocks of these launches.
    R shareOfPeak(const RoofFormula& formula);
    template <class Amount>
    Derived<Amount> amountOf(const RoofFormula& formula) {
        const ChipSum& sum = formula.sum;
        if (!sum.ok()) return Derived<Amount>::absent(sum.missing);
        const auto joint = m_sums.joint(sum.counters);
        if (!joint.ok()) return Derived<Amount>::absent(joint.missing, formula.how);
        return Derived<Amount>::of({sum.apply(joint.sums) / static_cast<double>(joint.launches)},
                                   named(formula.how));
    }
    template <class Rate>
    Derived<Rate> rateOf(const RoofFormula& formula) {
        const ChipSum& sum = formula.sum;
        if (!sum.ok()) return Derived<Rate>::absent(sum.missing);
        // By the time of the counter run, as for the share of the roof. In another run the kernel
        // may have found its data elsewhere, and that run's time would give rates beyond the roof.
        const GroupSums::Extra counted[] = {countedTime()}, shown[] = {shownTime()};
        auto timed = m_sums.joint(sum.counters, counted);
        if (!timed.ok()) timed = m_sums.joint(sum.counters, shown);
        if (!timed.ok()) return Derived<Rate>::absent(timed.missing, formula.rate);
        return Derived<Rate>::of({sum.apply(timed.sums) / timed.sums.back()}, named(formula.rate));
    }
    /// Σ value × weight / Σ weight × scale: the average of a per-launch rate as a ratio of sums.
    R weighted(std::string_view value, std::string_view weight, double scale, SharedText how) const;
    R weighted(std::string_view value, double scale) const {
        return weighted(value, counter::kDuration, scale, value);
    }

    // level_traffic.cpp
    void traffic();
    /// Share of the cycles in which something arrived at the L2.
    R l2Arrivals();
    /// The L2's bytes are read returns and stores to global memory. Stores to local memory, atomics
    /// and reductions are not counted separately; where they matter, the bytes become absent.
    void l2Bytes();
    /// Bandwidth of declared bytes. Without counters, nothing else is known about traffic.
    void declared();
    /// The best that this mix of reads and writes can reach: from bandwidths measured on this GPU,
    /// else from those of an H200.
    void dramAttainable();
    /// Little's law: the bytes that must be in flight to reach a bandwidth at a latency.
    void inFlightNeed();
    /// The share of a level's roof as the profile's tool computed it, if the bytes or the peak are
    /// missing.
    void dramShareByDirection();
    void roofShareFromTool(Level level, std::initializer_list<std::string_view> percentages);

    // arithmetic.cpp
    void arithmetic();
    /// Without a count of floating-point operations, the pipe's utilisation is an upper bound of
    /// them, because integers use the pipe too. It can show that arithmetic is not the limit, never
    /// that it is.
    void pipeUpperBound(Precision precision, std::string_view name);
    /// Operations by type. CUPTI already counts a multiply-add as two. A chip that counts several
    /// types together has no sum for them, because the type is not known.
    void tensorCores();
    /// Where operations were not counted: by the cycles in which the pipe is busy, if the kernel
    /// multiplies by one instruction that is known, and the chip's table has its rate.
    void tensorCoresByBusyCycles();
    Derived<FlopsPerByte> sharedOperandsNotCounted(TensorType type) const;
    Derived<FlopsPerByte> intensity(const ChipSum& operations, const ChipSum& bytes,
                                    const IntensityFormula& formula) const;
    void pipe(Precision precision);

    // global_accesses.cpp
    static CoalescingEstimate absentCoalescing(SharedText missing);
    CoalescingEstimate globalStores() const;
    /// Loads and asynchronous copies. The copies' bytes and sectors are only in the totals of all
    /// global accesses (measured on an H200). What the totals have beyond loads and stores belongs
    /// to the copies, or to atomics. Without asynchronous copies, only the loads count.
    CoalescingEstimate globalLoads() const;
    void globalAccesses();
    void widths();
    void widthsFromLines();

    // shared_accesses.cpp
    /// `counters`: `kinds` counters each of wavefronts, instructions and bytes, then the widths.
    ConflictEstimate conflicts(std::initializer_list<std::string_view> counters,
                               std::size_t kinds) const;
    void sharedAccesses();
    /// Uses the ideal that Nsight Compute computes from each instruction's addresses. It is one
    /// number for loads and stores: each store needs at least one wavefront, so the loads' ideal is
    /// at most the rest, and vice versa. Their wavefronts are bounded in the same way, because the
    /// hardware's counts include waiting for other traffic.
    bool conflictsFromSource();
    /// For profiles without widths: no access needs more than four wavefronts (16 bytes per lane).
    void conflictsByWidestAccess();

    // execution.cpp
    void occupancy();
    /// Converts the counter, a share of the cycles in which an SM has warps, to a share of elapsed
    /// time like all others.
    void issue();
    void pipes();
    void furtherPipes();
    /// Integer products run in the heavy half of the FP32 pipe: its use, where hardly any of it is
    /// arithmetic of floats.
    void integerProducts();
    [[nodiscard]] R ofL2Cycles(std::string_view cycles) const;
    void atomicReach();
    void blockStarts();

    // tool_shares.cpp
    /// Busy shares that Nsight Compute computed, of what is not counted otherwise.
    void toolShares();
    void useGivenShare(R& share, const char* what, std::initializer_list<std::string_view> names);
    [[nodiscard]] SharedText totalsCounter(const R& total, std::string_view name,
                                           bool memory) const;

    const Profile& m_profile;
    const LaunchGroup& m_group;
    const DeviceFormulas& m_formulas;
    const Device& m_device;
    GroupSums m_sums;
    std::vector<double> m_shown;    ///< seconds per launch of the group, NaN where missing
    std::vector<double> m_counted;  ///< the same for the counter run
    /// m_counted, but corrected for launches that took at least twice as long as others with as
    /// many instructions, and so waited for something even while counted: they get the shortest
    /// time of those.
    [[nodiscard]] std::vector<double> countedWithoutWaits() const;
    /// Sets DurationStats::whileCounted.
    void compareRuns();
    /// The share of the group's launches that took about this long in the program.
    [[nodiscard]] double shareNear(Seconds duration) const;
    struct Cycles {
        std::string_view clock;
        std::vector<double> perLaunch;
    };
    std::forward_list<Cycles> m_cycles;
    Quantities m_out;
};

}  // namespace roofscope
