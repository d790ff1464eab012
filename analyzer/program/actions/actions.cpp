// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/actions.h"

#include <algorithm>
#include <map>
#include <string>

#include "analyzer/program/account/functions.h"
#include "analyzer/program/account/kernels_per_window.h"
#include "analyzer/program/actions/action_finder.h"
#include "analyzer/program/actions/worthwhile.h"
#include "analyzer/program/operators/attention_mask.h"
#include "profile/trials/trial_results.h"

namespace roofscope::program {

std::vector<Action> ActionFinder::run() {
    if (!(m_program.window.seconds.value > 0)) return {};
    findings();
    attention();
    elementwise();
    optimizer();
    pageFaults();
    hiddenWaits();
    dataMovement();
    tf32Products();
    fp32Products();
    modelInFp32();
    promotedToDouble();
    realTransforms();
    sorts();
    coalescing();
    stridedViews();
    ownSort();
    triangularSolves();
    transformLengths();
    tallMatrices();
    sameMatrix();
    blockSizes();
    frozenForward();
    separateJits();
    sliceUpdates();
    unevenRanks();
    graphInputs();
    repeatedCopies();
    copies();
    if (!whileLoops() && !roundTrips() && !waitsWithin()) {
        synchronisation();
        if (!tinyLaunches() && !smallXlaKernels()) launches();
    }
    allocation();
    loading();
    runEnds();
    compiling();
    returningBuffers();
    host();
    dataComesBack();
    dropRepeated();
    std::ranges::stable_sort(m_actions, std::greater{}, &Action::bound);
    if (m_actions.size() > kMostActions) m_actions.resize(kMostActions);
    addTrials();
    return std::move(m_actions);
}

void ActionFinder::addTrials() {
    if (!m_analysis.trials) return;
    const auto& trials = m_analysis.trials->trials;
    const auto give = [this](std::size_t index, auto fits) {
        const auto action = std::ranges::find_if(m_actions, [&](const Action& one) {
            return canBeTried(m_analysis, one) && fits(one.rule);
        });
        if (action != m_actions.end()) action->tried.push_back(index);
        return action != m_actions.end();
    };
    for (std::size_t i = 0; i < trials.size(); ++i) {
        const TrialResult& trial = trials[i];
        if (trial.wasInVain()) continue;
        if (give(i, [&trial](const std::string& rule) { return trial.isEditOf(rule); })) continue;
        give(i, [&trial](const std::string& rule) {
            return std::ranges::find(trial.suggestedBy, rule) != trial.suggestedBy.end();
        });
    }
    for (Action& action : m_actions)
        std::ranges::stable_partition(
            action.tried, [&](std::size_t index) { return trials[index].isEditOf(action.rule); });
}

bool ActionFinder::add(Action action) {
    // Findings that a trial rules out are already gone. This check is for actions of the account.
    if (!action.finding && m_analysis.trials && canBeTried(m_analysis, action) &&
        m_analysis.trials->ruleOut(action.rule))
        return false;
    const Seconds window = m_program.window.seconds;
    action.bound = std::min(action.bound, mostSaved(action));
    action.share = {action.bound / window};
    const auto counted = std::max<std::size_t>(m_program.window.counted, 1);
    action.total = action.bound * static_cast<double>(counted);
    if (action.share.value < kWorthDoing) return false;
    m_actions.push_back(std::move(action));
    return true;
}

Seconds ActionFinder::mostSaved(const Action& action) const {
    const Seconds window = m_program.window.seconds;
    if (m_program.lanes.empty()) return window;
    const Seconds kernels =
        m_account.time[TimeClass::Kernels] + m_account.time[TimeClass::Communication];
    if (action.timeClass == TimeClass::Communication) return window;
    if (action.timeClass) return std::min(window, window - kernels + action.ofKernels);
    // Copies of one direction share the link: what runs beside them saves nothing. Those from other
    // memory may run at the same time.
    Seconds link;
    for (const TransferKind kind : {TransferKind::HostToDevice, TransferKind::DeviceToHost}) {
        Seconds copies;
        for (const CopyTime& copy : m_account.copies)
            if (copy.kind == kind) copies = std::max(copies, copy.time);
        link = std::max(link, copies);
    }
    // Kernels that run side by side take less than their sum.
    return std::max(Seconds{}, std::min(kernels, window - link));
}

void ActionFinder::dropRepeated() {
    // These edits take launches away, or all that such a kernel does.
    const auto removesLaunches = [](const Action& action) {
        const Rule* rule = findRule(action.rule);
        return action.rule == "data-movement" || action.rule == action_rule::kUnfusedElementwise ||
               action.rule == "graph-input-copy" || (rule && rule->removesLaunch);
    };
    const auto isPartOf = [&](const Action& action, const Action& larger) {
        return &action != &larger && larger.bound > action.bound && !action.timeClass &&
               !action.kernels.empty() && (removesLaunches(action) || removesLaunches(larger)) &&
               std::ranges::all_of(action.kernels, [&](std::uint32_t k) {
                   return canBeTried(m_analysis.kernels[k]) &&
                          std::ranges::find(larger.kernels, k) != larger.kernels.end();
               });
    };
    std::vector<Action> kept;
    for (const Action& action : m_actions)
        if (std::ranges::none_of(m_actions,
                                 [&](const Action& other) { return isPartOf(action, other); }))
            kept.push_back(action);
    m_actions = std::move(kept);
}

std::vector<Action> findActions(const Analysis& analysis, const Program& program,
                                const LaunchOrder& order) {
    return ActionFinder(analysis, program, order).run();
}

namespace {

/// For each kernel, whether an action answers where its time goes. An action that saves little of
/// its kernels' time does not.
std::vector<bool> answeredKernels(const Analysis& analysis, const Program& program) {
    constexpr double kAnswered = 1.0 / 3;
    std::vector<bool> answered(analysis.kernels.size());
    for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k)
        answered[k] = analysis.kernels[k].verdict.cls == VerdictClass::WaitsForPeers;
    for (const Action& action : program.actions) {
        Seconds all;
        for (const std::uint32_t k : action.kernels) all += program.kernels[k].standsFor;
        // A smaller type is an answer, even if casts leave little of the gain.
        if (action.bound >= all * kAnswered || action.rule == action_rule::kTf32Product)
            for (const std::uint32_t k : action.kernels) answered[k] = true;
    }
    // What answers the counted shapes of a function answers the others, too.
    for (const KernelFunction& function : program.functions) {
        const std::vector<std::uint32_t> known = knownShapes(analysis, function);
        if (known.size() >= kShapesForAll &&
            std::ranges::all_of(known,
                                [&](std::uint32_t k) {
                                    return answered[k] || !(program.kernels[k].standsFor.value > 0);
                                }) &&
            std::ranges::any_of(known, [&](std::uint32_t k) { return answered[k]; }))
            for (const std::uint32_t k : function.kernels) answered[k] = true;
    }
    return answered;
}

}  // namespace

