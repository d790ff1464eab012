// SPDX-License-Identifier: Apache-2.0
#include "reports/program/action_words.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/names/kernel_name.h"
#include "analyzer/names/xla_module.h"
#include "analyzer/program/account/sites.h"
#include "profile/names/foreign_modules.h"
#include "profile/text/clean_text.h"
#include "reports/answer/finding_words.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/language/term_words.h"
#include "reports/program/trial_words.h"

namespace roofscope {
namespace {

constexpr std::size_t kLongestTitle = 200, kLongestActionName = 50, kLongestActionSite = 60;

/// For an action from a rule: its finding with the largest gain.
std::optional<AnsweredFinding> findingOf(const Analysis& analysis, const Action& action) {
    if (!action.finding || action.kernels.empty()) return std::nullopt;
    const KernelAnalysis& kernel = analysis.kernels[action.kernels.front()];
    if (*action.finding >= kernel.findings.size()) return std::nullopt;
    return answerOf(kernel, kernel.findings[*action.finding], *action.finding + 1);
}

/// " in `gelu` and 2 more".
doc::Text kernelsText(const Analysis& analysis, const Action& action, KernelNames names,
                      Language language) {
    if (action.kernels.empty()) return {};
    const bool inWords = names == KernelNames::InWords;
    const std::size_t kernel = action.kernels.front(), more = action.kernels.size() - 1;
    doc::Text kernels =
        inWords ? doc::code(shortKernelName(analysis.kernels[kernel].fullName, kLongestActionName),
                            kLongestActionName)
                : tell(language, "no. {}", kernel + 1);
    if (more > 0 && inWords)
        kernels = tell(language, inContext("kernels", "{} and {} more"), kernels, more);
    else if (more > 0)
        kernels = tell(language, inContext("quoted kernels", "{} and {} more"), kernels, more);
    return tell(language, " in {}", kernels);
}

}  // namespace

std::string actionTitle(const Action& action, Language language) {
    if (!action.title.empty()) return action.title.in(language);
    return cleanText(ruleTitle(action.rule, language), kLongestTitle);
}

std::string actionBound(const Program& program, const Action& action, Language language) {
    return say(language, "{} of {}", boundWords(action.bound, action.estimate, language),
               formatTime(program.window.seconds));
}

doc::Text actionGain(const Analysis& analysis, const Program& program, const Action& action,
                     Language language) {
    if (const TrialResult* trial = trialOf(analysis, action)) return trialText(*trial, language);
    return actionBound(program, action, language);
}

doc::Text actionHeading(const Analysis& analysis, const Program& program, const Action& action,
                        KernelNames names, Language language) {
    return doc::strong(actionTitle(action, language)) +
           kernelsText(analysis, action, names, language) + std::string(marksOf(language).colon) +
           actionGain(analysis, program, action, language);
}

doc::Text actionMention(const Analysis& analysis, const Action& action, Language language) {
    const doc::Text what = actionTitle(action, language) +
                           kernelsText(analysis, action, KernelNames::ByNumber, language);
    if (const TrialResult* trial = trialOf(analysis, action))
        return what + std::string(marksOf(language).colon) + trialText(*trial, language);
    return bracketed(language, what,
                     doc::Text(boundWords(action.bound, action.estimate, language)));
}

doc::Text placesSentence(const Action& action, std::size_t most, Language language) {
    // Two instances of a template are two sites on the same line: name it once.
    std::vector<std::string> places;
    for (const ActionSite& site : action.sites)
        if (std::string place = siteWords(site); std::ranges::find(places, place) == places.end())
            places.push_back(std::move(place));
    return tellOf(
        doc::joined(doc::upTo(most, places), marksOf(language).listComma,
                    [](const std::string& place) { return doc::code(place, kLongestActionSite); }),
        language, "At {}.");
}

std::string waitWords(CpuWait wait, Language language) {
    switch (wait) {
        case CpuWait::None:
            return {};
        case CpuWait::Lock:
            return say(language, "waits for another thread");
        case CpuWait::Poll:
            return say(language, "waits for a pipe, socket or process");
        case CpuWait::Read:
            return say(language, "waits for data to read");
        case CpuWait::Write:
            return say(language, "waits until data is written");
        case CpuWait::Sleep:
            return say(language, "sleeps");
        case CpuWait::Child:
            return say(language, "waits for the end of a process");
        case CpuWait::Driver:
            return say(language, "waits for a driver");
        case CpuWait::Other:
            break;
    }
    return say(language, "waits in the operating system");
}

namespace {

/// The function with its place and what it waits for.
doc::Text hostPlaceText(const HostFunction& function, Language language) {
    doc::Text text = doc::code(function.function, kLongestActionSite);
    if (!function.callee.empty())
        text = tell(language, "{} called from {}", doc::code(function.callee, kLongestActionSite),
                    text);
    if (!function.place.empty()) text = text + " " + cleanText(function.place, kLongestActionSite);
    if (function.inWorker) text = bracketed(language, text, say(language, "in worker processes"));
    if (const std::string waits = waitWords(function.wait, language); !waits.empty())
        text = bracketed(language, text, waits);
    return text;
}

}  // namespace

doc::Text hostFunctionText(const HostFunction& function, Language language) {
    return hostPlaceText(function, language) + " " +
           formatNumber(function.share.value, Unit::Share);
}

doc::Text hostFunctionText(const HostFunction& function, double samples, Language language) {
    // A moment is divided among the threads that ran, so a function may have half a sample.
    return hostPlaceText(function, language) + " " +
           formatExact(std::max(1.0, std::round(function.share.value * samples)));
}

doc::Text hostSentence(const Action& action, Language language) {
    if (action.hostFunctions.empty()) return {};
    const auto functionText = [language](const HostFunction& function) {
        return hostFunctionText(function, language);
    };
    const Seconds time = action.sampledTime.value > 0 ? action.sampledTime : action.bound;
    return tell(language, inContext("functions of the CPU", "Of {}: {}."), formatTime(time),
                doc::joined(action.hostFunctions, marksOf(language).listComma, functionText));
}

doc::Text noLinesSentence(const Analysis& analysis, const Program& program, Language language) {
    const auto isWithoutLine = [&](const ActionSite& shown) {
        return std::ranges::any_of(analysis.profile->callSites, [&](const CallSite& site) {
            return !site.module.empty() && !isInstalledModule(site.module) &&
                   program::lineOf(site).line == 0 && program::siteText(site) == shown.text;
        });
    };
    const auto lacksLines = [&](const Action& action) {
        return (!action.hostFunctions.empty() && action.hostFunctions.front().noLines) ||
               std::ranges::any_of(action.sites, isWithoutLine);
    };
    if (!std::ranges::any_of(program.actions, lacksLines) &&
        !(program.loop && std::ranges::any_of(program.loop->actions, lacksLines)))
        return {};
    return tell(language, "Host code built with {} would show the lines.", doc::code("-g"));
}

std::string siteWords(const ActionSite& site) {
    std::string text = site.text;
    // XLA's ranges are long: "XlaModule:#hlo_module=jit_step,program_id=5# > Thunk:#…".
    constexpr std::string_view kXla = "XlaModule:#hlo_module=";
    if (text.starts_with(kXla)) return xlaModule(text);
    // If the line is known, drop its function, which adds nothing: "app.cu:42 (run(int, char**))".
    // An NVTX range is not a line: "iteration:12 (train)".
    const auto open = text.find(" (");
    const auto colon = open == text.npos ? open : text.rfind(':', open);
    if (colon == text.npos || text.find('.') > colon || colon + 1 == open ||
        text.find_first_not_of("0123456789", colon + 1) != open)
        return text;
    int depth = 0;
    for (std::size_t at = open + 1; at < text.size(); ++at) {
        depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
        if (depth == 0) return text.erase(open, at + 1 - open);
    }
    return text;
}

std::string actionSentence(const Analysis& analysis, const Action& action, Language language) {
    if (!action.sentence.empty())
        return ruleProse(action.sentence.in(language), action.args, language).plain();
    const auto finding = findingOf(analysis, action);
    return finding ? faultSentence(*finding, language).plain() : std::string();
}

std::string actionEdit(const Analysis& analysis, const Action& action, Language language) {
    if (!action.edit.empty())
        return ruleProse(action.edit.in(language), action.args, language).plain();
    const auto finding = findingOf(analysis, action);
    return finding ? editWords(*finding, language).plain() : std::string();
}

}  // namespace roofscope
