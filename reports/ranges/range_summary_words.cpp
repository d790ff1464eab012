// SPDX-License-Identifier: Apache-2.0
#include "reports/ranges/range_summary_words.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "reports/json/json_parts.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/quantities/quantity_table.h"

namespace roofscope {
namespace {

constexpr std::size_t kLongestRange = 100;

std::span<const RangeSummary> firstOf(const std::vector<RangeSummary>& ranges, std::size_t most) {
    return std::span(ranges).first(std::min(ranges.size(), most));
}

doc::Cell countCellOf(std::size_t count) {
    const auto value = static_cast<double>(count);
    return {.text = formatNumber(value, Unit::Count), .value = value};
}

doc::Cell timeCellOf(Seconds time) { return {.text = formatTime(time), .value = time.value}; }

/// The table row of a range. A range without GPU work has dashes for its GPU times.
doc::Node rowOf(const Profile& profile, const RangeSummary& range) {
    const Seconds both = range.gpu + range.idle;
    const bool worked = range.onGpu > 0 && both.value > 0;
    const doc::Cell none{.text = "–"};
    const double idle = worked ? range.idle / both : 0;
    return doc::row(
        {{.text = doc::code(profile.ranges[range.range], kLongestRange)},
         countCellOf(range.count),
         timeCellOf(range.total),
         timeCellOf(range.mean()),
         timeCellOf(range.longest),
         worked ? timeCellOf(range.gpu) : none,
         worked ? timeCellOf(range.idle) : none,
         worked ? doc::Cell{.text = formatNumber(idle, Unit::Share), .value = idle} : none});
}

}  // namespace

doc::Nodes rangeSummaryNodes(const Profile& profile, const std::vector<RangeSummary>& ranges,
                             Language l, std::size_t most) {
    if (ranges.empty()) return {};
    const auto number = [](std::string title, std::string tip = {}) {
        return doc::Column{.title = std::move(title), .number = true, .tip = std::move(tip)};
    };
    doc::Table table{.columns = {{.title = say(l, "range"), .maxWidth = 60},
                                 number(say(l, "occurrences")),
                                 number(say(l, "total")),
                                 number(say(l, "mean")),
                                 number(say(l, "longest")),
                                 number(say(l, "GPU busy")),
                                 number(say(l, "GPU idle")),
                                 number(say(l, "idle share"))},
                     .caption = say(l, "NVTX ranges")};
    for (const RangeSummary& range : firstOf(ranges, most))
        table.children.push_back(rowOf(profile, range));
    doc::Nodes nodes{doc::paragraph(
        tell(l,
             "Times of the CPU from push to pop, over all occurrences and threads, tracing "
             "included. GPU busy and idle: from the start of the first to the end of the last work "
             "that was issued in a range; a dash: it gave the GPU no work."))};
    nodes.push_back({.body = std::move(table)});
    if (ranges.size() > most)
        nodes.push_back(
            doc::paragraph(sayCount(l, ranges.size() - most, "{} more range", "{} more ranges")));
    return nodes;
}

nlohmann::ordered_json rangeSummaryObject(const Profile& profile,
                                          const std::vector<RangeSummary>& ranges,
                                          std::size_t most) {
    using json_parts::Json;
    if (ranges.empty()) return nullptr;
    const auto ns = [](Seconds time) { return json_parts::number(toNs(time.value)); };
    return Json{{"count", ranges.size()},
                {"list", json_parts::list(firstOf(ranges, most), [&](const RangeSummary& range) {
                     const bool worked = range.onGpu > 0;
                     return Json{{"name", json_parts::clean(profile.ranges[range.range])},
                                 {"occurrences", range.count},
                                 {"total_ns", ns(range.total)},
                                 {"mean_ns", ns(range.mean())},
                                 {"median_ns", ns(range.median)},
                                 {"min_ns", ns(range.shortest)},
                                 {"max_ns", ns(range.longest)},
                                 {"max_start_ns", range.longestAt.start},
                                 {"occurrences_with_gpu_work", range.onGpu},
                                 {"gpu_busy_ns", worked ? ns(range.gpu) : Json(nullptr)},
                                 {"gpu_idle_ns", worked ? ns(range.idle) : Json(nullptr)}};
                 })}};
}

}  // namespace roofscope
