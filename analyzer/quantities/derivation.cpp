// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/launches/grouping.h"
#include "analyzer/launches/managed_memory.h"
#include "analyzer/quantities/derivation.h"
#include "analyzer/quantities/impossible_shares.h"

namespace roofscope {

namespace {

constexpr const char* kWeighted = ", weighted with the duration";

}  // namespace

Derivation::Derivation(const Profile& profile, const LaunchGroup& group,
                       const DeviceFormulas& formulas)
    : m_profile(profile),
      m_group(group),
      m_formulas(formulas),
      m_device(profile.devices[group.device]),
      m_sums(*formulas.counters, group.launches) {}

Quantities Derivation::run() {
    time();
    traffic();
    declared();
    arithmetic();
    tensorCores();
    globalAccesses();
    sharedAccesses();
    widths();
    occupancy();
    pipes();
    tensorCoresByBusyCycles();
    toolShares();
    l2Bytes();
    dropImpossible(m_out);
    if (m_profile.capture.strategy == "multiplex") turns();
    m_out.substitutes.insert(m_out.substitutes.begin(), m_sums.substitutes().begin(),
                             m_sums.substitutes().end());
    return std::move(m_out);
}

SharedText Derivation::named(SharedText how) const {
    const auto& substitutes = m_sums.substitutes();
    return substitutes.empty() ? how : SharedText(explainSubstitutes(how.str(), substitutes));
}

std::span<const double> Derivation::cycles(std::string_view clock) {
    for (const Cycles& known : m_cycles)
        if (known.clock == clock) return known.perLaunch;
    std::vector<double> cycles = m_sums.perLaunch(clock);
    const std::span<double> each(cycles);
    const std::span<const double> seconds(m_counted);
    for (std::size_t i = 0; i < each.size(); ++i) {
        each[i] *= seconds[i];
        if (!(each[i] > 0)) each[i] = std::numeric_limits<double>::quiet_NaN();
    }
    return m_cycles.emplace_front(Cycles{clock, std::move(cycles)}).perLaunch;
}

void Derivation::turns() {
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

void Derivation::time() {
    m_out.duration = groupDuration(m_profile, m_group, m_shown);
    m_counted = m_sums.perLaunch(counter::kDuration);
    for (double& value : m_counted) {
        value *= 1e-9;
        if (!(value > 0)) value = std::numeric_limits<double>::quiet_NaN();
    }
    compareRuns();
    const GroupSums::Extra extras[] = {countedTime()};
    const auto joint = m_sums.joint(kNoCounters, extras);
    m_out.counterDuration =
        joint.ok() ? Derived<Seconds>::of({joint.mean(0)}, "mean of gpu__time_duration.sum")
                   : Derived<Seconds>::absent(joint.missing);
    static const SharedText kSm = std::string(counter::kSmClock) + kWeighted,
                            kDram = std::string(counter::kDramClock) + kWeighted;
    m_out.smClock = clock(counter::kSmClock, kSm);
    m_out.dramClock = clock(counter::kDramClock, kDram);
}

std::vector<double> Derivation::countedWithoutWaits() const {
    constexpr double kSameWork = 1.02, kWaits = 2, kLeastWait = 10e-6;
    std::vector<double> without = m_counted;
    const std::vector<double> work = m_sums.perLaunch(counter::kWarpInstructions);
    std::vector<std::size_t> byWork;
    for (std::size_t i = 0; i < work.size(); ++i)
        if (work[i] > 0 && m_counted[i] > 0) byWork.push_back(i);
    std::ranges::sort(byWork, {}, [&](std::size_t i) { return work[i]; });
    for (std::size_t first = 0, end = 0; first < byWork.size(); first = end) {
        double shortest = m_counted[byWork[first]];
        for (end = first;
             end < byWork.size() && work[byWork[end]] <= work[byWork[first]] * kSameWork; ++end)
            shortest = std::min(shortest, m_counted[byWork[end]]);
        for (std::size_t at = first; at < end; ++at)
            if (const double counted = m_counted[byWork[at]];
                counted >= kWaits * shortest && counted - shortest >= kLeastWait)
                without[byWork[at]] = shortest;
    }
    return without;
}

double Derivation::shareNear(Seconds duration) const {
    constexpr double kNear = 1.15;
    std::size_t near = 0;
    for (const std::uint32_t row : m_group.launches)
        if (const auto& time = m_profile.launches[row].duration)
            near += *time <= duration * kNear && *time * kNear >= duration;
    return static_cast<double>(near) / static_cast<double>(m_group.launches.size());
}

void Derivation::compareRuns() {
    constexpr double kLeast = 20e-6, kShorter = 0.8, kUnlike = 1.25, kWaits = 2;
    constexpr double kOfKind = 0.25, kOfBoth = 0.9;  // shares of the launches
    DurationStats& duration = m_out.duration;
    if (!duration.unprofiled() || duration.count == 0) return;
    double timed = 0, counted = 0;
    double working = 0;  // in the program; launches that waited: while counted
    const std::vector<double> withoutWaits = countedWithoutWaits();
    std::size_t both = 0;
    for (std::size_t i = 0; i < m_counted.size(); ++i) {
        const auto& time = m_profile.launches[m_group.launches[i]].duration;
        if (!time || !(time->value > 0) || !(m_counted[i] > 0)) continue;
        timed += time->value;
        counted += withoutWaits[i];
        const bool waited =
            time->value >= kWaits * withoutWaits[i] && time->value >= withoutWaits[i] + kLeast;
        working += waited ? withoutWaits[i] : time->value;
        ++both;
    }
    if (both == 0) return;
    const auto ofOne = [&](double sum) { return Seconds{sum / static_cast<double>(both)}; };
    const Seconds mean = duration.total / static_cast<double>(duration.count);
    // A launch usually takes about as long as the counted ones took while counted. So few launches
    // wait, but those that were counted are among them, such as the first of each frame.
    const bool fewWait =
        ofOne(counted) > mean * kShorter && ofOne(counted) <= duration.median * kUnlike;
    if (fewWait) return;
    if (timed < kLeast * static_cast<double>(both) || counted > kShorter * timed) {
        const Seconds usual = ofOne(working);
        if (counted > kShorter * timed &&
            (usual > duration.median * kUnlike || usual * kUnlike < duration.median))
            duration.ofCounted = usual;
        return;
    }
    // There are launches of two kinds, such as products of two sizes on one grid. In the run
    // without counters, launches of the other kind had the places of those that were counted.
    const double ofKind = shareNear(ofOne(counted)), ofOther = shareNear(ofOne(timed));
    if (!mayWaitForPages(m_profile) && std::min(ofKind, ofOther) >= kOfKind &&
        ofKind + ofOther >= kOfBoth) {
        duration.ofCounted = ofOne(counted);
        return;
    }
    duration.sameTimed = ofOne(timed);
    duration.sameCounted = ofOne(counted);
    // If only some launches waited, the shortest one shows how long a launch takes without waiting.
    duration.whileCounted =
        std::max(duration.median * (counted / timed), std::min(duration.min, duration.sameCounted));
}

Derived<Hertz> Derivation::clock(std::string_view name, SharedText how) {
    const GroupSums::Extra extras[] = {{name, cycles(name)}, countedTime()};
    const auto joint = m_sums.joint(kNoCounters, extras);
    return joint.ok() ? Derived<Hertz>::of({joint[0] / joint[1]}, named(how))
                      : Derived<Hertz>::absent(joint.missing, how);
}

Derived<Ratio> Derivation::shareOfPeak(const RoofFormula& formula) {
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

Derived<Ratio> Derivation::weighted(std::string_view value, std::string_view weight, double scale,
                                    SharedText how) const {
    std::vector<double> product = m_sums.perLaunch(value);
    const auto weights = m_sums.perLaunch(weight);
    const std::span<double> each(product);
    const std::span<const double> by(weights);
    // The counter's group was not recorded: there is nothing to add up.
    if (m_sums.lacks(value) && std::ranges::any_of(by, [](double v) { return std::isfinite(v); }))
        return R::absent(value, how);
    for (std::size_t i = 0; i < each.size(); ++i) each[i] *= by[i];
    if (std::ranges::none_of(product, [](double v) { return std::isfinite(v); })) {
        // No launch has both, because counter groups took turns: all launches weigh the same.
        const auto alone = m_sums.joint({value, weight});
        if (alone.ok())
            return R::of({alone.mean(0) * scale}, how + std::string_view(", mean of launches"));
    }
    const GroupSums::Extra extras[] = {{value, product}};
    const auto joint = m_sums.joint({value, weight}, extras);
    if (!joint.ok()) return R::absent(joint.missing, how);
    if (!(joint[1] > 0)) return R::none(how);
    return R::of({joint[2] / joint[1] * scale}, how);
}

Quantities deriveQuantities(const Profile& profile, const LaunchGroup& group,
                            const DeviceFormulas& formulas) {
    return Derivation(profile, group, formulas).run();
}

Quantities deriveQuantities(const Profile& profile, const LaunchGroup& group, const ChipTable* chip,
                            Convention convention) {
    return deriveQuantities(
        profile, group,
        DeviceFormulas(chip, profile.devices[group.device], convention,
                       std::make_shared<const CounterLookup>(profile.counters)));
}

}  // namespace roofscope
