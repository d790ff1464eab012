// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/program_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "analyzer/compare/action_id.h"
#include "analyzer/compare/parts.h"
#include "profile/names/function_name.h"

namespace roofscope {

namespace {

/// A class of the account is reported if it changed by at least this share of the longer window.
constexpr double kWorthSaying = 0.01;

bool beyondNoise(Seconds before, Seconds after) {
    return before.value > 0 && after.value > 0 &&
           std::abs(after / before - 1) >= kLeastDurationChange;
}

const Device& firstGpu(const Analysis& analysis, const Program& program) {
    return analysis.profile->devices[program.lanes.front().device];
}

/// What a command runs: its script, else its program. Arguments are left out: an edit may change
/// them.
std::string_view programOf(const std::vector<std::string>& command) {
    const auto script = std::ranges::find_if(
        command, [](const std::string& word) { return word.ends_with(".py"); });
    const std::string_view word = script == command.end() ? command.front() : *script;
    return word.substr(word.find_last_of('/') + 1);
}

/// Whether the two recordings are of different programs: by their commands, and because no kernel
/// is in both. An edit may replace all kernels, and an edited program may have another name.
bool differentPrograms(const Analysis& baseline, const Analysis& candidate) {
    const std::vector<std::string>& from = baseline.profile->capture.command;
    const std::vector<std::string>& to = candidate.profile->capture.command;
    if (from.empty() || to.empty() || programOf(from) == programOf(to)) return false;
    // The displayed names also tell the shapes of one function apart.
    std::set<std::string> names;
    for (const KernelAnalysis& kernel : baseline.kernels)
        names.insert(stableKernelName(kernel.fullName));
    return !names.empty() && !candidate.kernels.empty() &&
           std::ranges::none_of(candidate.kernels, [&names](const KernelAnalysis& kernel) {
               return names.contains(stableKernelName(kernel.fullName));
           });
}

/// Why the windows cannot be compared; empty if they can, or if neither was timed.
Words notComparable(const Analysis& baseline, const Program& before, const Analysis& candidate,
                    const Program& after) {
    const bool first = !before.lanes.empty(), second = !after.lanes.empty();
    if (!first && !second) return {};
    if (first != second)
        return first ? Words("the candidate has no timing run")
                     : Words("the baseline has no timing run");
    if (!compare::sameGpu(firstGpu(baseline, before), firstGpu(candidate, after)))
        return Words("they were measured on different GPUs");
    if (differentPrograms(baseline, candidate)) return Words("they are of different programs");
    const Window &a = before.window, &b = after.window;
    const auto otherSizes = [](const Window& of) { return of.others.count > 0; };
    if (a.kind != b.kind || a.name != b.name || otherSizes(a) != otherSizes(b) ||
        a.others.before != b.others.before)
        return Words("the two programs repeat different things");
    return {};
}

std::vector<ClassChange> movedClasses(const Program& before, const Program& after) {
    const double longest = std::max(before.window.seconds.value, after.window.seconds.value);
    std::vector<ClassChange> moved;
    const auto both = [&](TimeClass cls) {
        return before.account.knows(cls) && after.account.knows(cls);
    };
    // If one of them recorded less, the other one has classes for its unknown time.
    const bool alike = std::ranges::all_of(kTimeClasses, [&](TimeClass cls) {
        return before.account.knows(cls) == after.account.knows(cls);
    });
    for (const TimeClass cls : kTimeClasses) {
        if (!both(cls) || (cls == TimeClass::IdleUnknown && !alike)) continue;
        const ClassChange change{
            .cls = cls, .before = before.account.time[cls], .after = after.account.time[cls]};
        if (std::abs(change.after.value - change.before.value) >= kWorthSaying * longest)
            moved.push_back(change);
    }
    std::ranges::stable_sort(moved, std::greater{}, [](const ClassChange& change) {
        return std::abs(change.after.value - change.before.value);
    });
    return moved;
}

std::vector<ClassTimes> classTimes(const ProgramComparison& compared) {
    const Program &before = compared.before, &after = compared.after;
    std::vector<ClassTimes> classes;
    if (before.lanes.empty() || after.lanes.empty()) return classes;
    const auto of = [](const Account& account, TimeClass cls) {
        return account.knows(cls) ? std::optional(account.time[cls]) : std::nullopt;
    };
    for (const TimeClass cls : kTimeClasses) {
        if (before.account.time[cls].value <= 0 && after.account.time[cls].value <= 0) continue;
        classes.push_back({.cls = cls,
                           .before = of(before.account, cls),
                           .after = of(after.account, cls),
                           .moved = std::ranges::find(compared.moved, cls, &ClassChange::cls) !=
                                    compared.moved.end()});
    }
    return classes;
}

/// Whether counts are equal; they are means over the occurrences of a window.
bool sameCount(double a, double b) { return std::abs(a - b) <= 0.005 * std::max(a, b); }

/// How much less time an action's part of the program takes per window.
Seconds savedBy(const Action& action, const Program& before, const Program& after) {
    // The time of a removed copy or wait may reappear in another class, so the window's time
    // decides.
    const Seconds all = before.window.seconds - after.window.seconds;
    const TimeClass cls = *action.timeClass;
    Seconds own =
        after.account.knows(cls) ? before.account.time[cls] - after.account.time[cls] : all;
    // The time classes of these rules contain other host work too.
    if (before.run && after.run && action.rule == action_rule::kWorkBeforeGpu)
        own = before.run->hostBefore - after.run->hostBefore;
    if (before.run && after.run && action.rule == action_rule::kWorkAfterGpu)
        own = before.run->hostAfter - after.run->hostAfter;
    return std::min(own, all);
}

/// Bounds of the candidate's actions that have another subject than all actions of the baseline
/// with the same rule, by rule.
using OtherBounds = std::map<std::string, std::vector<Seconds>>;

/// What an action is about may differ between recordings of an unchanged program, for instance if
/// two functions take the same time. So an action of the candidate with another subject may be the
/// same one as a promised action of its rule: the one with the closest bound. These promises are
/// removed, because nobody carried them out: all of them if nothing was saved, else only if another
/// promise of the rule is left that may have saved it.
void leaveOutRenamed(std::vector<PromisedSaving>& promises, const OtherBounds& others,
                     const std::map<std::string, Seconds>& saved, Seconds window) {
    for (const auto& [rule, bounds] : others) {
        const auto ofRule = std::ranges::count(promises, rule, &PromisedSaving::rule);
        if (ofRule == 0) continue;
        const bool nothing =
            compare::outcomeOf(window, saved.at(rule), window) == PromisedSaving::Outcome::Broken;
        if (!nothing && static_cast<std::size_t>(ofRule) <= bounds.size()) continue;
        for (const Seconds bound : bounds) {
            auto closest = promises.end();
            for (auto it = promises.begin(); it != promises.end(); ++it)
                if (it->rule == rule &&
                    (closest == promises.end() || std::abs((it->bound - bound).value) <
                                                      std::abs((closest->bound - bound).value)))
                    closest = it;
            if (closest != promises.end()) promises.erase(closest);
        }
    }
}

}  // namespace

std::vector<PromisedSaving> compare::actionPromises(const Analysis& baseline, const Program& before,
                                                    const Analysis& candidate,
                                                    const Program& after) {
    std::multimap<std::pair<std::string, std::string>, Seconds> left;  // rules and subjects
    for (const Action& action : after.actions)
        left.emplace(std::pair{action.rule, subjectOf(candidate, action)}, action.bound);
    std::vector<PromisedSaving> promises;
    std::map<std::string, Seconds> saved, promised;  // by rule
    const std::vector<std::string> ids = actionIds(baseline, before);
    for (std::size_t i = 0; i < before.actions.size(); ++i) {
        const Action& action = before.actions[i];
        if (!action.timeClass) continue;
        PromisedSaving promise{.rule = action.rule,
                               .action = ids[i],
                               .subject = subjectOf(baseline, action),
                               .bound = action.bound,
                               .estimate = action.estimate};
        if (const auto same = left.find({promise.rule, promise.subject}); same != left.end()) {
            left.erase(same);
            continue;
        }
        saved[action.rule] = savedBy(action, before, after);
        promises.push_back(std::move(promise));
    }
    OtherBounds others;
    for (const auto& [about, bound] : left) others[about.first].push_back(bound);
    leaveOutRenamed(promises, others, saved, before.window.seconds);
    for (const PromisedSaving& promise : promises) promised[promise.rule] += promise.bound;
    for (PromisedSaving& promise : promises) {
        // The account's class tells what all actions of a rule saved together, not what each of
        // them saved.
        const Seconds all = promised[promise.rule];
        promise.saved = saved[promise.rule] * (all.value > 0 ? promise.bound / all : 1);
        promise.outcome = compare::outcomeOf(promise.bound, promise.saved, before.window.seconds);
    }
    return promises;
}

KernelExchange::Kind KernelExchange::kind() const {
    return launchesAfter < launchesBefore   ? Kind::Fused
           : launchesAfter > launchesBefore ? Kind::Split
                                            : Kind::Replaced;
}

bool KernelExchange::changed() const { return beyondNoise(before, after); }

bool ProgramComparison::changed() const {
    return comparable && beyondNoise(before.window.seconds, after.window.seconds);
}

std::optional<Seconds> ProgramComparison::savedPerWindow(const KernelComparison& kernel) const {
    if (!comparable || !kernel.duration.measured()) return std::nullopt;
    const Program::KernelCounts& from = before.kernels[kernel.match.baseline];
    const Program::KernelCounts& to = after.kernels[kernel.match.candidate];
    if (!(from.time.value > 0) || !sameCount(from.perWindow, to.perWindow)) return std::nullopt;
    return from.time * (kernel.duration.saved() / kernel.duration.from);
}

bool ProgramComparison::onlyCpuChanged() const {
    if (!changed()) return false;
    const Program::KernelCounts from = before.launches(), to = after.launches();
    if (!sameCount(from.perWindow, to.perWindow) || !sameCount(from.fromGraphs, to.fromGraphs))
        return false;
    double others = 0;
    for (const TimeClass cls : kTimeClasses)
        if (cls != TimeClass::IdleLaunch && cls != TimeClass::IdleHost)
            others += std::abs(after.account.time[cls].value - before.account.time[cls].value);
    constexpr double kMostOfOthers = 0.1;
    return others <=
           kMostOfOthers * std::abs(after.window.seconds.value - before.window.seconds.value);
}

const char* toString(PromisedSaving::Outcome outcome) {
    switch (outcome) {
        case PromisedSaving::Outcome::Kept:
            return "kept";
        case PromisedSaving::Outcome::Exceeded:
            return "exceeded";
        case PromisedSaving::Outcome::Broken:
            break;
    }
    return "broken";
}

const char* toString(KernelExchange::Kind kind) {
    switch (kind) {
        case KernelExchange::Kind::Fused:
            return "fused";
        case KernelExchange::Kind::Split:
            return "split";
        case KernelExchange::Kind::Replaced:
            break;
    }
    return "replaced";
}

ProgramComparison comparePrograms(const Analysis& baseline, const Analysis& candidate,
                                  Matching& matching) {
    ProgramComparison result;
    if (!baseline.profile || !candidate.profile) return result;
    result.before = analyzeProgram(baseline);
    result.after = analyzeProgram(candidate);
    // An edit may change which part of the run is judged, loop or whole run. Judge both programs by
    // the same part.
    const auto ofRun = [](const Program& p) { return p.window.kind == WindowKind::Run; };
    const auto wholeKnown = [](const Program& p) { return p.run && p.run->beforeGpu.has_value(); };
    const auto countedFirst = [](const Program& p) { return p.run && p.run->countedFirst; };
    const bool alike = wholeKnown(result.before) == wholeKnown(result.after) &&
                       countedFirst(result.before) == countedFirst(result.after);
    const bool chosen =
        baseline.window != WindowChoice::Auto && baseline.window == candidate.window;
    if (!chosen && (ofRun(result.before) || ofRun(result.after)) &&
        !(alike && ofRun(result.before) && ofRun(result.after))) {
        const WindowChoice both =
            alike && wholeKnown(result.before) ? WindowChoice::Run : WindowChoice::Loop;
        result.before = analyzeProgram(baseline, both);
        result.after = analyzeProgram(candidate, both);
    }
    result.reason = notComparable(baseline, result.before, candidate, result.after);
    result.comparable =
        !result.before.lanes.empty() && !result.after.lanes.empty() && result.reason.empty();
    if (result.comparable) {
        result.moved = movedClasses(result.before, result.after);
        result.promises = compare::actionPromises(baseline, result.before, candidate, result.after);
    }
    result.classes = classTimes(result);
    result.exchanges = compare::findExchanges(baseline, candidate, matching);
    return result;
}

}  // namespace roofscope
