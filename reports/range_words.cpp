// SPDX-License-Identifier: Apache-2.0
#include "reports/range_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analyzer/ranges.h"
#include "reports/json_parts.h"
#include "reports/number_format.h"
#include "reports/quantity_table.h"

namespace roofscope {
namespace {

using json_parts::Json;

/// Of a range: what is derived of a grid, of registers or of single instructions means nothing.
constexpr std::string_view kShown[] = {"dram_bytes",
                                       "l2_bytes",
                                       "l1_bytes",
                                       "dram_bytes_per_s",
                                       "l2_bytes_per_s",
                                       "l1_bytes_per_s",
                                       "dram_utilisation_ratio",
                                       "l2_utilisation_ratio",
                                       "l1_utilisation_ratio",
                                       "fp64_flops",
                                       "fp32_flops",
                                       "fp64_flops_per_s",
                                       "fp32_flops_per_s",
                                       "fp64_utilisation_ratio",
                                       "fp32_utilisation_ratio",
                                       "tensor_pipe_utilisation_ratio",
                                       "issue_utilisation_ratio",
                                       "counter_run_duration_ns"};

/// From here on what following the launches adds to gaps does not matter.
constexpr double kNoGaps = 0.9;

template <class T>
std::string orDash(const Derived<T>& derived, Unit unit) {
    return derived.has() ? formatNumber(derived->value, unit)
                         : std::string(derived.notApplicable() ? "n/a" : "–");
}

template <class T>
std::string rateOrDash(const Derived<T>& derived, const char* unit) {
    return derived.has() ? formatSi(derived->value, unit) : std::string("–");
}

std::string sentence(const RangeAnalysis& range, const std::string& name, const Wording& wording) {
    const RangeWords& w = wording.ranges;
    const Quantities& q = range.quantities;
    std::string count = w.occurrences(range.occurrences);
    if (range.counted < range.occurrences) count += w.counted(range.counted);
    if (range.fewestLaunches && range.fewestLaunches == range.mostLaunches)
        count += w.launches(fmt::format("{}", *range.mostLaunches));
    else if (range.mostLaunches)
        count += w.launches(fmt::format("{}–{}", *range.fewestLaunches, *range.mostLaunches));
    const Derived<Seconds> time = meanTime(range);
    std::string where;
    if (time.has()) where = (q.duration.unprofiled ? w.timed : w.profiled).str();
    if (time.has() && range.duration.count > q.duration.count + range.slow)
        where += w.ofCounted(formatNumber(range.duration.median.value, Unit::Seconds));
    std::string text = w.what(name, count, orDash(time, Unit::Seconds), where);
    if (range.busy.has()) {
        const std::string share = formatNumber(range.busy->value, Unit::Share);
        text += range.busy->value < kNoGaps ? w.busyGaps(share) : w.busy(share);
    }
    const std::string slow = range.slow > 0 ? w.slow(range.slow) : std::string();
    if (range.counted == 0) return text + w.notCounted + slow;
    return text +
           w.numbers(orDash(q.bytes[Level::Dram], Unit::Bytes),
                     rateOrDash(q.bandwidth[Level::Dram], "B/s"),
                     orDash(q.utilisation[Level::Dram], Unit::Share),
                     rateOrDash(q.bandwidth[Level::L2], "B/s"),
                     orDash(q.utilisation[Level::L2], Unit::Share),
                     rateOrDash(q.flopRate[Precision::Fp32], "FLOP/s"),
                     rateOrDash(q.flopRate[Precision::Fp64], "FLOP/s"),
                     orDash(q.tensorUtilisation, Unit::Share)) +
           slow;
}

Json orNull(const std::optional<std::uint64_t>& value) { return value ? Json(*value) : Json(); }

}  // namespace

std::vector<std::string> rangeSentences(const Analysis& analysis,
                                        const std::function<std::string(const std::string&)>& quote,
                                        const Wording& wording, std::size_t most) {
    std::vector<std::string> sentences;
    const bool several = analysis.profile && analysis.profile->devices.size() > 1;
    for (std::size_t i = 0; i < std::min(analysis.ranges.size(), most); ++i) {
        const RangeAnalysis& range = analysis.ranges[i];
        std::string name = quote(range.name);
        if (several) name += wording.ranges.onDevice(range.device);
        sentences.push_back(sentence(range, name, wording));
    }
    if (analysis.ranges.size() > most)
        sentences.push_back(wording.ranges.more(analysis.ranges.size() - most));
    return sentences;
}

nlohmann::ordered_json rangeObjects(const Analysis& analysis) {
    if (analysis.ranges.empty()) return nullptr;
    Json list = Json::array();
    for (const RangeAnalysis& range : analysis.ranges) {
        Json quantities = Json::object(), missing = Json::object();
        for (const ListedQuantity& entry : quantityTable(range.quantities)) {
            if (std::ranges::find(kShown, entry.key) == std::end(kShown)) continue;
            quantities[std::string(entry.key)] =
                entry.value ? json_parts::number(*entry.value) : Json();
            if (!entry.missing.empty()) missing[std::string(entry.key)] = entry.missing;
        }
        const DurationStats& d = range.duration;
        const auto time = [&](Seconds value) {
            return d.count > 0 ? json_parts::number(toNs(value.value)) : Json();
        };
        Json source;
        if (d.count > 0) source = d.unprofiled ? "timing-run" : "counter-run";
        const Derived<Seconds> mean = meanTime(range);
        Json duration{{"median_ns", time(d.median)},
                      {"min_ns", time(d.min)},
                      {"max_ns", time(d.max)},
                      {"total_ns", time(d.total)},
                      {"occurrences", d.count},
                      {"source", std::move(source)},
                      {"mean_ns", mean.has() ? json_parts::number(toNs(mean->value)) : Json()},
                      {"mean_occurrences", range.quantities.duration.count}};
        list.push_back(
            {{"name", json_parts::clean(range.name)},
             {"device", range.device},
             {"occurrences", range.occurrences},
             {"counted", range.counted},
             {"slow", range.slow},
             {"launches_min", orNull(range.fewestLaunches)},
             {"launches_max", orNull(range.mostLaunches)},
             {"duration", std::move(duration)},
             {"busy_ratio", range.busy.has() ? json_parts::number(range.busy->value) : Json()},
             {"quantities", std::move(quantities)},
             {"missing", std::move(missing)}});
    }
    return list;
}

}  // namespace roofscope
