// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/launch_choice.h"

#include <fnmatch.h>

#include <algorithm>

namespace roofscope::inject {
namespace {

bool anyMatches(const std::vector<std::string>& globs, const std::vector<std::string>& ranges) {
    return std::ranges::any_of(ranges, [&](const std::string& range) {
        return std::ranges::any_of(globs, [&](const std::string& glob) {
            return fnmatch(glob.c_str(), range.c_str(), 0) == 0;
        });
    });
}

}  // namespace

LaunchChoice::LaunchChoice(const RunConfiguration& configuration)
    : m_configuration(configuration), m_active(configuration.selection.fromStart) {
    if (!configuration.selection.autotuning)
        m_configuration.selection.notRanges.emplace_back(kAutotuningRange);
    if (configuration.selection.kernel.empty()) return;
    auto pattern = NamePattern::compile(configuration.selection.kernel);
    if (pattern)
        m_kernel.emplace(std::move(*pattern));
    else
        m_problem = pattern.error().what;
}

bool LaunchChoice::wantsDevice(std::uint32_t device) const {
    const auto& devices = m_configuration.selection.devices;
    return devices.empty() || std::ranges::find(devices, device) != devices.end();
}

bool LaunchChoice::wantsRanges(const std::vector<std::string>& ranges) const {
    const LaunchSelection& s = m_configuration.selection;
    if (!s.ranges.empty() && !anyMatches(s.ranges, ranges)) return false;
    return !anyMatches(s.notRanges, ranges);
}

bool LaunchChoice::wantsKernel(std::uint32_t id, std::string_view name) {
    if (!m_kernel) return true;
    if (id >= m_matches.size()) m_matches.resize(id + 1);
    std::optional<bool>& known = m_matches[id];
    if (!known) known = m_kernel->matchesKernel(name);
    return *known;
}

bool LaunchChoice::inTurns() const {
    return m_configuration.mode == RunConfiguration::Mode::Counters &&
           m_configuration.replay == RunConfiguration::Replay::Multiplex;
}

bool LaunchChoice::onlyPicked() const {
    return m_configuration.mode == RunConfiguration::Mode::Stalls ||
           m_configuration.mode == RunConfiguration::Mode::OverTime;
}

bool LaunchChoice::bySignature() const {
    return inTurns() || onlyPicked() || m_configuration.mode == RunConfiguration::Mode::Source ||
           (m_configuration.mode == RunConfiguration::Mode::Counters &&
            m_configuration.perKernel > 0);
}

Choice LaunchChoice::choose(std::uint64_t signature) {
    const std::uint64_t nth = m_chosen++;
    const LaunchSelection& s = m_configuration.selection;
    if (nth < s.skip || (s.count && nth - s.skip >= *s.count)) return {};
    if (inTurns() || !bySignature())
        return {.recorded = true,
                .counted = m_configuration.mode == RunConfiguration::Mode::Counters};
    const std::uint32_t ordinal = m_seen[signature]++;
    if (m_configuration.mode == RunConfiguration::Mode::Source) {
        const bool wanted = signature == m_configuration.sourceSignature &&
                            ordinal == m_configuration.sourceOrdinal;
        return {.recorded = wanted, .counted = wanted};
    }
    const auto picks = m_configuration.picks.find(signature);
    if (onlyPicked()) {
        const bool wanted = picks != m_configuration.picks.end() &&
                            std::ranges::find(picks->second, ordinal) != picks->second.end();
        return {.recorded = wanted, .counted = wanted};
    }
    bool counted = picks == m_configuration.picks.end()
                       ? !m_configuration.onlyPicks && ordinal < m_configuration.perKernel
                       : std::ranges::find(picks->second, ordinal) != picks->second.end();
    if (counted && m_configuration.countOneIfCostly)
        counted = !m_cost.isCostly() || !m_counted.contains(signature);
    return {.recorded = true, .counted = counted};
}

}  // namespace roofscope::inject
