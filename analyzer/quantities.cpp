// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>

#include <fmt/format.h>

#include "analyzer/access_widths.h"
#include "analyzer/coalescing.h"
#include "analyzer/conflicts.h"
#include "analyzer/counter_names.h"
#include "analyzer/group_sums.h"
#include "analyzer/grouping.h"
#include "analyzer/measured_roofs.h"
#include "analyzer/occupancy.h"
#include "analyzer/resources.h"

namespace roofscope {

namespace {

using D = Derived<double>;
using R = Derived<Ratio>;

constexpr double kWarpLanes = 32.0;
constexpr std::initializer_list<std::string_view> kNoCounters{};

/// One group on its way to Quantities; one function per part of the result.
class Derivation {
public:
    Derivation(const Profile& profile, const LaunchGroup& group, const DeviceFormulas& formulas)
        : m_profile(profile),
          m_group(group),
          m_formulas(formulas),
          m_device(profile.devices[group.device]),
          m_sums(profile.counters, group.launches) {}

    Quantities run() {
        time();
        traffic();
        stated();
        arithmetic();
        tensorCores();
        globalAccesses();
        sharedAccesses();
        widths();
        occupancy();
        pipes();
        l2Bytes();
        if (m_profile.capture.strategy == "multiplex") turns();
        m_out.substitutes.insert(m_out.substitutes.begin(), m_sums.substitutes().begin(),
                                 m_sums.substitutes().end());
        return std::move(m_out);
    }

private:
    /// A formula with what really stood in for counters that the profile lacks.
    SharedText named(SharedText how) const {
        const auto& substitutes = m_sums.substitutes();
        return substitutes.empty() ? how : SharedText(explainSubstitutes(how.str(), substitutes));
    }

    GroupSums::Extra shownTime() const { return {counter::kDuration, m_shown}; }
    GroupSums::Extra countedTime() const { return {counter::kDuration, m_counted}; }

    /// Cycles of a clock per launch: clock × duration of the counter run, from which the counters
    /// are too.
    const std::vector<double>& cycles(const std::string& clock) {
        auto& column = m_cycles[clock];
        if (column.empty()) {
            column = m_sums.perLaunch(clock);
            for (std::size_t i = 0; i < column.size(); ++i) {
                column[i] *= m_counted[i];
                if (!(column[i] > 0)) column[i] = std::numeric_limits<double>::quiet_NaN();
            }
        }
        return column;
    }

    void turns() {
        for (const std::string& name : m_profile.counters.names()) {
            const auto values = m_sums.perLaunch(name);
            const auto count = static_cast<std::size_t>(
                std::ranges::count_if(values, [](double v) { return std::isfinite(v); }));
            if (count == 0) continue;
            auto& range = m_out.averagedOver;
            range = range ? std::pair{std::min(range->first, count), std::max(range->second, count)}
                          : std::pair{count, count};
        }
    }

    void time() {
        m_out.duration = groupDuration(m_profile, m_group, m_shown);
        m_counted = m_sums.perLaunch(counter::kDuration);
        for (double& value : m_counted) {
            value *= 1e-9;
            if (!(value > 0)) value = std::numeric_limits<double>::quiet_NaN();
        }
        const GroupSums::Extra extras[] = {countedTime()};
        const auto joint = m_sums.joint(kNoCounters, extras);
        m_out.counterDuration =
            joint.ok() ? Derived<Seconds>::of({joint.mean(0)}, "mean of gpu__time_duration.sum")
                       : Derived<Seconds>::absent(joint.missing);
        m_out.smClock = clock(counter::kSmClock);
        m_out.dramClock = clock(counter::kDramClock);
    }

    Derived<Hertz> clock(std::string_view name) {
        const std::string how = fmt::format("{}, weighted with the duration", name);
        const GroupSums::Extra extras[] = {{name, cycles(std::string(name))}, countedTime()};
        const auto joint = m_sums.joint(kNoCounters, extras);
        return joint.ok() ? Derived<Hertz>::of({joint[0] / joint[1]}, named(how))
                          : Derived<Hertz>::absent(joint.missing, how);
    }

    /// Σ sum / Σ (peak per cycle × cycles): the share of a roof at the clocks of these launches.
    R shareOfPeak(const RoofFormula& formula) {
        const ChipSum& sum = formula.sum;
        const PeakRate& peak = formula.peak;
        const SharedText how = formula.share;
        if (!sum.ok()) return R::absent(sum.missing, how);
        if (!peak.ok()) return R::absent(peak.missing, how);
        const GroupSums::Extra extras[] = {{peak.clock, cycles(peak.clock)}};
        const auto joint = m_sums.joint(sum.counters, extras);
        if (!joint.ok()) return R::absent(joint.missing, how);
        return R::of({sum.apply(joint.sums) / (peak.perCycle * joint.sums.back())}, named(how));
    }

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

