// SPDX-License-Identifier: Apache-2.0
#include "reports/profile/sequence_words.h"

#include "reports/answer/finding_words.h"
#include "reports/document/markdown_writer.h"
#include "reports/escape/escape.h"
#include "reports/language/say.h"
#include "reports/profile/priority.h"

namespace roofscope {
namespace {

AnsweredFinding answerOf(const Finding& finding) {
    return {.found = &finding, .rule = findRule(finding.ruleId)};
}

doc::Text faultAndMechanism(const AnsweredFinding& answer, Language language) {
    return doc::joined({faultSentence(answer, language), mechanismSentence(answer, language)},
                       marksOf(language).gap);
}

}  // namespace

std::string sequenceSentence(const Finding& finding, Language language) {
    return faultSentence(answerOf(finding), language).plain();
}

std::string sequenceWords(const Finding& finding, Language language) {
    const AnsweredFinding answer = answerOf(finding);
    return doc::joined({faultAndMechanism(answer, language),
                        editSentence(editWords(answer, language), language)},
                       marksOf(language).gap)
        .plain();
}

doc::Node sequenceNode(const Finding& finding, Language language) {
    const AnsweredFinding answer = answerOf(finding);
    doc::Finding node{.title = findingTitle(finding, language),
                      .rule = cleanText(finding.ruleId, 60)};
    if (answer.rule)
        node.children = {doc::paragraph(faultAndMechanism(answer, language)),
                         doc::paragraph(editSentence(editWords(answer, language), language))};
    return {.body = std::move(node),
            .priority = profile_report::kSequence,
            .name = findingTitle(finding, language)};
}

std::string sequenceMarkdown(const Analysis& analysis, Language language) {
    doc::Document document;
    for (const Finding& finding : analysis.sequenceFindings)
        document.nodes.push_back(sequenceNode(finding, language));
    return toMarkdown(document);
}

}  // namespace roofscope
