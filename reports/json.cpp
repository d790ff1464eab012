// SPDX-License-Identifier: Apache-2.0
#include "analyzer/grouping.h"
#include "analyzer/rule.h"
#include "analyzer/source/source_analysis.h"
#include "profile/clean_text.h"
#include "reports/edit_text.h"
#include "reports/formats.h"
#include "reports/json_parts.h"
#include "reports/kernel_facts.h"
#include "reports/kernel_id.h"
#include "reports/over_time_json.h"
#include "reports/phrase.h"
#include "reports/program_json.h"
#include "reports/quantity_table.h"
#include "reports/range_words.h"
#include "reports/ranks_words.h"
#include "reports/source_window.h"

/// The sidecar for programs: the same findings under the same rule ids as the markdown report. The
/// schema is described in docs/reports.md; keys are only ever added.
namespace roofscope {

namespace {

using json_parts::clean, json_parts::dim, json_parts::Json, json_parts::number,
    json_parts::unitName;

template <class T>
Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

/// `object[key]` as a number, or null with the reason beside it under "missing".
template <class Tag>
void derived(Json& object, const char* key, const Derived<Quantity<Tag>>& value) {
    object[key] = value.has() ? number(value->value) : Json(nullptr);
    if (!value.has() && !value.missing.empty()) object["missing"][key] = clean(value.missing.str());
}
void derived(Json& object, const char* key, const Derived<Seconds>& value) {
    object[key] = value.has() ? number(toNs(value->value)) : Json(nullptr);
    if (!value.has() && !value.missing.empty()) object["missing"][key] = clean(value.missing.str());
}
void derived(Json& object, const char* key, const Derived<double>& value) {
    object[key] = value.has() ? number(*value) : Json(nullptr);
    if (!value.has() && !value.missing.empty()) object["missing"][key] = clean(value.missing.str());
}

Json arguments(const std::vector<Arg>& args, Language language) {
    Json object = Json::object();
    for (const Arg& arg : args)
        object[clean(arg.name)] =
            arg.text.empty() ? Json{{"value", number(arg.value)}, {"unit", unitName(arg.unit)}}
                             : Json{{"text", clean(arg.text.in(language))}};
    return object;
}

Json finding(const Finding& found, Language language) {
    const Rule* rule = findRule(found.ruleId);
    const EscapeText escape = [](std::string_view text) { return clean(text); };
    Json object{{"rule", clean(found.ruleId)}, {"title", clean(ruleTitle(found.ruleId, language))}};
    if (rule) {
        object["sentence"] =
            fillPhrase(rule->text(language).sentence, found.args, escape, language);
        object["edit"] =
            fillPhrase(editPhrase(*rule, found, language), found.args, escape, language);
    }
    object["minor"] = found.minor;
    object["blocked"] = found.blocked;
    object["estimate"] = found.estimate;
    derived(object, "gain_ns", found.gain);
    derived(object, "gain_ratio", found.gainShare);
    object["gain_formula"] = clean(found.gainFormula.in(language));
    object["args"] = arguments(found.args, language);
    Json evidence = Json::array();
    for (const Evidence& piece : found.evidence)
        evidence.push_back(
            {{"label", clean(piece.label.in(language))},
             {"formula", clean(piece.formula)},
             {"value", number(piece.value)},
             {"unit", unitName(piece.unit)},
             {"threshold", piece.threshold ? number(*piece.threshold) : Json(nullptr)},
             {"healthy", piece.healthy ? number(*piece.healthy) : Json(nullptr)}});
    object["evidence"] = std::move(evidence);
    Json expected = Json::array();
    for (const ExpectedMovement& move : found.expected)
        expected.push_back({{"counter", clean(move.counter.in(language))},
                            {"from", number(move.from)},
                            {"to", number(move.to)},
                            {"unit", unitName(move.unit)}});
    object["expected"] = std::move(expected);
    if (found.places.empty()) return object;  // no key without counters per instruction
    Json places = Json::array();
    for (const Place& place : found.places)
        places.push_back(
            {{"file", place.path.empty() ? Json(nullptr) : Json(clean(place.path))},
             {"line", place.line > 0 ? Json(place.line) : Json(nullptr)},
             {"offset", place.offset},
             {"opcode", place.opcode.empty() ? Json(nullptr) : Json(clean(place.opcode))},
             {"what", clean(place.what.in(language))},
             {"amount", number(place.amount)},
             {"share_ratio", number(place.share)},
             {"per_request", place.perRequest ? number(*place.perRequest) : Json(nullptr)},
             {"ideal_per_request",
              place.idealRequest ? number(*place.idealRequest) : Json(nullptr)},
             {"pattern",
              place.pattern.empty() ? Json(nullptr) : Json(clean(place.pattern.in(language)))}});
    object["places"] = std::move(places);
    return object;
}

/// An instruction by where it stands.
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
    Json list = Json::array();
    for (const Wait& wait : source.waits) {
        const auto place = [&](std::optional<std::size_t> row) {
            return instructionPlace(pass, source, row);
        };
        const auto& producer = wait.producer;
        list.push_back(
            {{"state", clean(source.waitState)},
             {"at", place(wait.row)},
             {"share_ratio", number(wait.share)},
             {"cycles", wait.cycles ? number(*wait.cycles) : Json(nullptr)},
             {"for", place(producer ? std::optional(producer->row) : std::nullopt)},
             {"dependency", producer ? Json(toString(producer->dependency)) : Json(nullptr)},
             {"loads_in_flight", wait.loadsInFlight > 0 ? Json(wait.loadsInFlight) : Json(nullptr)},
             {"address_from", place(wait.addressFrom)},
             {"latecomers", place(wait.latecomers)}});
    }
    return list;
}

/// The lines and instructions that the markdown report shows.
Json source(const Analysis& analysis, const KernelAnalysis& kernel) {
    const SourceWindow window = sourceWindow(analysis, kernel);
    const auto addMargin = [](Json& object, const SourceMargin& margin) {
        const auto add = [&](const char* key, const std::optional<double>& value) {
            object[key] = value ? number(*value) : Json(nullptr);
        };
        add("excess_sectors", margin.excessSectors);
        add("excess_wavefronts", margin.excessWavefronts);
        add("local_sectors", margin.localSectors);
        add("executed_ratio", margin.executed);
        add("samples_ratio", margin.samples);
        object["stall"] = margin.stall.empty() ? Json(nullptr) : Json(clean(margin.stall));
        add("stall_ratio", margin.stall.empty() ? std::nullopt : std::optional(margin.stallShare));
    };
    Json lines = Json::array(), instructions = Json::array();
    for (const WindowPiece& piece : window.pieces)
        for (const WindowLine& line : piece.lines) {
            Json object{{"file", clean(piece.path)},
                        {"line", line.line},
                        {"text", clean(line.text)},
                        {"hot", line.hot}};
            addMargin(object, line.margin);
            lines.push_back(std::move(object));
        }
    for (const WindowInstruction& instruction : window.sass) {
        Json object{{"offset", instruction.offset}, {"sass", clean(instruction.sass)}};
        addMargin(object, instruction.margin);
        instructions.push_back(std::move(object));
    }
    return {{"lines", std::move(lines)},
            {"instructions", std::move(instructions)},
            {"waits", waits(analysis, *kernel.source)}};
}

Json verdict(const KernelAnalysis& kernel, Language language) {
    const Verdict& verdict = kernel.verdict;
    Json object{{"class", toString(verdict.cls)},
                {"limiter", verdict.limiter.empty() ? Json(nullptr) : Json(clean(verdict.limiter))},
                {"confidence", toString(verdict.confidence)},
                {"reason", clean(verdictReason(kernel, language))}};
    derived(object, "utilisation_ratio", verdict.utilisation);
    derived(object, "headroom_ns", verdict.headroom);
    derived(object, "speedup_bound", verdict.speedupBound);
    derived(object, "joint_gain_ns", kernel.jointGain);
    object["undecided"] = verdict.reason.undecided;
    return object;
}

Json duration(const DurationStats& stats) {
    const bool known = stats.count > 0;
    const auto ns = [known](Seconds time) {
        return known ? number(toNs(time.value)) : Json(nullptr);
    };
    Json object{{"median_ns", ns(stats.median)},
                {"min_ns", ns(stats.min)},
                {"max_ns", ns(stats.max)},
                {"total_ns", ns(stats.total)},
                {"launches", stats.count}};
    object["source"] =
        !known ? Json(nullptr) : Json(stats.unprofiled ? "timing-run" : "counter-run");
    return object;
}

Json kernelObject(const Analysis& analysis, std::size_t index, const std::string& id,
                  Language language) {
    const KernelAnalysis& kernel = analysis.kernels[index];
    const LaunchGroup& group = kernel.group;
    const Kernel& function = functionOf(analysis, kernel);
    Json object{{"rank", index + 1},
                {"id", id},
                {"name", clean(kernel.name)},
                {"full_name", cleanText(kernel.fullName, kMostOfFullName)},
                {"range", kernel.range.empty() ? Json(nullptr) : Json(clean(kernel.range))},
                {"device", group.device},
                {"grid", dim(group.grid)},
                {"block", dim(group.block)},
                {"cluster", group.cluster ? dim(*group.cluster) : Json(nullptr)},
                {"registers_per_thread", orNull(function.registersPerThread)},
                {"static_shared_bytes", orNull(function.staticSharedBytes)},
                {"dynamic_shared_bytes", group.dynamicSharedBytes},
                {"local_bytes_per_thread", orNull(function.localBytesPerThread)},
                {"launches", group.launches.size()},
                {"duration", duration(kernel.quantities.duration)}};
    if (const auto devices = devicesOf(*analysis.profile, group); devices.size() > 1)
        object["devices"] = devices;
    if (const auto& over = kernel.quantities.averagedOver)
        object["counters_averaged_over"] = {{"launches_min", over->first},
                                            {"launches_max", over->second}};
    derived(object, "time_share_ratio", kernel.timeShare);
    object["verdict"] = verdict(kernel, language);
    object["occupancy_limiter"] = toString(kernel.quantities.occupancy.limiter);

    Json quantities = Json::object(), missing = Json::object();
    for (const ListedQuantity& entry : quantityTable(kernel.quantities)) {
        if (entry.notAsked) continue;
        json_parts::append(quantities, entry.key, orNull(entry.value));
        if (!entry.value && !entry.missing.empty())
            json_parts::append(missing, entry.key, clean(entry.missing));
    }
    object["quantities"] = std::move(quantities);
    object["missing"] = std::move(missing);

    Json points = Json::array();
    for (const RooflinePoint& point : kernel.points)
        points.push_back({{"level", toString(point.level)},
                          {"precision", toString(point.precision)},
                          {"flops_per_byte", number(point.intensity.value)},
                          {"flops_per_s", number(point.rate.value)}});
    object["roofline"] = std::move(points);
    Json findings = Json::array(), ruledOut = Json::array(), undecided = Json::array(),
         cannotTell = Json::array();
    for (const Finding& found : kernel.findings) findings.push_back(finding(found, language));
    for (const RuledOut& out : kernel.ruledOut)
        ruledOut.push_back({{"rule", clean(out.ruleId)}, {"args", arguments(out.args, language)}});
    for (const RuledOut& out : kernel.undecided)
        undecided.push_back({{"rule", clean(out.ruleId)},
                             {"cost_ratio", number(out.cost)},
                             {"args", arguments(out.args, language)}});
    for (const CannotTell& unknown : kernel.cannotTell) {
        Json groups = Json::array();
        for (const CounterGroup lacking : unknown.groups) groups.push_back(toString(lacking));
        cannotTell.push_back({{"rule", clean(unknown.ruleId)},
                              {"missing", clean(unknown.missing.in(language))},
                              {"advice", clean(unknown.advice.in(language))},
                              {"groups", std::move(groups)}});
    }
    object["findings"] = std::move(findings);
    object["ruled_out"] = std::move(ruledOut);
    object["undecided"] = std::move(undecided);
    object["cannot_tell"] = std::move(cannotTell);
    if (kernel.source) object["source"] = source(analysis, kernel);
    if (kernel.overTime) object["over_time"] = overTimeObject(*analysis.profile, *kernel.overTime);
    return object;
}

/// What further runs read, and of which kernels.
Json furtherArray(const Profile& profile) {
    Json array = Json::array();
    for (const FurtherReading& reading : profile.capture.further) {
        Json groups = Json::array(), kernels = Json::array();
        for (const std::string& group : reading.groups) groups.push_back(clean(group));
        for (const std::uint32_t row : reading.launches) {
            Json name = clean(profile.kernels[profile.launches[row].kernel].name);
            if (std::ranges::find(kernels, name) == kernels.end())
                kernels.push_back(std::move(name));
        }
        array.push_back({{"groups", std::move(groups)},
                         {"kernels", std::move(kernels)},
                         {"launches", reading.launches.size()},
                         {"passes", reading.passes > 0 ? Json(reading.passes) : Json(nullptr)}});
    }
    return array;
}

Json captureObject(const Profile& profile, const std::string& path) {
    const Capture& capture = profile.capture;
    Json command = Json::array(), groups = Json::array();
    for (const std::string& argument : capture.command) command.push_back(clean(argument));
    for (const std::string& group : capture.groups) groups.push_back(clean(group));
    std::uint64_t seen = 0;
    for (const Process& process : profile.processes) seen += process.launchesSeen;
    const Process* process = profile.processes.empty() ? nullptr : &profile.processes.front();
    const auto version = [](std::uint32_t value) {
        return value > 0 ? Json(value) : Json(nullptr);
    };
    return {{"path", path.empty() ? Json(nullptr) : Json(clean(path))},
            {"tool_version", clean(capture.toolVersion)},
            {"created_utc", clean(capture.createdUtc)},
            {"origin", clean(capture.origin)},
            {"command", std::move(command)},
            {"strategy", clean(capture.strategy)},
            {"groups", std::move(groups)},
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
}

}  // namespace

std::string renderJson(const Analysis& analysis, const ChosenKernels& selection,
                       const ReportOptions& options) {
    const Profile& profile = *analysis.profile;
    Json root{{"format", "roofscope-report"}, {"schema", Json::array({1, 0})}};
    root["convention"] = toString(analysis.convention);
    root["profile"] = captureObject(profile, options.profilePath);
    const Program program = analyzeProgram(analysis);
    root["program"] = programObject(analysis, program, options.language);
    Json devices = Json::array();
    for (const Device& device : profile.devices)
        devices.push_back(
            {{"name", clean(device.name)},
             {"chip", clean(device.chip)},
             {"compute_capability", Json::array({device.computeMajor, device.computeMinor})},
             {"sm_count", device.smCount},
             {"l2_bytes", orNull(device.l2Bytes)},
             {"memory_bytes", orNull(device.memoryBytes)}});
    root["devices"] = std::move(devices);
    Json roofs = Json::array();
    for (const Roof& roof : analysis.roofs) {
        const bool memory = roof.kind == Roof::Kind::Bandwidth;
        Json object{{"device", roof.device},
                    {"kind", memory ? "bandwidth" : "compute"},
                    {memory ? "level" : "precision",
                     memory ? toString(roof.level) : toString(roof.precision)},
                    {memory ? "bytes_per_s" : "flops_per_s", number(roof.rate)}};
        object["measured"] = roof.measured;
        object["how"] = clean(roof.how);
        roofs.push_back(std::move(object));
    }
    root["roofs"] = std::move(roofs);
    Json notes = Json::array(), issues = Json::array();
    for (const Words& note : analysis.notes) notes.push_back(clean(note.in(options.language)));
    if (!analysis.substitutes.empty()) {  // no key where everything was recorded
        Json substitutes = Json::array();
        for (const Substitute& substitute : analysis.substitutes)
            substitutes.push_back(
                {{"wanted", clean(substitute.wanted)}, {"formula", clean(substitute.formula)}});
        root["substitutes"] = std::move(substitutes);
    }
    if (!analysis.sequenceFindings.empty()) {  // of the sequence of launches
        Json findings = Json::array();
        for (const Finding& found : analysis.sequenceFindings)
            findings.push_back(finding(found, options.language));
        root["findings"] = std::move(findings);
    }
    for (const Issue& issue : profile.issues)
        issues.push_back({{"severity", issue.severity == Severity::Error      ? "error"
                                       : issue.severity == Severity::DataLoss ? "data-loss"
                                                                              : "info"},
                          {"source", clean(issue.source)},
                          {"code", clean(issue.code)},
                          {"message", clean(issue.message)},
                          {"advice", clean(issue.advice)}});
    if (Json ranks = rankObject(profile); !ranks.is_null()) root["ranks"] = std::move(ranks);
    if (Json ranges = rangeObjects(analysis); !ranges.is_null()) root["ranges"] = std::move(ranges);
    root["notes"] = std::move(notes);
    root["issues"] = std::move(issues);
    const std::vector<std::string> ids = kernelIds(analysis);
    root["kernels"] = Json::array();
    return json_parts::dump(root, "kernels", selection.kernels.size(), [&](std::size_t i) {
        const std::size_t index = selection.kernels[i];
        Json kernel = kernelObject(analysis, index, ids[index], options.language);
        kernel["launches_timed"] = program.kernels[index].timed;
        kernel["launches_counted"] = program.kernels[index].counted;
        return kernel;
    });
}

}  // namespace roofscope