    void traffic() {
        for (const Level level : kLevels) {
            m_out.bytes[level] = amountOf<Bytes>(m_formulas.levels[level]);
            m_out.bandwidth[level] = rateOf<BytesPerSecond>(m_formulas.levels[level]);
        }
        for (const Level level : {Level::Dram, Level::L1, Level::Shared})
            m_out.utilisation[level] = shareOfPeak(m_formulas.levels[level]);
        // The L2 roof is its read return path; requests and writes travel the other way at the same
        // time, so the busier direction counts, not the sum.
        const bool readsOnly = m_formulas.convention == Convention::Ncu;
        R& l2 = m_out.utilisation[Level::L2];
        l2 = shareOfPeak(readsOnly ? m_formulas.levels[Level::L2] : m_formulas.l2Read);
        givenShare(Level::Dram, {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                                 "dram__cycles_active.avg.pct_of_peak_sustained_elapsed"});
        givenShare(Level::L2, {"lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed"});
        if (!readsOnly)
            for (const R& inward : {shareOfPeak(m_formulas.l2Write), l2Arrivals()})
                if (inward.has() && l2.has() && inward->value > l2->value)
                    l2 = R::of(*inward, inward.how + ", requests and writes: the busier way");

        m_out.dramRead = amountOf<Bytes>(m_formulas.dramRead);
        m_out.dramWrite = amountOf<Bytes>(m_formulas.dramWrite);
        dramAttainable();

        inFlightNeed();
        const auto sharedLoads = m_sums.joint({counter::kSharedLoadBytes});
        m_out.sharedLoadBytes =
            sharedLoads.ok() ? Derived<Bytes>::of({sharedLoads.mean(0)},
                                                  named(std::string(counter::kSharedLoadBytes)))
                             : Derived<Bytes>::absent(sharedLoads.missing);
        // The counter of local bytes counts an address once per warp, however many lanes use it (it
        // is the same in every lane for the same element): sectors tell what moves.
        constexpr const char* kLocal = "32 × local sectors";
        const auto local = m_sums.joint({counter::kLocalSectors});
        m_out.localBytes = local.ok() ? Derived<Bytes>::of({kSectorBytes * local.mean(0)}, kLocal)
                                      : Derived<Bytes>::absent(local.missing);
        const auto sectors = m_sums.joint({counter::kLocalSectors, counter::kGlobalSectors});
        constexpr const char* kShare = "local sectors / (global + local sectors)";
        if (!sectors.ok()) {
            m_out.localSectorShare = R::absent(sectors.missing, kShare);
            m_out.localSectors = D::absent(sectors.missing);
        } else {
            const double all = sectors[0] + sectors[1];
            m_out.localSectors = D::of(sectors.mean(0), named(std::string(counter::kLocalSectors)));
            m_out.localSectorShare = all > 0 ? R::of({sectors[0] / all}, kShare) : R::none(kShare);
        }
    }

    /// Share of the cycles in which the L2 took something in.
    R l2Arrivals() {
        constexpr std::string_view kGiven =
            "lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed";
        constexpr double kPercent = 0.01;
        if (R given = weighted(kGiven, counter::kDuration, kPercent, std::string(kGiven));
            given.has())
            return given;
        // A slice takes in one sector or request a cycle, and on GH100 returns two: its peak is
        // half of that of the returns. Of other chips it is not known.
        constexpr int kHopper = 9;
        constexpr double kReturnsPerArrival = 2.0;
        const PeakRate& peak = m_formulas.l2Read.peak;
        const std::string how =
            fmt::format("{:g} × {} / ({} / {:g} × {} × {})", kSectorBytes, counter::kL2Arrivals,
                        peak.counter, kReturnsPerArrival, peak.clock, counter::kDuration);
        if (!peak.ok()) return R::absent(peak.missing, how);
        if (m_device.computeMajor != kHopper) return R::none(how);
        const GroupSums::Extra extras[] = {{peak.clock, cycles(peak.clock)}};
        const auto joint = m_sums.joint({counter::kL2Arrivals}, extras);
        if (!joint.ok()) return R::absent(joint.missing, how);
        return R::of({kReturnsPerArrival * kSectorBytes * joint[0] / (peak.perCycle * joint[1])},
                     how);
    }

    /// Bytes of the L2 are read returns and stores to global memory. Stores to local memory,
    /// atomics and reductions are not counted apart: where they matter its bytes are not known.
    void l2Bytes() {
        constexpr double kMatters = 0.05;
        constexpr const char* kMissing = "l2_bytes_write";
        using namespace counter;
        m_out.l2Counted = m_out.bytes[Level::L2];
        if (m_formulas.convention == Convention::Ncu || !m_out.bytes[Level::L2].has()) return;
        const auto joint = m_sums.joint({kGlobalSectors, kGlobalLoadSectors, kGlobalStoreSectors,
                                         kLocalSectors, kAsyncCopies, kL2ReadReturns});
        if (!joint.ok()) return;
        // Asynchronous copies are among the global sectors, and no loads.
        const double atomics = joint[4] > 0 ? 0.0 : std::max(0.0, joint[0] - joint[1] - joint[2]);
        const double uncounted = joint[3] + atomics;
        if (!(uncounted > kMatters * (joint[5] + joint[2] + uncounted))) return;
        const auto lose = [&](auto& quantity) {
            using Quantity = std::remove_reference_t<decltype(quantity)>;
            if (quantity.has()) quantity = Quantity::absent(kMissing, quantity.how);
        };
        lose(m_out.bytes[Level::L2]);
        lose(m_out.bandwidth[Level::L2]);
        for (const Precision precision : kPrecisions) lose(m_out.intensity[precision][Level::L2]);
        for (TensorWork& work : m_out.tensor) lose(work.intensity[Level::L2]);
    }

