// SPDX-License-Identifier: Apache-2.0
#include "reports/profile/sequence_words.h"

#include "analyzer/diagnosis/rule.h"
#include "reports/document/markdown_writer.h"
#include "reports/escape/escape.h"
#include "reports/findings/kernel_facts.h"
#include "reports/language/phrase.h"
#include "reports/language/say.h"
#include "reports/profile/priority.h"

namespace roofscope {
namespace {

constexpr std::size_t kMaxWords = 1500;

std::string filled(std::string_view phrase, const Finding& finding, Language language) {
    return fillPhrase(phrase, finding.args, 200, language);
}

}  // namespace

std::string sequenceSentence(const Finding& finding, Language language) {
    const Rule* rule = findRule(finding.ruleId);
    return rule ? filled(rule->text(language).sentence, finding, language) : std::string();
}

std::string sequenceWords(const Finding& finding, Language language) {
    const Rule* rule = findRule(finding.ruleId);
    if (!rule) return {};
    const RuleText& text = rule->text(language);
    const std::string gap(marksOf(language).gap);
    return filled(text.sentence, finding, language) + gap +
           filled(text.mechanism, finding, language) + gap +
           say(language, "Edit: {}", filled(text.edit, finding, language));
}

doc::Node sequenceNode(const Finding& finding, Language language) {
    doc::Finding node{.title = doc::fromProfile(ruleTitle(finding.ruleId, language), 100),
                      .rule = cleanText(finding.ruleId, 60)};
    if (const Rule* rule = findRule(finding.ruleId)) {
        const RuleText& text = rule->text(language);
        const auto words = [&](std::string_view phrase) {
            return doc::fromProfile(filled(phrase, finding, language), kMaxWords);
        };
        node.children = {
            doc::paragraph(words(text.sentence) + marksOf(language).gap + words(text.mechanism)),
            doc::paragraph(tell(language, "**Edit:** {}", words(text.edit)))};
    }
    return {.body = std::move(node),
            .priority = profile_report::kSequence,
            .name = ruleTitle(finding.ruleId, language)};
}

std::string sequenceMarkdown(const Analysis& analysis, Language language) {
    doc::Document document;
    for (const Finding& finding : analysis.sequenceFindings)
        document.nodes.push_back(sequenceNode(finding, language));
    return toMarkdown(document);
}

}  // namespace roofscope
