// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "reports/compare/formats.h"
#include "reports/compare/program_nodes.h"
#include "reports/json/json_writer.h"
#include "reports/language/term_words.h"
#include "reports/quantities/quantity_table.h"

/// The comparison as JSON, always in English. docs/compare.md describes the schema; keys are only
/// ever added.
namespace roofscope {

namespace {

using compare_words::View;
using json_parts::clean, json_parts::Json, json_parts::number, json_parts::orNull,
    json_parts::unitName;
namespace words = compare_words;

Json profileObject(const Analysis& analysis, const std::string& path) {
    const Capture& capture = analysis.profile->capture;
    return {{"path", orNull(path)},
            {"tool_version", clean(capture.toolVersion)},
            {"created_utc", clean(capture.createdUtc)},
            {"origin", clean(capture.origin)},
            {"devices", json_parts::list(analysis.profile->devices,
                                         [](const Device& device) { return clean(device.name); })}};
}

void writeKernel(JsonWriter& out, const Analysis& analysis, std::size_t index) {
    const KernelAnalysis& kernel = analysis.kernels[index];
    const DurationStats& duration = kernel.quantities.duration;
    out.beginObject();
    out.field("rank", index + 1);
    out.field("name", kernel.name);
    out.field("full_name", kernel.fullName);
    out.fieldOrNull("range", kernel.range);
    out.field("launches", kernel.group.launches.size());
    out.field("median_ns",
              duration.count > 0 ? std::optional(toNs(duration.median.value)) : std::nullopt);
    out.field("verdict", toString(kernel.verdict.cls));
    out.fieldOrNull("limiter", kernel.verdict.limiter ? toString(*kernel.verdict.limiter) : "");
    out.endObject();
}

void writeBand(JsonWriter& out, const char* key, Seconds median, const Band& band) {
    const auto ns = [&](double seconds) {
        return band.repeats > 0 ? std::optional(toNs(seconds)) : std::nullopt;
    };
    out.object(key, [&] {
        out.field("median_ns", ns(median.value));
        out.field("low_ns", ns(band.low));
        out.field("high_ns", ns(band.high));
        out.field("launches", band.repeats);
    });
}

void writeDuration(JsonWriter& out, const DurationChange& duration,
                   std::optional<Seconds> savedPerWindow) {
    const bool measured = duration.measured();
    out.beginObject();
    out.field("state", toString(duration.state));
    writeBand(out, "baseline", duration.from, duration.fromBand);
    writeBand(out, "candidate", duration.to, duration.toBand);
    out.field("speedup", measured ? std::optional(duration.speedup()) : std::nullopt);
    out.field("saved_ns", measured ? std::optional(toNs(duration.saved().value)) : std::nullopt);
    out.field("saved_window_ns",
              savedPerWindow ? std::optional(toNs(savedPerWindow->value)) : std::nullopt);
    out.fieldOrNull("source", !measured ? "" : toString(duration.source));
    out.fieldOrNull("reason", words::sentence(duration.reason, Language::En));
    out.endObject();
}

void writeCause(JsonWriter& out, const Cause& cause) {
    const bool found = cause.state == Cause::State::Found;
    out.beginObject();
    out.field("state", found                                     ? "found"
                       : cause.state == Cause::State::NotVisible ? "not-visible"
                                                                 : "not-sought");
    out.fieldOrNull("id", cause.id);
    out.fieldOrNull("sentence", words::cause(cause, Language::En));
    out.field("explained_ratio", found ? std::optional(cause.explained) : std::nullopt);
    out.endObject();
}

void writeProperty(JsonWriter& out, const char* key, const LaunchProperty::Value& value) {
    out.key(key);
    if (const auto* extents = std::get_if<Dim3>(&value))
        out.value(*extents);
    else if (const auto* count = std::get_if<std::uint64_t>(&value))
        out.value(*count);
    else
        out.null();
}

void writeMovement(JsonWriter& out, const Movement& movement) {
    const auto range = [&out](const char* key, const Band& band) {
        if (band.repeats == 0) return out.field(key, std::optional<double>());
        out.array(key, std::array{band.low, band.high});
    };
    out.beginObject();
    out.field("baseline", movement.from);
    out.field("candidate", movement.to);
    out.field("unit", unitName(movement.unit));
    out.field("direction", toString(movement.direction));
    out.field("basis", toString(movement.basis));
    range("baseline_band", movement.fromBand);
    range("candidate_band", movement.toBand);
    out.fieldOrNull("missing", movement.missing);
    out.endObject();
}

void writePromise(JsonWriter& out, const Promise& promise) {
    out.beginObject();
    out.field("rule", promise.ruleId);
    out.field("title", ruleTitle(promise.ruleId, Language::En));
    out.field("outcome", toString(promise.outcome));
    out.field("finding", toString(promise.fate));
    out.field("estimate", promise.estimate);
    out.field("exceeded", promise.exceeded);
    out.field("gain_bound_ns", promise.gainBound.has()
                                   ? std::optional(toNs(promise.gainBound->value))
                                   : std::nullopt);
    out.array("movements", promise.movements, [&](const PromisedMovement& movement) {
        out.beginObject();
        out.field("counter", movement.expected.counter.in(Language::En));
        out.field("from", movement.expected.from);
        out.field("to", movement.expected.to);
        out.field("now", movement.now);
        out.field("unit", unitName(movement.expected.unit));
        out.field("outcome", toString(movement.outcome));
        out.fieldOrNull("missing", movement.missing);
        out.endObject();
    });
    out.endObject();
}

void writeNotes(JsonWriter& out, const std::vector<Remark>& notes) {
    out.array("notes", notes,
              [&](const Remark& note) { out.value(words::sentence(note, Language::En)); });
}

/// Writes all quantities, or only those that moved and the number of others.
void writeQuantities(JsonWriter& out, const KernelComparison& kernel, bool all) {
    std::size_t same = 0, missing = 0;  // numbers left out
    out.object("quantities", [&] {
        for (const Movement& movement : kernel.movements) {
            if (!all && movement.unmoved()) {
                ++(movement.from || movement.to ? same : missing);
                continue;
            }
            out.key(movement.key);
            writeMovement(out, movement);
        }
    });
    out.field("quantities_left_out", Json{{"same", same}, {"missing", missing}});
}

void writeComparison(JsonWriter& out, const View& view, const KernelComparison& kernel,
                     bool allQuantities) {
    out.beginObject();
    out.key("baseline");
    writeKernel(out, view.baseline, kernel.match.baseline);
    out.key("candidate");
    writeKernel(out, view.candidate, kernel.match.candidate);
    out.object("match", [&] {
        out.field("tier", toString(kernel.match.tier));
        out.field("how", kernel.match.how.in(Language::En));
    });
    out.field("comparable", kernel.comparable());
    out.field("same_gpu", kernel.sameGpu);
    out.key("duration");
    const auto& program = view.comparison.program;
    writeDuration(out, kernel.duration, program ? program->savedPerWindow(kernel) : std::nullopt);
    out.key("cause");
    writeCause(out, kernel.cause);
    out.object("launch", [&] {
        for (const LaunchProperty& property : kernel.launch)
            out.object(property.key, [&] {
                writeProperty(out, "baseline", property.from);
                writeProperty(out, "candidate", property.to);
                out.field("changed",
                          property.known() ? std::optional(property.changed()) : std::nullopt);
            });
    });
    writeQuantities(out, kernel, allQuantities);
    out.array("promises", kernel.promises,
              [&](const Promise& promise) { writePromise(out, promise); });
    out.array("new_findings", kernel.newFindings);
    writeNotes(out, kernel.notes);
    out.endObject();
}

}  // namespace

void writeComparisonJson(const View& view, const CompareOptions& options, const TextSink& sink) {
    const Comparison& comparison = view.comparison;
    JsonWriter out(sink);
    out.beginObject();
    out.field("format", "roofscope-comparison");
    out.field("schema", Json::array({2, 0}));
    out.field("baseline", profileObject(view.baseline, view.oneProfile() ? options.candidatePath
                                                                         : options.baselinePath));
    out.field("candidate", profileObject(view.candidate, options.candidatePath));
    out.field("comparable", comparison.comparable());
    out.field("program", programChangeObject(view));
    out.field("groups", exchangeObjects(view));
    writeNotes(out, comparison.notes);
    out.field("total", comparison.total
                           ? Json{{"baseline_ns", number(toNs(comparison.total->first.value))},
                                  {"candidate_ns", number(toNs(comparison.total->second.value))}}
                           : Json(nullptr));
    const std::size_t all = comparison.kernels.size();
    const std::size_t count = std::min(all, options.top.value_or(all));
    const std::span pairs = std::span(comparison.kernels).first(count);
    const KernelComparer compare(view.baseline, view.candidate);
    out.key("kernels");
    out.items(count, [&](std::size_t i) {
        writeComparison(out, view, pairs[i].inFull ? pairs[i] : compare(pairs[i].match),
                        options.allQuantities);
    });
    out.array("only_in_baseline", comparison.gone,
              [&](std::size_t index) { writeKernel(out, view.baseline, index); });
    out.array("only_in_candidate", comparison.added,
              [&](std::size_t index) { writeKernel(out, view.candidate, index); });
    out.endObject();
    out.finish();
}

}  // namespace roofscope