    /// Bandwidth of stated bytes: all that can be said of traffic without counters.
    void stated() {
        constexpr const char* kHow = "stated bytes / duration";
        std::vector<double> bytes;
        for (const auto launch : m_group.launches) {
            const auto& value = m_profile.launches[launch].statedBytes;
            bytes.push_back(value ? static_cast<double>(*value)
                                  : std::numeric_limits<double>::quiet_NaN());
        }
        const GroupSums::Extra extras[] = {{"stated bytes", bytes}, {"duration", m_shown}};
        const auto alone = m_sums.joint(kNoCounters, std::span(extras).first(1));
        if (!alone.ok()) return;  // nobody stated any: nothing is lacking
        m_out.statedBytes = Derived<Bytes>::of({alone.mean(0)}, "stated, not measured");
        const auto timed = m_sums.joint(kNoCounters, extras);
        using B = Derived<BytesPerSecond>;
        m_out.effectiveBandwidth = !timed.ok()    ? B::absent(timed.missing, kHow)
                                   : timed[1] > 0 ? B::of({timed[0] / timed[1]}, kHow)
                                                  : B::none(kHow);
        const Ceiling* const copy = findCeiling(m_device, "dram_copy");
        const PeakRate& peak = m_formulas.levels[Level::Dram].peak;
        double roof = 0;
        std::string how = "effective bandwidth / ";
        if (copy && copy->kind == Ceiling::Kind::Bandwidth) {
            roof = copy->burst;
            how += "dram_copy as measured on this GPU";
            m_out.effectiveRoofMeasured = true;
        } else if (peak.ok() && m_device.memoryClockMax) {
            roof = peak.perCycle * m_device.memoryClockMax->value;
            how += "theoretical DRAM roof";
        }
        if (!m_out.effectiveBandwidth.has())
            m_out.effectiveShare = R::absent(m_out.effectiveBandwidth.missing, how);
        else
            m_out.effectiveShare = roof > 0 ? R::of({m_out.effectiveBandwidth->value / roof}, how)
                                            : R::absent("a DRAM roof (roofscope ceilings)", how);
    }

    /// What this mix of reads and writes can reach: from bandwidths measured on this GPU, else from
    /// those of an H200.
    void dramAttainable() {
        // Published H200 bandwidths as shares of 4.81 TB/s. For an even mix the best copy that was
        // measured (4.26 TB/s) is used: a lower anchor would put good copies above their ceiling.
        DramMix mix{.write = 0.893, .copy = 0.885, .read = 0.938};
        std::string how =
            "interpolated over the share of reads between H200 bandwidths: write 0.893 and read "
            "0.938 "
            "of theoretical as published, copy 0.885 as measured with a 16-byte copy";
        const auto measured = measuredDramMix(m_device);
        const PeakRate& peak = m_formulas.levels[Level::Dram].peak;
        const Derived<Hertz> dramClock = peak.ok() ? clock(peak.clock) : Derived<Hertz>{};
        if (measured && dramClock.has()) {
            mix = *measured / (peak.perCycle * dramClock->value);
            how = fmt::format(
                "interpolated over the share of reads between bandwidths measured on this GPU: "
                "write {:.3f}, copy {:.3f}, {}read {:.3f} of theoretical",
                mix.write, mix.copy, mix.triad ? fmt::format("triad {:.3f}, ", *mix.triad) : "",
                mix.read);
            m_out.dramAttainableMeasured = true;
        }
        if (!m_out.dramRead.has() || !m_out.dramWrite.has()) {
            m_out.dramAttainable = R::absent(m_out.dramRead.missing, how);
        } else if (const double all = m_out.dramRead->value + m_out.dramWrite->value; all > 0) {
            m_out.dramAttainable = R::of({mix.at(m_out.dramRead->value / all)}, how);
        } else {
            m_out.dramAttainable = R::none(how);
        }
    }

    /// Little's law: what must be on its way so that a bandwidth is reached in spite of a latency.
    void inFlightNeed() {
        const PeakRate& peak = m_formulas.levels[Level::Dram].peak;
        const SharedText how = m_formulas.inFlightNeed;
        using B = Derived<Bytes>;
        const ChipTable* const chip = m_formulas.chip;
        if (!peak.ok() || !chip->dramLatency || m_device.smCount == 0)
            m_out.inFlightNeed =
                B::absent(peak.ok() ? "DRAM latency under load of this chip" : peak.missing, how);
        else if (const auto dramClock = clock(peak.clock); !dramClock.has())
            m_out.inFlightNeed = B::absent(dramClock.missing, how);
        else
            m_out.inFlightNeed = B::of(
                {peak.perCycle * dramClock->value * chip->dramLatency->value / m_device.smCount},
                how);
    }

    /// The share of a level's roof as the profile's tool worked it out, where the bytes or the peak
    /// are missing.
    void givenShare(Level level, std::initializer_list<std::string_view> percentages) {
        constexpr double kPercent = 0.01;
        R& share = m_out.utilisation[level];
        for (const std::string_view name : percentages) {
            if (share.has()) return;
            R given = weighted(name, counter::kDuration, kPercent, std::string(name));
            if (!given.has()) continue;
            share = std::move(given);
            m_out.substitutes.push_back(
                {.wanted = fmt::format("share of the {} roof", toString(level)),
                 .formula = std::string(name)});
        }
    }

