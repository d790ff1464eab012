// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/group_rotation.h"

#include <algorithm>

namespace roofscope::inject {
namespace {

/// So many launches more than another group are enough to make way for that one: fewer would mean a
/// switch every few launches of programs that have time for it, more would leave rare groups thin.
constexpr std::uint32_t kWellAhead = 8;

}  // namespace

std::optional<std::size_t> GroupRotation::wanted(std::uint64_t signature) const {
    const auto it = m_met.find(signature);
    if (it == m_met.end()) return {};
    const std::vector<std::uint32_t>& met = it->second;
    const auto least = std::ranges::min_element(met);
    const std::uint32_t ahead = met[m_current] - *least;
    const bool done = m_enough > 0 && met[m_current] >= m_enough && *least < m_enough;
    if (ahead == 0 || (*least > 0 && ahead < kWellAhead && !done)) return {};
    return static_cast<std::size_t>(least - met.begin());
}

bool GroupRotation::satisfied(std::uint64_t signature) const {
    const auto it = m_met.find(signature);
    return m_enough > 0 && it != m_met.end() && std::ranges::min(it->second) >= m_enough;
}

std::size_t GroupRotation::mostWanted() const {
    std::vector<std::size_t> wishes(m_groups, 0);
    for (const auto& [signature, met] : m_met)
        for (std::size_t group = 0; group < m_groups; ++group)
            if (met[group] < met[m_current]) ++wishes[group];
    const auto most = std::ranges::max_element(wishes);
    return *most > 0 ? static_cast<std::size_t>(most - wishes.begin()) : m_current;
}

void GroupRotation::measured(std::uint64_t signature) {
    std::vector<std::uint32_t>& met = m_met[signature];
    met.resize(m_groups, 0);
    ++met[m_current];
}

}  // namespace roofscope::inject
