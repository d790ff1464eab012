// SPDX-License-Identifier: Apache-2.0
#include "reports/program/trial_words.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "profile/text/clean_text.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"

namespace roofscope {
namespace {

constexpr std::size_t kLongestTrial = 40, kLongestTrialTitle = 80, kLongestReason = 160;

/// "44.2 → 27.9 ms"
std::string pairOf(const TrialResult& trial) {
    if (!trial.before || !trial.after) return {};
    std::string before = formatTime(*trial.before);
    const std::string after = formatTime(*trial.after);
    const auto unitOf = [](const std::string& time) { return time.substr(time.find(' ') + 1); };
    if (unitOf(before) == unitOf(after)) before.resize(before.find(' '));
    return before + " → " + after;
}

/// "44.2 → 27.9 ms per step"
std::string timesOf(const TrialResult& trial, Language language) {
    const std::string times = pairOf(trial);
    if (trial.per == "step") return say(language, "{} per step", times);
    if (trial.per == "call") return say(language, "{} per call", times);
    return say(language, "{} for the whole run", times);
}

/// Whether the program still prints the same numbers.
std::string resultsOf(const TrialResult& trial, Language language) {
    if (!trial.kept) return say(language, "results not compared");
    if (!trial.largestDifference) return say(language, "other printed numbers");
    if (*trial.largestDifference == 0) return say(language, "printed numbers are equal");
    const std::string most = formatNumber(*trial.largestDifference, Unit::Share);
    return *trial.kept ? say(language, "printed numbers within {}", most)
                       : say(language, "printed numbers differ by {}", most);
}

doc::Text nameOf(const TrialResult& trial) { return doc::code(trial.name, kLongestTrial); }

/// "`Allow TF32` (44.2 → 44.1 ms per step, within the noise)". The title is quoted because it comes
/// from a file that lies beside the profile.
doc::Text vainText(const TrialResult& trial, Language language) {
    doc::Text reason;
    if (trial.outcome == TrialOutcome::Failed)
        reason = trial.why.empty()
                     ? doc::Text(say(language, "failed"))
                     : tell(language, "failed: {}", doc::code(trial.why, kLongestReason));
    else
        reason = trial.outcome == TrialOutcome::Slower
                     ? tell(language, "{}, slower", timesOf(trial, language))
                     : tell(language, "{}, within the noise", timesOf(trial, language));
    return bracketed(language, doc::code(trial.title, kLongestTrialTitle), reason);
}

doc::Text helpedText(const TrialResult& trial, Language language) {
    return tell(language, "Tried with {}: {}.", nameOf(trial),
                bracketed(language, timesOf(trial, language), resultsOf(trial, language)));
}

doc::Text inVain(const std::vector<doc::Text>& trials, Language language) {
    return tell(language, "Tried in vain: {}.", doc::joined(trials, marksOf(language).semicolon));
}

}  // namespace

doc::Text trialSentence(const TrialResult& trial, Language language) {
    return trial.wasInVain() ? inVain({vainText(trial, language)}, language)
                             : helpedText(trial, language);
}

const TrialResult* trialOf(const Analysis& analysis, const Action& action) {
    if (!analysis.trials || action.tried.empty()) return nullptr;
    const TrialResult& trial = analysis.trials->trials[action.tried.front()];
    const bool settles = trial.isEditOf(action.rule) && trial.outcome == TrialOutcome::Helped;
    return settles ? &trial : nullptr;
}

doc::Text trialText(const TrialResult& trial, Language language) {
    return bracketed(
        language, tell(language, "**tried, {}** with {}", timesOf(trial, language), nameOf(trial)),
        doc::Text(resultsOf(trial, language)));
}

doc::Text otherTrials(const Analysis& analysis, const Action& action, Language language) {
    if (!analysis.trials) return {};
    const std::size_t said = trialOf(analysis, action) ? 1 : 0;
    std::vector<doc::Text> sentences;
    for (const std::size_t index : std::span(action.tried).subspan(said))
        sentences.push_back(helpedText(analysis.trials->trials[index], language));
    return doc::joined(sentences, marksOf(language).gap);
}

std::optional<doc::Text> trialsSentence(const Analysis& analysis, const Program& program,
                                        Language language) {
    if (!analysis.trials) return std::nullopt;
    std::vector<doc::Text> sentences, vain;
    const auto& trials = analysis.trials->trials;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (trials[i].wasInVain())
            vain.push_back(vainText(trials[i], language));
        else if (std::ranges::none_of(program.actions, [i](const Action& action) {
                     return std::ranges::find(action.tried, i) != action.tried.end();
                 }))
            sentences.push_back(helpedText(trials[i], language));
    }
    if (!vain.empty()) sentences.push_back(inVain(vain, language));
    if (sentences.empty()) return std::nullopt;
    return doc::joined(sentences, marksOf(language).gap);
}

}  // namespace roofscope
