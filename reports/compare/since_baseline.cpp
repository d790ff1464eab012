// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/compare/compare_report.h"
#include "reports/compare/words.h"
#include "reports/escape/escape.h"
#include "reports/language/say.h"
#include "reports/language/term_words.h"

namespace roofscope {

namespace {

namespace words = compare_words;
using words::View;

doc::Text cutTitle(const std::string& rule, Language l) {
    return bracketed(l, doc::fromProfile(ruleTitle(rule, l), 100), doc::code(rule, 60));
}

/// "since the baseline: 2.06× faster, 158 µs saved per launch. Why: …".
doc::Text outcomeText(const View& view, const KernelComparison& kernel) {
    const Language l = view.language;
    std::vector<doc::Text> sentences;
    if (kernel.match.tier != MatchTier::Exact)
        sentences.push_back(tell(l, "Compared with {} ({}).",
                                 doc::code(view.from(kernel).name, 100),
                                 doc::fromProfile(kernel.match.how.in(l))));
    sentences.push_back(tell(l, "**Since the baseline:** {} → {}, {}.",
                             words::side(kernel.duration.from, kernel.duration.fromBand, l),
                             words::side(kernel.duration.to, kernel.duration.toBand, l),
                             words::outcomeInFull(kernel.duration, l)));
    sentences.push_back(tellOf(words::cause(kernel.cause, l), l, "Why: {}."));
    sentences.push_back(tellOf(words::launchChanges(kernel, l), l, "Launch: {}."));
    return doc::joined(sentences, marksOf(l).gap);
}

doc::Text promiseText(const Promise& promise, const KernelComparison& kernel, Language l) {
    std::vector<doc::Text> sentences{tell(l, "{}: **{}**.", cutTitle(promise.ruleId, l),
                                          words::promiseOutcome(promise.outcome, l))};
    for (const PromisedMovement& movement : promise.movements)
        sentences.push_back(tell(l, "{}: {}.", doc::code(movement.expected.counter.in(l), 160),
                                 words::movement(movement, l)));
    sentences.emplace_back(words::promiseResultWords(promise, kernel.duration, l));
    return doc::joined(sentences, marksOf(l).gap);
}

doc::Text countersText(const KernelComparison& kernel, Language l) {
    constexpr std::size_t kMost = 6;
    const words::Moved moved = words::moved(kernel);
    const auto counters = doc::firstOf(
        moved.shown, kMost,
        [l](const Movement* movement) {
            return movement->label.in(l) + " " + words::value(*movement, false, l) + " → " +
                   words::value(*movement, true, l);
        },
        [l](std::size_t more) { return say(l, inContext("end of a list", "{} more"), more); });
    return tellOf(doc::joined(counters, marksOf(l).semicolon), l, "Counters that moved: {}.");
}

}  // namespace

doc::Nodes sinceBaselineNodes(const Comparison& comparison, const Analysis& baseline,
                              const Analysis& candidate, std::size_t candidateKernel, Language l) {
    const auto found = std::ranges::find(comparison.kernels, candidateKernel,
                                         [](const auto& kernel) { return kernel.match.candidate; });
    if (found == comparison.kernels.end()) {
        if (std::ranges::find(comparison.added, candidateKernel) == comparison.added.end())
            return {};
        return {
            doc::paragraph(tell(l, "**Since the baseline:** the baseline has no such kernel."))};
    }
    doc::Nodes nodes{doc::paragraph(outcomeText({comparison, baseline, candidate, l}, *found))};
    std::vector<doc::Text> promises;
    for (const Promise& promise : found->promises)
        promises.push_back(promiseText(promise, *found, l));
    if (!promises.empty()) {
        nodes.push_back(doc::paragraph(say(l, "What the baseline's report promised:")));
        nodes.push_back(doc::list(promises));
    }
    const doc::Text added = doc::joined(found->newFindings, marksOf(l).listComma,
                                        [l](const std::string& rule) { return cutTitle(rule, l); });
    nodes.push_back(doc::paragraph(tellOf(added, l, "New findings: {}.")));
    nodes.push_back(doc::paragraph(countersText(*found, l)));
    return nodes;
}

}  // namespace roofscope
