// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/count_choice.h"

#include <algorithm>

namespace roofscope::inject {

CountChoice::CountChoice(CountersMode mode) : m_mode(std::move(mode)) {
    for (const auto& [signature, ordinals] : m_mode.picks) m_open += ordinals.empty() ? 0 : 1;
}

bool CountChoice::counts(std::uint64_t signature) {
    if (inTurns() || !bySignature()) return true;
    const std::uint32_t ordinal = m_seen[signature]++;
    const auto picks = m_mode.picks.find(signature);
    if (picks != m_mode.picks.end() && !picks->second.empty() &&
        ordinal == std::ranges::max(picks->second))
        --m_open;
    const bool counted = picks == m_mode.picks.end()
                             ? !m_mode.onlyPicks && ordinal < m_mode.perKernel
                             : std::ranges::find(picks->second, ordinal) != picks->second.end();
    if (!counted || !m_mode.countOneIfCostly) return counted;
    return !m_cost.isCostly() || !m_counted.contains(signature);
}

PickedLaunches::PickedLaunches(LaunchPicks picks) : m_picks(std::move(picks)) {
    for (const auto& [signature, ordinals] : m_picks) m_open += ordinals.size();
}

bool PickedLaunches::takesNext(std::uint64_t signature) {
    const std::uint32_t ordinal = m_seen[signature]++;
    const auto picks = m_picks.find(signature);
    if (picks == m_picks.end() || std::ranges::find(picks->second, ordinal) == picks->second.end())
        return false;
    --m_open;
    return true;
}

}  // namespace roofscope::inject
