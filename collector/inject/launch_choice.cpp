// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launch_choice.h"

#include <fnmatch.h>

#include <algorithm>

namespace roofscope::inject {
namespace {

/// std::regex can recurse once per character: names are looked at up to here.
constexpr std::size_t kMaxMatched = 4096;

}  // namespace

LaunchChoice::LaunchChoice(const RunOrders& orders)
    : m_orders(orders), m_active(orders.selection.fromStart) {
    if (orders.selection.kernel.empty()) return;
    try {
        m_kernel.emplace(orders.selection.kernel,
                         std::regex::ECMAScript | std::regex_constants::__polynomial);
    } catch (const std::regex_error& error) {
        m_problem = "\"" + orders.selection.kernel + "\" is no regular expression: " + error.what();
    }
}

bool LaunchChoice::matches(std::string_view kernelName, const std::vector<std::string_view>& ranges,
                           std::uint32_t device) {
    const Selection& s = m_orders.selection;
    if (!m_active || !m_problem.empty()) return false;
    if (!s.devices.empty() && std::ranges::find(s.devices, device) == s.devices.end()) return false;
    if (!s.ranges.empty() && std::ranges::none_of(s.ranges, [&](const std::string& glob) {
            return std::ranges::any_of(ranges, [&](std::string_view range) {
                return fnmatch(glob.c_str(), std::string(range).c_str(), 0) == 0;
            });
        }))
        return false;
    if (!m_kernel) return true;
    const std::string name(kernelName.substr(0, kMaxMatched));
    const auto known = m_matches.find(name);
    if (known != m_matches.end()) return known->second;
    bool found = false;
    try {
        found = std::regex_search(name, *m_kernel);
    } catch (const std::regex_error&) {
        // Too complex for this name: it does not match.
    }
    return m_matches[name] = found;
}

Choice LaunchChoice::choose(std::string_view kernelName, std::uint64_t signature,
                            const std::vector<std::string_view>& ranges, std::uint32_t device) {
    if (!matches(kernelName, ranges, device)) return {};
    const std::uint64_t nth = m_chosen++;
    const Selection& s = m_orders.selection;
    if (nth < s.skip || (s.count && nth - s.skip >= *s.count)) return {};
    const std::uint32_t ordinal = m_seen[signature]++;
    if (m_orders.mode == RunOrders::Mode::Timing) return {.recorded = true};
    if (m_orders.mode == RunOrders::Mode::Source) {
        const bool wanted =
            signature == m_orders.sourceSignature && ordinal == m_orders.sourceOrdinal;
        return {.recorded = wanted, .counted = wanted};
    }
    if (m_orders.perKernel == 0) return {.recorded = true, .counted = true};
    const auto picks = m_orders.picks.find(signature);
    const bool counted = picks == m_orders.picks.end()
                             ? ordinal < m_orders.perKernel
                             : std::ranges::find(picks->second, ordinal) != picks->second.end();
    return {.recorded = true, .counted = counted};
}

}  // namespace roofscope::inject
