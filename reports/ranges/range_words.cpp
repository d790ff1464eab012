// SPDX-License-Identifier: Apache-2.0
#include "reports/ranges/range_words.h"

#include <algorithm>
#include <string_view>

#include "analyzer/ranges/ranges.h"
#include "reports/json/json_parts.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/quantities/quantity_table.h"

namespace roofscope {
namespace {

using json_parts::Json, json_parts::orNull;

/// Quantities that make sense for a range; those derived from a grid, registers or single
/// instructions do not.
constexpr std::string_view kShownQuantities[] = {"dram_bytes",
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

/// With kernels running for this share, the longer gaps due to tracing do not matter.
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

/// "6 occurrences (2 with counters) of 10 launches".
std::string occurrenceWords(const RangeAnalysis& range, Language l) {
    std::string count = sayCount(l, range.occurrences, "{} occurrence", "{} occurrences");
    if (range.counted < range.occurrences) count += say(l, " ({} with counters)", range.counted);
    if (!range.mostLaunches) return count;
    const bool same = range.fewestLaunches && range.fewestLaunches == range.mostLaunches;
    if (same) return count + sayCount(l, *range.mostLaunches, " of {} launch", " of {} launches");
    return count + say(l, " of {}–{} launches", *range.fewestLaunches, *range.mostLaunches);
}

/// "mean 5.65 ms in the timing run".
std::string timeWords(const RangeAnalysis& range, Language l) {
    const Quantities& q = range.quantities;
    const Derived<Seconds> time = meanTime(range);
    std::string words = say(l, "mean {}", orDash(time, Unit::Seconds));
    if (!time.has()) return words;
    words += q.duration.unprofiled() ? say(l, " in the timing run")
                                     : say(l, " while counters were read");
    if (range.duration.count > q.duration.count + range.slow)
        words += say(l, " for those with counters (median of all {})",
                     formatTime(range.duration.median));
    return words;
}

std::string busyWords(double busy, Language l) {
    const std::string share = formatNumber(busy, Unit::Share);
    if (busy >= kNoGaps) return say(l, ", kernels run {} of that time", share);
    return say(
        l, ", kernels run {} of that time (tracing the launches lengthens each gap by 10 to 40 µs)",
        share);
}

std::string quantityWords(const RangeAnalysis& range, Language l) {
    const Quantities& q = range.quantities;
    if (range.counted == 0) return say(l, "; no counters");
    std::string words = say(
        l, "; DRAM {} at {} ({}), L2 {} ({})", orDash(q.bytes[Level::Dram], Unit::Bytes),
        rateOrDash(q.bandwidth[Level::Dram], "B/s"),
        orDash(q.utilisation[Level::Dram], Unit::Share), rateOrDash(q.bandwidth[Level::L2], "B/s"),
        orDash(q.utilisation[Level::L2], Unit::Share));
    // Leave out what was counted as 0; what was not counted gets a dash.
    const auto none = [](const auto& derived) { return derived.has() && !(derived->value > 0); };
    for (const Precision precision : {Precision::Fp32, Precision::Fp64})
        if (const auto& rate = q.flopRate[precision]; !none(rate))
            words += std::string(marksOf(l).comma) + toString(precision) + " " +
                     rateOrDash(rate, "FLOP/s");
    if (!none(q.tensorUtilisation))
        words += say(l, ", tensor pipe {}", orDash(q.tensorUtilisation, Unit::Share));
    return words;
}

doc::Text sentence(const RangeAnalysis& range, const doc::Text& name, Language l) {
    std::string words = timeWords(range, l);
    if (range.busy.has()) words += busyWords(range.busy->value, l);
    words += quantityWords(range, l);
    if (range.slow > 0)
        words += sayCount(l, range.slow, "; {} outlier of more than twice the median is excluded",
                          "; {} outliers of more than twice the median are excluded");
    return tell(l, "{}: {}, {}", name, occurrenceWords(range, l), words);
}

}  // namespace

std::vector<doc::Text> rangeSentences(const Analysis& analysis, Language l, std::size_t most) {
    std::vector<doc::Text> sentences;
    const bool several = analysis.profile && analysis.profile->devices.size() > 1;
    for (std::size_t i = 0; i < std::min(analysis.ranges.size(), most); ++i) {
        const RangeAnalysis& range = analysis.ranges[i];
        doc::Text name = doc::code(range.name, 100);
        if (several) name = tell(l, "{} on GPU {}", name, range.device);
        sentences.push_back(sentence(range, name, l));
    }
    if (analysis.ranges.size() > most)
        sentences.emplace_back(say(l, "{} more ranges", analysis.ranges.size() - most));
    return sentences;
}

nlohmann::ordered_json rangeObjects(const Analysis& analysis) {
    if (analysis.ranges.empty()) return nullptr;
    return json_parts::list(analysis.ranges, [](const RangeAnalysis& range) {
        Json quantities = Json::object(), missing = Json::object();
        for (const ListedQuantity& entry : quantityTable(range.quantities)) {
            if (std::ranges::find(kShownQuantities, entry.key) == std::end(kShownQuantities))
                continue;
            quantities[std::string(entry.key)] = orNull(entry.value);
            if (!entry.missing.empty()) missing[std::string(entry.key)] = entry.missing;
        }
        const DurationStats& d = range.duration;
        const auto time = [&](Seconds value) {
            return d.count > 0 ? json_parts::number(toNs(value.value)) : Json();
        };
        Json source;
        if (d.count > 0) source = toString(d.source);
        const Derived<Seconds> mean = meanTime(range);
        Json duration{{"median_ns", time(d.median)},
                      {"min_ns", time(d.min)},
                      {"max_ns", time(d.max)},
                      {"total_ns", time(d.total)},
                      {"occurrences", d.count},
                      {"source", std::move(source)},
                      {"mean_ns", mean.has() ? json_parts::number(toNs(mean->value)) : Json()},
                      {"mean_occurrences", range.quantities.duration.count}};
        return Json{{"name", json_parts::clean(range.name)},
                    {"device", range.device},
                    {"occurrences", range.occurrences},
                    {"counted", range.counted},
                    {"slow", range.slow},
                    {"launches_min", orNull(range.fewestLaunches)},
                    {"launches_max", orNull(range.mostLaunches)},
                    {"duration", std::move(duration)},
                    {"busy_ratio", orNull(range.busy)},
                    {"quantities", std::move(quantities)},
                    {"missing", std::move(missing)}};
    });
}

}  // namespace roofscope
