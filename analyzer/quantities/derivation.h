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

/// One group on its way to Quantities; one function per part of the result. The parts are in the
/// files of this folder.
class Derivation {
public:
    using D = Derived<double>;
    using R = Derived<Ratio>;

    Derivation(const Profile& profile, const LaunchGroup& group, const DeviceFormulas& formulas);
    Quantities run();

private:
    static constexpr std::initializer_list<std::string_view> kNoCounters{};

    // derivation.cpp
    /// A formula with what really stood in for counters that the profile lacks.
    SharedText named(SharedText how) const;
    GroupSums::Extra shownTime() const { return {counter::kDuration, m_shown}; }
    GroupSums::Extra countedTime() const { return {counter::kDuration, m_counted}; }
    /// Cycles of a clock per launch: clock × duration of the counter run, from which the counters
    /// are too.
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
        // By the time of the run that counted, as the share of the roof: another run of the same
        // kernel may have found its data elsewhere, and its time would make rates beyond the roof.
        const GroupSums::Extra counted[] = {countedTime()}, shown[] = {shownTime()};
        auto timed = m_sums.joint(sum.counters, counted);
        if (!timed.ok()) timed = m_sums.joint(sum.counters, shown);
        if (!timed.ok()) return Derived<Rate>::absent(timed.missing, formula.rate);
        return Derived<Rate>::of({sum.apply(timed.sums) / timed.sums.back()}, named(formula.rate));
    }
    /// Σ value × weight / Σ weight × scale: an average of a per-launch rate that is a ratio of
    /// sums.
    R weighted(std::string_view value, std::string_view weight, double scale, SharedText how) const;
    R weighted(std::string_view value, double scale) const {
        return weighted(value, counter::kDuration, scale, value);
    }

    // traffic.cpp
    void traffic();
    /// Share of the cycles in which the L2 took something in.
    R l2Arrivals();
    /// Bytes of the L2 are read returns and stores to global memory. Stores to local memory,
    /// atomics and reductions are not counted apart: where they matter its bytes are not known.
    void l2Bytes();
    /// Bandwidth of declared bytes: all that can be said of traffic without counters.
    void declared();
    /// What this mix of reads and writes can reach: from bandwidths measured on this GPU, else from
    /// those of an H200.
    void dramAttainable();
    /// Little's law: what must be on its way so that a bandwidth is reached in spite of a latency.
    void inFlightNeed();
    /// The share of a level's roof as the profile's tool worked it out, where the bytes or the peak
    /// are missing.
    void givenShare(Level level, std::initializer_list<std::string_view> percentages);

    // arithmetic.cpp
    void arithmetic();
    /// How busy the pipe is bounds its floating-point work, where that was not counted: integers
    /// use the pipe too. So it may say that arithmetic is not what limits, never that it is.
    void pipeAtMost(Precision precision, std::string_view name);
    /// Operations by type. CUPTI counts a product and its addition as two already. A chip that
    /// counts types together has no sum for them: which of them it was is not known.
    void tensorCores();
    Derived<FlopsPerByte> intensity(const ChipSum& operations, const ChipSum& bytes,
                                    const IntensityFormula& formula) const;
    void pipe(Precision precision);

    // accesses.cpp
    static CoalescingEstimate absentCoalescing(SharedText missing);
    CoalescingEstimate globalStores() const;
    /// Loads and asynchronous copies. The copies' bytes and sectors are only in the totals of all
    /// global accesses, as measured on an H200; what is left there beside loads and stores is
    /// theirs, or an atomic's. Without them in the totals, the loads stand alone.
    CoalescingEstimate globalLoads() const;
    void globalAccesses();
    void widths();
    void widthsFromLines();

    // shared_accesses.cpp
    /// `kinds`: so many counters each of wavefronts, instructions and bytes, then the widths.
    ConflictEstimate conflicts(std::initializer_list<std::string_view> counters,
                               std::size_t kinds) const;
    void sharedAccesses();
    /// With the ideal that Nsight Compute works out from each instruction's addresses. It is one
    /// number for loads and stores: each store needs at least one wavefront, so the loads' ideal is
    /// at most the rest, and the other way round. Their wavefronts are bounded in the same way,
    /// because those of the hardware also count waiting for other traffic.
    bool conflictsFromSource();
    /// Without widths: no access needs more than four wavefronts, those of 16 bytes per lane.
    void conflictsByWidestAccess();

    // execution.cpp
    void occupancy();
    /// The counter is a share of the cycles in which an SM has warps; all other shares are of the
    /// time that passes.
    void issue();
    void pipes();
    void furtherPipes();
    void atomicReach();

    const Profile& m_profile;
    const LaunchGroup& m_group;
    const DeviceFormulas& m_formulas;
    const Device& m_device;
    GroupSums m_sums;
    std::vector<double> m_shown;    ///< seconds per launch of the group, NaN where missing
    std::vector<double> m_counted;  ///< the same of the run that counted
    /// DurationStats::whileCounted.
    void compareRuns();
    struct Cycles {
        std::string_view clock;
        std::vector<double> perLaunch;
    };
    std::forward_list<Cycles> m_cycles;
    Quantities m_out;
};

}  // namespace roofscope
