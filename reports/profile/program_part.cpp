// SPDX-License-Identifier: Apache-2.0
#include "reports/profile/program_part.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/program/actions/worthwhile.h"
#include "profile/text/clean_text.h"
#include "reports/answer/finding_words.h"
#include "reports/answer/kernel_answer.h"
#include "reports/compare/program_nodes.h"
#include "reports/language/first_sentences.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/profile/ask_command.h"
#include "reports/program/action_words.h"
#include "reports/program/program_words.h"
#include "reports/program/trial_words.h"

namespace roofscope::profile_report {
namespace {

/// Bytes for an action's text: the first action, later ones.
constexpr std::size_t kRoom = 260, kLaterRoom = 130;
/// Of the window: an action that saves so much has its edit here, even if a section has it, too.
constexpr double kLargeAction = 0.2;
/// Characters of a kernel's name.
constexpr std::size_t kLongestName = 60;
/// Priorities (doc::Node::priority); later actions are dropped one by one.
constexpr unsigned kVerdict = 0, kFirstAction = 0, kLaterActions = 4, kNext = 15;

/// The first sentences of an action's text, as many as fit into `room`.
std::string inRoom(const std::string& text, std::size_t room, Language language) {
    return cleanText(firstSentences(text, room, language), 2 * kRoom);
}

/// The same of its edit.
std::string editInRoom(const Analysis& analysis, const Action& action, std::size_t room,
                       Language language) {
    const std::string text = actionEdit(analysis, action, language);
    const std::string english = actionEdit(analysis, action, Language::En);
    return cleanText(sentencesOfEdit(text, english, room, language), 2 * kRoom);
}

/// Whether the action edits the code of kernels that the reader owns.
bool editsKernel(const Analysis& analysis, const Action& action) {
    const Rule* rule = findRule(action.rule);
    return rule && rule->editPlace == EditPlace::Kernel &&
           !isForeign(analysis.kernels[action.kernels.front()].origin);
}

/// Later actions refer to kernels by their number in the table.
KernelNames namesOf(std::size_t index) {
    return index == 0 ? KernelNames::InWords : KernelNames::ByNumber;
}

/// "1. Pageable copies: at most 40.0 ms of 68.0 ms" and one paragraph.
doc::Node actionNode(const Analysis& analysis, const Program& program, std::size_t index,
                     const std::vector<bool>& sectioned, Language language) {
    const Action& action = program.actions[index];
    const doc::Text title = actionHeading(analysis, program, action, namesOf(index), language);
    std::vector<doc::Text> sentences{title + std::string(marksOf(language).stop)};
    // A rule's text about a kernel is in that kernel's section, but an edit by its caller is given
    // here. For later actions the title is enough.
    if (!action.finding && (index == 0 || action.alwaysExplained))
        sentences.emplace_back(inRoom(actionSentence(analysis, action, language), kRoom, language));
    sentences.push_back(otherTrials(analysis, action, language));
    sentences.push_back(hostSentence(action, language));
    const bool hasSection =
        sectioned.empty() || (!action.kernels.empty() && sectioned[action.kernels.front()]);
    if (index == 0 || !action.finding || !hasSection || !editsKernel(analysis, action) ||
        action.share.value >= kLargeAction)
        sentences.emplace_back(
            editInRoom(analysis, action, index == 0 ? kRoom : kLaterRoom, language));
    sentences.push_back(placesSentence(action, index == 0 ? 2 : 1, language));
    return doc::paragraph(doc::joined(sentences, marksOf(language).gap),
                          index == 0 ? kFirstAction : kLaterActions + static_cast<unsigned>(index));
}

/// The remaining actions in one line: "Also: Unfused kernel chain in no. 1 (about 2.64 ms)."
doc::Node furtherActions(const Analysis& analysis, const Program& program, std::size_t first,
                         Language language) {
    const doc::Text actions = doc::joined(
        std::span(program.actions).subspan(first), marksOf(language).semicolon,
        [&](const Action& action) { return actionMention(analysis, action, language); });
    return doc::paragraph(tell(language, "Also: {}.", actions),
                          kLaterActions + static_cast<unsigned>(first));
}

/// The account of time and its notes; in brief only the largest parts.
doc::Node verdict(const Program& program, const ReportOptions& options) {
    const Language language = options.language;
    std::vector<doc::Text> full{windowSentence(program.window, language),
                                accountSentence(program.account, language)};
    constexpr std::size_t kLargest = 2;
    std::vector<doc::Text> brief{full.front(),
                                 accountSentence(program.account, language, kLargest)};
    if (const auto run = runSentence(program, language)) {
        full.push_back(*run);
        // With what was left out, it is too long for a short report.
        if (program.window.kind == WindowKind::Run && !program.run->countedFirst)
            brief.push_back(*run);
    }
    std::ranges::move(accountNotes(program, language), std::back_inserter(full));
    if (auto mean = meanSentence(program, language)) brief.push_back(*std::move(mean));
    std::vector<doc::Text> both;
    if (auto floor = floorSentence(program, language)) both.push_back(*std::move(floor));
    if (options.baseline && options.baseline->comparison.program)
        if (doc::Text since = sinceBaselineText(*options.baseline->comparison.program, language);
            !since.empty())
            both.push_back(std::move(since));
    for (auto* sentences : {&full, &brief})
        sentences->insert(sentences->end(), both.begin(), both.end());
    const std::string gap(marksOf(language).gap);
    return doc::paragraph(doc::joined(full, gap), doc::joined(brief, gap),
                          say(language, "details of the account"), kVerdict);
}

/// "1. Bank conflicts in `transpose`: about 782 µs per window": findings to edit first where no
/// action of the program is worth it.
doc::Nodes findingItems(const Analysis& analysis, const Program& program, std::size_t most,
                        Language language) {
    const program::Worth worth(analysis, program);
    doc::Nodes items;
    for (const program::Proposal& proposal : worth.proposals()) {
        if (!proposal.finding || items.size() == most) break;
        const KernelAnalysis& kernel = analysis.kernels[proposal.kernel];
        const program::FindingWorth saves = worth.of(proposal.kernel, *proposal.finding);
        doc::Text text = doc::strong(findingTitle(*proposal.finding, language)) +
                         tell(language, " in {}",
                              doc::code(kernel.name.empty() ? "?" : kernel.name, kLongestName)) +
                         std::string(marksOf(language).colon) +
                         savingWords(*proposal.finding, saves.perWindow, saves.recorded, language) +
                         std::string(marksOf(language).stop);
        if (items.empty()) {
            const AnsweredFinding answer = answerOf(kernel, *proposal.finding, 1);
            text = doc::joined(
                {text, doc::Text(inRoom(editWords(answer, language).plain(), kRoom, language))},
                marksOf(language).gap);
        }
        items.push_back(
            doc::paragraph(std::move(text), items.empty() ? kFirstAction : kLaterActions));
    }
    return items;
}

/// What to do first; nothing if nothing is proposed.
doc::Nodes firstPart(const Analysis& analysis, const Program& program, const ReportOptions& options,
                     const std::vector<bool>& sectioned) {
    constexpr std::size_t kInFull = 3;
    const Language language = options.language;
    doc::Nodes items;
    for (std::size_t i = 0; i < std::min(program.actions.size(), kInFull); ++i)
        items.push_back(actionNode(analysis, program, i, sectioned, language));
    if (program.actions.size() > kInFull)
        items.push_back(furtherActions(analysis, program, kInFull, language));
    if (items.empty()) items = findingItems(analysis, program, kInFull, language);
    if (items.empty()) return {};
    doc::Nodes part{doc::list(std::move(items), kFirstAction)};
    // Without a timing run, the request is in the first kernel's section.
    if (!program.lanes.empty()) {
        if (auto bounds = boundsSentence(program, language))
            part.push_back(doc::paragraph(*std::move(bounds), kLaterActions));
        if (auto noLines = noLinesSentence(analysis, program, language);
            !noLines.empty() && !program.actions.empty())
            part.push_back(doc::paragraph(std::move(noLines), kLaterActions));
        part.push_back(doc::forReader(
            doc::Audience::Assistant,
            doc::section({},
                         {doc::paragraph(say(language, "Make one edit, then run exactly this:")),
                          doc::codeBlock(nextCommand(analysis, options), "sh")},
                         kNext, say(language, "next command"))));
    }
    return {doc::section(say(language, "What to do first"), std::move(part), kFirstAction)};
}

/// If the whole run is judged: what its loop does, and what to do about that. `said` are the
/// actions of the whole run that were explained already; the same edit is not explained again.
doc::Nodes loopPart(const Analysis& analysis, const Program& loop, std::span<const Action> said,
                    const ReportOptions& options, const std::vector<bool>& sectioned) {
    const Language language = options.language;
    doc::Nodes nodes{doc::paragraph(loopSentence(loop, language), kVerdict)};
    constexpr std::size_t kInFull = 2;
    doc::Nodes items;
    for (std::size_t i = 0; i < std::min(loop.actions.size(), kInFull); ++i) {
        const Action& action = loop.actions[i];
        const bool again = std::ranges::any_of(said, [&](const Action& before) {
            return before.rule == action.rule &&
                   actionEdit(analysis, before, language) == actionEdit(analysis, action, language);
        });
        items.push_back(
            again ? doc::paragraph(actionHeading(analysis, loop, action, namesOf(i), language) +
                                       std::string(marksOf(language).stop),
                                   kLaterActions)
                  : actionNode(analysis, loop, i, sectioned, language));
    }
    if (!items.empty()) nodes.push_back(doc::list(std::move(items), kLaterActions));
    return nodes;
}

/// The phases of the window, each with its account and first action.
void addPhases(const Analysis& analysis, const Program& program, const ReportOptions& options,
               doc::Nodes& nodes) {
    doc::Nodes items;
    for (std::size_t i = 0; i < program.phases.size(); ++i)
        items.push_back(
            doc::paragraph(phaseSentence(analysis, program, i, options.language), kLaterActions));
    if (!items.empty()) nodes.push_back(doc::list(std::move(items), kLaterActions));
}

}  // namespace

doc::Nodes programPart(const Analysis& analysis, const Program& program,
                       const ReportOptions& options, const std::vector<bool>& sectioned) {
    constexpr std::size_t kInFull = 3;
    const Language language = options.language;
    doc::Nodes nodes;
    if (program.lanes.empty()) {
        if (auto tried = trialsSentence(analysis, program, language))
            nodes.push_back(doc::paragraph(*std::move(tried), kVerdict));
        // Say so: an empty part would look as if nothing were left to do.
        if (program.conclusion() == Program::Conclusion::CannotTell)
            if (auto lacking = notMeasuredSentence(analysis, program, language))
                nodes.push_back(doc::paragraph(*std::move(lacking), kVerdict));
        std::ranges::move(firstPart(analysis, program, options, sectioned),
                          std::back_inserter(nodes));
        return nodes;
    }
    nodes.push_back(verdict(program, options));
    for (const Words& unknown : program.unknown)
        nodes.push_back(doc::paragraph(
            doc::toned(doc::Tone::Warning, doc::Text(unknown.in(language))), kVerdict));
    if (auto largest = largestWithoutEditSentence(analysis, program, language))
        nodes.push_back(doc::paragraph(*std::move(largest), kLaterActions));
    if (auto stop = stopSentence(analysis, program, language))
        nodes.push_back(doc::paragraph(*std::move(stop), kVerdict));
    if (auto tried = trialsSentence(analysis, program, language))
        nodes.push_back(doc::paragraph(*std::move(tried), kLaterActions));
    std::ranges::move(firstPart(analysis, program, options, sectioned), std::back_inserter(nodes));
    addPhases(analysis, program, options, nodes);
    if (program.loop)
        std::ranges::move(loopPart(analysis, *program.loop, doc::upTo(kInFull, program.actions),
                                   options, sectioned),
                          std::back_inserter(nodes));
    return nodes;
}

}  // namespace roofscope::profile_report
