// SPDX-License-Identifier: Apache-2.0
#include "reports/sequence_words.h"

#include "analyzer/rule.h"
#include "reports/escape.h"
#include "reports/kernel_facts.h"
#include "reports/language/wording.h"
#include "reports/phrase.h"

namespace roofscope {
namespace {

constexpr std::size_t kMaxWords = 1500;

std::string filled(std::string_view phrase, const Finding& finding, Language language) {
    const EscapeText clean = [](std::string_view text) { return cleanText(text, 200); };
    return fillPhrase(phrase, finding.args, clean, language);
}

}  // namespace

std::string sequenceSentence(const Finding& finding, Language language) {
    const Rule* rule = findRule(finding.ruleId);
    return rule ? filled(rule->text(language).sentence, finding, language) : std::string();
}

std::string sequenceWords(const Finding& finding, Language language) {
    const Rule* rule = findRule(finding.ruleId);
    if (!rule) return {};
    const Wording& w = wordingOf(language);
    const RuleText& text = rule->text(language);
    return filled(text.sentence, finding, language) + w.common.gap.str() +
           filled(text.mechanism, finding, language) + w.common.gap.str() + w.kernel.edit +
           filled(text.edit, finding, language);
}

std::string sequenceMarkdown(const Analysis& analysis, Language language) {
    std::string markdown;
    for (const Finding& finding : analysis.sequenceFindings) {
        const std::string words = sequenceWords(finding, language);
        if (words.empty()) continue;
        markdown += "## " + markdownText(ruleTitle(finding.ruleId, language), 100) + "\n\n" +
                    markdownText(words, kMaxWords) + " (" + markdownCode(finding.ruleId, 60) +
                    ")\n\n";
    }
    return markdown;
}

}  // namespace roofscope
