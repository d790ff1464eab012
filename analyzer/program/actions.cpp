// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions.h"

#include <algorithm>
#include <map>
#include <string>

#include "analyzer/program/action_finder.h"
#include "analyzer/program/kernels_per_window.h"

namespace roofscope::program {

std::vector<Action> ActionFinder::run() {
    if (!(m_program.window.seconds.value > 0)) return {};
    findings();
    elementwise();
    optimizer();
    pageFaults();
    dataMovement();
    unevenRanks();
    graphInputs();
    repeatedCopies();
    copies();
    if (!roundTrips()) {
        synchronisation();
        launches();
    }
    allocation();
    loading();
    runEnds();
    compiling();
    host();
    std::ranges::stable_sort(m_actions, std::greater{}, &Action::bound);
    if (m_actions.size() > kMostActions) m_actions.resize(kMostActions);
    return std::move(m_actions);
}

void ActionFinder::add(Action action) {
    const Seconds window = m_program.window.seconds;
    action.bound = std::min(action.bound, window);
    // Kernels that run side by side take less than their sum.
    if (!action.timeClass && !m_program.lanes.empty())
        action.bound = std::min(action.bound, m_account.time[TimeClass::Kernels] +
                                                  m_account.time[TimeClass::Communication]);
    action.share = {action.bound / window};
    const auto counted = std::max<std::size_t>(m_program.window.counted, 1);
    action.total = action.bound * static_cast<double>(counted);
    if (action.share.value >= kWorthDoing) m_actions.push_back(std::move(action));
}

std::vector<Action> findActions(const Analysis& analysis, const Program& program,
                                const LaunchOrder& order) {
    return ActionFinder(analysis, program, order).run();
}

std::optional<Unanswered> unansweredOf(const Analysis& analysis, const Program& program) {
    constexpr double kTimesFirst = 3, kLeast = 0.1;
    constexpr double kAnswered = 1.0 / 3;  // of the time of an action's kernels
    if (program.lanes.empty() || !(program.window.seconds.value > 0)) return std::nullopt;
    std::map<std::string, Unanswered> groups;  // by function
    for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k) {
        // An action that saves little of a kernel's time does not answer where that time goes.
        const bool answered = std::ranges::any_of(program.actions, [&](const Action& action) {
            if (std::ranges::find(action.kernels, k) == action.kernels.end()) return false;
            Seconds all;
            for (const std::uint32_t other : action.kernels) all += program.kernels[other].time;
            return action.bound >= all * kAnswered;
        });
        const Seconds time = program.kernels[k].time;
        if (answered || !(time.value > 0) ||
            analysis.kernels[k].verdict.cls == VerdictClass::WaitsForPeers)
            continue;
        Unanswered& group = groups[analysis.kernels[k].fullName];
        group.kernels.push_back(k);
        group.time += time;
    }
    const auto most = std::ranges::max_element(
        groups, {}, [](const auto& entry) { return entry.second.time.value; });
    if (most == groups.end()) return std::nullopt;
    Unanswered found = std::move(most->second);
    found.share = {std::min(1.0, found.time / program.window.seconds)};
    const Seconds first = program.actions.empty() ? Seconds{} : program.actions.front().bound;
    if (found.share.value < kLeast || found.time < first * kTimesFirst) return std::nullopt;
    std::ranges::stable_sort(found.kernels, std::greater{},
                             [&](std::uint32_t k) { return program.kernels[k].time.value; });
    return found;
}

}  // namespace roofscope::program
