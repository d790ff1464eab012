// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "analyzer/diagnosis/rule.h"
#include "profile/model/device_model.h"
#include "reports/escape/escape.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/language/term_words.h"
#include "reports/profile/measurement_words.h"
#include "reports/profile/parts.h"
#include "reports/profile/priority.h"
#include "reports/source/source_words.h"
#include "reports/verdict/no_findings.h"

namespace roofscope::profile_report {

namespace {

std::string controlWords(const Capture& capture, Language l) {
    const auto& [cache, clock] = std::tie(capture.cacheControl, capture.clockControl);
    if (cache == clock && cache != "none")
        return say(l, "cache and clock control: {}", cleanText(cache, 40));
    return (cache == "none" ? say(l, "caches not flushed between passes")
                            : say(l, "cache control: {}", cleanText(cache, 40))) +
           std::string(marksOf(l).comma) +
           (clock == "none" ? say(l, "clocks not locked")
                            : say(l, "clock control: {}", cleanText(clock, 40)));
}

std::string exitWords(const Capture& capture, Language l) {
    if (capture.termSignal) return say(l, "ended by signal {}", *capture.termSignal);
    if (capture.exitCode) return say(l, "exit code {}", *capture.exitCode);
    return say(l, "exit code not recorded");
}

/// The range of a clock over the kernels on a GPU: "1.76 GHz" or "1.62 GHz to 1.76 GHz".
std::string clockRange(const Analysis& analysis, std::uint32_t device,
                       Derived<Hertz> Quantities::*member, Language l) {
    // Launches on equal GPUs form one group, which has the number of the first GPU only.
    const auto ranThere = [&](const LaunchGroup& group) {
        return std::ranges::any_of(group.launches, [&](std::uint32_t launch) {
            return analysis.profile->launches[launch].device == device;
        });
    };
    double low = 0, high = 0;
    for (const KernelAnalysis& kernel : analysis.kernels) {
        const Derived<Hertz>& clock = kernel.quantities.*member;
        if (!clock.has() || !ranThere(kernel.group)) continue;
        low = low == 0 ? clock->value : std::min(low, clock->value);
        high = std::max(high, clock->value);
    }
    if (high == 0) return say(l, "not measured");
    const std::string from = formatNumber(low, Unit::Hertz), to = formatNumber(high, Unit::Hertz);
    constexpr double kSame = 1.002;  // do not show a range caused by rounding
    return high < low * kSame || from == to ? to : say(l, "{} to {}", from, to);
}

/// "DRAM 4.81 TB/s (measured 4.71 TB/s), L2 …": theoretical roofs with their measured rates.
doc::Text roofsText(const Analysis& analysis, std::uint32_t device, Language l) {
    const auto rateText = [](const Roof& roof) {
        return roof.kind == Roof::Kind::Bandwidth ? formatNumber(roof.rate, Unit::BytesPerSecond)
                                                  : formatRate(roof.rate, roof.precision);
    };
    const auto nameOf = [&](const Roof& roof) {
        return roof.kind != Roof::Kind::Bandwidth ? arithmeticWords(roof.precision, l)
               : roof.level == Level::Shared      ? say(l, "shared")
                                                  : std::string(toString(roof.level));
    };
    std::vector<std::pair<std::string, std::string>> roofs;  // name, rates
    std::string last;
    for (const Roof& roof : analysis.roofs) {
        if (roof.device != device || roof.measured) continue;
        std::string rates = rateText(roof);
        if (roof.unverified) rates += say(l, " (unverified for this board)");
        for (const Roof& other : analysis.roofs)
            if (other.measured && other.device == device && other.kind == roof.kind &&
                nameOf(other) == nameOf(roof))
                rates += say(l, " (measured {})", rateText(other));
        // L1 and shared memory have the same roof.
        if (!roofs.empty() && roof.kind == Roof::Kind::Bandwidth && roofs.back().second == rates)
            roofs.back().first += "/" + nameOf(roof);
        else
            roofs.emplace_back(nameOf(roof), std::move(rates));
    }
    for (const Roof& roof : analysis.roofs) {  // measured only
        if (roof.device != device || !roof.measured) continue;
        const bool known = std::ranges::any_of(analysis.roofs, [&](const Roof& other) {
            return !other.measured && other.device == device && other.kind == roof.kind &&
                   nameOf(other) == nameOf(roof);
        });
        if (!known) roofs.emplace_back(nameOf(roof), say(l, "measured {}", rateText(roof)));
    }
    return doc::joined(roofs, marksOf(l).comma,
                       [](const auto& roof) { return roof.first + " " + roof.second; });
}

doc::Text durationSource(const Analysis& analysis, Language l) {
    bool timed = false, counted = false;
    for (const KernelAnalysis& kernel : analysis.kernels) {
        const DurationStats& duration = kernel.quantities.duration;
        if (duration.count > 0) (duration.unprofiled() ? timed : counted) = true;
    }
    if (timed && counted)
        return tell(l,
                    "some from a timing run, others from the counter run (`gpu__time_duration`)");
    if (timed && analysis.profile->capture.origin == "imported")
        return tell(l, "from the imported trace");
    if (timed) return tell(l, "from a timing run without counters");
    if (counted) return tell(l, "from the counter run (`gpu__time_duration`), no timing run");
    return tell(l, "not measured");
}

/// The text of an issue.
doc::Text issueText(const Issue& issue, Language l) {
    const bool notes = issue.severity == Severity::Info;
    const doc::Text code = doc::code(issue.code, 60),
                    message = doc::fromProfile(issue.message, notes ? 200 : 400);
    doc::Text text =
        issue.severity == Severity::Error      ? tell(l, "**Error** ({}): {}", code, message)
        : issue.severity == Severity::DataLoss ? tell(l, "**Data lost** ({}): {}", code, message)
                                               : tell(l, "Note ({}): {}", code, message);
    if (!issue.advice.empty()) text += " → " + doc::fromProfile(issue.advice, 300);
    return text;
}

std::vector<doc::Text> issueTexts(const Profile& profile, bool notes, Language l) {
    constexpr std::size_t kMost = 20;
    std::vector<doc::Text> texts;
    std::size_t all = 0;
    for (const Issue& issue : profile.issues) {
        if ((issue.severity == Severity::Info) != notes) continue;
        doc::Text text = issueText(issue, l);
        if (std::ranges::find(texts, text) != texts.end())
            continue;  // the same issue from several processes
        if (++all <= kMost) texts.push_back(std::move(text));
    }
    if (all > kMost)
        texts.emplace_back(say(l, inContext("messages", "… and {} more"), all - kMost));
    return texts;
}

/// Adds what rules lacked, once for all kernels: "dominant-stall (6 kernels): record with the
/// counter group \"stalls\"".
void addLacking(std::vector<doc::Text>& lacking, const Analysis& analysis, Language l) {
    if (hasOnlyTimes(*analysis.profile)) return;
    std::map<std::string, std::map<std::string, std::size_t>>
        rulesOf;  // advice → rule → number of kernels
    std::size_t onlyTimed = 0;
    for (const KernelAnalysis& kernel : analysis.kernels)
        if (wasOnlyTimed(kernel))
            ++onlyTimed;
        else
            for (const CannotTell& unknown : kernel.cannotTell) {
                const Rule* rule = findRule(unknown.ruleId);
                if (rule && rule->isAboutCode() && isForeign(kernel.origin)) continue;
                if (const std::string advice = unknown.advice.in(l); !advice.empty())
                    ++rulesOf[advice][unknown.ruleId];
            }
    if (onlyTimed > 0)
        lacking.emplace_back(
            sayCount(l, onlyTimed, "counters of {} kernel", "counters of {} kernels"));
    for (const KernelAnalysis& kernel : analysis.kernels)
        if (kernel.source)
            for (doc::Text& text : missingSource(analysis, kernel, l))
                if (std::ranges::find(lacking, text) == lacking.end())
                    lacking.push_back(std::move(text));
    const auto ruleText = [l](const auto& rule) {
        return bracketed(l, doc::fromProfile(rule.first, 60),
                         sayCount(l, rule.second, "{} kernel", "{} kernels"));
    };
    for (const auto& [advice, rules] : rulesOf)
        lacking.push_back(doc::joined(rules, marksOf(l).comma, ruleText) + marksOf(l).colon +
                          doc::fromProfile(advice, 200));
}

/// What this recording lacks.
doc::Text notCollected(const View& view) {
    const Language l = view.language;
    const Profile& profile = *view.analysis.profile;
    const bool gaps = std::ranges::any_of(
        profile.launches, [](const Launch& launch) { return launch.start.has_value(); });
    std::vector<doc::Text> lacking;
    if (profile.sources.empty())
        lacking.push_back(tell(l, "source lines and SASS (`--source top:3`)"));
    if (!gaps)
        lacking.emplace_back(say(l, "gaps between launches (no statement about launch overhead)"));
    if (profile.argumentLists.empty())
        lacking.emplace_back(
            say(l, "which kernel reads another's results (no statement about fusion)"));
    if (view.brief() && !view.essentials()) addLacking(lacking, view.analysis, l);
    return tellOf(doc::joined(lacking, marksOf(l).semicolon), l, "Not recorded: {}.");
}

/// Whether the reader can edit none of the kernels, so that limits per block do not matter.
bool onlyForeign(const Analysis& analysis) {
    return std::ranges::all_of(
        analysis.kernels, [](const KernelAnalysis& kernel) { return isForeign(kernel.origin); });
}

/// The facts about a GPU, without its number.
std::vector<doc::Text> deviceFacts(const View& view, std::uint32_t device, bool kernels) {
    const Language l = view.language;
    std::vector<doc::Text> facts{
        tell(l, "{}; while measuring, SM clock {}, DRAM clock {}",
             deviceText(view.analysis.profile->devices[device], l),
             clockRange(view.analysis, device, &Quantities::smClock, l),
             clockRange(view.analysis, device, &Quantities::dramClock, l))};
    if (view.essentials() && !kernels) return facts;
    if (const doc::Text roofs = roofsText(view.analysis, device, l); !roofs.empty())
        facts.push_back(tell(l, "Theoretical roofs: {}", roofs));
    if (const doc::Text limits = limitsText(view.analysis, device, l);
        !limits.empty() && !(view.brief() && onlyForeign(view.analysis)))
        facts.push_back(limits);
    return facts;
}

/// Adds facts about GPUs; equal GPUs are described together.
void addDevices(std::vector<doc::Text>& facts, const View& view, bool kernels) {
    const Language l = view.language;
    const auto& devices = view.analysis.profile->devices;
    std::vector<bool> told(devices.size(), false);
    for (std::uint32_t first = 0; first < devices.size(); ++first) {
        if (told[first]) continue;
        std::vector<std::uint32_t> alike;
        for (std::uint32_t other = first; other < devices.size(); ++other)
            if (!told[other] && sameModel(devices[first], devices[other])) {
                told[other] = true;
                alike.push_back(other);
            }
        std::vector<doc::Text> own = deviceFacts(view, first, kernels);
        facts.push_back(alike.size() > 1
                            ? tell(l, "GPUs {}: each {}", deviceNumbers(alike), own.front())
                        : devices.size() > 1 ? tell(l, "GPU {}: {}", first, own.front())
                                             : tell(l, "GPU: {}", own.front()));
        facts.insert(facts.end(), own.begin() + 1, own.end());
    }
}

std::vector<doc::Text> facts(const View& view, bool kernels) {
    const Language l = view.language;
    const Analysis& analysis = view.analysis;
    const Profile& profile = *analysis.profile;
    std::vector<doc::Text> facts;
    addDevices(facts, view, kernels);
    std::uint64_t seen = 0;
    for (const Process& process : profile.processes) seen += process.launchesSeen;
    seen = std::max<std::uint64_t>(seen, profile.launches.size());
    const std::size_t counted =
        view.program ? view.program->launchesCounted : profile.launches.size();
    facts.push_back(counted < profile.launches.size()
                        ? tellCount(l, seen, "Measured: {1}; {2} of {0} launch, {3} with counters",
                                    "Measured: {1}; {2} of {0} launches, {3} of them with counters",
                                    measuredText(profile, l), profile.launches.size(), counted)
                        : tellCount(l, seen, "Measured: {1}; {2} of {0} launch",
                                    "Measured: {1}; {2} of {0} launches", measuredText(profile, l),
                                    profile.launches.size()));
    if (!view.essentials()) facts.push_back(tell(l, "Durations: {}", durationSource(analysis, l)));
    // A snap leaves the program running, so it has no exit code. Otherwise a missing exit code
    // counts as a failure.
    const int without = profile.capture.snap ? 0 : 1;
    const bool failed =
        profile.capture.exitCode.value_or(without) != 0 || profile.capture.termSignal;
    if (failed || !view.essentials()) {
        doc::Text software = tell(l, "Software: {}", softwareText(profile, l));
        if (failed)
            software += doc::Text(marksOf(l).semicolon) +
                        tell(l, "the program: {}", exitWords(profile.capture, l));
        facts.push_back(std::move(software));
    }
    if (!view.options.profilePath.empty()) {
        const doc::Text path = doc::code(view.options.profilePath, 200);
        facts.push_back(profile.capture.createdUtc.empty()
                            ? tell(l, "Profile: {}", path)
                            : tell(l, "Profile: {}, recorded {}", path,
                                   doc::fromProfile(profile.capture.createdUtc, 40)));
    }
    for (const Words& note : analysis.notes) facts.push_back(doc::fromProfile(note.in(l), 400));
    for (doc::Text& issue : issueTexts(profile, true, l)) facts.push_back(std::move(issue));
    facts.push_back(
        view.brief() && onlyForeign(analysis)
            ? tell(l, "For every edit: keep the results (within the existing tests' tolerance)")
            : tell(l,
                   "For every edit: keep the results (within the existing tests' tolerance) and a "
                   "kernel's name, signature and argument meaning"));
    return facts;
}

/// Formulas that replace counters missing from the profile.
doc::Nodes substitutes(const Analysis& analysis, Language l) {
    if (analysis.substitutes.empty()) return {};
    std::vector<doc::Text> items;
    for (const Substitute& substitute : analysis.substitutes)
        items.push_back(doc::code(substitute.wanted, 200) + " = " +
                        doc::code(substitute.formula, 400));
    const std::string title = say(l, "Obtained from other counters");
    return {doc::forReader(
        doc::Audience::Assistant,
        doc::section(
            title,
            {doc::paragraph(say(l,
                                "The profile lacks these counters. Of several known formulas, the "
                                "first is used for which it has all counters.")),
             doc::list(items)},
            kSubstitutes, title))};
}

}  // namespace

doc::Text deviceText(const Device& device, Language l) {
    doc::Text text =
        device.name.empty() ? say(l, "unknown GPU") : doc::fromProfile(device.name, 80);
    if (device.computeMajor > 0)
        text = bracketed(l, text,
                         doc::joined({doc::fromProfile(device.chip, 20),
                                      say(l, "compute capability {}.{}", device.computeMajor,
                                          device.computeMinor)},
                                     marksOf(l).comma));
    if (device.smCount > 0) text += doc::Text(marksOf(l).comma) + say(l, "{} SMs", device.smCount);
    return text;
}

doc::Text softwareText(const Profile& profile, Language l) {
    if (profile.processes.empty()) return say(l, "driver and CUPTI versions not recorded");
    const Process& process = profile.processes.front();
    return (process.driverVersion > 0
                ? say(l, "driver for CUDA {}", cudaVersion(process.driverVersion))
                : say(l, "driver version not recorded")) +
           std::string(marksOf(l).comma) +
           (process.cuptiVersion > 0 ? fmt::format("CUPTI {}", process.cuptiVersion)
                                     : say(l, "CUPTI version not recorded"));
}

namespace {

doc::Text groupsText(const std::vector<std::string>& names, Language l) {
    return doc::joined(names, marksOf(l).listComma,
                       [](const std::string& name) { return doc::fromProfile(name, 40); });
}

/// The kernels of some launches: the first, and how many more.
doc::Text kernelsText(const Profile& profile, const std::vector<std::uint32_t>& launches,
                      Language l) {
    std::vector<std::uint32_t> kernels;
    for (const std::uint32_t row : launches)
        if (const std::uint32_t kernel = profile.launches[row].kernel;
            std::ranges::find(kernels, kernel) == kernels.end())
            kernels.push_back(kernel);
    if (kernels.empty()) return say(l, "no kernel");
    const doc::Text first = doc::code(shortKernelName(profile.kernels[kernels[0]].name));
    if (kernels.size() == 1) return first;
    return tell(l, inContext("kernels", "{} and {} more"), first, kernels.size() - 1);
}

/// What came of follow-up questions: "pipes of `stencil` (3 passes per launch)".
doc::Text furtherText(const Profile& profile, Language l) {
    constexpr std::size_t kMost = 4;
    const auto readingText = [&](const FurtherReading& reading) {
        const doc::Text text = tell(l, "{0} of {1}", groupsText(reading.groups, l),
                                    kernelsText(profile, reading.launches, l));
        if (reading.passes == 0) return text;
        return bracketed(l, text,
                         sayCount(l, static_cast<std::size_t>(reading.passes), "{} pass per launch",
                                  "{} passes per launch"));
    };
    return doc::joined(
        doc::firstOf(profile.capture.further, kMost, readingText,
                     [l](std::size_t more) { return say(l, inContext("items", "{} more"), more); }),
        marksOf(l).listComma);
}

}  // namespace

doc::Text measuredText(const Profile& profile, Language l) {
    return doc::joined(
        {doc::fromProfile(strategyWords(profile.capture, l), 120), controlWords(profile.capture, l),
         tellOf(groupsText(profile.capture.groups, l), l, "counter groups: {}"),
         tellOf(furtherText(profile, l), l, "in addition: {}")},
        marksOf(l).semicolon);
}

doc::Text onlyTimesText(const Profile& profile, Language l) {
    if (profile.capture.origin == "imported" || profile.capture.snap)
        return tell(l,
                    "Times only, no counters: launch shapes and gaps can be judged, but not what "
                    "limits a kernel; `roofscope record` counts that");
    return tell(l,
                "Times only, no counters: launch shapes and gaps can be judged, but not what "
                "limits a kernel; record without `--timing-only` for that");
}

doc::Text limitsText(const Analysis& analysis, std::uint32_t deviceIndex, Language l) {
    const auto& devices = analysis.profile->devices;
    if (deviceIndex >= devices.size()) return {};
    const Device& device = devices[deviceIndex];
    std::vector<doc::Text> limits;
    if (device.maxThreadsPerBlock)
        limits.emplace_back(
            say(l, "{} threads per block", formatExact(*device.maxThreadsPerBlock)));
    if (device.sharedPerBlockOptinBytes)
        limits.emplace_back(
            say(l, "{} B shared memory per block",
                formatExact(static_cast<double>(*device.sharedPerBlockOptinBytes))));
    if (device.registersPerSm)
        limits.emplace_back(say(l, "{} registers per SM", formatExact(*device.registersPerSm)));
    const doc::Text lacks =
        doc::joined(missingFeatures(device, l), marksOf(l).listComma, std::identity());
    double fp64 = 0, fp32 = 0;
    for (const Roof& roof : analysis.roofs) {
        if (roof.device != deviceIndex || roof.kind != Roof::Kind::Compute || roof.measured)
            continue;
        if (roof.precision == Precision::Fp64) fp64 = roof.rate;
        if (roof.precision == Precision::Fp32) fp32 = roof.rate;
    }
    constexpr double kWeak = 8;  // data-centre GPUs have a ratio of 2
    return doc::joined(
        {tellOf(doc::joined(limits, marksOf(l).listComma), l, "This GPU allows at most {}."),
         tellOf(lacks, l, "It has no {}."),
         fp64 > 0 && fp32 / fp64 >= kWeak
             ? say(l, "FP64 runs at 1/{:.0f} of the FP32 rate.", fp32 / fp64)
             : std::string()},
        marksOf(l).gap);
}

std::string endSentence(const Profile& profile, Language l) {
    const Capture& capture = profile.capture;
    if (!capture.termSignal && capture.exitCode.value_or(0) == 0) return {};
    return say(l, "The program: {}. If it failed, what follows is not its usual work.",
               exitWords(capture, l));
}

doc::Nodes endWarning(const Profile& profile, Language l) {
    const std::string sentence = endSentence(profile, l);
    if (sentence.empty()) return {};
    return {doc::paragraph(doc::toned(doc::Tone::Warning, sentence))};
}

doc::Nodes problemsPart(const View& view) {
    const auto problems = issueTexts(*view.analysis.profile, false, view.language);
    doc::Nodes nodes;
    if (!problems.empty())
        nodes.push_back(
            doc::section(say(view.language, "Problems while recording"), {doc::list(problems)}, 0));
    if (hasOnlyTimes(*view.analysis.profile))
        nodes.push_back(doc::paragraph(
            onlyTimesText(*view.analysis.profile, view.language) + marksOf(view.language).stop,
            kProblems));
    return nodes;
}

doc::Nodes measurementPart(const View& view, bool kernels) {
    const Language l = view.language;
    const std::string title = say(l, "About this measurement");
    // Each fact has its own priority, so that a budget can keep the first ones.
    doc::Nodes items;
    for (const doc::Text& fact : facts(view, kernels))
        items.push_back(doc::paragraph(fact, kMeasurement + static_cast<unsigned>(items.size()),
                                       say(l, "fact about the measurement")));
    doc::Nodes nodes{doc::list(std::move(items))};
    if (const doc::Text lacking = notCollected(view); !lacking.empty())
        nodes.push_back(doc::paragraph(lacking, kNotCollected, say(l, "what was not recorded")));
    doc::Nodes part{doc::section(title, std::move(nodes), kMeasurement, title)};
    std::get<doc::Section>(part.front().body).id = "measurement";
    for (doc::Node& node : substitutes(view.analysis, l)) part.push_back(std::move(node));
    return part;
}

}  // namespace roofscope::profile_report