    void arithmetic() {
        for (const Precision precision : kPrecisions) {
            const RoofFormula& flops = m_formulas.flops[precision];
            m_out.flops[precision] = amountOf<Flops>(flops);
            m_out.flopRate[precision] = rateOf<FlopsPerSecond>(flops);
            m_out.computeUtilisation[precision] = shareOfPeak(flops);
            pipe(precision);
            for (const Level level : kLevels)
                m_out.intensity[precision][level] =
                    intensity(flops.sum, m_formulas.levels[level].sum,
                              m_formulas.intensity[precision][level]);
        }
        pipeAtMost(Precision::Fp64,
                   "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed");
        pipeAtMost(Precision::Fp32, "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed");
    }

    /// How busy the pipe is bounds its floating-point work, where that was not counted: integers
    /// use the pipe too. So it may say that arithmetic is not what limits, never that it is.
    void pipeAtMost(Precision precision, std::string_view name) {
        constexpr double kPercent = 0.01;
        R& share = m_out.pipeUtilisation[precision];
        if (share.has()) return;
        R pipe = weighted(name, counter::kDuration, kPercent,
                          std::string(name) + ", which integers use too: an upper bound");
        if (!pipe.has() || pipe->value >= kBusyShare) return;
        share = std::move(pipe);
        m_out.substitutes.push_back(
            {.wanted = fmt::format("use of the {} pipe, an upper bound", toString(precision)),
             .formula = std::string(name)});
    }

    /// The counters of a sum that the profile lacks as a whole; empty when it has them all.
    SharedText notRecorded(const ChipSum& sum) const {
        std::string names;
        for (const auto name : sum.counters)
            if (m_profile.counters.column(name).empty())
                names += (names.empty() ? "" : ", ") + std::string(name);
        return names;
    }

    /// Operations by type. CUPTI counts a product and its addition as two already. A chip that
    /// counts types together has no sum for them: which of them it was is not known.
    void tensorCores() {
        for (const TensorType type : kTensorTypes) {
            const RoofFormula& formula = m_formulas.tensor[type];
            // Few profiles have them: what no launch of any kernel has is not sought in this one's.
            if (SharedText absent = notRecorded(formula.sum); !absent.empty()) {
                m_out.tensorMissing[type] = absent;
                continue;
            }
            TensorWork work{.type = type};
            work.operations = amountOf<Flops>(formula);
            if (!work.operations.has()) {
                m_out.tensorMissing[type] = work.operations.missing;
                continue;
            }
            work.rate = rateOf<FlopsPerSecond>(formula);
            work.utilisation = shareOfPeak(formula);
            for (const Level level : kLevels)
                work.intensity[level] = intensity(formula.sum, m_formulas.levels[level].sum,
                                                  m_formulas.tensorIntensity[type][level]);
            // Most of the operands come by matrix loads (ldmatrix), or tensor cores read them
            // themselves (wgmma): neither is among the bytes of ordinary accesses.
            work.intensity[Level::Shared] = Derived<FlopsPerByte>::absent(
                "shared bytes of matrix loads and of operands that tensor cores read themselves",
                m_formulas.tensorIntensity[type][Level::Shared]);
            m_out.tensor.push_back(std::move(work));
        }
    }

    Derived<FlopsPerByte> intensity(const ChipSum& operations, const ChipSum& bytes,
                                    SharedText how) const {
        using I = Derived<FlopsPerByte>;
        if (!operations.ok()) return I::absent(operations.missing);
        if (!bytes.ok()) return I::absent(bytes.missing);
        auto names = operations.counters;
        names.insert(names.end(), bytes.counters.begin(), bytes.counters.end());
        const auto joint = m_sums.joint(names);
        if (!joint.ok()) return I::absent(joint.missing, how);
        const double moved = bytes.apply(joint.sums, operations.counters.size());
        return moved > 0 ? I::of({operations.apply(joint.sums) / moved}, named(how)) : I::none(how);
    }

    void pipe(Precision precision) {
        using Names = std::array<std::string_view, 3>;
        const Names names = precision == Precision::Fp64
                                ? Names{counter::kFp64Add, counter::kFp64Mul, counter::kFp64Fma}
                            : precision == Precision::Fp32
                                ? Names{counter::kFp32Add, counter::kFp32Mul, counter::kFp32Fma}
                                : Names{counter::kFp16Add, counter::kFp16Mul, counter::kFp16Fma};
        const PeakRate& peak = m_formulas.flops[precision].peak;
        const SharedText how = m_formulas.pipe[precision];
        constexpr const char* kFused = "fma / (add + mul + fma)";
        constexpr const char* kFusable = "min(add, mul) / (add + mul + fma)";
        const auto plain = m_sums.joint(names);
        if (!plain.ok()) {
            m_out.fusedShare[precision] = R::absent(plain.missing, kFused);
            m_out.fusableShare[precision] = R::absent(plain.missing, kFusable);
            m_out.pipeUtilisation[precision] = R::absent(plain.missing, how);
            return;
        }
        const double all = plain[0] + plain[1] + plain[2];
        m_out.fusedShare[precision] = all > 0 ? R::of({plain[2] / all}, kFused) : R::none(kFused);
        m_out.fusableShare[precision] =
            all > 0 ? R::of({std::min(plain[0], plain[1]) / all}, kFusable) : R::none(kFusable);
        if (!peak.ok()) {
            m_out.pipeUtilisation[precision] = R::absent(peak.missing, how);
            return;
        }
        const GroupSums::Extra extras[] = {{peak.clock, cycles(peak.clock)}};
        const auto joint = m_sums.joint(names, extras);
        m_out.pipeUtilisation[precision] =
            joint.ok()
                ? R::of({(joint[0] + joint[1] + joint[2]) / (peak.countPerCycle * joint[3])}, how)
                : R::absent(joint.missing, how);
    }

