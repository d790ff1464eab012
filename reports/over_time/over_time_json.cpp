// SPDX-License-Identifier: Apache-2.0
#include "reports/over_time/over_time_json.h"

#include <cmath>
#include <utility>

#include "reports/quantities/quantity_table.h"

namespace roofscope {

namespace {

using json_parts::Json, json_parts::list, json_parts::number;

constexpr std::pair<const char*, std::optional<double> Activity::*> kShares[]{
    {"sm_active_ratio", &Activity::sms},
    {"dram_ratio", &Activity::dram},
    {"issue_ratio", &Activity::issue},
    {"tensor_ratio", &Activity::tensor},
    {"l2_bytes_per_s", &Activity::l2}};

/// Rounds to six digits: more is noise, and a curve has thousands of values.
Json rounded(std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return nullptr;
    if (*value == 0) return 0.0;
    const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(*value))));
    const double result = std::round(*value * scale) / scale;
    return number(std::isfinite(result) ? result : *value);
}

Json ns(Seconds time) { return number(std::round(toNs(time.value))); }

Json activityObject(const Activity& activity) {
    Json object = Json::object();
    for (const auto& [key, member] : kShares) object[key] = rounded(activity.*member);
    return object;
}

Json phasesObject(const Phases& phases) {
    return {{"from_ns", ns(phases.from)},
            {"to_ns", ns(phases.to)},
            {"changes", phases.changes},
            {"list", list(phases.list,
                          [](const Phase& phase) {
                              return Json{{"kind", phase.kind == Phase::Kind::Memory ? "memory"
                                                                                     : "compute"},
                                          {"from_ns", ns(phase.from)},
                                          {"to_ns", ns(phase.to)}};
                          })},
            {"memory",
             {{"count", phases.memoryCount},
              {"total_ns", ns(phases.memory)},
              {"mean", activityObject(phases.inMemory)}}},
            {"compute",
             {{"count", phases.computeCount},
              {"total_ns", ns(phases.compute)},
              {"mean", activityObject(phases.inCompute)}}},
            {"hidden_ns", ns(phases.hidden)}};
}

}  // namespace

Json overTimeObject(const Profile& profile, const OverTimeAnalysis& life) {
    const OverTime& trace = profile.overTime[life.trace];
    const bool known = life.lack == CurveProblem::None;
    Json object{{"launch", json_parts::orNull(trace.launch)},
                {"intervals", life.curve.size()},
                {"interval_ns", ns(life.interval)},
                {"duration_ns", ns(life.duration())},
                {"begin_ns", ns(life.begin)},
                {"lack", known ? Json(nullptr) : Json(toString(life.lack))}};
    object["ramp_ns"] = known ? ns(life.ramp) : Json(nullptr);
    object["steady"] = known ? Json{{"from_ns", ns(life.steadyFrom)},
                                    {"to_ns", ns(life.steadyTo)},
                                    {"mean", activityObject(life.steady)}}
                             : Json(nullptr);
    object["slow_start"] = life.slowStart && startsSlowly(life)
                               ? Json{{"length_ns", ns(life.slowStart->length)},
                                      {"lost_ns", ns(life.slowStart->lost)},
                                      {"mean", activityObject(life.slowStart->activity)}}
                               : Json(nullptr);
    object["tail"] = life.tail ? Json{{"from_ns", ns(life.tail->from)},
                                      {"length_ns", ns(life.tail->length)},
                                      {"lost_ns", ns(life.tail->lost)},
                                      {"mean", activityObject(life.tail->activity)}}
                               : Json(nullptr);
    object["phases"] = life.phases ? phasesObject(*life.phases) : Json(nullptr);
    Json& curve = object["curve"];
    curve["end_ns"] =
        list(life.curve, [](const OverTimeInterval& interval) { return ns(interval.to); });
    for (const auto& share : kShares)
        curve[share.first] = list(life.curve, [&](const OverTimeInterval& interval) {
            return rounded(interval.activity.*share.second);
        });
    return object;
}

}  // namespace roofscope
