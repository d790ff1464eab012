// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/peak_share.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"

namespace roofscope {
namespace {

/// Name of the counter's peak as the device reports it, in units per cycle.
std::string peakOf(std::string_view counter) {
    std::string name(counter);
    // Reads and writes share one peak. Instructions of SM partitions have the peak of the SM.
    if (name == "dram__bytes_read.sum" || name == "dram__bytes_write.sum") name = "dram__bytes.sum";
    if (name.starts_with("smsp__sass_")) name.replace(0, 4, "sm");
    return name + ".peak_sustained";
}

/// Σ value / Σ (perCycle × clock × duration) over the launches that have all of them.
Derived<Ratio> ratio(const GroupSums& sums, std::string_view value, std::string_view clock,
                     double perCycle, std::string how) {
    using R = Derived<Ratio>;
    std::vector<double> cycles = sums.perLaunch(clock);
    const std::vector<double> ns = sums.perLaunch(counter::kDuration);
    for (std::size_t i = 0; i < cycles.size(); ++i) cycles[i] *= ns[i] * 1e-9;
    const GroupSums::Extra extras[] = {{clock, cycles}};
    const auto joint = sums.joint({value}, extras);
    if (!joint.ok()) return R::absent(joint.missing, how);
    return joint[1] > 0 ? R::of({joint[0] / (perCycle * joint[1])}, how) : R::none(how);
}

}  // namespace

Derived<Ratio> peakShare(const Profile& profile, const ChipTable* chip, std::uint32_t device,
                         std::span<const std::uint32_t> launches, std::string_view counter) {
    using R = Derived<Ratio>;
    const GroupSums sums(profile.counters, launches);
    if (counter.find(".pct_of_peak_sustained_") != std::string_view::npos) {
        std::vector<double> weighted = sums.perLaunch(counter);
        const std::vector<double> ns = sums.perLaunch(counter::kDuration);
        for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] *= ns[i] * 0.01;
        const GroupSums::Extra extras[] = {{counter, weighted}};
        const auto joint = sums.joint({counter::kDuration}, extras);
        const std::string how = std::string(counter) + ", weighted with the duration";
        if (!joint.ok()) return R::absent(joint.missing, how);
        return joint[0] > 0 ? R::of({joint[1] / joint[0]}, how) : R::none(how);
    }
    const std::string peak = peakOf(counter);
    const auto& peaks = profile.devices.at(device).peaks;
    const auto known = peaks.find(peak);
    if (!chip || known == peaks.end() || !(known->second > 0)) return R::none();
    const auto unit = std::ranges::find_if(
        chip->peaks, [&](const auto& entry) { return entry.second.counter == peak; });
    if (unit == chip->peaks.end()) return R::none();
    const std::string& clock = unit->second.clock;
    return ratio(sums, counter, clock, known->second,
                 std::string(counter) + " / (" + peak + " × " + clock + " × duration)");
}

}  // namespace roofscope
