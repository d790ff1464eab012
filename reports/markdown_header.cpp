// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "analyzer/rule.h"
#include "reports/escape.h"
#include "reports/kernel_facts.h"
#include "reports/language/wording.h"
#include "reports/markdown_parts.h"
#include "reports/number_format.h"
#include "reports/phrase.h"
#include "reports/range_words.h"
#include "reports/ranks_words.h"
#include "reports/sequence_words.h"

namespace roofscope::markdown {

namespace {

std::string controlWords(const std::string& cache, const std::string& clock, const Wording& w) {
    const FactWords& words = w.facts;
    if (cache == clock && cache != "none")
        return words.cacheAndClockControl(markdownText(cache, 40));
    return (cache == "none" ? words.cachesNotFlushed.str()
                            : words.cacheControl(markdownText(cache, 40))) +
           w.common.comma +
           (clock == "none" ? words.clocksNotLocked.str()
                            : words.clockControl(markdownText(clock, 40)));
}

std::string exitWords(const Capture& capture, const Wording& w) {
    if (capture.termSignal) return w.facts.endedBySignal(*capture.termSignal);
    if (capture.exitCode) return w.facts.exitCode(*capture.exitCode);
    return w.facts.noExitCode.str();
}

std::string commandWords(const Capture& capture, const Wording& w) {
    if (capture.command.empty()) return w.facts.noCommand.str();
    constexpr std::size_t kLongest = 400;
    std::string line;
    for (const std::string& argument : capture.command) {
        if (line.size() > 2 * kLongest) break;
        line +=
            (line.empty() ? "" : " ") +
            (argument.size() > kLongest ? cleanText(argument, kLongest) : shellArgument(argument));
    }
    return markdownCode(line, kLongest);
}

/// Lowest and highest clock of the shown kernels: "1.76 GHz" or "1.62 GHz to 1.76 GHz".
std::string clockRange(const Analysis& analysis, std::uint32_t device,
                       Derived<Hertz> Quantities::*member, const Wording& w) {
    // Launches on GPUs of one model are one group, named after the first of them.
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
    if (high == 0) return w.common.notMeasured.str();
    const std::string from = formatNumber(low, Unit::Hertz), to = formatNumber(high, Unit::Hertz);
    constexpr double kSame = 1.002;  // rounding must not make a range of one clock
    return high < low * kSame ? to : w.facts.range(from, to);
}

std::string roofWords(const Analysis& analysis, std::uint32_t device, bool measured,
                      const Wording& w) {
    std::string words;
    for (const Roof& roof : analysis.roofs) {
        if (roof.device != device || roof.measured != measured) continue;
        const bool memory = roof.kind == Roof::Kind::Bandwidth;
        const std::string named =
            (!memory                       ? arithmeticWords(roof.precision, w.language)
             : roof.level == Level::Shared ? w.facts.sharedLevel.str()
                                           : std::string(toString(roof.level))) +
            " " +
            (memory ? formatNumber(roof.rate, Unit::BytesPerSecond)
                    : formatRate(roof.rate, roof.precision));
        words += (words.empty() ? "" : w.common.comma.str()) + named;
    }
    return words.empty() ? w.common.unknown.str() : words;
}

bool anyUnprofiled(const Analysis& analysis, bool wanted) {
    return std::any_of(analysis.kernels.begin(), analysis.kernels.end(), [&](const auto& kernel) {
        return kernel.quantities.duration.count > 0 &&
               kernel.quantities.duration.unprofiled == wanted;
    });
}

Label durationSource(const Analysis& analysis, const Wording& w) {
    const bool timed = anyUnprofiled(analysis, true), counted = anyUnprofiled(analysis, false);
    if (timed && counted) return w.header.durationsMixed;
    if (timed) return w.header.durationsTimed;
    if (counted) return w.header.durationsCounted;
    return w.common.notMeasured;
}

std::string tableRow(const Analysis& analysis, std::size_t index, const Wording& w) {
    const KernelAnalysis& kernel = analysis.kernels[index];
    const DurationStats& duration = kernel.quantities.duration;
    const auto findings = majorFindings(kernel);
    std::string first = "–";
    if (!findings.empty()) {
        first = markdownText(ruleTitle(findings.front()->ruleId, w.language), 80);
        const auto& gain = findings.front()->gain;
        if (gain.has())
            first +=
                w.common.comma + w.common.atMostPerLaunch(formatNumber(gain->value, Unit::Seconds));
    } else if (std::string none = markdown::noFindingsCell(kernel, w.language); !none.empty()) {
        first = std::move(none);
    }
    const bool timed = duration.count > 0;
    return fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} | {} |\n", index + 1, markdownCodeCell(kernel.name, 60),
        kernel.group.launches.size(),
        timed ? formatNumber(duration.total.value, Unit::Seconds) : w.common.notMeasured.str(),
        formatDerived(kernel.timeShare, Unit::Share, w.language),
        timed ? formatNumber(duration.median.value, Unit::Seconds) : w.common.notMeasured.str(),
        markdownText(verdictWords(kernel.verdict, w.language), 80), first);
}

}  // namespace

