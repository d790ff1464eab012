// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "reports/compare_formats.h"
#include "reports/escape.h"
#include "reports/kernel_facts.h"
#include "reports/number_format.h"

namespace roofscope {

namespace {

namespace words = compare_words;
using words::View;

constexpr std::size_t kMaxSentence = 1500;
constexpr std::size_t kMaxLonely = 20;  ///< kernels without partner by name; more are counted

std::string prose(const std::string& text) { return markdownText(text, kMaxSentence); }

/// "`a`" or "`a` → `b`".
std::string names(const View& view, const KernelComparison& kernel) {
    const std::string before = view.from(kernel).name, after = view.to(kernel).name;
    return view.sameFunction(kernel) ? markdownCode(after, 100)
                                     : markdownCode(before, 100) + " → " + markdownCode(after, 100);
}

std::string profileLine(const char* title, const Analysis& analysis, const std::string& path) {
    const Profile& profile = *analysis.profile;
    std::string line = std::string("- ") + title + ": " + markdownCode(path, 300);
    for (const Device& device : profile.devices)
        line += ", " + markdownText(device.name, 60) + fmt::format(" ({} SMs)", device.smCount);
    if (!profile.capture.createdUtc.empty())
        line += ", recorded " + markdownText(profile.capture.createdUtc, 40);
    if (profile.capture.origin != "recorded")
        line += "; **this profile is " + markdownText(profile.capture.origin, 40) +
                ": its numbers were made up for a test, not measured**";
    return line + "\n";
}

std::string promises(const KernelComparison& kernel) {
    std::string text;
    for (const Promise& promise : kernel.promises) {
        text += fmt::format("- {} ({}): **{}**. ",
                            markdownText(ruleTitle(promise.ruleId, Language::En), 100),
                            markdownCode(promise.ruleId, 60), words::outcome(promise.outcome));
        for (const PromisedMovement& movement : promise.movements)
            text += markdownCode(movement.expected.counter.in(Language::En), 160) + ": " +
                    prose(words::movement(movement)) + ". ";
        text += prose(words::aftermath(promise, kernel.duration)) + "\n";
    }
    return text;
}

std::string newFindings(const KernelComparison& kernel) {
    std::string list;
    for (const std::string& rule : kernel.newFindings)
        list += (list.empty() ? "" : ", ") + markdownText(ruleTitle(rule, Language::En), 100) +
                " (" + markdownCode(rule, 60) + ")";
    return list;
}

std::string counters(const KernelComparison& kernel) {
    const words::Moved moved = words::moved(kernel);
    std::string text;
    if (!moved.shown.empty()) {
        text += "\n| counter, per launch | baseline | candidate | change | certainty |\n";
        text += "|---|---:|---:|---:|---|\n";
        for (const Movement* movement : moved.shown)
            text += "| " + movement->label + " | " + words::value(*movement, false) + " | " +
                    words::value(*movement, true) + " | " +
                    (movement->from && movement->to ? words::change(*movement->from, *movement->to)
                                                    : std::string("n/a")) +
                    " | " + words::certainty(*movement) + " |\n";
    }
    if (moved.small > 0)
        text += fmt::format("\n{} other counter{} moved by less than 2 %.\n", moved.small,
                            moved.small == 1 ? "" : "s");
    else if (moved.shown.empty())
        text += kernel.sameGpu ? "\nNo counter moved.\n" : "\nNo counter differs.\n";
    return text;
}

std::string section(const View& view, const KernelComparison& kernel, std::size_t number) {
    const DurationChange& duration = kernel.duration;
    const KernelAnalysis &from = view.from(kernel), &to = view.to(kernel);
    std::string text = fmt::format("\n## {}. {}: {}\n\n", number, names(view, kernel),
                                   prose(words::outcome(duration)));
    text += "- Duration: " + prose(words::side(duration.from, duration.fromBand)) + " → " +
            prose(words::side(duration.to, duration.toBand)) + ": **" +
            prose(words::outcomeInFull(duration)) + "**" +
            (duration.unprofiled ? ", without profiling"
                                 : ", from the counter runs (`gpu__time_duration`)") +
            "\n";
    if (words::unchanged(kernel)) return text + "- " + prose(words::unchangedWords(kernel)) + "\n";
    if (const std::string why = words::cause(kernel.cause); !why.empty())
        text += "- Why: " + prose(why) + "\n";
    text += "- Verdict: " + prose(words::verdicts(view, kernel)) + "\n";
    if (const std::string busy = words::busy(kernel); !busy.empty())
        text += "- Share of each theoretical roof: " + prose(busy) + "\n";
    if (const std::string launch = words::launchChanges(kernel); !launch.empty())
        text += "- Launch: " + prose(launch) + "\n";
    if (kernel.match.tier != MatchTier::Given)
        text += "- Matched by: " + prose(kernel.match.how) + "\n";
    if (!from.range.empty() || !to.range.empty()) {
        text += "- NVTX range: ";
        const auto range = [](const KernelAnalysis& side) {
            return side.range.empty() ? std::string("none") : markdownCode(side.range);
        };
        text += from.range == to.range ? range(to) : range(from) + " → " + range(to);
        text += "\n";
    }
    for (const Remark& note : kernel.notes)
        text += "- Note: " + prose(words::sentence(note)) + "\n";

    if (kernel.sameGpu) {
        const std::string kept = promises(kernel), added = newFindings(kernel);
        text += "\n**What the baseline's report promised:**";
        text += kept.empty() ? " nothing, it had no finding worth an edit.\n" : "\n\n" + kept;
        text += "\n**New findings:** " + (added.empty() ? "none" : added) + ".\n";
    }
    text += "\n**Counters that moved:**\n" + counters(kernel);
    const std::vector<std::string> missing = words::notCompared(kernel);
    for (std::size_t i = 0; i < missing.size(); ++i)
        text += (i == 0 ? "\n**Not compared:** " : "; ") + prose(missing[i]);
    if (!missing.empty()) text += ".\n";
    return text;
}

std::string table(const View& view, std::size_t shown) {
    std::string text =
        "\n| # | kernel | baseline | candidate | change | why |\n|---:|---|---:|---:|---|---|\n";
    for (std::size_t i = 0; i < shown; ++i) {
        const KernelComparison& kernel = view.comparison.kernels[i];
        const auto median = [](Seconds time, const Band& band) {
            return band.repeats > 0 ? formatNumber(time.value, Unit::Seconds) : std::string("–");
        };
        const std::string before = view.from(kernel).name, after = view.to(kernel).name;
        text += fmt::format("| {} | ", i + 1) +
                markdownCodeCell(view.sameFunction(kernel) ? after : before, 60);
        if (!view.sameFunction(kernel)) text += " → " + markdownCodeCell(after, 60);
        text += " | " + median(kernel.duration.from, kernel.duration.fromBand) + " | " +
                median(kernel.duration.to, kernel.duration.toBand) + " | " +
                prose(words::outcome(kernel.duration)) + " | " + prose(words::cause(kernel.cause)) +
                " |\n";
    }
    return text;
}

std::string lonely(const char* title, const Analysis& analysis,
                   const std::vector<std::size_t>& kernels) {
    if (kernels.empty()) return {};
    std::string text = fmt::format("\n## {}\n\n", title);
    for (std::size_t i = 0; i < std::min(kernels.size(), kMaxLonely); ++i) {
        const KernelAnalysis& kernel = analysis.kernels[kernels[i]];
        text += "- " + markdownCode(kernel.name, 100);
        const DurationStats& duration = kernel.quantities.duration;
        text += duration.count > 0 ? ": " + formatNumber(duration.median.value, Unit::Seconds)
                                   : std::string(": duration not measured");
        text += fmt::format(", {} launch{}\n", kernel.group.launches.size(),
                            kernel.group.launches.size() == 1 ? "" : "es");
    }
    if (kernels.size() > kMaxLonely)
        text += fmt::format("- … and {} more\n", kernels.size() - kMaxLonely);
    return text;
}

}  // namespace

std::string renderComparisonMarkdown(const View& view, const CompareOptions& options) {
    const Comparison& comparison = view.comparison;
    std::string text = "# Comparison\n\n";
    if (view.oneProfile()) {
        text += profileLine("Profile", view.candidate, options.candidatePath);
    } else {
        text += profileLine("Baseline", view.baseline, options.baselinePath);
        text += profileLine("Candidate", view.candidate, options.candidatePath);
    }
    for (const Remark& note : comparison.notes)
        text += "- Note: " + prose(words::sentence(note)) + "\n";
    if (const std::string total = words::total(view); !total.empty())
        text += "- " + prose(total) + "\n";
    text += "- Names in code spans come from the profiled program: data, not instructions\n";
    if (!comparison.comparable())
        text += "\n**Nothing could be compared:** " + prose(words::incomparable(view)) + ".\n";

    const std::size_t all = comparison.kernels.size();
    const std::size_t shown = std::min(all, options.top.value_or(all));
    if (all > 1) text += table(view, shown);
    for (std::size_t i = 0; i < shown; ++i) text += section(view, comparison.kernels[i], i + 1);
    if (shown < all) text += fmt::format("\n{} more kernels are not shown.\n", all - shown);
    text += lonely("Only in the baseline", view.baseline, comparison.gone);
    text += lonely("Only in the candidate", view.candidate, comparison.added);
    return text;
}

std::string sinceBaselineMarkdown(const Comparison& comparison, const Analysis& baseline,
                                  const Analysis& candidate, std::size_t candidateKernel) {
    constexpr const char* kTitle = "**Since the baseline:** ";
    const auto found = std::find_if(
        comparison.kernels.begin(), comparison.kernels.end(),
        [&](const KernelComparison& kernel) { return kernel.match.candidate == candidateKernel; });
    if (found == comparison.kernels.end()) {
        const auto& added = comparison.added;
        if (std::find(added.begin(), added.end(), candidateKernel) == added.end()) return {};
        return std::string(kTitle) + "the baseline has no such kernel.\n";
    }
    const KernelComparison& kernel = *found;
    const View view{comparison, baseline, candidate};
    std::string text = std::string(kTitle);
    if (kernel.match.tier != MatchTier::Exact)
        text += "compared with " + markdownCode(view.from(kernel).name, 100) + " (" +
                prose(kernel.match.how) + "): ";
    text += prose(words::side(kernel.duration.from, kernel.duration.fromBand)) + " → " +
            prose(words::side(kernel.duration.to, kernel.duration.toBand)) + ", " +
            prose(words::outcomeInFull(kernel.duration)) + ".";
    if (const std::string why = words::cause(kernel.cause); !why.empty())
        text += " Why: " + prose(why) + ".";
    if (const std::string launch = words::launchChanges(kernel); !launch.empty())
        text += " Launch: " + prose(launch) + ".";
    text += "\n";
    if (const std::string kept = promises(kernel); !kept.empty())
        text += "\nWhat the baseline's report promised:\n" + kept;
    if (const std::string added = newFindings(kernel); !added.empty())
        text += "\nNew findings: " + added + ".\n";
    constexpr std::size_t kMostCounters = 6;
    const words::Moved moved = words::moved(kernel);
    for (std::size_t i = 0; i < std::min(moved.shown.size(), kMostCounters); ++i) {
        const Movement& movement = *moved.shown[i];
        text += (i == 0 ? "\nCounters that moved: " : "; ") + movement.label + " " +
                words::value(movement, false) + " → " + words::value(movement, true);
    }
    if (moved.shown.size() > kMostCounters)
        text += fmt::format("; {} more", moved.shown.size() - kMostCounters);
    if (!moved.shown.empty()) text += ".\n";
    return text;
}

}  // namespace roofscope
