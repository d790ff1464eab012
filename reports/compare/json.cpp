// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/compare/formats.h"
#include "reports/compare/program_nodes.h"
#include "reports/json_parts.h"
#include "reports/kernel_facts.h"
#include "reports/quantity_table.h"

/// The comparison for programs, in English whatever the language. The schema is described in
/// docs/compare.md; keys are only ever added.
namespace roofscope {

namespace {

using compare_words::View;
using json_parts::clean, json_parts::dim, json_parts::Json, json_parts::number,
    json_parts::unitName;
namespace words = compare_words;

Json orNull(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }
Json orNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(clean(text)); }

Json profileObject(const Analysis& analysis, const std::string& path) {
    const Capture& capture = analysis.profile->capture;
    Json devices = Json::array();
    for (const Device& device : analysis.profile->devices) devices.push_back(clean(device.name));
    return {{"path", orNull(path)},
            {"tool_version", clean(capture.toolVersion)},
            {"created_utc", clean(capture.createdUtc)},
            {"origin", clean(capture.origin)},
            {"devices", std::move(devices)}};
}

Json kernelObject(const Analysis& analysis, std::size_t index) {
    const KernelAnalysis& kernel = analysis.kernels[index];
    const DurationStats& duration = kernel.quantities.duration;
    return {{"rank", index + 1},
            {"name", clean(kernel.name)},
            {"full_name", clean(kernel.fullName)},
            {"range", orNull(kernel.range)},
            {"launches", kernel.group.launches.size()},
            {"median_ns", duration.count > 0 ? number(toNs(duration.median.value)) : Json(nullptr)},
            {"verdict", toString(kernel.verdict.cls)},
            {"limiter", orNull(kernel.verdict.limiter)}};
}

Json bandObject(Seconds median, const Band& band) {
    if (band.repeats == 0)
        return {{"median_ns", nullptr}, {"low_ns", nullptr}, {"high_ns", nullptr}, {"launches", 0}};
    return {{"median_ns", number(toNs(median.value))},
            {"low_ns", number(toNs(band.low))},
            {"high_ns", number(toNs(band.high))},
            {"launches", band.repeats}};
}

Json durationObject(const DurationChange& duration) {
    const bool measured = duration.measured();
    return {{"state", toString(duration.state)},
            {"baseline", bandObject(duration.from, duration.fromBand)},
            {"candidate", bandObject(duration.to, duration.toBand)},
            {"speedup", measured ? number(duration.speedup()) : Json(nullptr)},
            {"saved_ns", measured ? number(toNs(duration.saved().value)) : Json(nullptr)},
            {"source", !measured             ? Json(nullptr)
                       : duration.unprofiled ? Json("timing-run")
                                             : Json("counter-run")},
            {"reason", orNull(words::sentence(duration.reason, Language::En))}};
}

Json causeObject(const Cause& cause) {
    const bool found = cause.state == Cause::State::Found;
    return {{"state", found                                     ? "found"
                      : cause.state == Cause::State::NotVisible ? "not-visible"
                                                                : "not-sought"},
            {"id", orNull(cause.id)},
            {"sentence", orNull(words::cause(cause, Language::En))},
            {"explained_ratio", found ? number(cause.explained) : Json(nullptr)}};
}

Json propertyValue(const LaunchProperty::Value& value) {
    if (const auto* extents = std::get_if<Dim3>(&value)) return dim(*extents);
    if (const auto* count = std::get_if<std::uint64_t>(&value)) return *count;
    return nullptr;
}

Json movementObject(const Movement& movement) {
    const auto range = [](const Band& band) {
        return band.repeats > 0 ? Json::array({number(band.low), number(band.high)})
                                : Json(nullptr);
    };
    return {{"baseline", orNull(movement.from)},        {"candidate", orNull(movement.to)},
            {"unit", unitName(movement.unit)},          {"direction", toString(movement.direction)},
            {"basis", toString(movement.basis)},        {"baseline_band", range(movement.fromBand)},
            {"candidate_band", range(movement.toBand)}, {"missing", orNull(movement.missing)}};
}

Json promiseObject(const Promise& promise) {
    Json movements = Json::array();
    for (const PromisedMovement& movement : promise.movements)
        movements.push_back({{"counter", clean(movement.expected.counter.in(Language::En))},
                             {"from", number(movement.expected.from)},
                             {"to", number(movement.expected.to)},
                             {"now", orNull(movement.now)},
                             {"unit", unitName(movement.expected.unit)},
                             {"outcome", toString(movement.outcome)},
                             {"missing", orNull(movement.missing)}});
    return {{"rule", clean(promise.ruleId)},
            {"title", clean(ruleTitle(promise.ruleId, Language::En))},
            {"outcome", toString(promise.outcome)},
            {"finding", toString(promise.fate)},
            {"estimate", promise.estimate},
            {"exceeded", promise.exceeded},
            {"gain_bound_ns",
             promise.gainBound.has() ? number(toNs(promise.gainBound->value)) : Json(nullptr)},
            {"movements", std::move(movements)}};
}

Json sentences(const std::vector<Remark>& notes) {
    Json list = Json::array();
    for (const Remark& note : notes) list.push_back(clean(words::sentence(note, Language::En)));
    return list;
}

Json comparisonObject(const View& view, const KernelComparison& kernel) {
    Json object{{"baseline", kernelObject(view.baseline, kernel.match.baseline)},
                {"candidate", kernelObject(view.candidate, kernel.match.candidate)},
                {"match",
                 {{"tier", toString(kernel.match.tier)},
                  {"how", clean(kernel.match.how.in(Language::En))}}},
                {"comparable", kernel.comparable()},
                {"same_gpu", kernel.sameGpu},
                {"duration", durationObject(kernel.duration)},
                {"cause", causeObject(kernel.cause)}};
    Json launch = Json::object(), quantities = Json::object(), promises = Json::array(),
         added = Json::array();
    for (const LaunchProperty& property : kernel.launch)
        launch[property.key] = {
            {"baseline", propertyValue(property.from)},
            {"candidate", propertyValue(property.to)},
            {"changed", property.known() ? Json(property.changed()) : Json(nullptr)}};
    for (const Movement& movement : kernel.movements)
        quantities[movement.key] = movementObject(movement);
    for (const Promise& promise : kernel.promises) promises.push_back(promiseObject(promise));
    for (const std::string& rule : kernel.newFindings) added.push_back(clean(rule));
    object["launch"] = std::move(launch);
    object["quantities"] = std::move(quantities);
    object["promises"] = std::move(promises);
    object["new_findings"] = std::move(added);
    object["notes"] = sentences(kernel.notes);
    return object;
}

}  // namespace

