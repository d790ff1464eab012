// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "analyzer/diagnosis/joint_gain.h"
#include "analyzer/diagnosis/rule.h"
#include "analyzer/launches/grouping.h"
#include "analyzer/program/account/sites.h"
#include "analyzer/program/account/step_times.h"
#include "analyzer/source/source_analysis.h"
#include "profile/model/severity.h"
#include "profile/text/clean_text.h"
#include "reports/answer/answer_words.h"
#include "reports/answer/finding_words.h"
#include "reports/chosen_kernels.h"
#include "reports/json/json_parts.h"
#include "reports/json/json_writer.h"
#include "reports/kernels/kernel_id.h"
#include "reports/kernels/kernel_lookup.h"
#include "reports/language/phrase.h"
#include "reports/over_time/over_time_json.h"
#include "reports/program/program_json.h"
#include "reports/program/trial_words.h"
#include "reports/quantities/quantity_table.h"
#include "reports/ranges/range_summary_words.h"
#include "reports/ranges/range_words.h"
#include "reports/ranges/ranks_words.h"
#include "reports/source/source_window.h"
#include "reports/source/source_words.h"
#include "reports/verdict/verdict_words.h"

/// The report as JSON for programs, with the same findings and rule ids as the markdown report.
/// docs/reports.md describes the schema; keys are only ever added.
namespace roofscope {

namespace {

using json_parts::clean, json_parts::Json, json_parts::list, json_parts::number, json_parts::orNull,
    json_parts::unitName;

/// A derived number to write.
struct Member {
    const char* key;
    std::optional<double> value;
    SharedText missing;  ///< the missing counters; empty: not applicable
};

template <class Tag>
Member member(const char* key, const Derived<Quantity<Tag>>& value) {
    return {key, value.has() ? std::optional(value->value) : std::nullopt, value.missing};
}
Member member(const char* key, const Derived<Seconds>& value) {
    return {key, value.has() ? std::optional(toNs(value->value)) : std::nullopt, value.missing};
}
Member member(const char* key, const Derived<double>& value) {
    return {key, value.value, value.missing};
}

/// Writes numbers, or null with the reason under "missing". That object follows the first number
/// that has a reason.
void writeMembers(JsonWriter& out, std::initializer_list<Member> members) {
    const auto lacking = [](const Member& m) { return !m.value && !m.missing.empty(); };
    bool told = false;
    for (const Member& m : members) {
        out.field(m.key, m.value);
        if (told || !lacking(m)) continue;
        told = true;
        out.object("missing", [&] {
            for (const Member& other : members)
                if (lacking(other)) out.field(other.key, other.missing);
        });
    }
}

/// Writes text as documents and the window show it; null if empty.
void writeText(JsonWriter& out, std::string_view key, const doc::Text& text) {
    out.key(key);
    text.empty() ? out.null() : out.string(text.quoted());
}

void writeArguments(JsonWriter& out, const std::vector<Arg>& args, Language language) {
    out.object("args", [&] {
        for (const Arg& arg : args)
            out.object(arg.name.str(), [&] {
                if (!arg.text.empty()) return out.field("text", arg.text.in(language));
                out.field("value", arg.value);
                out.field("unit", unitName(arg.unit));
            });
    });
}

void writePlace(JsonWriter& out, const Place& place, Language language) {
    out.beginObject();
    writeText(out, "text", placeText(place, language));
    out.fieldOrNull("file", place.path);
    out.field("line", place.line > 0 ? std::optional(place.line) : std::nullopt);
    out.field("offset", place.offset);
    out.fieldOrNull("opcode", place.opcode);
    out.field("what", place.what.in(language));
    out.field("amount", place.amount);
    out.field("share_ratio", place.share);
    out.field("per_request", place.perRequest);
    out.field("ideal_per_request", place.idealRequest);
    out.fieldOrNull("pattern", place.pattern.in(language));
    out.endObject();
}

/// Writes what a finding is worth to the program, and what a trial of its edit measured.
void writeWorth(JsonWriter& out, const JsonView& view, const Finding& found,
                const program::FindingWorth& worth, bool canBeTried) {
    const TrialResult* trial =
        worth.action && canBeTried ? trialOf(view.analysis, *worth.action) : nullptr;
    out.field("worthwhile", worth.worthwhile);
    out.field("can_be_tried", canBeTried);
    out.field("gain_window_ns",
              worth.perWindow ? std::optional(toNs(worth.perWindow->value)) : std::nullopt);
    out.fieldOrNull("saving_text",
                    savingWords(found, worth.perWindow, worth.recorded, view.language));
    out.fieldOrNull("tried", trial ? trial->name : std::string());
    writeText(out, "tried_text", trial ? trialText(*trial, view.language) : doc::Text());
}

/// `blocked`: what must be relieved first; empty: nothing.
void writeFinding(JsonWriter& out, const JsonView& view, const AnsweredFinding& answer,
                  const program::FindingWorth& worth, bool canBeTried,
                  const doc::Text& blocked = {}) {
    const Language language = view.language;
    const Finding& found = *answer.found;
    out.beginObject();
    out.field("rule", found.ruleId);
    out.field("title", findingTitle(found, language));
    if (answer.rule) {
        writeText(out, "sentence", faultSentence(answer, language));
        writeText(out, "edit", editWords(answer, language));
    }
    out.field("minor", found.minor);
    out.field("blocked", found.blocked);
    writeText(out, "blocked_text", blocked);
    out.field("estimate", found.estimate);
    writeWorth(out, view, found, worth, canBeTried);
    if (!found.cause.empty()) out.field("cause", found.cause);
    writeMembers(out, {member("gain_ns", found.gain), member("gain_ratio", found.gainShare)});
    out.field("gain_text", gainWords(found, language));
    out.field("gain_formula", found.gainFormula.in(language));
    writeArguments(out, found.args, language);
    out.array("evidence", found.evidence, [&](const Evidence& piece) {
        out.beginObject();
        writeText(out, "text", evidenceWords(piece, language));
        out.field("label", piece.label.in(language));
        out.field("formula", piece.formula);
        out.field("value", piece.value);
        out.field("unit", unitName(piece.unit));
        out.field("threshold", piece.threshold);
        out.field("healthy", piece.healthy);
        out.endObject();
    });
    out.array("expected", found.expected, [&](const ExpectedMovement& move) {
        out.beginObject();
        writeText(out, "text", movementWords(move, language));
        out.field("counter", move.counter.in(language));
        out.field("from", move.from);
        out.field("to", move.to);
        out.field("unit", unitName(move.unit));
        out.endObject();
    });
    if (!found.places.empty())  // needs counters per instruction
        out.array("places", found.places,
                  [&](const Place& place) { writePlace(out, place, language); });
    out.endObject();
}

/// The place of an instruction.
Json instructionPlace(const SourcePass& pass, const SourceAnalysis& source,
                      std::optional<std::size_t> row) {
    if (!row) return nullptr;
    const Instruction& instruction = pass.instructions[*row];
    const bool hasLine = instruction.file && instruction.line > 0;
    return {{"offset", instruction.offset},
            {"opcode", clean(source.facts[*row].opcode)},
            {"file", hasLine ? Json(clean(pass.files[*instruction.file])) : Json(nullptr)},
            {"line", hasLine ? Json(instruction.line) : Json(nullptr)}};
}

Json waits(const Analysis& analysis, const SourceAnalysis& source) {
    const SourcePass& pass = analysis.profile->sources[source.pass];
    return list(source.waits, [&](const Wait& wait) {
        const auto place = [&](std::optional<std::size_t> row) {
            return instructionPlace(pass, source, row);
        };
        const auto& producer = wait.producer;
        return Json{
            {"state", clean(source.waitState)},
            {"at", place(wait.row)},
            {"share_ratio", number(wait.share)},
            {"cycles", orNull(wait.cycles)},
            {"for", place(producer ? std::optional(producer->row) : std::nullopt)},
            {"dependency", producer ? Json(toString(producer->dependency)) : Json(nullptr)},
            {"loads_in_flight", wait.loadsInFlight > 0 ? Json(wait.loadsInFlight) : Json(nullptr)},
            {"address_from", place(wait.addressFrom)},
            {"latecomers", place(wait.latecomers)}};
    });
}

/// The source lines and instructions that the markdown report shows.
Json source(const Analysis& analysis, const KernelAnalysis& kernel) {
    const SourceWindow window = sourceWindow(analysis, kernel);
    const auto addMargin = [](Json& object, const SourceMargin& margin) {
        const auto add = [&](const char* key, const std::optional<double>& value) {
            object[key] = orNull(value);
        };
        add("excess_sectors", margin.excessSectors);
        add("excess_wavefronts", margin.excessWavefronts);
        add("local_sectors", margin.localSectors);
        add("executed_ratio", margin.executed);
        add("samples_ratio", margin.samples);
        object["stall"] = orNull(margin.stall);
        add("stall_ratio", margin.stall.empty() ? std::nullopt : std::optional(margin.stallShare));
    };
    Json lines = Json::array();
    for (const WindowPiece& piece : window.pieces)
        for (const WindowLine& line : piece.lines) {
            Json object{{"file", clean(piece.path)},
                        {"line", line.line},
                        {"text", clean(line.text)},
                        {"hot", line.hot}};
            addMargin(object, line.margin);
            lines.push_back(std::move(object));
        }
    return {
        {"lines", std::move(lines)},
        {"instructions",
         list(window.sass,
              [&](const WindowInstruction& instruction) {
                  Json object{{"offset", instruction.offset}, {"sass", clean(instruction.sass)}};
                  addMargin(object, instruction.margin);
                  return object;
              })},
        {"waits", waits(analysis, *kernel.source)}};
}

void writeVerdict(JsonWriter& out, const KernelAnswer& answer, Language language) {
    const KernelAnalysis& kernel = *answer.kernel;
    const Verdict& verdict = kernel.verdict;
    out.beginObject();
    out.field("text", verdictWords(verdict, language));
    out.field("class", toString(verdict.cls));
    out.fieldOrNull("limiter", verdict.limiter ? toString(*verdict.limiter) : "");
    out.field("confidence", toString(verdict.confidence));
    out.field("reason", verdictReason(kernel, language));
    writeMembers(
        out,
        {member("utilisation_ratio", verdict.utilisation), member("headroom_ns", verdict.headroom),
         member("speedup_bound", verdict.speedupBound), member("joint_gain_ns", kernel.jointGain)});
    if (kernel.jointGain.has())
        out.array("joint_gain_without", beyondJoint(kernel),
                  [&](BeyondJoint beyond) { out.value(toString(beyond)); });
    writeText(out, "headroom_text", headroomSentence(answer, language));
    writeText(out, "joint_gain_text", jointGainSentence(answer, language));
    writeText(out, "nothing_text", nothingSentence(answer.nothing, language));
    out.array("undecided", verdict.reason.undecided);
    out.endObject();
}

void writeDuration(JsonWriter& out, const DurationStats& stats) {
    const bool known = stats.count > 0;
    const auto field = [&](const char* key, Seconds time) {
        out.field(key, known ? std::optional(toNs(time.value)) : std::nullopt);
    };
    out.beginObject();
    field("median_ns", stats.median);
    field("min_ns", stats.min);
    field("max_ns", stats.max);
    field("total_ns", stats.total);
    out.field("launches", stats.count);
    out.fieldOrNull("source", !known ? "" : toString(stats.source));
    out.endObject();
}

void writeCannotTell(JsonWriter& out, const CannotTell& unknown, Language language) {
    out.beginObject();
    out.field("rule", unknown.ruleId);
    out.field("missing", unknown.missing.in(language));
    out.field("advice", unknown.advice.in(language));
    out.array("groups", unknown.groups,
              [&](CounterGroup lacking) { out.value(toString(lacking)); });
    out.endObject();
}

/// Writes the lines that launch the kernel, in any shape; writes nothing if none is known.
void writeSites(JsonWriter& out, const Analysis& analysis, const KernelAnalysis& kernel) {
    constexpr std::size_t kMost = 8;
    std::vector<const CallSite*> sites = program::launchSitesOf(*analysis.profile, kernel);
    if (sites.empty()) return;
    if (sites.size() > kMost) sites.resize(kMost);
    out.array("sites", sites, [&](const CallSite* site) {
        out.beginObject();
        out.field("place", cleanText(program::placeText(*site), kMostOfFullName));
        out.field("count", site->count);
        const auto text = [&](const char* key, const std::string& value) {
            if (!value.empty()) out.field(key, cleanText(value, kMostOfFullName));
        };
        text("operator", site->op);
        text("sizes", site->sizes);
        text("backward", site->backward);
        out.endObject();
    });
}

/// Writes a finding of a kernel; `number` counts from 1.
void writeFindingOfKernel(JsonWriter& out, const JsonView& view, std::size_t index,
                          const Finding& found, std::size_t number) {
    const KernelAnalysis& kernel = view.analysis.kernels[index];
    const std::array<const Finding*, 1> alone{&found};
    writeFinding(
        out, view, answerOf(kernel, found, number),
        view.worth.of(static_cast<std::uint32_t>(index), found), program::canBeTried(kernel),
        found.blocked ? blockedSentence(kernel.verdict, alone, view.language) : doc::Text());
}

/// Writes a finding about the sequence of launches. It may be an action of the program.
void writeFindingOfSequence(JsonWriter& out, const JsonView& view, const Finding& found) {
    program::FindingWorth worth;
    for (const Action& action : view.program.actions)
        if (!action.finding && action.rule == found.ruleId.str())
            worth = {.perWindow = action.bound, .worthwhile = true, .action = &action};
    writeFinding(out, view, {.found = &found, .rule = findRule(found.ruleId)}, worth, true);
}

void writeKernel(JsonWriter& out, const JsonView& view, std::size_t index) {
    const Analysis& analysis = view.analysis;
    const Language language = view.language;
    const KernelAnalysis& kernel = analysis.kernels[index];
    const LaunchGroup& group = kernel.group;
    const Kernel& function = functionOf(analysis, kernel);
    out.beginObject();
    out.field("rank", index + 1);
    out.field("id", view.ids[index]);
    out.field("name", kernel.name);
    out.key("full_name");
    out.string(cleanText(kernel.fullName, kMostOfFullName));
    out.fieldOrNull("range", kernel.range);
    out.field("device", group.device);
    out.field("grid", group.grid);
    out.field("block", group.block);
    out.field("cluster", group.cluster);
    out.field("registers_per_thread", function.registersPerThread);
    out.field("static_shared_bytes", function.staticSharedBytes);
    out.field("dynamic_shared_bytes", group.dynamicSharedBytes);
    out.field("local_bytes_per_thread", function.localBytesPerThread);
    out.field("launches", group.launches.size());
    writeSites(out, analysis, kernel);
    out.key("duration");
    writeDuration(out, kernel.quantities.duration);
    if (const auto devices = devicesOf(*analysis.profile, group); devices.size() > 1)
        out.field("devices", Json(devices));
    if (const auto& over = kernel.quantities.averagedOver)
        out.field("counters_averaged_over",
                  Json{{"launches_min", over->first}, {"launches_max", over->second}});

    const std::vector<ListedQuantity> table = quantityTable(kernel.quantities);
    const auto missing = [&] {
        out.object("missing", [&] {
            for (const ListedQuantity& entry : table)
                if (!entry.notAsked && !entry.value && !entry.missing.empty())
                    out.field(entry.key, entry.missing);
        });
    };
    const Member timeShare = member("time_share_ratio", kernel.timeShare);
    out.field(timeShare.key, timeShare.value);
    // "missing" follows the first value that is missing.
    const bool missingFirst = !timeShare.value && !timeShare.missing.empty();
    if (missingFirst) missing();
    const KernelAnswer answer = answerOf(analysis, kernel);
    out.key("verdict");
    writeVerdict(out, answer, language);
    out.field("occupancy_limiter", toString(kernel.quantities.occupancy.limiter));
    if (const auto& tensor = kernel.quantities.tensor; !tensor.empty())
        out.field("tensor_operations_by", tensor.front().byBusyCycles ? "busy-cycles" : "counters");
    out.object("quantities", [&] {
        for (const ListedQuantity& entry : table)
            if (!entry.notAsked) out.field(entry.key, entry.value);
    });
    if (!missingFirst) missing();

    out.array("roofline", kernel.points, [&](const RooflinePoint& point) {
        out.beginObject();
        out.field("level", toString(point.level));
        out.field("precision", toString(point.precision));
        out.field("flops_per_byte", point.intensity.value);
        out.field("flops_per_s", point.rate.value);
        out.endObject();
    });
    const auto writeRuledOut = [&](const RuledOut& ruled, bool cost) {
        out.beginObject();
        out.field("rule", ruled.ruleId);
        if (cost) out.field("cost_ratio", ruled.cost);
        writeArguments(out, ruled.args, language);
        out.endObject();
    };
    std::size_t number = 0;
    out.array("findings", kernel.findings, [&](const Finding& found) {
        writeFindingOfKernel(out, view, index, found, ++number);
    });
    out.array("ruled_out", kernel.ruledOut,
              [&](const RuledOut& ruled) { writeRuledOut(ruled, false); });
    out.array("undecided", kernel.undecided,
              [&](const RuledOut& ruled) { writeRuledOut(ruled, true); });
    out.array("cannot_tell", kernel.cannotTell,
              [&](const CannotTell& unknown) { writeCannotTell(out, unknown, language); });
    if (kernel.source) out.field("source", source(analysis, kernel));
    if (kernel.overTime)
        out.field("over_time", overTimeObject(*analysis.profile, *kernel.overTime));
    out.field("launches_timed", view.program.kernels[index].timed);
    out.field("launches_counted", view.program.kernels[index].counted);
    out.endObject();
}

/// Extra counters read in further runs, and for which kernels.
Json furtherArray(const Profile& profile) {
    return list(profile.capture.further, [&](const FurtherReading& reading) {
        Json kernels = Json::array();
        for (const std::uint32_t row : reading.launches) {
            Json name = clean(profile.kernels[profile.launches[row].kernel].name);
            if (std::ranges::find(kernels, name) == kernels.end())
                kernels.push_back(std::move(name));
        }
        return Json{{"groups", list(reading.groups, clean)},
                    {"kernels", std::move(kernels)},
                    {"launches", reading.launches.size()},
                    {"passes", reading.passes > 0 ? Json(reading.passes) : Json(nullptr)}};
    });
}

/// Which part of a running process the profile shows.
Json snapObject(const Profile& profile) {
    const auto& snap = profile.capture.snap;
    const program::StepTimes times = program::stepTimes(profile);
    const auto seconds = [](const std::optional<Seconds>& time) {
        return time ? Json(time->value) : Json(nullptr);
    };
    return Json{{"steps_asked", orNull(snap->steps)},
                {"steps", times.steps},
                {"recorded_seconds", seconds(snap->recorded)},
                {"process_age_seconds", seconds(snap->age)},
                {"step_seconds_before", seconds(times.before)},
                {"step_seconds_recorded", seconds(times.recorded)},
                {"step_seconds_after", seconds(times.after)},
                {"ended_early", orNull(clean(snap->endedEarly))}};
}

Json captureObject(const Profile& profile, const std::string& path) {
    const Capture& capture = profile.capture;
    std::uint64_t seen = 0;
    for (const Process& process : profile.processes) seen += process.launchesSeen;
    const Process* process = profile.processes.empty() ? nullptr : &profile.processes.front();
    const auto version = [](std::uint32_t value) {
        return value > 0 ? Json(value) : Json(nullptr);
    };
    Json object{{"path", orNull(path)},
                {"tool_version", clean(capture.toolVersion)},
                {"created_utc", clean(capture.createdUtc)},
                {"origin", clean(capture.origin)},
                {"command", list(capture.command, clean)},
                {"strategy", clean(capture.strategy)},
                {"groups", list(capture.groups, clean)},
                {"passes", version(capture.passes)},
                {"further", furtherArray(profile)},
                {"cache_control", clean(capture.cacheControl)},
                {"clock_control", clean(capture.clockControl)},
                {"exit_code", orNull(capture.exitCode)},
                {"term_signal", orNull(capture.termSignal)},
                {"launches_seen", seen},
                {"launches_measured", profile.launches.size()},
                {"driver_version", process ? version(process->driverVersion) : Json(nullptr)},
                {"cupti_version", process ? version(process->cuptiVersion) : Json(nullptr)}};
    if (profile.capture.snap) object["snap"] = snapObject(profile);
    return object;
}

}  // namespace

void writeJson(const Analysis& analysis, const ChosenKernels& selection,
               const ReportOptions& options, const TextSink& sink) {
    const Profile& profile = *analysis.profile;
    const Program program = analyzeProgram(analysis);
    const program::Worth worth(analysis, program);
    const std::vector<std::string> ids = kernelIds(analysis);
    const JsonView view{.analysis = analysis,
                        .program = program,
                        .worth = worth,
                        .ids = ids,
                        .language = options.language};
    JsonWriter out(sink);
    out.beginObject();
    out.field("format", "roofscope-report");
    out.field("schema", Json::array({1, 0}));
    out.field("convention", toString(analysis.convention));
    out.field("profile", captureObject(profile, options.profilePath));
    out.field("program", programObject(view));
    out.field("devices", list(profile.devices, [](const Device& device) {
                  return Json{{"name", clean(device.name)},
                              {"chip", clean(device.chip)},
                              {"compute_capability",
                               Json::array({device.computeMajor, device.computeMinor})},
                              {"sm_count", device.smCount},
                              {"l2_bytes", orNull(device.l2Bytes)},
                              {"memory_bytes", orNull(device.memoryBytes)}};
              }));
    out.field("roofs", list(analysis.roofs, [](const Roof& roof) {
                  const bool memory = roof.kind == Roof::Kind::Bandwidth;
                  return Json{{"device", roof.device},
                              {"kind", memory ? "bandwidth" : "compute"},
                              {memory ? "level" : "precision",
                               memory ? toString(roof.level) : toString(roof.precision)},
                              {memory ? "bytes_per_s" : "flops_per_s", number(roof.rate)},
                              {"measured", roof.measured},
                              {"how", clean(roof.how)}};
              }));
    if (!analysis.substitutes.empty())  // no key if all counters were recorded
        out.field("substitutes", list(analysis.substitutes, [](const Substitute& substitute) {
                      return Json{{"wanted", clean(substitute.wanted)},
                                  {"formula", clean(substitute.formula)}};
                  }));
    if (!analysis.sequenceFindings.empty())  // about the sequence of launches
        out.array("findings", analysis.sequenceFindings,
                  [&](const Finding& found) { writeFindingOfSequence(out, view, found); });
    if (const Json ranks = rankObject(profile); !ranks.is_null()) out.field("ranks", ranks);
    if (const Json ranges = rangeObjects(analysis); !ranges.is_null()) out.field("ranges", ranges);
    if (const Json ranges = rangeSummaryObject(profile, summarizeRanges(profile));
        !ranges.is_null())
        out.field("nvtx_ranges", ranges);
    out.array("notes", analysis.notes,
              [&](const Words& note) { out.value(note.in(view.language)); });
    out.field("issues", list(profile.issues, [](const Issue& issue) {
                  return Json{{"severity", nameOf(issue.severity)},
                              {"source", clean(issue.source)},
                              {"code", clean(issue.code)},
                              {"message", clean(issue.message)},
                              {"advice", clean(issue.advice)}};
              }));
    out.key("kernels");
    out.items(selection.kernels.size(),
              [&](std::size_t i) { writeKernel(out, view, selection.kernels[i]); });
    out.endObject();
    out.finish();
}

}  // namespace roofscope
