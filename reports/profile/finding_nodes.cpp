// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "reports/answer/answer_words.h"
#include "reports/answer/finding_words.h"
#include "reports/escape/escape.h"
#include "reports/language/say.h"
#include "reports/profile/parts.h"
#include "reports/profile/priority.h"
#include "reports/source/source_window.h"

namespace roofscope::profile_report {

namespace {

/// The lines of code at a finding's places, for readers without the source window.
std::string codeAtPlaces(const View& view, const KernelAnalysis& kernel, const Finding& finding,
                         std::size_t most) {
    std::string code;
    for (const Place& place : doc::upTo(most, finding.places)) {
        const std::string line =
            cleanText(sourceText(view.analysis, kernel, place.file, place.line), kMaxName);
        const std::size_t first = line.find_first_not_of(' ');
        if (first != std::string::npos) code += line.substr(first) + "\n";
    }
    return code;
}

/// Builds the node of a finding, statement by statement. In a brief report only the first finding
/// of a kernel is explained, because edits are made one at a time.
class FindingNode {
public:
    FindingNode(const View& view, const KernelAnalysis& kernel, const AnsweredFinding& answer,
                std::size_t rank)
        : m_view(view),
          m_kernel(kernel),
          m_answer(answer),
          m_finding(*answer.found),
          m_rank(rank),
          m_l(view.language),
          m_inFull(!view.brief() || answer.number == 1) {
        // Compare rule and edit: one rule may propose different edits, depending on the stalls.
        m_first = m_inFull &&
                  (!view.told ||
                   view.told->insert(m_finding.ruleId.str() + ": " + editWords(answer, m_l).plain())
                       .second);
    }

    doc::Node make() {
        m_node = {.number = m_answer.number,
                  .title = findingTitle(m_finding, m_l),
                  .gain = gainWords(m_finding, m_l),
                  .rule = cleanText(m_finding.ruleId, 60)};
        for (const Statement statement : m_answer.statements) draw(statement);
        return {.body = std::move(m_node)};
    }

private:
    void draw(Statement statement) {
        switch (statement) {
            case Statement::Fault:
                return addFault();
            case Statement::Mechanism:
                return;  // added to the fault
            case Statement::Cause:
                return add(doc::paragraph(causeSentence(m_answer, m_l)), Part::Sentence,
                           say(m_l, "cause"));
            case Statement::Where:
                return addPlaces();
            case Statement::Edit:
                if (m_inFull) addEdit();
                return;
            case Statement::Code:
                if (m_first || (m_inFull && !m_finding.before.empty()))
                    addForAssistant(doc::codeBlock(codeOfEdit(m_answer.code, m_l), "cuda"),
                                    Part::Code, say(m_l, "code of the edit"));
                return;
            case Statement::Evidence:
                // In a brief report the numbers in the sentence are enough.
                if (!m_view.brief())
                    addForAssistant(doc::paragraph(evidenceSentence(m_answer, m_l)), Part::Evidence,
                                    say(m_l, "evidence"));
                return;
            case Statement::Expect:
                if (m_inFull)
                    addForAssistant(
                        doc::paragraph(expectSentence(m_answer, m_l, m_view.brief() ? 1 : kAll)),
                        Part::Expect, say(m_l, "what to expect after the edit"));
                return;
        }
    }

    void addFault() {
        doc::Text fault = faultSentence(m_answer, m_l);
        // A brief report leaves out why it costs time; a kernel's own report has it.
        if (!m_view.brief() && m_answer.says(Statement::Mechanism))
            fault += marksOf(m_l).gap + mechanismSentence(m_answer, m_l);
        add(doc::paragraph(std::move(fault)), Part::Sentence, say(m_l, "explanation"));
    }

    void addPlaces() {
        const std::size_t most = !m_view.brief() ? kMostPlaces : m_inFull ? 2 : 1;
        doc::Nodes nodes{doc::paragraph(whereSentence(m_answer, m_l, most, m_view.brief()))};
        if (std::string code = codeAtPlaces(m_view, m_kernel, m_finding, most); !code.empty())
            nodes.push_back(
                doc::forReader(doc::Audience::Person, doc::codeBlock(std::move(code), "cuda")));
        add(doc::section({}, std::move(nodes)), Part::Where, say(m_l, "place in the code"));
    }

    void addEdit() {
        // An edit that was proposed before is repeated as "as above".
        const bool again = !m_first && m_view.brief() && m_finding.before.empty();
        m_node.children.push_back(doc::paragraph(editSentence(
            again ? doc::Text(say(m_l, "as above.")) : editWords(m_answer, m_l), m_l)));
    }

    void add(doc::Node part, Part kind, std::string name) {
        part.priority = priorityOf(kind, m_rank);
        part.name = std::move(name);
        m_node.children.push_back(std::move(part));
    }
    void addForAssistant(doc::Node part, Part kind, std::string name) {
        add(doc::forReader(doc::Audience::Assistant, std::move(part)), kind, std::move(name));
    }

    static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

    const View& m_view;
    const KernelAnalysis& m_kernel;
    const AnsweredFinding& m_answer;
    const Finding& m_finding;
    std::size_t m_rank;
    Language m_l;
    bool m_inFull;         ///< else only stated
    bool m_first = false;  ///< its edit was not proposed before
    doc::Finding m_node;
};

}  // namespace

doc::Nodes findingNodes(const View& view, const KernelAnswer& answer, std::size_t rank) {
    const Language l = view.language;
    doc::Nodes nodes;
    if (answer.nothing) nodes.push_back(doc::paragraph(nothingSentence(answer.nothing, l)));
    for (const AnsweredFinding& finding : answer.findings) {
        doc::Node node = FindingNode(view, *answer.kernel, finding, rank).make();
        if (finding.number > 1) {
            node.priority = priorityOf(Part::OtherFindings, rank);
            node.name = say(l, "later finding");
        }
        nodes.push_back(std::move(node));
    }
    for (const doc::Text& named : {furtherSentence(answer, l), minorSentence(answer, l),
                                   blockedSentence(answer.kernel->verdict, answer.blocked, l)})
        if (!named.empty())
            nodes.push_back(
                doc::forReader(doc::Audience::Assistant,
                               doc::paragraph(named, priorityOf(Part::OtherFindings, rank),
                                              say(l, "minor findings"))));
    return nodes;
}

}  // namespace roofscope::profile_report
