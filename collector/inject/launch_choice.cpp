// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launch_choice.h"

#include <fnmatch.h>

#include <algorithm>

namespace roofscope::inject {
namespace {

bool anyMatches(const std::vector<std::string>& globs,
                const std::vector<std::string_view>& ranges) {
    return std::ranges::any_of(ranges, [&](std::string_view range) {
        const std::string name(range);
        return std::ranges::any_of(globs, [&](const std::string& glob) {
            return fnmatch(glob.c_str(), name.c_str(), 0) == 0;
        });
    });
}

}  // namespace

LaunchChoice::LaunchChoice(const RunOrders& orders)
    : m_orders(orders), m_active(orders.selection.fromStart) {
    if (!orders.selection.autotuning) m_orders.selection.notRanges.emplace_back(kAutotuningRange);
    if (orders.selection.kernel.empty()) return;
    auto pattern = NamePattern::compile(orders.selection.kernel);
    if (pattern)
        m_kernel.emplace(std::move(*pattern));
    else
        m_problem = pattern.error().what;
}

bool LaunchChoice::wantsDevice(std::uint32_t device) const {
    const auto& devices = m_orders.selection.devices;
    return devices.empty() || std::ranges::find(devices, device) != devices.end();
}

bool LaunchChoice::matches(std::string_view kernelName, const std::vector<std::string_view>& ranges,
                           std::uint32_t device) {
    const Selection& s = m_orders.selection;
    if (!m_active || !m_problem.empty() || !wantsDevice(device)) return false;
    if (!s.ranges.empty() && !anyMatches(s.ranges, ranges)) return false;
    if (anyMatches(s.notRanges, ranges)) return false;
    if (!m_kernel) return true;
    const auto [known, isNew] = m_matches.try_emplace(std::string(kernelName));
    if (isNew) {
        const auto found = m_kernel->matches(kernelName);
        known->second = found && *found;  // too complex for this name: it does not match
    }
    return known->second;
}

bool LaunchChoice::inTurns() const {
    return m_orders.mode == RunOrders::Mode::Counters &&
           m_orders.replay == RunOrders::Replay::Multiplex;
}

bool LaunchChoice::bySignature() const {
    return inTurns() || m_orders.mode == RunOrders::Mode::Source ||
           m_orders.mode == RunOrders::Mode::Stalls ||
           (m_orders.mode == RunOrders::Mode::Counters && m_orders.perKernel > 0);
}

Choice LaunchChoice::choose(std::string_view kernelName, std::uint64_t signature,
                            const std::vector<std::string_view>& ranges, std::uint32_t device) {
    if (!matches(kernelName, ranges, device)) return {};
    const std::uint64_t nth = m_chosen++;
    const Selection& s = m_orders.selection;
    if (nth < s.skip || (s.count && nth - s.skip >= *s.count)) return {};
    if (inTurns() || !bySignature())
        return {.recorded = true, .counted = m_orders.mode == RunOrders::Mode::Counters};
    const std::uint32_t ordinal = m_seen[signature]++;
    if (m_orders.mode == RunOrders::Mode::Source) {
        const bool wanted =
            signature == m_orders.sourceSignature && ordinal == m_orders.sourceOrdinal;
        return {.recorded = wanted, .counted = wanted};
    }
    const auto picks = m_orders.picks.find(signature);
    if (m_orders.mode == RunOrders::Mode::Stalls) {
        const bool wanted = picks != m_orders.picks.end() &&
                            std::ranges::find(picks->second, ordinal) != picks->second.end();
        return {.recorded = wanted, .counted = wanted};
    }
    const bool counted = picks == m_orders.picks.end()
                             ? ordinal < m_orders.perKernel
                             : std::ranges::find(picks->second, ordinal) != picks->second.end();
    return {.recorded = true, .counted = counted};
}

}  // namespace roofscope::inject