std::string deviceLine(const Device& device, Language language) {
    const Wording& w = wordingOf(language);
    std::string line =
        device.name.empty() ? w.facts.unknownGpu.str() : markdownText(device.name, 80);
    std::string chip;
    if (!device.chip.empty()) chip = markdownText(device.chip, 20) + w.common.comma;
    if (device.computeMajor > 0)
        line = w.common.bracketed(
            line, chip + w.facts.computeCapability(device.computeMajor, device.computeMinor));
    if (device.smCount > 0) line += w.common.comma + w.facts.sms(device.smCount);
    return line;
}

std::string softwareLine(const Profile& profile, Language language) {
    const Wording& w = wordingOf(language);
    if (profile.processes.empty()) return w.facts.noSoftware.str();
    const Process& process = profile.processes.front();
    const std::string driver = process.driverVersion > 0
                                   ? w.facts.driver(cudaVersion(process.driverVersion))
                                   : w.facts.noDriver.str();
    const std::string cupti = process.cuptiVersion > 0
                                  ? fmt::format("CUPTI {}", process.cuptiVersion)
                                  : w.facts.noCupti.str();
    return driver + w.common.comma + cupti;
}

std::string measuredLine(const Profile& profile, Language language) {
    const Wording& w = wordingOf(language);
    const Capture& capture = profile.capture;
    std::string groups;
    for (const std::string& group : capture.groups)
        groups += (groups.empty() ? "" : w.common.listComma.str()) + markdownText(group, 40);
    std::string line = markdownText(strategyWords(capture, language), 120) + w.common.semicolon +
                       controlWords(capture.cacheControl, capture.clockControl, w);
    if (!groups.empty()) line += w.common.semicolon + w.facts.counterGroups(groups);
    return line;
}

std::string issueList(const Profile& profile, Language language) {
    const Wording& w = wordingOf(language);
    const auto capital = [](std::string text) {
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
        return text;
    };
    std::string list;
    constexpr std::size_t kMost = 20;
    for (std::size_t i = 0; i < profile.issues.size(); ++i) {
        if (i == kMost) {
            list += "- " + w.facts.andMoreIssues(profile.issues.size() - kMost) + "\n";
            break;
        }
        const Issue& issue = profile.issues[i];
        const std::string severity =
            issue.severity == Severity::Error      ? "**" + capital(w.facts.error.str()) + "**"
            : issue.severity == Severity::DataLoss ? "**" + capital(w.facts.dataLost.str()) + "**"
                                                   : capital(w.facts.note.str());
        list += "- " + w.common.bracketed(severity, markdownCode(issue.code, 60)) + w.common.colon +
                markdownText(issue.message, 400);
        if (!issue.advice.empty()) list += " → " + markdownText(issue.advice, 300);
        list += "\n";
    }
    return list;
}

namespace {

/// What no recording has yet, and what this one lacks besides.
std::string notCollected(const Profile& profile, const Wording& w) {
    const HeaderWords& h = w.header;
    const bool gaps = std::any_of(profile.launches.begin(), profile.launches.end(),
                                  [](const Launch& launch) { return launch.start.has_value(); });
    const bool buffers = !profile.argumentLists.empty();
    if (profile.sources.empty()) {
        if (buffers) return (gaps ? h.notCollectedSource : h.notCollectedNorGaps).str();
        return (gaps ? h.notCollectedNorFusion : h.notCollected).str();
    }
    if (buffers) return gaps ? std::string() : h.notCollectedGaps.str();
    return (gaps ? h.notCollectedChains : h.notCollectedGapsOrChains).str();
}

/// What stood in for counters that the profile lacks; empty when it lacks none.
std::string substituteList(const Analysis& analysis, const Wording& w) {
    if (analysis.substitutes.empty()) return {};
    std::string list = "## " + w.header.substitutes + "\n\n" + w.header.substitutesWhy + "\n\n";
    for (const Substitute& substitute : analysis.substitutes)
        list += "- " + markdownCode(substitute.wanted, 200) + " = " +
                markdownCode(substitute.formula, 400) + "\n";
    return list + "\n";
}

}  // namespace

