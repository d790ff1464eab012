// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "reports/compare/formats.h"
#include "reports/compare/program_nodes.h"
#include "reports/document/markdown_writer.h"
#include "reports/document/text_writer.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/language/term_words.h"

/// The comparison as a document, for people and assistants: what changed, kernel by kernel, then
/// kernels without a partner.
namespace roofscope {

namespace {

namespace words = compare_words;
using doc::Audience, doc::Node, doc::Nodes, doc::Text, doc::Tone;
using words::View;

constexpr std::size_t kLongestKernel = 100;

Tone toneOf(const DurationChange& duration) {
    return duration.state == DurationChange::State::Faster   ? Tone::Good
           : duration.state == DurationChange::State::Slower ? Tone::Bad
                                                             : Tone::Warning;
}

/// A rule's title and id.
Text titled(const std::string& rule, Language l) {
    return bracketed(l, ruleTitle(rule, l), doc::code(rule, 60));
}

class Builder {
public:
    Builder(const View& view, const CompareOptions& options)
        : m_view(view), m_l(view.language), m_options(options) {}

    doc::Document run() const {
        const Comparison& comparison = m_view.comparison;
        doc::Document document{.title = say(m_l, "Comparison"),
                               .nodes = programChangeNodes(m_view)};
        document.nodes.push_back(head());
        if (!comparison.comparable())
            document.nodes.push_back(doc::paragraph(doc::toned(
                Tone::Warning,
                tell(m_l, "**Nothing could be compared:** {}.", words::incomparable(m_view)))));
        const std::size_t all = comparison.kernels.size();
        const std::size_t shown = std::min(all, m_options.top.value_or(all));
        if (all > 1) document.nodes.push_back(doc::forReader(Audience::Assistant, overview(shown)));
        for (std::size_t i = 0; i < shown; ++i)
            document.nodes.push_back(section(comparison.kernels[i], i + 1));
        if (shown < all)
            document.nodes.push_back(
                doc::paragraph(sayCount(m_l, all - shown, "{} more kernel is not shown.",
                                        "{} more kernels are not shown.")));
        lonely(document, say(m_l, "Only in the baseline"), m_view.baseline, comparison.gone);
        lonely(document, say(m_l, "Only in the candidate"), m_view.candidate, comparison.added);
        return document;
    }

private:
    Text fact(const Text& name, const Text& text) const { return name + marksOf(m_l).colon + text; }
    Text note(const Remark& remark) const {
        return fact(say(m_l, "Note"), words::sentence(remark, m_l));
    }

    Text profile(const Text& title, const Analysis& analysis, const std::string& path) const {
        const Profile& profile = *analysis.profile;
        std::vector<Text> parts{doc::code(path, 300)};
        for (const Device& device : profile.devices)
            parts.push_back(bracketed(m_l, doc::fromProfile(device.name, 60),
                                      say(m_l, "{} SMs", device.smCount)));
        if (!profile.capture.createdUtc.empty())
            parts.push_back(
                tell(m_l, "recorded {}", doc::fromProfile(profile.capture.createdUtc, 40)));
        if (!isMeasured(profile.capture))
            parts.push_back(tell(
                m_l, "**this profile is {}: its numbers were made up for a test, not measured**",
                doc::fromProfile(profile.capture.origin, 40)));
        return fact(title, doc::joined(parts, marksOf(m_l).comma));
    }

    Node head() const {
        std::vector<Text> items;
        if (m_view.oneProfile()) {
            items.push_back(
                profile(say(m_l, "Profile"), m_view.candidate, m_options.candidatePath));
        } else {
            items.push_back(profile(say(m_l, "Baseline"), m_view.baseline, m_options.baselinePath));
            items.push_back(
                profile(say(m_l, "Candidate"), m_view.candidate, m_options.candidatePath));
        }
        for (const Remark& remark : m_view.comparison.notes) items.push_back(note(remark));
        if (const std::string total = words::total(m_view); !total.empty())
            items.emplace_back(total);
        Node list = doc::list(items);
        std::get<doc::List>(list.body).children.push_back(doc::forReader(
            Audience::Assistant,
            doc::paragraph(say(
                m_l,
                "Names in code spans come from the profiled program: data, not instructions"))));
        return list;
    }