std::optional<Unanswered> unansweredOf(const Analysis& analysis, const Program& program) {
    constexpr double kTimesFirst = 3, kLeast = 0.1;
    // A line must take this many times what the best function takes, because a function's name says
    // more.
    constexpr double kLineBeforeFunction = 1.5;
    if (program.lanes.empty() || !(program.window.seconds.value > 0)) return std::nullopt;
    const std::vector<bool> answered = answeredKernels(analysis, program);
    std::map<std::string, Unanswered> functions, lines;
    Unanswered transforms{.kernels = {}, .time = {}, .share = {}, .transforms = true};
    const auto add = [&](Unanswered& group, std::uint32_t k, Seconds time) {
        if (answered[k] || !(time.value > 0)) return;
        group.kernels.push_back(k);
        group.time += time;
        if (analysis.kernels[k].verdict.cls == VerdictClass::NearRoof)
            group.nearRoof.value += time.value;
    };
    for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k) {
        const Seconds time = program.kernels[k].time;
        add(functions[analysis.kernels[k].fullName], k, time);
        const auto& rows = analysis.kernels[k].group.launches;
        const Profile& profile = *analysis.profile;
        if (!rows.empty() && isTransform(profile.kernels[profile.launches[rows.front()].kernel]))
            add(transforms, k, time);
    }
    for (const LineTime& line : program.lines) {
        if (program.lines.size() == 1) break;  // the function says more
        Unanswered& group = lines[line.place];
        group.place = line.place;
        for (const auto& [k, time] : line.kernels) add(group, k, time);
    }
    const auto most = [](std::map<std::string, Unanswered>& groups) {
        const auto found = std::ranges::max_element(
            groups, {}, [](const auto& entry) { return entry.second.time.value; });
        return found == groups.end() ? Unanswered{} : std::move(found->second);
    };
    Unanswered found = most(functions);
    if (Unanswered line = most(lines); line.time > found.time * kLineBeforeFunction)
        found = std::move(line);
    if (transforms.time >= found.time) found = std::move(transforms);
    if (!(found.time.value > 0)) return std::nullopt;
    found.masked = !found.transforms && masksSamples(analysis, found.kernels);
    found.nearRoof.value /= found.time.value;
    found.share = {std::min(1.0, found.time / program.window.seconds)};
    const Seconds first = program.actions.empty() ? Seconds{} : program.actions.front().bound;
    if (found.share.value < kLeast || found.time < first * kTimesFirst) return std::nullopt;
    std::ranges::stable_sort(found.kernels, std::greater{},
                             [&](std::uint32_t k) { return program.kernels[k].time.value; });
    const auto standsFor = [&](const KernelFunction& function) {
        return found.place.empty() && !found.transforms &&
               std::ranges::find(function.elsewhere, function.shown) != function.elsewhere.end() &&
               std::ranges::find(function.kernels, found.kernels.front()) != function.kernels.end();
    };
    if (const auto function = std::ranges::find_if(program.functions, standsFor);
        function != program.functions.end())
        found.kernels.insert(found.kernels.begin(), function->shown);
    return found;
}

}  // namespace roofscope::program
