// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "reports/compare/formats.h"
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

std::string item(const Label& name, const std::string& text, const Wording& w) {
    return "- " + name + w.common.colon + text + "\n";
}

std::string profileLine(const Label& title, const Analysis& analysis, const std::string& path,
                        const Wording& w) {
    const Profile& profile = *analysis.profile;
    std::string line = markdownCode(path, 300);
    for (const Device& device : profile.devices)
        line += w.common.comma +
                w.common.bracketed(markdownText(device.name, 60), w.facts.sms(device.smCount));
    if (!profile.capture.createdUtc.empty())
        line += w.common.comma + w.header.recordedAt(markdownText(profile.capture.createdUtc, 40));
    if (!isMeasured(profile.capture))
        line += w.common.semicolon + "**" +
                w.compare.madeUp(markdownText(profile.capture.origin, 40)) + "**";
    return item(title, line, w);
}

/// A rule's title and id.
std::string titled(const std::string& rule, const Wording& w) {
    return w.common.bracketed(markdownText(ruleTitle(rule, w.language), 100),
                              markdownCode(rule, 60));
}

std::string promises(const KernelComparison& kernel, const Wording& w) {
    const std::string end = w.common.stop + w.common.gap.str();
    std::string text;
    for (const Promise& promise : kernel.promises) {
        text += "- " + titled(promise.ruleId, w) + w.common.colon + "**" +
                words::outcome(promise.outcome, w) + "**" + end;
        for (const PromisedMovement& movement : promise.movements)
            text += markdownCode(movement.expected.counter.in(w.language), 160) + w.common.colon +
                    prose(words::movement(movement, w)) + end;
        text += prose(words::aftermath(promise, kernel.duration, w)) + "\n";
    }
    return text;
}

std::string newFindings(const KernelComparison& kernel, const Wording& w) {
    std::string list;
    for (const std::string& rule : kernel.newFindings)
        list += (list.empty() ? "" : w.common.listComma.str()) + titled(rule, w);
    return list;
}

std::string counters(const KernelComparison& kernel, const Wording& w) {
    const words::Moved moved = words::moved(kernel);
    std::string text;
    if (!moved.shown.empty()) {
        text += "\n" + w.compare.counterTable + "\n|---|---:|---:|---:|---|\n";
        for (const Movement* movement : moved.shown)
            text +=
                "| " + movement->label.in(w.language) + " | " + words::value(*movement, false, w) +
                " | " + words::value(*movement, true, w) + " | " +
                (movement->from && movement->to ? words::change(*movement->from, *movement->to, w)
                                                : w.compare.notApplicable.str()) +
                " | " + words::certainty(*movement, w) + " |\n";
    }
    if (moved.small > 0)
        text += "\n" + w.compare.small(moved.small) + w.common.stop + "\n";
    else if (moved.shown.empty())
        text += "\n" + (kernel.sameGpu ? w.compare.noCounterMoved : w.compare.noCounterDiffers) +
                w.common.stop.str() + "\n";
    return text;
}