    /// Asynchronous copies exist from CC 8.0; before, there is no counter and the number is 0.
    bool hasAsyncCopies() const { return m_device.computeMajor == 0 || m_device.computeMajor >= 8; }

    static CoalescingScreen absentCoalescing(const std::string& missing) {
        CoalescingScreen screen;
        screen.requested = Derived<Bytes>::absent(missing);
        screen.sectors = D::absent(missing);
        screen.requests = D::absent(missing);
        screen.efficiency = R::absent(missing);
        screen.sectorsPerRequest = D::absent(missing);
        screen.certainExcess = D::absent(missing);
        return screen;
    }

    CoalescingScreen globalStores() const {
        const auto joint = m_sums.joint(
            {counter::kGlobalStoreBytes, counter::kGlobalStoreSectors, counter::kGlobalStores});
        if (!joint.ok()) return absentCoalescing(joint.missing);
        return screenCoalescing(joint[0], joint[1], joint[2], static_cast<double>(joint.launches));
    }

    /// Loads and asynchronous copies. The copies' bytes and sectors are only in the totals of all
    /// global accesses, as measured on an H200; what is left there beside loads and stores is
    /// theirs, or an atomic's. Without them in the totals, the loads stand alone.
    CoalescingScreen globalLoads() const {
        const auto loads = m_sums.joint(
            {counter::kGlobalLoadBytes, counter::kGlobalLoadSectors, counter::kGlobalLoads});
        if (!loads.ok()) return absentCoalescing(loads.missing);
        double bytes = loads[0], sectors = loads[1], requests = loads[2];
        auto launches = static_cast<double>(loads.launches);
        if (hasAsyncCopies()) {
            const auto copies = m_sums.joint({counter::kAsyncCopies});
            if (!copies.ok()) return absentCoalescing(copies.missing);
            if (copies[0] > 0) {
                const auto all = m_sums.joint(
                    {counter::kGlobalBytes, counter::kGlobalSectors, counter::kGlobalStoreBytes,
                     counter::kGlobalStoreSectors, counter::kGlobalLoads, counter::kAsyncCopies});
                if (!all.ok()) return absentCoalescing(all.missing);
                bytes = std::max(0.0, all[0] - all[2]);
                sectors = std::max(0.0, all[1] - all[3]);
                requests = all[4] + all[5];
                launches = static_cast<double>(all.launches);
            }
        }
        // Generic loads that turn out to be shared memory's count as bytes, but have no sectors.
        return screenCoalescing(std::min(bytes, kSectorBytes * sectors), sectors, requests,
                                launches);
    }

    void globalAccesses() {
        m_out.loads = globalLoads();
        m_out.stores = globalStores();
    }

    ConflictScreen conflicts(std::initializer_list<std::string_view> wavefronts,
                             std::initializer_list<std::string_view> instructions,
                             std::initializer_list<std::string_view> bytes) const {
        std::vector<std::string_view> names(wavefronts);
        names.insert(names.end(), instructions);
        names.insert(names.end(), bytes);
        names.insert(names.end(), {counter::kWidth32, counter::kWidth64, counter::kWidth128});
        const auto joint = m_sums.joint(names);
        if (!joint.ok()) {
            ConflictScreen screen;
            screen.wavefronts = D::absent(joint.missing);
            screen.instructions = D::absent(joint.missing);
            screen.idealLow = D::absent(joint.missing);
            screen.idealHigh = D::absent(joint.missing);
            screen.excessCertain = R::absent(joint.missing);
            screen.excessPossible = R::absent(joint.missing);
            screen.degree = D::absent(joint.missing);
            return screen;
        }
        std::size_t next = 0;
        const auto take = [&](std::size_t count) {
            double sum = 0;
            for (; count > 0; --count) sum += joint[next++];
            return sum;
        };
        ConflictSums sums;
        sums.wavefronts = take(wavefronts.size());
        sums.instructions = take(instructions.size());
        sums.bytes = take(bytes.size());
        sums.width32 = take(1);
        sums.width64 = take(1);
        sums.width128 = take(1);
        return screenConflicts(sums, static_cast<double>(joint.launches));
    }

