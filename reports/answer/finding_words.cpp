// SPDX-License-Identifier: Apache-2.0
#include "reports/answer/finding_words.h"

#include "reports/escape/escape.h"
#include "reports/language/number_format.h"
#include "reports/language/phrase.h"
#include "reports/language/say.h"
#include "reports/language/term_words.h"
#include "reports/source/source_words.h"

namespace roofscope {

namespace {

constexpr std::size_t kLongestSentence = 1500, kLongestLabel = 120;

std::string markOf(bool estimate) { return estimate ? "≈ " : "≤ "; }

}  // namespace

std::string boundWords(Seconds bound, bool estimate, Language l) {
    const std::string time = formatTime(bound);
    return estimate ? say(l, "about {}", time) : say(l, "at most {}", time);
}

std::string boundMark(Seconds bound, bool estimate) { return markOf(estimate) + formatTime(bound); }

std::string boundMark(Ratio share, bool estimate) {
    return markOf(estimate) + formatNumber(share.value, Unit::Share);
}

std::string targetWords(double from, double to, Unit unit) {
    const double end = unit == Unit::Share    ? (to > from ? 1.0 : 0.0)
                       : unit == Unit::Factor ? 1.0
                       : unit == Unit::Ways   ? 1.0
                                              : 0.0;
    const std::string text = formatNumber(to, unit);
    // Compare the rounded text: nothing is below "0 %" or above "100 %".
    if (text == formatNumber(end, unit)) return text;
    return (to > from ? "≥ " : "≤ ") + text;
}

std::string speedupText(double factor) {
    constexpr double kLargestShown = 20;
    return factor <= kLargestShown ? formatNumber(factor, Unit::Factor) : std::string();
}

doc::Text ruleProse(std::string_view phrase, std::span<const Arg> args, Language l) {
    return doc::fromProfile(fillPhrase(phrase, args, kLongestSentence, l), kLongestSentence);
}

std::string findingTitle(const Finding& finding, Language l) {
    return cleanText(finding.title.empty() ? ruleTitle(finding.ruleId, l) : finding.title.in(l),
                     100);
}

std::string gainWords(const Finding& finding, Language l) {
    if (!finding.gain.has()) return cleanText(formatMissing(finding.gain.missing, l), 300);
    const std::string bound = boundWords(*finding.gain, finding.estimate, l);
    if (!finding.gainShare.has()) return say(l, "{} per launch", bound);
    const double share = finding.gainShare->value;
    std::string more = formatNumber(share, Unit::Share);
    if (const std::string factor = share < 1 ? speedupText(1 / (1 - share)) : ""; !factor.empty())
        more += std::string(marksOf(l).comma) + factor;
    return say(l, "{} ({}) per launch", bound, more);
}

std::string savingWords(const Finding& finding, std::optional<Seconds> perWindow,
                        std::optional<Seconds> recorded, Language l) {
    if (perWindow) return say(l, "{} per window", boundWords(*perWindow, finding.estimate, l));
    if (recorded) return say(l, "{} over all launches", boundWords(*recorded, finding.estimate, l));
    return {};
}

doc::Text findingMention(const Finding& finding, Language l) {
    const doc::Text title = findingTitle(finding, l);
    return finding.gain.has() ? bracketed(l, title, boundMark(*finding.gain, finding.estimate))
                              : title;
}

doc::Text faultSentence(const AnsweredFinding& finding, Language l) {
    return finding.rule ? ruleProse(finding.rule->text(l).sentence, finding.found->args, l)
                        : doc::Text();
}

doc::Text mechanismSentence(const AnsweredFinding& finding, Language l) {
    return finding.rule ? ruleProse(finding.rule->text(l).mechanism, finding.found->args, l)
                        : doc::Text();
}

doc::Text causeSentence(const AnsweredFinding& finding, Language l) {
    return finding.cause ? tell(l, "The edit of finding {} also fixes this.", *finding.cause)
                         : doc::Text();
}

doc::Text whereSentence(const AnsweredFinding& finding, Language l, std::size_t most, bool brief) {
    return tellOf(doc::joined(doc::upTo(most, finding.found->places), marksOf(l).semicolon,
                              [&](const Place& place) { return placeText(place, l, brief); }),
                  l, "Where: {}.");
}

doc::Text editWords(const AnsweredFinding& finding, Language l) {
    return finding.rule
               ? ruleProse(editPhrase(*finding.rule, *finding.found, l), finding.found->args, l)
               : doc::Text();
}

doc::Text editSentence(const doc::Text& edit, Language l) {
    return tellOf(edit, l, "**Edit:** {}");
}

std::string codeOfEdit(const CodeLines& lines, Language l) {
    std::string code;
    if (!lines.before.empty())
        code += say(l, "// before") + "\n" + std::string(lines.before) + "\n";
    if (!lines.after.empty()) code += say(l, "// after") + "\n" + std::string(lines.after) + "\n";
    return code;
}

doc::Text evidenceWords(const Evidence& evidence, Language l) {
    const std::string value = formatNumber(evidence.value, evidence.unit);
    const doc::Text label = doc::fromProfile(evidence.label.in(l), kLongestLabel);
    if (evidence.healthy)
        return tell(l, "{}: **{}** (healthy {})", label, value,
                    formatNumber(*evidence.healthy, evidence.unit));
    if (evidence.threshold)
        return tell(l, "{}: **{}** (threshold {})", label, value,
                    formatNumber(*evidence.threshold, evidence.unit));
    return tell(l, "{}: **{}**", label, value);
}

doc::Text evidenceSentence(const AnsweredFinding& finding, Language l) {
    return tellOf(
        doc::joined(finding.evidence, marksOf(l).semicolon,
                    [l](const Evidence* evidence) { return evidenceWords(*evidence, l); }),
        l, "Evidence: {}.");
}

doc::Text movementWords(const ExpectedMovement& move, Language l) {
    return tell(l, "{} from {} to {}", doc::code(move.counter.in(l), kLongestLabel),
                formatNumber(move.from, move.unit), targetWords(move.from, move.to, move.unit));
}

doc::Text expectSentence(const AnsweredFinding& finding, Language l, std::size_t most) {
    const doc::Text movements =
        doc::joined(doc::upTo(most, finding.found->expected), marksOf(l).semicolon,
                    [l](const ExpectedMovement& move) { return movementWords(move, l); });
    // The fused launch moves the sum of what today's launches move, but the expected values are
    // means per launch of today.
    return finding.fusesLaunches ? tellOf(movements, l,
                                          "After the edit expect {} as a mean over today's "
                                          "launches (the fused launch moves their sum).")
                                 : tellOf(movements, l, "After the edit expect {}.");
}

}  // namespace roofscope