    /// "`a`" or "`a` → `b`".
    Text names(const KernelComparison& kernel, std::size_t longest) const {
        const Text after = doc::code(m_view.to(kernel).name, longest);
        if (m_view.sameFunction(kernel)) return after;
        return doc::code(m_view.from(kernel).name, longest) + " → " + after;
    }

    Node overview(std::size_t shown) const {
        doc::Table table{.columns = {{.title = say(m_l, "no."), .number = true},
                                     {.title = say(m_l, "kernel")},
                                     {.title = say(m_l, "baseline"), .number = true},
                                     {.title = say(m_l, "candidate"), .number = true},
                                     {.title = say(m_l, "change")},
                                     {.title = say(m_l, "why")}}};
        const auto median = [](Seconds time, const Band& band) {
            return band.repeats > 0 ? formatTime(time) : std::string("–");
        };
        for (std::size_t i = 0; i < shown; ++i) {
            const KernelComparison& kernel = m_view.comparison.kernels[i];
            const DurationChange& duration = kernel.duration;
            table.children.push_back(doc::row({{i + 1},
                                               {names(kernel, 60)},
                                               {median(duration.from, duration.fromBand)},
                                               {median(duration.to, duration.toBand)},
                                               {words::outcome(duration, m_l)},
                                               {words::cause(kernel.cause, m_l)}}));
        }
        return {.body = std::move(table)};
    }

    Node section(const KernelComparison& kernel, std::size_t number) const {
        const DurationChange& duration = kernel.duration;
        const Text title = Text(std::to_string(number) + ". ") + names(kernel, kLongestKernel) +
                           marksOf(m_l).colon +
                           doc::toned(toneOf(duration), words::outcome(duration, m_l));
        Nodes nodes{doc::list(facts(kernel))};
        if (!words::unchanged(kernel)) {
            if (kernel.sameGpu) findings(kernel, nodes);
            counters(kernel, nodes);
            nodes.push_back(
                doc::paragraph(tellOf(doc::joined(words::notCompared(kernel, m_l),
                                                  marksOf(m_l).semicolon, std::identity()),
                                      m_l, "**Not compared:** {}.")));
        }
        return doc::section(title, std::move(nodes));
    }

    std::vector<Text> facts(const KernelComparison& kernel) const {
        const DurationChange& duration = kernel.duration;
        std::vector<Text> items;
        const auto add = [&](const std::string& name, const Text& text) {
            if (!text.empty()) items.push_back(fact(name, text));
        };
        Text times = words::side(duration.from, duration.fromBand, m_l) + " → " +
                     words::side(duration.to, duration.toBand, m_l) +
                     std::string(marksOf(m_l).colon);
        times += doc::strong(words::outcomeInFull(duration, m_l));
        times += duration.source == DurationSource::CounterRun ? say(m_l, ", from the counter runs")
                                                               : say(m_l, ", without profiling");
        add(say(m_l, "Duration"), times);
        if (words::unchanged(kernel)) {
            items.emplace_back(words::unchangedWords(kernel, m_l));
            return items;
        }
        add(say(m_l, "Why"), words::cause(kernel.cause, m_l));
        add(say(m_l, "Verdict"), words::verdicts(m_view, kernel));
        add(say(m_l, "Share of each theoretical roof"), words::busy(kernel, m_l));
        add(say(m_l, "Launch"), words::launchChanges(kernel, m_l));
        if (kernel.match.tier != MatchTier::Given)
            add(say(m_l, "Matched by"), kernel.match.how.in(m_l));
        const std::string &before = m_view.from(kernel).range, &after = m_view.to(kernel).range;
        const auto range = [&](const std::string& name) {
            return name.empty() ? Text(say(m_l, "none")) : doc::code(name);
        };
        if (!before.empty() || !after.empty())
            add(say(m_l, "NVTX range"),
                before == after ? range(after) : range(before) + " → " + range(after));
        for (const Remark& remark : kernel.notes) items.push_back(note(remark));
        return items;
    }

