// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions.h"

#include <algorithm>

#include "analyzer/program/action_finder.h"

namespace roofscope::program {

std::vector<Action> ActionFinder::run() {
    if (!(m_program.window.seconds.value > 0)) return {};
    findings();
    elementwise();
    optimizer();
    unevenRanks();
    graphInputs();
    repeatedCopies();
    copies();
    synchronisation();
    launches();
    allocation();
    loading();
    host();
    std::ranges::stable_sort(m_actions, std::greater{}, &Action::bound);
    if (m_actions.size() > kMostActions) m_actions.resize(kMostActions);
    return std::move(m_actions);
}

void ActionFinder::add(Action action) {
    const Seconds window = m_program.window.seconds;
    action.bound = std::min(action.bound, window);
    action.share = {action.bound / window};
    const auto counted = std::max<std::size_t>(m_program.window.counted, 1);
    action.total = action.bound * static_cast<double>(counted);
    if (action.share.value >= kWorthDoing) m_actions.push_back(std::move(action));
}

std::vector<Action> findActions(const Analysis& analysis, const Program& program,
                                const LaunchOrder& order) {
    return ActionFinder(analysis, program, order).run();
}

}  // namespace roofscope::program
