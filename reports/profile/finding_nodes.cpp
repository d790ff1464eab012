// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <span>

#include "analyzer/diagnosis/rule.h"
#include "reports/escape/escape.h"
#include "reports/findings/edit_text.h"
#include "reports/findings/finding_words.h"
#include "reports/findings/kernel_facts.h"
#include "reports/findings/roof_advice.h"
#include "reports/findings/source_window.h"
#include "reports/language/number_format.h"
#include "reports/language/phrase.h"
#include "reports/language/say.h"
#include "reports/profile/parts.h"
#include "reports/profile/priority.h"

namespace roofscope::profile_report {

namespace {

/// A rule's sentence. An argument can be a list of names (unfused-chain): the whole is capped.
doc::Text prose(std::string_view phrase, std::span<const Arg> args, Language language) {
    return doc::fromProfile(fillPhrase(phrase, args, kMaxSentence, language), kMaxSentence);
}

doc::Text evidenceText(const Evidence& evidence, Language l) {
    const std::string value = formatNumber(evidence.value, evidence.unit);
    const doc::Text label = doc::fromProfile(evidence.label.in(l), 120);
    if (evidence.healthy)
        return tell(l, "{}: **{}** (healthy {})", label, value,
                    formatNumber(*evidence.healthy, evidence.unit));
    if (evidence.threshold)
        return tell(l, "{}: **{}** (threshold {})", label, value,
                    formatNumber(*evidence.threshold, evidence.unit));
    return tell(l, "{}: **{}**", label, value);
}

doc::Text movementText(const ExpectedMovement& move, Language l) {
    return tell(l, "{} from {} to {}", doc::code(move.counter.in(l), 120),
                formatNumber(move.from, move.unit), targetWords(move.from, move.to, move.unit));
}

/// Where a finding is, with the line of code there for those who do not see the source window.
doc::Nodes placeNodes(const View& view, const KernelAnalysis& kernel, const Finding& finding,
                      std::size_t most) {
    const Language l = view.language;
    std::vector<doc::Text> places;
    std::string code;
    for (const Place& place : finding.places) {
        if (places.size() == most) break;
        places.push_back(placeText(place, l, view.brief()));
        const std::string line =
            cleanText(sourceText(view.analysis, kernel, place.file, place.line), kMaxName);
        const std::size_t first = line.find_first_not_of(' ');
        if (first != std::string::npos) code += line.substr(first) + "\n";
    }
    if (places.empty()) return {};
    doc::Nodes nodes{
        doc::paragraph(tell(l, "Where: {}.", doc::joined(places, marksOf(l).semicolon)))};
    if (!code.empty())
        nodes.push_back(doc::forReader(doc::Audience::Person, doc::codeBlock(code, "cuda")));
    return nodes;
}

std::string exampleLines(const CodeLines& lines, Language l) {
    std::string code;
    if (!lines.before.empty())
        code += say(l, "// before") + "\n" + std::string(lines.before) + "\n";
    if (!lines.after.empty()) code += say(l, "// after") + "\n" + std::string(lines.after) + "\n";
    return code;
}

/// Whether the sentence has said it: its value stands there, as a number of its own.
bool isSaid(const std::string& sentence, const Evidence& evidence) {
    const std::string value = formatNumber(evidence.value, evidence.unit);
    for (std::size_t at = sentence.find(value); at != sentence.npos;
         at = sentence.find(value, at + 1)) {
        const auto digit = [&](std::size_t i) {
            return i < sentence.size() &&
                   (std::isdigit(static_cast<unsigned char>(sentence[i])) || sentence[i] == '.');
        };
        if (!(at > 0 && digit(at - 1)) && !digit(at + value.size())) return true;
    }
    return false;
}

/// What backs a finding up beyond its sentence: evidence and what the next report should show.
void addEvidence(doc::Nodes& nodes, const Finding& finding, const std::string& sentence, bool brief,
                 std::size_t rank, Language l) {
    const auto add = [&](doc::Text text, Part part, std::string name) {
        if (text.empty()) return;
        nodes.push_back(doc::forReader(
            doc::Audience::Assistant,
            doc::paragraph(std::move(text), priorityOf(part, rank), std::move(name))));
    };
    // In a report that is read from the top the sentence's numbers are enough.
    if (!brief)
        add(tellOf(doc::joined(finding.evidence, marksOf(l).semicolon,
                               [&](const Evidence& evidence) {
                                   return isSaid(sentence, evidence) ? doc::Text()
                                                                     : evidenceText(evidence, l);
                               }),
                   l, "Evidence: {}."),
            Part::Evidence, say(l, "evidence"));
    const doc::Text movements = doc::joined(
        doc::upTo(brief ? 1 : finding.expected.size(), finding.expected), marksOf(l).semicolon,
        [l](const ExpectedMovement& move) { return movementText(move, l); });
    if (movements.empty()) return;
    const Rule* rule = findRule(finding.ruleId);
    // One launch then does what many do today, and moves the sum of what is left to each.
    add(rule && rule->removesLaunch
            ? tell(l,
                   "After the edit expect, as a mean over the launches of today, {}: the fused "
                   "launch moves their sum.",
                   movements)
            : tell(l, "After the edit expect {}.", movements),
        Part::Expect, say(l, "what to expect after the edit"));
}

/// A finding with all that its edit needs. Of a report that is read from the top, later findings
/// of a kernel are only said: one edit is made at a time.
doc::Node findingNode(const View& view, const KernelAnalysis& kernel, const Finding& finding,
                      std::size_t number, std::size_t rank) {
    const Language l = view.language;
    doc::Finding node{.number = number,
                      .title = doc::fromProfile(ruleTitle(finding.ruleId, l), 100),
                      .gain = gainWords(finding, l),
                      .rule = cleanText(finding.ruleId, 60)};
    const auto add = [&](doc::Node part, Part kind, std::string name) {
        part.priority = priorityOf(kind, rank);
        part.name = std::move(name);
        node.children.push_back(std::move(part));
    };
    const Rule* rule = findRule(finding.ruleId);
    const bool inFull = !view.brief() || number == 1;
    doc::Text edit = rule ? prose(editPhrase(*rule, finding, l), finding.args, l) : doc::Text();
    // One rule may ask for different edits: what stalls are about decides.
    const bool first =
        inFull && (!view.told || view.told->insert(finding.ruleId + ": " + edit.plain()).second);
    std::string sentence;
    if (rule) {
        const RuleText& text = rule->text(l);
        doc::Text why = prose(text.sentence, finding.args, l);
        sentence = why.plain();
        // Why that costs time decides nothing; who wants to know looks a kernel up.
        if (!view.brief()) why += marksOf(l).gap + prose(text.mechanism, finding.args, l);
        add(doc::paragraph(std::move(why)), Part::Sentence, say(l, "explanation"));
    }
    const std::size_t shown = !view.brief() ? kMostPlaces : inFull ? 2 : 1;
    if (doc::Nodes places = placeNodes(view, kernel, finding, shown); !places.empty())
        add(doc::section({}, std::move(places)), Part::Where, say(l, "place in the code"));
    if (!inFull) return {.body = std::move(node)};
    if (rule) {
        // What was asked for before is asked for again in one line.
        if (!first && view.brief() && finding.before.empty()) edit = say(l, "as above.");
        node.children.push_back(doc::paragraph(tell(l, "**Edit:** {}", std::move(edit))));
        if (std::string code = exampleLines(codeLines(*rule, finding, kernel.origin), l);
            !code.empty() && (first || !finding.before.empty()))
            add(doc::forReader(doc::Audience::Assistant, doc::codeBlock(std::move(code), "cuda")),
                Part::Code, say(l, "code of the edit"));
    }
    addEvidence(node.children, finding, sentence, view.brief(), rank, l);
    return {.body = std::move(node)};
}

/// Rules that could not tell, and may change the verdict: "`integer-arithmetic`".
doc::Text undecidedRules(const KernelAnalysis& kernel, Language l) {
    return doc::joined(kernel.verdict.reason.undecided, say(l, " or "),
                       [](const std::string& rule) { return doc::code(rule, 60); });
}

/// What it means that a kernel has no finding worth an edit.
doc::Text noFindings(const KernelAnalysis& kernel, Language l) {
    // The verdict stands above: its numbers are not said again.
    std::string none = minorFindings(kernel).empty()
                           ? say(l, "no rule found a fault")
                           : say(l, "what the rules found is not what costs its time");
    const std::string advice = roofAdvice(kernel.verdict, l);
    if (!advice.empty()) none += say(l, "; what would help is {}", advice);
    switch (explainNoFindings(kernel)) {
        case NoFindings::NothingToFix:
            return doc::toned(doc::Tone::Good, tell(l, "**Stop here:** {}.", none));
        case NoFindings::LittleToFix:
            return doc::toned(doc::Tone::Good, tell(l, "**Little to fix here:** {}.", none));
        case NoFindings::NoKnownFault:
            return tell(l, "**No known fault:** {}, although the kernel is not at a roof.", none);
        case NoFindings::Undecided:
            return tell(l,
                        "**No diagnosis yet:** it may be {}; the counters for that were not read.",
                        undecidedRules(kernel, l));
        case NoFindings::OnlyTimed:
            return tell(l, "**No diagnosis:** only timed, since it waits for other ranks.");
        case NoFindings::CannotTell:
            break;
    }
    // The verdict above says what is missing.
    return tell(
        l, "**No diagnosis:** {}.",
        wasOnlyTimed(kernel) ? say(l, "it was only timed") : say(l, "counters are missing"));
}

/// Findings that get a line only: beyond kMaxFindings, minor ones, blocked ones.
doc::Nodes otherFindings(const KernelAnalysis& kernel, Language l) {
    const auto titles = [l](const auto& findings) {
        return doc::joined(findings, marksOf(l).semicolon, [l](const Finding* found) {
            const doc::Text title = doc::fromProfile(ruleTitle(found->ruleId, l), 100);
            return found->gain.has() ? bracketed(l, title, boundMark(*found->gain, found->estimate))
                                     : title;
        });
    };
    const auto major = majorFindings(kernel);
    auto minor = minorFindings(kernel);
    std::ranges::stable_sort(minor, {}, &Finding::blocked);
    const auto open = static_cast<std::size_t>(std::ranges::count(minor, false, &Finding::blocked));
    doc::Nodes nodes;
    if (major.size() > kMaxFindings)
        nodes.push_back(
            doc::paragraph(tell(l, "Also: {}.", titles(std::span(major).subspan(kMaxFindings)))));
    if (open > 0)
        nodes.push_back(doc::paragraph(tell(l, "Minor, below 3 % of this kernel's time: {}.",
                                            titles(std::span(minor).first(open)))));
    if (open < minor.size())
        nodes.push_back(
            doc::paragraph(tell(l, "Only after the {} is relieved: {}.",
                                kernel.verdict.limiter ? resourceWords(*kernel.verdict.limiter, l)
                                                       : say(l, "busiest resource"),
                                titles(std::span(minor).subspan(open)))));
    return nodes;
}

}  // namespace

doc::Nodes findingNodes(const View& view, const KernelAnalysis& kernel, std::size_t rank) {
    const Language l = view.language;
    const auto major = majorFindings(kernel);
    doc::Nodes nodes;
    if (major.empty()) nodes.push_back(doc::paragraph(noFindings(kernel, l)));
    for (std::size_t i = 0; i < std::min(major.size(), kMaxFindings); ++i) {
        doc::Node node = findingNode(view, kernel, *major[i], i + 1, rank);
        if (i > 0) {
            node.priority = priorityOf(Part::OtherFindings, rank);
            node.name = say(l, "later finding");
        }
        nodes.push_back(std::move(node));
    }
    for (doc::Node& node : otherFindings(kernel, l)) {
        node.priority = priorityOf(Part::OtherFindings, rank);
        node.name = say(l, "minor findings");
        nodes.push_back(doc::forReader(doc::Audience::Assistant, std::move(node)));
    }
    return nodes;
}

}  // namespace roofscope::profile_report
