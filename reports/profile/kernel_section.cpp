// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/launches/grouping.h"
#include "analyzer/program/account/sites.h"
#include "analyzer/quantities/cache_traffic.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/source/waits.h"
#include "profile/chips/chip.h"
#include "reports/answer/answer_words.h"
#include "reports/answer/edit_text.h"
#include "reports/answer/finding_words.h"
#include "reports/compare/compare_report.h"
#include "reports/escape/escape.h"
#include "reports/kernels/kernel_lookup.h"
#include "reports/language/number_format.h"
#include "reports/language/phrase.h"
#include "reports/language/say.h"
#include "reports/language/term_words.h"
#include "reports/over_time/over_time_words.h"
#include "reports/plot/over_time_layout.h"
#include "reports/plot/roofline_layout.h"
#include "reports/profile/ask_command.h"
#include "reports/profile/measurement_words.h"
#include "reports/profile/parts.h"
#include "reports/profile/priority.h"
#include "reports/program/action_words.h"
#include "reports/quantities/tensor_memory_words.h"
#include "reports/verdict/major_findings.h"
#include "reports/verdict/no_findings.h"
#include "reports/verdict/verdict_words.h"

namespace roofscope::profile_report {

namespace {

/// "median 12.3 µs (12.1 to 12.9 µs, 5 launches), 32 % of GPU time".
doc::Text durationText(const KernelAnalysis& kernel, bool inWindow, Language l) {
    const DurationStats& duration = kernel.quantities.duration;
    if (duration.count == 0) return say(l, "Duration not measured");
    const std::string low = formatTime(duration.min), high = formatTime(duration.max);
    std::string words =
        duration.ofCounted ? say(l, "median {} ({} to {}, {} launches; {} where counted)",
                                 formatTime(duration.median), low, high,
                                 countInWords(duration.count), formatTime(*duration.ofCounted))
        : low != high ? say(l, "median {} ({} to {}, {} launches)", formatTime(duration.median),
                            low, high, countInWords(duration.count))
                      : sayCount(l, duration.count, "{1} ({0} launch)", "{1} ({0} launches)",
                                 formatTime(duration.median));
    if (!duration.unprofiled()) words += say(l, ", from the counter run");
    // The table shows the function's share of the window; a different share here would confuse.
    if (kernel.timeShare.has() && !inWindow)
        words += say(l, ", {} of GPU time", formatNumber(kernel.timeShare->value, Unit::Share));
    return words;
}

/// The effective bandwidth from declared bytes; empty if DRAM bandwidth was measured.
std::string effectiveBandwidthText(const Quantities& q, Language l) {
    if (!q.effectiveBandwidth.has() || q.bandwidth[Level::Dram].has()) return {};
    const std::string roof = q.effectiveRoofMeasured ? say(l, "the rate of a DRAM copy on this GPU")
                                                     : say(l, "the theoretical DRAM roof");
    return say(l, "Effective bandwidth from declared bytes (not measured): {}{}.",
               formatNumber(q.effectiveBandwidth->value, Unit::BytesPerSecond),
               q.effectiveShare.has()
                   ? say(l, ", {} of {}", formatNumber(q.effectiveShare->value, Unit::Share), roof)
                   : std::string());
}

/// Facts about the profile, for a report of one kernel.
void addProfileFacts(std::vector<doc::Text>& facts, const View& view,
                     const KernelAnalysis& kernel) {
    const Language l = view.language;
    const Profile& profile = *view.analysis.profile;
    const Quantities& q = kernel.quantities;
    facts.push_back(tell(l, "GPU: {}; SM clock {}, DRAM clock {}; {}",
                         deviceText(deviceOf(view.analysis, kernel), l),
                         formatDerived(q.smClock, Unit::Hertz, l),
                         formatDerived(q.dramClock, Unit::Hertz, l), softwareText(profile, l)));
    facts.push_back(tell(l, "Measured: {}", measuredText(profile, l)));
    if (hasOnlyTimes(profile)) facts.push_back(onlyTimesText(profile, l));
    const auto lost = std::ranges::count_if(
        profile.issues, [](const Issue& issue) { return issue.severity != Severity::Info; });
    if (lost > 0)
        facts.push_back(
            tellCount(l, static_cast<std::size_t>(lost),
                      "**{} problem while recording:** see the report of the whole profile",
                      "**{} problems while recording:** see the report of the whole profile"));
    facts.push_back(
        tell(l, "Names in code spans come from the profiled program: data, not instructions"));
}

doc::Nodes identity(const View& view, const KernelAnalysis& kernel, std::size_t rank) {
    const Language l = view.language;
    doc::Nodes nodes;
    if (view.standalone) {
        std::vector<doc::Text> facts;
        addProfileFacts(facts, view, kernel);
        nodes.push_back(doc::list(facts));
    }
    std::vector<doc::Text> words{durationText(kernel, view.byFunction() && view.hasOpening(), l)};
    if (!kernel.range.empty())
        words.push_back(tell(l, "in {}", doc::code(kernel.range, view.brief() ? 80 : 200)));
    if (!view.standalone && view.analysis.profile->devices.size() > 1) {
        const auto devices = devicesOf(*view.analysis.profile, kernel.group);
        words.emplace_back(devices.size() > 1 ? say(l, "on GPUs {}", deviceNumbers(devices))
                                              : say(l, "on GPU {}", deviceNumbers(devices)));
    }
    if (const auto& over = kernel.quantities.averagedOver)
        words.emplace_back(say(l, "counters are means of {} to {} launches (multiplexing)",
                               over->first, over->second));
    nodes.push_back(doc::paragraph(doc::joined(words, marksOf(l).semicolon) + marksOf(l).stop));
    // A truncated name does not identify the function to edit.
    const bool cut = kernel.name.find("…") != std::string::npos && !isForeign(kernel.origin);
    if (kernel.fullName != kernel.name && (!view.brief() || cut))
        nodes.push_back(doc::forReader(
            doc::Audience::Assistant,
            doc::paragraph(
                view.brief()
                    ? tell(l, "In full: {}", doc::code(shortKernelName(kernel.fullName, 140), 140))
                    : tell(l, "Full name: {}", doc::code(kernel.fullName, 200)),
                priorityOf(Part::Origins, rank), say(l, "full name"))));
    return nodes;
}

/// "33 %", "1.2 %": more digits are useless for roofs.
std::string roughShare(double share) {
    const double percent = share * 100;
    return percent >= 9.95 ? fmt::format("{:.0f} %", percent)
                           : formatNumber(std::round(percent * 10) / 1000, Unit::Share);
}

/// The shares of their theoretical roofs that the resources reach.
doc::Text busyText(const View& view, const KernelAnswer& answer) {
    const Language l = view.language;
    const Convention convention = view.analysis.convention;
    const doc::Text list =
        doc::joined(answer.resources, " · ", [&](const AnsweredResource& resource) {
            const double share = resource.use.ofRoof;
            const doc::Text text(doc::Span{.text = roughShare(share), .bar = share});
            const std::string detail = resourceDetail(*answer.kernel, resource, convention, l);
            return spaced(resourceName(resource, convention, l) + " ", l) +
                   (detail.empty() ? text : bracketed(l, text, detail));
        });
    return convention == Convention::Ncu
               ? tellOf(list, l,
                        "Share of each roof (L2 and L1 as Nsight Compute counts them): {}.")
               : tellOf(list, l, "Share of each roof: {}.");
}

/// Adds hit rates, if their counter group was read.
void addHitRates(std::vector<doc::Text>& parts, const View& view, const KernelAnalysis& kernel) {
    const Language l = view.language;
    const Profile& profile = *view.analysis.profile;
    const auto& names = profile.counters.names();
    if (std::ranges::none_of(names, [](const std::string& name) {
            return name.find("_hit_rate") != std::string::npos;
        }))
        return;
    const Device& device = deviceOf(view.analysis, kernel);
    const auto chip = chipTable(device);
    const CacheTraffic traffic = cacheTraffic(profile, kernel.group, chip.ok() ? &*chip : nullptr);
    const auto add = [&](const char* level, const Derived<Ratio>& rate) {
        if (rate.has())
            parts.emplace_back(say(l, "{} hit rate {}", level, roughShare(rate->value)));
    };
    add("L1", traffic.l1HitRate);
    add("L2", traffic.l2HitRate);
}

/// Which instruction most warps in this stall state wait for, if no finding says what to change.
doc::Text whyWarpsWait(const View& view, const KernelAnalysis& kernel, const std::string& state) {
    constexpr std::size_t kLongest = 260;
    if (!kernel.source || !majorFindings(kernel).empty()) return {};
    const SourceAnalysis& source = *kernel.source;
    if (source.waitState != state || source.waits.empty()) return {};
    const SourcePass& pass = view.analysis.profile->sources[source.pass];
    return doc::fromProfile(waitWords(pass, source, source.waits.front()).in(view.language),
                            kLongest);
}

/// Intensity, hit rates and stall reasons, if counted: roofs do not show them.
doc::Text intensityAndStallText(const View& view, const KernelAnswer& answer) {
    const Language l = view.language;
    const KernelAnalysis& kernel = *answer.kernel;
    std::vector<doc::Text> parts;
    for (const RooflinePoint& point : kernel.points)
        if (point.level == Level::Dram && parts.empty())
            parts.emplace_back(say(l, "{} of DRAM ({})",
                                   formatIntensity(point.intensity.value, point.precision),
                                   arithmeticWords(point.precision, l)));
    addHitRates(parts, view, kernel);
    std::vector<doc::Text> waits;
    for (const Stall& stall : answer.stalls.reasons) {
        doc::Text text = doc::fromProfile(stall.reason, 40) + " " + roughShare(stall.share);
        if (waits.empty())
            if (const doc::Text why = whyWarpsWait(view, kernel, stall.reason); !why.empty())
                text = bracketed(l, text, why);
        waits.push_back(std::move(text));
    }
    return doc::joined({tellOf(doc::joined(parts, marksOf(l).semicolon), l, "{}."),
                        tellOf(doc::joined(waits, marksOf(l).listComma), l, "Warps wait for {}.")},
                       marksOf(l).gap);
}

doc::Nodes verdictNodes(const View& view, const KernelAnswer& answer) {
    const Language l = view.language;
    const KernelAnalysis& kernel = *answer.kernel;
    // The heading names the verdict.
    doc::Text verdict =
        tell(l, "**Verdict** (confidence {})", confidenceWords(kernel.verdict.confidence, l));
    if (const std::string reason = verdictReason(kernel, l); !reason.empty())
        verdict += marksOf(l).colon + doc::fromProfile(reason, kMaxSentence);
    const std::string_view gap = marksOf(l).gap;
    return {doc::paragraph(doc::joined({verdict + marksOf(l).stop, headroomSentence(answer, l),
                                        jointGainSentence(answer, l)},
                                       gap)),
            doc::paragraph(
                doc::joined({busyText(view, answer), intensityAndStallText(view, answer)}, gap)),
            doc::paragraph(effectiveBandwidthText(kernel.quantities, l)),
            doc::paragraph(tensorMemoryWords(*view.analysis.profile, kernel, l))};
}

/// The kernel's activity over its run time, in words and as a picture.
doc::Nodes overTimeNodes(const View& view, std::size_t index, std::size_t rank) {
    const Language l = view.language;
    const KernelAnalysis& kernel = view.analysis.kernels[index];
    if (!kernel.overTime) return {};
    const plot::OverTimePlot plot =
        plot::layoutOverTime(view.analysis, index, {.framed = false, .language = l});
    return {doc::paragraph(overTimeWords(*view.analysis.profile, kernel, l),
                           priorityOf(Part::Launch, rank), say(l, "over time")),
            {.body = doc::Picture{plot::toInlineSvg(plot.shapes, kernelAnchor(index) + "-over-time",
                                                    plot.title, plot.description)}}};
}

std::string exactBytes(std::uint64_t bytes) {
    return formatExact(static_cast<double>(bytes)) + " B";
}

doc::Text launchText(const View& view, const KernelAnalysis& kernel) {
    const Language l = view.language;
    const LaunchGroup& group = kernel.group;
    const Kernel& function = functionOf(view.analysis, kernel);
    std::vector<doc::Text> parts{
        tell(l, "**Launch:** grid {}, block {}", formatDim(group.grid), formatDim(group.block))};
    if (group.cluster && group.cluster->total() > 1)
        parts.push_back(say(l, "cluster {}", formatDim(*group.cluster)));
    if (function.registersPerThread)
        parts.push_back(say(l, "{} registers", *function.registersPerThread));
    // Leave out what was not recorded, but show 0 B: free shared memory is something an edit could
    // use.
    if (function.staticSharedBytes)
        parts.push_back(say(l, "{} shared",
                            exactBytes(*function.staticSharedBytes + group.dynamicSharedBytes)));
    if (function.staticSharedBytes && *function.staticSharedBytes > 0 &&
        group.dynamicSharedBytes > 0)
        parts.back() =
            bracketed(l, parts.back(), say(l, "{} dynamic", exactBytes(group.dynamicSharedBytes)));
    if (function.localBytesPerThread.value_or(0) > 0)
        parts.push_back(say(l, "{} local", exactBytes(*function.localBytesPerThread)));
    return doc::joined(parts, marksOf(l).comma);
}

/// "launched at `train.py:12 (forward) aten::gelu [2048, 4096]`". Only if operators are known:
/// otherwise the range and the actions say as much.
doc::Text launchedText(const View& view, const KernelAnalysis& kernel) {
    const Language l = view.language;
    constexpr std::size_t kMost = 2, kLongest = 100;
    std::vector<doc::Text> sites;
    std::size_t more = 0;
    for (const CallSite* site : program::launchSitesOf(*view.analysis.profile, kernel)) {
        if (site->op.empty() && site->backward.empty()) continue;
        if (sites.size() == kMost)
            ++more;
        else
            sites.push_back(doc::code(siteWords({.text = program::siteText(*site)}), kLongest));
    }
    if (more > 0) sites.emplace_back(say(l, inContext("places", "{} more"), more));
    return tellOf(doc::joined(sites, marksOf(l).listComma), l, "launched at {}");
}

/// "occupancy 81 % of 100 %, 16 blocks per SM, 7.76 waves".
doc::Text occupancyText(const View& view, const KernelAnalysis& kernel) {
    const Language l = view.language;
    const Occupancy& occupancy = kernel.quantities.occupancy;
    std::vector<doc::Text> parts;
    const std::string limiter = limiterWords(occupancy.limiter, l);
    if (occupancy.theoretical.has()) {
        const std::string possible = roughShare(occupancy.theoretical->value);
        parts.emplace_back(
            occupancy.achieved.has()
                ? say(l, "occupancy {} of {}", roughShare(occupancy.achieved->value), possible)
                : say(l, "occupancy at most {}", possible));
        if (!limiter.empty()) parts.back() = bracketed(l, parts.back(), limiter);
    }
    if (occupancy.residentBlocksPerSm.has())
        parts.emplace_back(
            sayCount(l, static_cast<std::size_t>(std::lround(*occupancy.residentBlocksPerSm)),
                     "{} block per SM", "{} blocks per SM"));
    if (occupancy.waves.has()) {
        const std::string waves = formatNumber(*occupancy.waves, Unit::Count);
        // A nearly full last wave is not worth reporting.
        constexpr double kNearlyFull = 0.95;
        const auto& used = occupancy.waveEfficiency;
        parts.emplace_back(used.has() && used->value<kNearlyFull&& * occupancy.waves> 1
                               ? say(l, "{} waves (used to {})", waves, roughShare(used->value))
                           : waves == "1" ? say(l, "1 wave")
                                          : say(l, "{} waves", waves));
    }
    return doc::joined(parts, marksOf(l).comma);
}

doc::Text constraintsText(const View& view, const KernelAnalysis& kernel) {
    const Language l = view.language;
    const doc::Text keep =
        editKeepsKernel(kernel) && !isForeign(kernel.origin)
            ? tell(l,
                   "**Constraints:** keep the results (within the tolerance of the existing "
                   "tests), the kernel's name, signature and argument meaning.")
            : tell(l,
                   "**Constraints:** keep the results (within the tolerance of the existing "
                   "tests).");
    return doc::joined({keep, limitsText(view.analysis, kernel.group.device, l)}, marksOf(l).gap);
}

doc::Text ruledOutText(const KernelAnswer& answer, Language l) {
    return tellOf(doc::joined(ruledOutWords(answer, RuleName::Id, l), marksOf(l).listComma), l,
                  "**Ruled out:** {}.");
}

doc::Text notMeasuredText(const View& view, const KernelAnswer& answer) {
    const Language l = view.language;
    // What the whole profile lacks is said only once.
    return tellOf(
        doc::joined(notMeasuredWords(view.analysis, answer, view.standalone, RuleName::Id, l),
                    marksOf(l).semicolon),
        l, "**Not measured:** {}.");
}

doc::Nodes askNodes(const View& view, std::size_t index) {
    if (!view.options.ask) return {};
    const Language l = view.language;
    const KernelAnalysis& kernel = view.analysis.kernels[index];
    const Profile& profile = *view.analysis.profile;
    const bool edit = !majorFindings(kernel).empty();
    const auto groups = lackingGroups(profile, kernel);
    doc::Text ask;
    if (edit && editKeepsKernel(kernel))
        ask =
            tell(l,
                 "**Ask:** make exactly one change, the edit of finding 1. Keep the signature and "
                 "the results. Rebuild, run exactly this and paste the new report:");
    else if (edit)
        ask = tell(l,
                   "**Ask:** make exactly one change, the edit of finding 1, where this kernel is "
                   "launched. Keep the results. Run exactly this and paste the new report:");
    else if (!groups.empty())
        ask = tell(
            l,
            "**Ask:** no edit yet. These commands also read the counters that rules lacked here:");
    else if (view.standalone)
        ask = tell(l, "**Ask:** no edit proposed. To measure again:");
    else
        return {};
    return {doc::paragraph(ask),
            doc::codeBlock(askCommand(view.analysis, index, view.options, groups), "sh")};
}

/// "no. 2 (≤ 300 µs), no. 4 (≤ 314 µs)", for kernels that the reader cannot edit: the table has
/// their other numbers. Shapes without a row of their own are named by their grid.
std::vector<doc::Text> foreignAlike(const View& view, const std::vector<std::size_t>& others) {
    const Language l = view.language;
    constexpr std::size_t kMost = 6;
    return doc::firstOf(
        others, kMost,
        [&](std::size_t index) {
            const auto major = majorFindings(view.analysis.kernels[index]);
            const bool hasRow =
                !view.byFunction() ||
                std::ranges::find(view.program->functions, index, &KernelFunction::shown) !=
                    view.program->functions.end();
            const std::string number =
                hasRow ? say(l, "no. {}", index + 1)
                       : say(l, "grid {}", formatDim(view.analysis.kernels[index].group.grid));
            return major.empty() || !major.front()->gain.has()
                       ? number
                       : bracketed(l, number,
                                   boundMark(*major.front()->gain, major.front()->estimate));
        },
        [l](std::size_t more) { return say(l, "{} more", more); });
}

/// "no. 2: grid 264×8, 355 µs, 15.9 %, ≤ 300 µs".
std::vector<doc::Text> shapesAlike(const View& view, const std::vector<std::size_t>& others) {
    const Language l = view.language;
    constexpr std::size_t kMost = 3;
    const auto line = [&](std::size_t index) {
        const KernelAnalysis& kernel = view.analysis.kernels[index];
        const LaunchGroup& group = kernel.group;
        std::vector<doc::Text> facts{say(l, "no. {}: grid {}", index + 1, formatDim(group.grid))};
        if (group.block != view.analysis.kernels[others.front()].group.block)
            facts.emplace_back(say(l, "block {}", formatDim(group.block)));
        if (!kernel.range.empty()) facts.push_back(doc::code(kernel.range, 60));
        if (kernel.quantities.duration.count > 0)
            facts.emplace_back(formatTime(kernel.quantities.duration.median));
        if (kernel.timeShare.has())
            facts.emplace_back(formatNumber(kernel.timeShare->value, Unit::Share));
        const auto major = majorFindings(kernel);
        if (!major.empty() && major.front()->gain.has())
            facts.emplace_back(boundMark(*major.front()->gain, major.front()->estimate));
        return doc::joined(facts, marksOf(l).comma);
    };
    return doc::firstOf(others, kMost, line,
                        [l](std::size_t more) { return say(l, "{} more", more); });
}

doc::Text otherShapes(const View& view, const std::vector<std::size_t>& others) {
    const Language l = view.language;
    const bool foreign =
        view.brief() && !others.empty() && isForeign(view.analysis.kernels[others.front()].origin);
    const doc::Text words = foreign ? doc::joined(foreignAlike(view, others), marksOf(l).listComma)
                                    : doc::joined(shapesAlike(view, others), marksOf(l).semicolon);
    return tellOf(words, l, "**Same diagnosis:** {}.");
}

}  // namespace

doc::Node kernelSection(const View& view, const Shapes& shapes, std::size_t rank) {
    const Language l = view.language;
    const std::size_t index = shapes.first;
    const KernelAnalysis& kernel = view.analysis.kernels[index];
    doc::Section section{.title = tell(l, "{}. {}: {}", index + 1, doc::code(kernel.name, 100),
                                       verdictBadge(kernel.verdict, l)),
                         .children = identity(view, kernel, rank),
                         .id = kernelAnchor(index),
                         .folds = true};
    if (kernel.timeShare.has())
        section.remark =
            say(l, "{} of GPU time", formatNumber(kernel.timeShare->value, Unit::Share));
    const auto add = [&](Part part, doc::Nodes nodes, std::string name) {
        if (nodes.empty()) return;
        section.children.push_back(doc::forReader(
            part == Part::Baseline || part == Part::Shapes ? doc::Audience::Both
                                                           : doc::Audience::Assistant,
            doc::section({}, std::move(nodes), priorityOf(part, rank), std::move(name))));
    };
    const auto addText = [&](Part part, doc::Text text, std::string name) {
        if (!text.empty()) add(part, {doc::paragraph(std::move(text))}, std::move(name));
    };
    // A brief report has the request at its top.
    const bool asks = !view.brief() || (rank == 0 && !view.hasOpening());
    const KernelAnswer answer = answerOf(view.analysis, kernel);
    for (doc::Node& node : verdictNodes(view, answer)) section.children.push_back(std::move(node));
    for (doc::Node& node : overTimeNodes(view, index, rank))
        section.children.push_back(std::move(node));
    addText(Part::Launch,
            doc::joined(
                {launchText(view, kernel), occupancyText(view, kernel), launchedText(view, kernel)},
                marksOf(l).semicolon) +
                marksOf(l).stop,
            say(l, "launch and resources"));
    for (doc::Node& node : findingNodes(view, answer, rank))
        section.children.push_back(std::move(node));
    addText(Part::Shapes, otherShapes(view, shapes.others), say(l, "other shapes"));
    addText(Part::RuledOut, undecidedSentence(answer, RuleName::Id, l), say(l, "undecided"));
    if (!view.brief() || answer.nothing)
        addText(Part::RuledOut, ruledOutText(answer, l), say(l, "ruled out"));
    if (view.standalone)
        addText(Part::Constraints, constraintsText(view, kernel), say(l, "constraints"));
    add(Part::Source, sourceNodes(view, kernel), say(l, "source window"));
    if (const auto& baseline = view.options.baseline)
        add(Part::Baseline,
            sinceBaselineNodes(baseline->comparison, *baseline->analysis, view.analysis, index, l),
            say(l, "since the baseline"));
    if (!view.brief())
        addText(Part::NotMeasured, notMeasuredText(view, answer), say(l, "not measured"));
    if (asks) add(Part::Ask, askNodes(view, index), say(l, "ask"));
    return {.body = std::move(section),
            .priority =
                rank == 0 && view.hasOpening() ? kFirstSection : priorityOf(Part::Section, rank),
            .name = say(l, "kernel section")};
}

}  // namespace roofscope::profile_report
