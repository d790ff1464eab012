// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "analyzer/quantities/coalescing.h"
#include "analyzer/quantities/derivation.h"
#include "analyzer/roofline/measured_roofs.h"

namespace roofscope {

void Derivation::traffic() {
    for (const Level level : kLevels) {
        m_out.bytes[level] = amountOf<Bytes>(m_formulas.levels[level]);
        m_out.bandwidth[level] = rateOf<BytesPerSecond>(m_formulas.levels[level]);
    }
    for (const Level level : {Level::Dram, Level::L1, Level::Shared})
        m_out.utilisation[level] = shareOfPeak(m_formulas.levels[level]);
    // The L2 roof is its read return path. Requests and writes travel the other way at the same
    // time, so the busier direction counts, not the sum.
    const bool readsOnly = m_formulas.convention == Convention::Ncu;
    R& l2 = m_out.utilisation[Level::L2];
    l2 = shareOfPeak(readsOnly ? m_formulas.levels[Level::L2] : m_formulas.l2Read);
    // Nsight Compute's own share is more exact than one by the width of the memory bus.
    R& dram = m_out.utilisation[Level::Dram];
    const bool estimated = m_formulas.levels[Level::Dram].peak.isByBusWidth();
    const R byBusWidth = estimated ? std::exchange(dram, R::absent("DRAM peak")) : R();
    roofShareFromTool(Level::Dram, {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                                    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                                    "dram__cycles_active.avg.pct_of_peak_sustained_elapsed",
                                    "dram__bytes.sum.pct_of_peak_sustained_elapsed"});
    dramShareByDirection();
    if (estimated && !dram.has()) dram = byBusWidth;
    roofShareFromTool(Level::L2, {"lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed",
                                  "lts__throughput.avg.pct_of_peak_sustained_elapsed"});
    roofShareFromTool(Level::L1,
                      {"l1tex__lsu_writeback_active_mem_lg.sum.pct_of_peak_sustained_elapsed",
                       "l1tex__lsu_writeback_active_mem_lg.avg.pct_of_peak_sustained_elapsed"});
    if (!readsOnly)
        for (const R& inward : {shareOfPeak(m_formulas.l2Write), l2Arrivals()})
            if (inward.has() && l2.has() && inward->value > l2->value)
                l2 = R::of(*inward, inward.how + ", requests and writes: the busier way");

    m_out.dramRead = amountOf<Bytes>(m_formulas.dramRead);
    m_out.dramWrite = amountOf<Bytes>(m_formulas.dramWrite);
    dramAttainable();
    inFlightNeed();
    const auto sharedLoads = m_sums.joint({counter::kSharedLoadBytes});
    m_out.sharedLoadBytes = sharedLoads.ok() ? Derived<Bytes>::of({sharedLoads.mean(0)},
                                                                  named(counter::kSharedLoadBytes))
                                             : Derived<Bytes>::absent(sharedLoads.missing);
    // The counter of local bytes counts an address once per warp, however many lanes use it (it is
    // the same in every lane for the same element). Sectors tell what really moves.
    static const SharedText kLocal = "32 × local sectors";
    const auto local = m_sums.joint({counter::kLocalSectors});
    m_out.localBytes = local.ok() ? Derived<Bytes>::of({kSectorBytes * local.mean(0)}, kLocal)
                                  : Derived<Bytes>::absent(local.missing);
    m_out.localSectors =
        local.ok() ? D::of(local.mean(0), named(counter::kLocalSectors)) : D::absent(local.missing);
    const auto sectors = m_sums.joint({counter::kLocalSectors, counter::kGlobalSectors});
    static const SharedText kShare = "local sectors / (global + local sectors)";
    if (!sectors.ok()) {
        // Of a long kernel, the hardware counts loads and stores, not atomics.
        const auto plain = m_sums.joint(
            {counter::kLocalSectors, counter::kGlobalLoadSectors, counter::kGlobalStoreSectors});
        static const SharedText kOfPlain = "local sectors / (loaded + stored + local sectors)";
        const double all = plain.ok() ? plain[0] + plain[1] + plain[2] : 0;
        m_out.localSectorShare = !plain.ok() ? R::absent(sectors.missing, kShare)
                                 : all > 0   ? R::of({plain[0] / all}, kOfPlain)
                                             : R::none(kOfPlain);
    } else {
        const double all = sectors[0] + sectors[1];
        m_out.localSectorShare = all > 0 ? R::of({sectors[0] / all}, kShare) : R::none(kShare);
    }
}

Derived<Ratio> Derivation::l2Arrivals() {
    constexpr std::string_view kGiven =
        "lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed";
    constexpr double kPercent = 0.01;
    if (R given = weighted(kGiven, kPercent); given.has()) return given;
    // A slice accepts one sector or request per cycle but returns more than one, so the peak of
    // arrivals is that fraction of the peak of returns. It is not known for every chip.
    const double perArrival =
        m_formulas.chip ? m_formulas.chip->l2ReturnsPerArrival.value_or(0.0) : 0.0;
    const PeakRate& peak = m_formulas.l2Read.peak;
    const SharedText how = m_formulas.l2Arrivals;
    if (!peak.ok()) return R::absent(peak.missing, how);
    if (perArrival <= 0) return R::none(how);
    const GroupSums::Extra extras[] = {{peak.clock, cycles(peak.clock)}};
    const auto joint = m_sums.joint({counter::kL2Arrivals}, extras);
    if (!joint.ok()) return R::absent(joint.missing, how);
    return R::of({perArrival * kSectorBytes * joint[0] / (peak.perCycle * joint[1])}, how);
}

void Derivation::l2Bytes() {
    constexpr double kMatters = 0.05;
    static const SharedText kMissing = "l2_bytes_write";
    using namespace counter;
    m_out.l2Counted = m_out.bytes[Level::L2];
    if (m_formulas.convention == Convention::Ncu || !m_out.bytes[Level::L2].has()) return;
    const auto joint = m_sums.joint({kGlobalSectors, kGlobalLoadSectors, kGlobalStoreSectors,
                                     kLocalSectors, kAsyncCopies, kL2ReadReturns});
    if (!joint.ok()) return;
    // Asynchronous copies are among the global sectors, but are no loads.
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

void Derivation::declared() {
    static const SharedText kHow = "declared bytes / duration";
    std::vector<double> declared(m_group.launches.size(), std::numeric_limits<double>::quiet_NaN());
    const std::span<double> bytes(declared);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        if (const auto& value = m_profile.launches[m_group.launches[i]].declaredBytes)
            bytes[i] = static_cast<double>(*value);
    const GroupSums::Extra extras[] = {{"declared bytes", bytes}, {"duration", m_shown}};
    const auto alone = m_sums.joint(kNoCounters, std::span(extras).first(1));
    if (!alone.ok()) return;  // none declared: nothing is missing
    m_out.declaredBytes = Derived<Bytes>::of({alone.mean(0)}, "declared, not measured");
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

namespace {

/// How the DRAM's mix was measured, in words. Writing this text takes longer than everything else,
/// and most kernels have the same shares in the digits shown, so the last text is kept.
SharedText mixWords(const DramMix& mix) {
    struct Written {
        bool triad = false;
        std::array<double, 4> shown{};
        SharedText words;
    };
    thread_local Written last;
    const std::array<double, 4> shares{mix.write, mix.copy, mix.triad.value_or(0), mix.read};
    constexpr double kSameDigits = 0.00049;
    const auto alike = [](double a, double b) { return std::abs(a - b) < kSameDigits; };
    if (!last.words.empty() && last.triad == mix.triad.has_value() &&
        std::ranges::equal(shares, last.shown, alike))
        return last.words;
    for (std::size_t i = 0; i < shares.size(); ++i)
        last.shown[i] = std::round(shares[i] * 1000) / 1000;
    last.triad = mix.triad.has_value();
    return last.words = fmt::format(
               "interpolated over the share of reads between bandwidths measured on this GPU: "
               "write {:.3f}, copy {:.3f}, {}read {:.3f} of theoretical",
               mix.write, mix.copy, mix.triad ? fmt::format("triad {:.3f}, ", *mix.triad) : "",
               mix.read);
}

}  // namespace

void Derivation::dramAttainable() {
    // Published H200 bandwidths as shares of 4.81 TB/s. An even mix uses the best copy that was
    // measured (4.26 TB/s), because a lower anchor would put good copies above their roof.
    DramMix mix{.write = 0.893, .copy = 0.885, .read = 0.938};
    SharedText how =
        "interpolated over the share of reads between H200 bandwidths: write 0.893 and read 0.938 "
        "of theoretical as published, copy 0.885 as measured with a 16-byte copy";
    const auto& measured = m_formulas.dramMix;
    const PeakRate& peak = m_formulas.levels[Level::Dram].peak;
    const Derived<Hertz> dramClock = peak.ok() ? clock(peak.clock, {}) : Derived<Hertz>{};
    if (measured && dramClock.has()) {
        mix = *measured / (peak.perCycle * dramClock->value);
        how = mixWords(mix);
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

void Derivation::inFlightNeed() {
    const PeakRate& peak = m_formulas.levels[Level::Dram].peak;
    const SharedText how = m_formulas.inFlightNeed;
    using B = Derived<Bytes>;
    const ChipTable* const chip = m_formulas.chip;
    if (!peak.ok() || !chip->dramLatency || m_device.smCount == 0)
        m_out.inFlightNeed =
            B::absent(peak.ok() ? "DRAM latency under load of this chip" : peak.missing, how);
    else if (const auto dramClock = clock(peak.clock, {}); !dramClock.has())
        m_out.inFlightNeed = B::absent(dramClock.missing, how);
    else
        m_out.inFlightNeed = B::of(
            {peak.perCycle * dramClock->value * chip->dramLatency->value / m_device.smCount}, how);
}

/// The share of the DRAM roof from the shares of both directions, which use the same bus.
void Derivation::dramShareByDirection() {
    constexpr double kPercent = 0.01;
    constexpr std::string_view kRead = "dram__bytes_read.sum.pct_of_peak_sustained_elapsed",
                               kWrite = "dram__bytes_write.sum.pct_of_peak_sustained_elapsed";
    R& share = m_out.utilisation[Level::Dram];
    if (share.has()) return;
    const R read = weighted(kRead, kPercent), write = weighted(kWrite, kPercent);
    if (!read.has() || !write.has()) return;
    const std::string formula = fmt::format("{} + {}", kRead, kWrite);
    share = R::of({read->value + write->value}, formula);
    m_out.substitutes.push_back(
        {.wanted = fmt::format("share of the {} roof", toString(Level::Dram)), .formula = formula});
}

void Derivation::roofShareFromTool(Level level,
                                   std::initializer_list<std::string_view> percentages) {
    constexpr double kPercent = 0.01;
    R& share = m_out.utilisation[level];
    for (const std::string_view name : percentages) {
        if (share.has()) return;
        R given = weighted(name, kPercent);
        if (!given.has()) continue;
        share = std::move(given);
        m_out.substitutes.push_back({.wanted = fmt::format("share of the {} roof", toString(level)),
                                     .formula = std::string(name)});
    }
}

}  // namespace roofscope