std::string section(const View& view, const KernelComparison& kernel, std::size_t number) {
    const Wording& w = view.w;
    const CompareWords& c = w.compare;
    const DurationChange& duration = kernel.duration;
    const KernelAnalysis &from = view.from(kernel), &to = view.to(kernel);
    std::string text =
        fmt::format("\n## {}. {}{}{}\n\n", number, names(view, kernel),
                    std::string_view(w.common.colon), prose(words::outcome(duration, w)));
    text += item(w.kernel.duration,
                 prose(words::side(duration.from, duration.fromBand, w)) + " → " +
                     prose(words::side(duration.to, duration.toBand, w)) + w.common.colon + "**" +
                     prose(words::outcomeInFull(duration, w)) + "**" +
                     (duration.unprofiled ? c.timed : c.counted).str(),
                 w);
    if (words::unchanged(kernel))
        return text + "- " + prose(words::unchangedWords(kernel, w)) + "\n";
    const auto fact = [&](const Label& name, const std::string& words) {
        if (!words.empty()) text += item(name, prose(words), w);
    };
    fact(c.why, words::cause(kernel.cause, w));
    fact(c.verdict, words::verdicts(view, kernel));
    fact(c.roofShares, words::busy(kernel, w));
    fact(c.launch, words::launchChanges(kernel, w));
    if (kernel.match.tier != MatchTier::Given) fact(c.matchedBy, kernel.match.how.in(w.language));
    if (!from.range.empty() || !to.range.empty()) {
        const auto range = [&w](const KernelAnalysis& side) {
            return side.range.empty() ? w.compare.noRange.str() : markdownCode(side.range);
        };
        text += item(w.kernel.range,
                     from.range == to.range ? range(to) : range(from) + " → " + range(to), w);
    }
    for (const Remark& note : kernel.notes) fact(w.header.note, words::sentence(note, w.language));

    if (kernel.sameGpu) {
        const std::string kept = promises(kernel, w), added = newFindings(kernel, w);
        text += "\n" + c.promises;
        text += kept.empty() ? c.noPromise + "\n" : "\n\n" + kept;
        text +=
            "\n" + c.newFindings + (added.empty() ? c.none.str() : added) + w.common.stop + "\n";
    }
    text += "\n" + c.counters + "\n" + counters(kernel, w);
    const std::vector<std::string> missing = words::notCompared(kernel, w);
    for (std::size_t i = 0; i < missing.size(); ++i)
        text += (i == 0 ? "\n" + c.notCompared : w.common.semicolon.str()) + prose(missing[i]);
    if (!missing.empty()) text += w.common.stop + "\n";
    return text;
}

std::string table(const View& view, std::size_t shown) {
    const Wording& w = view.w;
    std::string text = "\n" + w.compare.kernelTable + "\n|---:|---|---:|---:|---|---|\n";
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
                prose(words::outcome(kernel.duration, w)) + " | " +
                prose(words::cause(kernel.cause, w)) + " |\n";
    }
    return text;
}

std::string lonely(const Label& title, const Analysis& analysis,
                   const std::vector<std::size_t>& kernels, const Wording& w) {
    if (kernels.empty()) return {};
    std::string text = "\n## " + title + "\n\n";
    for (std::size_t i = 0; i < std::min(kernels.size(), kMaxLonely); ++i) {
        const KernelAnalysis& kernel = analysis.kernels[kernels[i]];
        const DurationStats& duration = kernel.quantities.duration;
        text += "- " + markdownCode(kernel.name, 100) + w.common.colon +
                (duration.count > 0 ? formatNumber(duration.median.value, Unit::Seconds)
                                    : w.compare.noDuration.str()) +
                w.common.comma + w.compare.launches(kernel.group.launches.size()) + "\n";
    }
    if (kernels.size() > kMaxLonely)
        text += "- " + w.compare.andMore(kernels.size() - kMaxLonely) + "\n";
    return text;
}

}  // namespace

std::string renderComparisonMarkdown(const View& view, const CompareOptions& options) {
    const Wording& w = view.w;
    const CompareWords& c = w.compare;
    const Comparison& comparison = view.comparison;
    std::string text = "# " + c.title + "\n\n";
    if (view.oneProfile()) {
        text += profileLine(w.header.profile, view.candidate, options.candidatePath, w);
    } else {
        text += profileLine(c.baseline, view.baseline, options.baselinePath, w);
        text += profileLine(c.candidate, view.candidate, options.candidatePath, w);
    }
    for (const Remark& note : comparison.notes)
        text += item(w.header.note, prose(words::sentence(note, w.language)), w);
    if (const std::string total = words::total(view); !total.empty())
        text += "- " + prose(total) + "\n";
    text += "- " + c.names + "\n";
    if (!comparison.comparable())
        text +=
            "\n" + w.compare.boldNothing + prose(words::incomparable(view)) + w.common.stop + "\n";

    const std::size_t all = comparison.kernels.size();
    const std::size_t shown = std::min(all, options.top.value_or(all));
    if (all > 1) text += table(view, shown);
    for (std::size_t i = 0; i < shown; ++i) text += section(view, comparison.kernels[i], i + 1);
    if (shown < all) text += "\n" + c.moreKernels(all - shown) + "\n";
    text += lonely(c.onlyBaseline, view.baseline, comparison.gone, w);
    text += lonely(c.onlyCandidate, view.candidate, comparison.added, w);
    return text;
}

}  // namespace roofscope