Header profileHeader(const Analysis& analysis, const Selection& selection,
                     const ReportOptions& options) {
    const Profile& profile = *analysis.profile;
    const Capture& capture = profile.capture;
    const Language language = options.language;
    const Wording& w = wordingOf(language);
    Header header;
    const auto fact = [&header](const Label& name, std::string words) {
        header.facts.emplace_back(name.str(), std::move(words));
    };
    header.title = w.header.title(commandWords(capture, w));
    if (!isMeasured(capture))
        header.warning = "**" + w.common.madeUp(markdownText(capture.origin, 40)) + "**";
    if (!options.profilePath.empty())
        fact(w.header.profile,
             markdownCode(options.profilePath, 200) +
                 (capture.createdUtc.empty() ? ""
                                             : w.common.comma + w.header.recordedAt(markdownText(
                                                                    capture.createdUtc, 40))));
    for (std::uint32_t device = 0; device < profile.devices.size(); ++device) {
        fact(w.header.gpu,
             w.header.clocks(deviceLine(profile.devices[device], language),
                             clockRange(analysis, device, &Quantities::smClock, w),
                             clockRange(analysis, device, &Quantities::dramClock, w)));
        fact(w.header.roofs, roofWords(analysis, device, false, w));
        const bool measured =
            std::any_of(analysis.roofs.begin(), analysis.roofs.end(),
                        [&](const Roof& roof) { return roof.measured && roof.device == device; });
        if (measured) fact(w.header.measuredRoofs, roofWords(analysis, device, true, w));
    }
    std::uint64_t seen = 0;
    for (const Process& process : profile.processes) seen += process.launchesSeen;
    fact(w.header.software,
         w.header.program(softwareLine(profile, language), exitWords(capture, w)));
    fact(w.header.measured,
         w.header.launches(measuredLine(profile, language), profile.launches.size(),
                           std::max<std::uint64_t>(seen, profile.launches.size())));
    fact(w.header.durations, durationSource(analysis, w).str());
    for (auto& words : rankSentences(
             profile, [](const std::string& name) { return markdownCode(name, 100); }, w))
        fact(w.ranks.heading, std::move(words));
    if (hasOnlyTimes(profile)) fact(w.header.note, w.header.onlyTimes.str());
    for (const Words& note : analysis.notes)
        fact(w.header.note, markdownText(note.in(language), 400));
    // What concerns the whole sequence of launches: no kernel's section could say it.
    constexpr std::size_t kMaxSentence = 1500;
    for (const Finding& finding : analysis.sequenceFindings)
        header.facts.emplace_back(markdownText(ruleTitle(finding.ruleId, language), 100),
                                  markdownText(sequenceWords(finding, language), kMaxSentence) +
                                      " (" + markdownCode(finding.ruleId, 60) + ")");

    std::string& text = header.tableIntro;
    const std::size_t all = analysis.kernels.size(), shown = selection.kernels.size();
    if (all == 0) {
        text += w.header.noLaunch + "\n\n";
    } else if (selection.matching == 0) {
        text += w.header.noMatch(all, markdownCode(options.kernelFilter, 100)) + "\n\n";
    } else {
        if (selection.filtered)
            text += w.header.someMatch(selection.matching, all,
                                       markdownCode(options.kernelFilter, 100)) +
                    "\n\n";
        if (shown < selection.matching) {
            double rest = 0;
            bool known = true;
            std::vector<char> isShown(all, 0);
            for (const std::size_t index : selection.kernels) isShown[index] = 1;
            for (std::size_t i = 0; i < all; ++i) {
                if (isShown[i]) continue;
                const auto& share = analysis.kernels[i].timeShare;
                known = known && share.has();
                if (share.has()) rest += share->value;
            }
            text += w.header.mostTime(shown, selection.matching - shown,
                                      known && !selection.filtered
                                          ? w.header.ofTheTime(formatNumber(rest, Unit::Share))
                                          : std::string()) +
                    "\n\n";
        }
        header.tableHead = w.header.tableHead + "\n|--:|---|--:|--:|--:|--:|---|---|\n";
        for (const std::size_t index : selection.kernels)
            header.rows.push_back(tableRow(analysis, index, w));
    }

    header.before = "# " + header.title + "\n\n";
    if (!header.warning.empty()) header.before += header.warning + "\n\n";
    for (const auto& [name, words] : header.facts)
        header.before += "- " + name + w.common.colon + words + "\n";
    header.before +=
        "\n" + w.header.names + "\n\n## " + w.header.kernels + "\n\n" + header.tableIntro;

    for (const std::string& words : rangeSentences(
             analysis, [](const std::string& name) { return markdownCode(name, 100); }, w))
        header.ranges += "- " + words + "\n";
    if (!header.ranges.empty())
        header.ranges = "## " + w.ranges.heading + "\n\n" + header.ranges + "\n";
    const std::string issues = issueList(profile, language);
    if (!issues.empty()) header.issues = "## " + w.header.problems + "\n\n" + issues + "\n";
    header.afterName =
        (analysis.substitutes.empty() ? w.budget.notCollected : w.budget.notCollectedNorGiven)
            .str();
    const std::string lacking = notCollected(profile, w);
    header.after = (lacking.empty() ? lacking : lacking + "\n\n") + substituteList(analysis, w);
    return header;
}

}  // namespace roofscope::markdown