std::string renderComparisonJson(const View& view, const CompareOptions& options) {
    const Comparison& comparison = view.comparison;
    Json root{{"format", "roofscope-comparison"}, {"schema", Json::array({1, 0})}};
    root["baseline"] = profileObject(
        view.baseline, view.oneProfile() ? options.candidatePath : options.baselinePath);
    root["candidate"] = profileObject(view.candidate, options.candidatePath);
    root["comparable"] = comparison.comparable();
    root["program"] = programChangeObject(view);
    root["groups"] = exchangeObjects(view);
    root["notes"] = sentences(comparison.notes);
    root["total"] = comparison.total
                        ? Json{{"baseline_ns", number(toNs(comparison.total->first.value))},
                               {"candidate_ns", number(toNs(comparison.total->second.value))}}
                        : Json(nullptr);
    Json gone = Json::array(), added = Json::array();
    for (const std::size_t index : comparison.gone)
        gone.push_back(kernelObject(view.baseline, index));
    for (const std::size_t index : comparison.added)
        added.push_back(kernelObject(view.candidate, index));
    root["kernels"] = Json::array();
    root["only_in_baseline"] = std::move(gone);
    root["only_in_candidate"] = std::move(added);
    const std::size_t all = comparison.kernels.size();
    const KernelComparer compare(view.baseline, view.candidate);
    return json_parts::dump(
        root, "kernels", std::min(all, options.top.value_or(all)), [&](std::size_t i) {
            const KernelComparison& kernel = comparison.kernels[i];
            return comparisonObject(view, kernel.inFull ? kernel : compare(kernel.match));
        });
}

}  // namespace roofscope
