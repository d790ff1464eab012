// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/group_rotation.h"

#include <algorithm>

namespace roofscope::inject {
namespace {

/// Without a limit, the group changes when it is this many launches ahead of another. With a
/// smaller number, changes would take more time than launches.
constexpr std::uint32_t kWellAhead = 16;

}  // namespace

std::uint32_t GroupRotation::goal(std::uint32_t least) const {
    if (least == 0) return 1;
    return m_enough > 0 ? m_enough : least + kWellAhead;
}

bool GroupRotation::needsCurrent(std::uint64_t signature) const {
    const auto it = m_met.find(signature);
    if (it == m_met.end()) return true;
    const std::vector<std::uint32_t>& met = it->second;
    return met[m_current] < goal(std::ranges::min(met));
}

std::optional<std::size_t> GroupRotation::wanted(std::uint64_t signature) const {
    if (needsCurrent(signature)) return {};
    const std::vector<std::uint32_t>& met = m_met.at(signature);
    const auto least = std::ranges::min_element(met);
    if (m_enough > 0 && *least >= m_enough) return {};
    return static_cast<std::size_t>(least - met.begin());
}

void GroupRotation::measured(std::uint64_t signature) {
    std::vector<std::uint32_t>& met = m_met[signature];
    met.resize(m_groups, 0);
    ++met[m_current];
}

}  // namespace roofscope::inject
