// SPDX-License-Identifier: Apache-2.0
#include "reports/honesty/documents.h"

#include <span>

#include "reports/language/number_format.h"
#include "reports/language/phrase.h"
#include "reports/language/say.h"

namespace roofscope::honesty {
namespace {

using doc::Node, doc::Nodes, doc::Text, doc::Tone;

constexpr std::size_t kLongestName = 80;

std::string filled(const Words& words, std::span<const Arg> args, Language l) {
    return fillPhrase(words.in(l), args, kLongestName, l);
}

template <class Quantity>
Text shown(const std::optional<Quantity>& value, Unit unit) {
    return value ? Text(formatNumber(value->value, unit)) : Text("–");
}

Text shown(const Derived<Bytes>& bytes) {
    return bytes.has() ? Text(formatNumber(bytes->value, Unit::Bytes)) : Text("–");
}

std::string factorText(double factor) { return formatNumber(factor, Unit::Factor); }

doc::Table callTable(const Review& review, Language l) {
    doc::Table table{
        .columns = {{.title = say(l, "one call")},
                    {.title = say(l, "kernel time"), .number = true},
                    {.title = say(l, inContext("row of a table", "launches")), .number = true},
                    {.title = say(l, "loads requested"), .number = true},
                    {.title = say(l, "stores requested"), .number = true},
                    {.title = say(l, "DRAM read"), .number = true},
                    {.title = say(l, "DRAM written"), .number = true}}};
    const auto add = [&](const std::string& name, const std::optional<CallFacts>& call) {
        if (!call) return;
        table.children.push_back(doc::row({{name},
                                           {shown(call->kernelTime, Unit::Seconds)},
                                           {call->launches},
                                           {shown(call->loaded, Unit::Bytes)},
                                           {shown(call->stored, Unit::Bytes)},
                                           {shown(call->dramRead, Unit::Bytes)},
                                           {shown(call->dramWritten, Unit::Bytes)}}));
    };
    add(say(l, "baseline, repeated inputs"), review.baseline);
    add(say(l, "candidate, repeated inputs"), review.candidate);
    add(say(l, "candidate, new inputs each time"), review.fresh);
    add(say(l, "baseline, empty L2"), review.baselineFlushed);
    add(say(l, "candidate, empty L2"), review.flushed);
    return table;
}

Text verdict(const Review& review, Language l) {
    const std::size_t found = review.suspicious();
    if (found == 0) {
        const bool all = std::ranges::all_of(
            review.checks, [](const Check& c) { return c.outcome == Outcome::Clear; });
        return doc::toned(
            Tone::Good,
            all ? tell(l, "**Nothing suspicious was found.**")
                : tell(l, "**Nothing suspicious was found** in what could be checked."));
    }
    return doc::toned(Tone::Warning,
                      tellCount(l, found, "**{} thing to check** before trusting this speed-up.",
                                "**{} things to check** before trusting this speed-up."));
}

/// The speedup, and under which conditions it holds.
Text speedup(const Review& review, Language l) {
    if (!review.speedup) return {};
    Text text = tell(l, "Kernels of a call: {} as fast as the baseline's with repeated inputs",
                     factorText(*review.speedup));
    if (review.coldSpeedup)
        text += tell(l, ", {} with an empty L2", factorText(*review.coldSpeedup));
    text += std::string(marksOf(l).stop);
    constexpr double kOptimistic = 1.1;
    if (review.warmFactor && *review.warmFactor >= kOptimistic)
        text +=
            std::string(marksOf(l).gap) +
            tell(l,
                 "A loop over the same inputs is optimistic by {}: with an empty L2 the candidate "
                 "takes that much longer.",
                 factorText(*review.warmFactor));
    return text;
}

Text sideText(const LoopSide& side, Language l) {
    return tell(l, "{}, DRAM {} read, {} written, L2 {}", formatTime(side.time),
                shown(side.dramRead), shown(side.dramWrite), shown(side.l2));
}

}  // namespace

doc::Document reviewDocument(const ReviewFacts& facts, const Review& review, Language l) {
    doc::Document document{.title = tell(l, "Review of {} against {}",
                                         doc::code(facts.candidate, kLongestName),
                                         doc::code(facts.baseline, kLongestName))};
    Nodes& nodes = document.nodes;
    nodes.push_back(doc::paragraph(verdict(review, l)));
    if (Text text = speedup(review, l); !text.empty()) nodes.push_back(doc::paragraph(text));
    std::size_t number = 0;
    for (const Check& check : review.checks) {
        if (check.outcome != Outcome::Suspicious) continue;
        nodes.push_back({.body = doc::Finding{
                             .number = ++number,
                             .title = check.title.in(l),
                             .rule = check.id,
                             .children = {doc::paragraph(filled(check.sentence, check.args, l)),
                                          doc::paragraph(tell(l, "Innocent explanation: {}",
                                                              filled(check.innocent, {}, l)))}}});
    }
    if (doc::Table table = callTable(review, l); !table.children.empty())
        nodes.push_back({.body = std::move(table)});
    std::vector<Text> clear, open;
    for (const Check& check : review.checks) {
        if (check.outcome == Outcome::Clear) clear.emplace_back(doc::code(check.id));
        if (check.outcome == Outcome::CannotTell)
            open.push_back(
                bracketed(l, doc::code(check.id), filled(check.sentence, check.args, l)));
    }
    nodes.push_back(doc::paragraph(tellOf(doc::joined(clear, marksOf(l).listComma), l,
                                          "**Checked, nothing suspicious:** {}.")));
    nodes.push_back(
        doc::paragraph(tellOf(doc::joined(open, marksOf(l).semicolon), l, "**Not checked:** {}.")));
    nodes.push_back(doc::paragraph(
        say(l, "These findings are evidence for a reviewer, not a judgement of the author.")));
    return document;
}

doc::Document loopDocument(const std::vector<LoopKernel>& kernels, const std::string& command,
                           Language l) {
    doc::Document document{.title =
                               tell(l, "Timing loop of {}", doc::code(command, 2 * kLongestName))};
    Nodes& nodes = document.nodes;
    if (kernels.empty()) {
        nodes.push_back(doc::paragraph(say(l, "No kernel was timed.")));
        return document;
    }
    for (const LoopKernel& kernel : kernels) {
        Nodes children;
        if (kernel.optimism && *kernel.optimism >= kLoopDiffers)
            children.push_back(doc::paragraph(doc::toned(
                Tone::Warning,
                kernel.program
                    ? tell(l,
                           "**Your loop is optimistic by {}**: a launch takes {} in it, and {} in "
                           "the program.",
                           factorText(*kernel.optimism), formatTime(kernel.inPlace.time),
                           formatTime(kernel.program->time))
                    : tell(l,
                           "**Your loop is optimistic by {}** compared with a program that starts "
                           "with an empty L2: a launch takes {} in the loop and {} with an empty "
                           "L2.",
                           factorText(*kernel.optimism), formatTime(kernel.inPlace.time),
                           formatTime(kernel.flushed->time)))));
        else if (kernel.optimism && kernel.findings.empty())
            children.push_back(doc::paragraph(doc::toned(
                Tone::Good, tell(l, "The loop agrees with {} within 5 %.",
                                 kernel.program ? say(l, "the program")
                                                : say(l, "a program with an empty L2")))));
        std::vector<Text> items;
        for (const LoopFinding& finding : kernel.findings)
            items.push_back(doc::code(toString(finding.fault)) + std::string(marksOf(l).colon) +
                            filled(finding.sentence, finding.args, l));
        for (const Words& unknown : kernel.unknown)
            items.push_back(tell(l, "Cannot tell: {}.", unknown.in(l)));
        if (!items.empty()) children.push_back(doc::list(items));
        std::vector<Text> sides{tell(l, "in the loop: {}", sideText(kernel.inPlace, l))};
        if (kernel.replayed)
            sides.push_back(tell(l, "replayed: {}", sideText(*kernel.replayed, l)));
        if (kernel.flushed) sides.push_back(tell(l, "empty L2: {}", sideText(*kernel.flushed, l)));
        if (kernel.program)
            sides.push_back(tell(l, "in the program: {}", sideText(*kernel.program, l)));
        children.push_back(doc::list(sides));
        nodes.push_back(doc::section(
            bracketed(l, doc::code(kernel.name, kLongestName),
                      Text(sayCount(l, kernel.inPlace.launches, "{1} of the loop, {0} launch",
                                    "{1} of the loop, {0} launches",
                                    formatNumber(kernel.share.value, Unit::Share)))),
            std::move(children)));
    }
    return document;
}

}  // namespace roofscope::honesty