    void sharedAccesses() {
        using namespace counter;
        m_out.sharedLoads = conflicts({kSharedLoadWavefronts}, {kSharedLoads}, {kSharedLoadBytes});
        m_out.sharedStores =
            conflicts({kSharedStoreWavefronts}, {kSharedStores}, {kSharedStoreBytes});
        m_out.shared =
            conflicts({kSharedLoadWavefronts, kSharedStoreWavefronts},
                      {kSharedLoads, kSharedStores}, {kSharedLoadBytes, kSharedStoreBytes});
        if (!m_out.shared.wavefronts.has() && !conflictsFromSource()) conflictsByWidestAccess();
    }

    /// With the ideal that Nsight Compute works out from each instruction's addresses. It is one
    /// number for loads and stores: each store needs at least one wavefront, so the loads' ideal is
    /// at most the rest, and the other way round. Their wavefronts are bounded in the same way,
    /// because those of the hardware also count waiting for other traffic.
    bool conflictsFromSource() {
        using namespace counter;
        const auto joint =
            m_sums.joint({kSourceWavefronts, kSourceWavefrontsIdeal, kSharedLoads, kSharedStores});
        if (!joint.ok()) return false;
        const double wavefronts = joint[0], ideal = joint[1], loads = joint[2], stores = joint[3];
        const auto launches = static_cast<double>(joint.launches);
        constexpr const char* kExact = "memory_l1_wavefronts_shared_ideal";
        constexpr const char* kRest =
            "(memory_l1_wavefronts_shared_ideal − instructions of the other kind)";
        m_out.shared = screenConflictsWithin(ConflictBounds{.wavefronts = wavefronts,
                                                            .instructions = loads + stores,
                                                            .low = ideal,
                                                            .high = ideal,
                                                            .howLow = kExact,
                                                            .howHigh = kExact},
                                             launches);
        const auto side = [&](std::string_view counted, double own, double others) {
            const auto of = m_sums.joint({counted, kSourceWavefronts, kSharedLoads, kSharedStores});
            double most = std::max(0.0, wavefronts - others);
            if (of.ok() && of.launches == joint.launches) most = std::min(most, of[0]);
            return screenConflictsWithin(ConflictBounds{.wavefronts = own > 0 ? most : 0.0,
                                                        .instructions = own,
                                                        .low = own,
                                                        .high = std::max(own, ideal - others),
                                                        .howLow = "instructions",
                                                        .howHigh = kRest},
                                         launches);
        };
        m_out.sharedLoads = side(kSharedLoadWavefronts, loads, stores);
        m_out.sharedStores = side(kSharedStoreWavefronts, stores, loads);
        m_out.substitutes.push_back({.wanted = "ideal shared wavefronts", .formula = kExact});
        return true;
    }

    /// Without widths: no access needs more than four wavefronts, those of 16 bytes per lane.
    void conflictsByWidestAccess() {
        using namespace counter;
        const auto screen = [this](std::initializer_list<std::string_view> wavefronts,
                                   std::initializer_list<std::string_view> instructions) {
            constexpr double kMost = 4;
            std::vector<std::string_view> names(wavefronts);
            names.insert(names.end(), instructions);
            const auto joint = m_sums.joint(names);
            if (!joint.ok()) return std::optional<ConflictScreen>();
            double moved = 0, issued = 0;
            for (std::size_t i = 0; i < names.size(); ++i)
                (i < wavefronts.size() ? moved : issued) += joint[i];
            return std::optional(screenConflictsWithin(
                ConflictBounds{.wavefronts = moved,
                               .instructions = issued,
                               .low = issued,
                               .high = kMost * issued,
                               .howLow = "instructions",
                               .howHigh = "4 × instructions, as if all moved 16 bytes per lane"},
                static_cast<double>(joint.launches)));
        };
        auto both =
            screen({kSharedLoadWavefronts, kSharedStoreWavefronts}, {kSharedLoads, kSharedStores});
        if (!both) return;
        m_out.shared = std::move(*both);
        if (auto loads = screen({kSharedLoadWavefronts}, {kSharedLoads}))
            m_out.sharedLoads = std::move(*loads);
        if (auto stores = screen({kSharedStoreWavefronts}, {kSharedStores}))
            m_out.sharedStores = std::move(*stores);
        m_out.substitutes.push_back(
            {.wanted = "ideal shared wavefronts", .formula = "at most 4 × shared instructions"});
    }

    void widths() {
        using namespace counter;
        constexpr std::array kWidths{kWidth8, kWidth16, kWidth32, kWidth64, kWidth128};
        for (std::size_t i = 0; i < kWidths.size(); ++i) {
            const auto joint = m_sums.joint({kWidths[i]});
            m_out.widths.instructions[i] = joint.ok()
                                               ? D::of(joint.mean(0), std::string(kWidths[i]))
                                               : D::absent(joint.missing);
        }
        std::vector<std::string_view> names(kWidths.begin(), kWidths.end());
        names.insert(names.end(), {kGlobalLoads, kGlobalStores});
        if (hasAsyncCopies()) names.push_back(kAsyncCopies);
        const auto joint = m_sums.joint(names);
        m_out.widths.globalNarrowCertain =
            joint.ok() ? globalNarrowShare({joint[0], joint[1], joint[2], joint[3], joint[4]},
                                           joint[5], joint[6], hasAsyncCopies() ? joint[7] : 0.0)
                       : R::absent(joint.missing);
        constexpr const char* kWide = "256 × n64 + 512 × n128";
        if (joint.ok()) {
            const double bytes = 256.0 * joint[3] + 512.0 * joint[4];
            m_out.widths.wideBytesPossible =
                Derived<Bytes>::of({bytes / static_cast<double>(joint.launches)}, kWide);
            return;
        }
        m_out.widths.wideBytesPossible = Derived<Bytes>::absent(joint.missing, kWide);
        widthsFromLines();
    }