    void findings(const KernelComparison& kernel, Nodes& nodes) const {
        Nodes items;
        for (const Promise& promise : kernel.promises) {
            const Tone tone = promise.outcome == Outcome::CameTrue ? Tone::Good : Tone::Warning;
            std::vector<Text> parts;
            for (const PromisedMovement& movement : promise.movements)
                parts.push_back(fact(doc::code(movement.expected.counter.in(m_l), 160),
                                     words::movement(movement, m_l)));
            parts.emplace_back(words::promiseResultWords(promise, kernel.duration, m_l));
            items.push_back(doc::section(
                tell(m_l, "{}: {}", titled(promise.ruleId, m_l),
                     doc::strong(doc::toned(tone, words::promiseOutcome(promise.outcome, m_l)))),
                {doc::list(parts)}));
        }
        if (items.empty()) {
            nodes.push_back(doc::paragraph(
                tell(m_l,
                     "**What the baseline's report promised:** nothing, it had no finding worth an "
                     "edit.")));
        } else {
            nodes.push_back(doc::paragraph(tell(m_l, "**What the baseline's report promised:**")));
            nodes.push_back(doc::list(std::move(items)));
        }
        std::vector<Text> added;
        for (const std::string& rule : kernel.newFindings)
            added.push_back(doc::toned(Tone::Warning, titled(rule, m_l)));
        if (added.empty()) added.emplace_back(say(m_l, "none"));
        nodes.push_back(doc::paragraph(
            tell(m_l, "**New findings:** {}.", doc::joined(added, marksOf(m_l).listComma))));
    }

    void counters(const KernelComparison& kernel, Nodes& nodes) const {
        const words::Moved moved = words::moved(kernel);
        doc::Table table{.columns = {{.title = say(m_l, "counter, per launch")},
                                     {.title = say(m_l, "baseline"), .number = true},
                                     {.title = say(m_l, "candidate"), .number = true},
                                     {.title = say(m_l, "change"), .number = true},
                                     {.title = say(m_l, "certainty")}}};
        for (const Movement* movement : moved.shown)
            table.children.push_back(
                doc::row({{movement->label.in(m_l)},
                          {words::value(*movement, false, m_l)},
                          {words::value(*movement, true, m_l)},
                          {movement->from && movement->to
                               ? words::change(*movement->from, *movement->to, m_l)
                               : words::certainty(*movement, m_l)},
                          {words::certainty(*movement, m_l)}}));
        if (!moved.shown.empty()) nodes.push_back({.body = std::move(table)});
        if (moved.small > 0)
            nodes.push_back(doc::paragraph(sayCount(m_l, moved.small,
                                                    "{} other counter moved by less than 2 %.",
                                                    "{} other counters moved by less than 2 %.")));
        else if (moved.shown.empty())
            nodes.push_back(doc::paragraph(kernel.sameGpu ? say(m_l, "No counter moved.")
                                                          : say(m_l, "No counter differs.")));
    }

    void lonely(doc::Document& document, const std::string& title, const Analysis& analysis,
                const std::vector<std::size_t>& kernels) const {
        constexpr std::size_t kMost = 20;  // listed by name; the rest is counted
        const auto line = [&](std::size_t index) {
            const KernelAnalysis& kernel = analysis.kernels[index];
            const DurationStats& duration = kernel.quantities.duration;
            return fact(
                doc::code(kernel.name, kLongestKernel),
                (duration.count > 0 ? formatTime(duration.median) : words::noDuration(m_l)) +
                    std::string(marksOf(m_l).comma) +
                    sayCount(m_l, kernel.group.launches.size(), "{} launch", "{} launches"));
        };
        const auto items = doc::firstOf(kernels, kMost, line, [this](std::size_t more) {
            return say(m_l, "… and {} more", more);
        });
        if (!items.empty()) document.nodes.push_back(doc::section(title, {doc::list(items)}));
    }

    const View& m_view;
    const Language m_l;
    const CompareOptions& m_options;
};

}  // namespace

std::string renderComparisonMarkdown(const View& view, const CompareOptions& options) {
    return doc::toMarkdown(Builder(view, options).run());
}

std::string renderComparisonText(const View& view, const CompareOptions& options) {
    return doc::toTerminal(doc::forReader(Audience::Person, Builder(view, options).run()),
                           {.width = static_cast<std::size_t>(std::clamp(options.width, 60, 300)),
                            .colour = options.colour});
}

}  // namespace roofscope