    void widthsFromLines() {
        using namespace counter;
        std::vector<std::string_view> names{
            kGlobalTags,       kGlobalLoads,        kGlobalStores,    kGlobalLoadBytes,
            kGlobalStoreBytes, kThreadInstructions, kWarpInstructions};
        if (hasAsyncCopies()) names.push_back(kAsyncCopies);
        const auto joint = m_sums.joint(names);
        if (!joint.ok()) return;
        const LineSums sums{
            .lines = joint[0],
            .instructions = joint[1] + joint[2] + (hasAsyncCopies() ? joint[7] : 0.0),
            .loadBytes = joint[3],
            .storeBytes = joint[4],
            .threadInstructions = joint[5],
            .warpInstructions = joint[6]};
        m_out.widths.globalNarrowCertain = globalNarrowFromLines(sums);
        if (!m_out.widths.globalNarrowCertain.has()) return;
        m_out.widths.inferred = true;
        m_out.widths.wideBytesPossible =
            Derived<Bytes>::of({wideBytesFromLines(sums) / static_cast<double>(joint.launches)},
                               "256 × (128-byte lines touched − global instructions)");
        m_out.substitutes.push_back({.wanted = "widths of global accesses",
                                     .formula = "inferred from 128-byte lines per instruction"});
    }

    void occupancy() {
        // The driver's figure is a property of the launch shape: any launch that has it will do.
        std::optional<std::uint32_t> resident;
        for (const auto i : m_group.launches) {
            resident = m_profile.launches[i].residentBlocksPerSm;
            if (resident) break;
        }
        m_out.occupancy =
            launchOccupancy(m_device, m_profile.kernels[m_group.kernel], m_group, resident);
        if (resident && m_profile.capture.origin == "imported")
            m_out.occupancy.residentBlocksPerSm.how = "smallest of launch__occupancy_limit_*";
        constexpr const char* kHow =
            "sm__warps_active.avg.per_cycle_active, weighted with sm__cycles_active.avg, / warps "
            "an "
            "SM holds";
        if (!m_device.maxThreadsPerSm || m_device.warpSize == 0) {
            m_out.occupancy.achieved = R::absent("threads an SM holds", kHow);
            return;
        }
        const double slots = *m_device.maxThreadsPerSm / m_device.warpSize;
        m_out.occupancy.achieved =
            weighted(counter::kWarpsActive, counter::kSmCyclesActiveAvg, 1.0 / slots, kHow);
    }

    /// Σ value × weight / Σ weight × scale: an average of a per-launch rate that is a ratio of
    /// sums.
    R weighted(std::string_view value, std::string_view weight, double scale,
               std::string how) const {
        auto product = m_sums.perLaunch(value);
        const auto weights = m_sums.perLaunch(weight);
        for (std::size_t i = 0; i < product.size(); ++i) product[i] *= weights[i];
        if (std::ranges::none_of(product, [](double v) { return std::isfinite(v); })) {
            // Never in the same launch, as groups of counters took turns: all weigh the same.
            const auto alone = m_sums.joint({value, weight});
            if (alone.ok()) return R::of({alone.mean(0) * scale}, how + ", mean of launches");
        }
        const GroupSums::Extra extras[] = {{value, product}};
        const auto joint = m_sums.joint({value, weight}, extras);
        if (!joint.ok()) return R::absent(joint.missing, std::move(how));
        if (!(joint[1] > 0)) return R::none(std::move(how));
        return R::of({joint[2] / joint[1] * scale}, std::move(how));
    }

    /// The counter is a share of the cycles in which an SM has warps; all other shares are of the
    /// time that passes.
    void issue() {
        using namespace counter;
        constexpr double kPercent = 0.01;
        const std::string how =
            fmt::format("{} × {} / {}", kIssueActive, kSmCyclesActiveAvg, kSmCyclesElapsed);
        std::vector<double> busy = m_sums.perLaunch(kIssueActive);
        const std::vector<double> active = m_sums.perLaunch(kSmCyclesActiveAvg);
        for (std::size_t i = 0; i < busy.size(); ++i) busy[i] *= active[i] * kPercent;
        if (std::ranges::none_of(busy, [](double v) { return std::isfinite(v); })) {
            // Never in the same launch, as groups of counters took turns.
            const auto alone = m_sums.joint({kIssueActive, kSmCyclesActiveAvg, kSmCyclesElapsed});
            if (alone.ok() && alone.mean(2) > 0) {
                m_out.issueUtilisation =
                    R::of({alone.mean(0) * kPercent * alone.mean(1) / alone.mean(2)},
                          how + ", means of launches");
                return;
            }
        }
        const GroupSums::Extra extras[] = {{kIssueActive, busy}};
        const auto joint =
            m_sums.joint({kIssueActive, kSmCyclesActiveAvg, kSmCyclesElapsed}, extras);
        m_out.issueUtilisation = !joint.ok()      ? R::absent(joint.missing, how)
                                 : joint[2] > 0.0 ? R::of({joint[3] / joint[2]}, named(how))
                                                  : R::none(how);
    }

    void pipes() {
        using namespace counter;
        constexpr double kPercent = 0.01;  // CUPTI's pct counters run from 0 to 100
        m_out.sharedPipeUtilisation =
            weighted(kLsuPipe, kDuration, kPercent, std::string(kLsuPipe));
        m_out.tensorUtilisation =
            weighted(kTensorPipe, kDuration, kPercent, std::string(kTensorPipe));
        m_out.tensorInstructions = m_out.tensorUtilisation;
        const auto& packed = m_out.pipeUtilisation[Precision::Fp16];
        if (m_device.computeMajor == 9 && m_out.tensorUtilisation.has() && packed.has())
            m_out.tensorInstructions =
                R::of({std::max(0.0, m_out.tensorUtilisation->value - packed->value)},
                      m_out.tensorUtilisation.how + " − FP16 instructions of the pipe's peak");
        issue();
        m_out.integerUtilisation =
            weighted(kIntegerPipe, kDuration, kPercent, std::string(kIntegerPipe));
        m_out.specialFunctionUtilisation =
            weighted(kSpecialFunctionPipe, kDuration, kPercent, std::string(kSpecialFunctionPipe));
        const auto ofL2Cycles = [&](std::string_view cycles) {
            std::string how = fmt::format("{} / {}", cycles, kL2CyclesMax);
            const auto joint = m_sums.joint({cycles, kL2CyclesMax});
            if (!joint.ok()) return R::absent(joint.missing, std::move(how));
            if (!(joint[1] > 0)) return R::none(std::move(how));
            return R::of({joint[0] / joint[1]}, std::move(how));
        };
        m_out.atomicUnitBusiest = ofL2Cycles(kAtomicCyclesMax);
        m_out.atomicUnitAverage = ofL2Cycles(kAtomicCyclesAvg);
        const auto wavefronts = m_sums.joint({kLsuWavefronts});
        m_out.lsuWavefronts = wavefronts.ok()
                                  ? D::of(wavefronts.mean(0), named(std::string(kLsuWavefronts)))
                                  : D::absent(wavefronts.missing);

        constexpr const char* kImbalance = "(max − min) / max of sm__cycles_active";
        const auto spread = m_sums.joint({kSmCyclesActiveMax, kSmCyclesActiveMin});
        m_out.smImbalance = !spread.ok() ? R::absent(spread.missing, kImbalance)
                            : spread[0] > 0.0
                                ? R::of({(spread[0] - spread[1]) / spread[0]}, kImbalance)
                                : R::none(kImbalance);
        constexpr const char* kBusiest = "max / avg of sm__cycles_active";
        const auto busiest = m_sums.joint({kSmCyclesActiveMax, kSmCyclesActiveAvg});
        m_out.busiestSmFactor = !busiest.ok() ? D::absent(busiest.missing, kBusiest)
                                : busiest[1] > 0.0
                                    ? D::of(std::max(1.0, busiest[0] / busiest[1]), kBusiest)
                                    : D::none(kBusiest);

        constexpr const char* kLanes =
            "smsp__sass_thread_inst_executed.sum / (32 × smsp__sass_inst_executed.sum)";
        const auto lanes = m_sums.joint({kThreadInstructions, kWarpInstructions});
        m_out.activeLanes = !lanes.ok() ? R::absent(lanes.missing, kLanes)
                            : lanes[1] > 0.0
                                ? R::of({lanes[0] / (kWarpLanes * lanes[1])}, named(kLanes))
                                : R::none(kLanes);
        const auto warps = m_sums.joint({kWarpInstructions});
        m_out.warpInstructions = warps.ok()
                                     ? D::of(warps.mean(0), named(std::string(kWarpInstructions)))
                                     : D::absent(warps.missing);
        constexpr const char* kOn =
            "smsp__sass_thread_inst_executed_pred_on.sum / smsp__sass_thread_inst_executed.sum";
        const auto on = m_sums.joint({kThreadInstructionsOn, kThreadInstructions});
        m_out.predicatedOn = !on.ok()      ? R::absent(on.missing, kOn)
                             : on[1] > 0.0 ? R::of({on[0] / on[1]}, named(kOn))
                                           : R::none(kOn);
    }

    const Profile& m_profile;
    const LaunchGroup& m_group;
    const DeviceFormulas& m_formulas;
    const Device& m_device;
    GroupSums m_sums;
    std::vector<double> m_shown, m_counted;  ///< seconds per launch of the group, NaN where missing
    std::map<std::string, std::vector<double>> m_cycles;
    Quantities m_out;
};

}  // namespace

Quantities deriveQuantities(const Profile& profile, const LaunchGroup& group,
                            const DeviceFormulas& formulas) {
    return Derivation(profile, group, formulas).run();
}

Quantities deriveQuantities(const Profile& profile, const LaunchGroup& group, const ChipTable* chip,
                            Convention convention) {
    return deriveQuantities(profile, group,
                            DeviceFormulas(chip, profile.devices[group.device], convention));
}

}  // namespace roofscope
