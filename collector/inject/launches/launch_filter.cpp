// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/launch_filter.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

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

LaunchFilter::LaunchFilter(LaunchSelection selection)
    : m_selection(std::move(selection)), m_active(m_selection.fromStart) {
    if (m_selection.kernel.empty()) return;
    auto pattern = NamePattern::compile(m_selection.kernel);
    if (pattern)
        m_kernel.emplace(std::move(*pattern));
    else
        m_problem = pattern.error().what;
}

bool LaunchFilter::wantsDevice(std::uint32_t device) const {
    const auto& devices = m_selection.devices;
    return devices.empty() || std::ranges::find(devices, device) != devices.end();
}

bool LaunchFilter::isAutotuning(const std::vector<std::string>& ranges) const {
    return !m_selection.autotuning && std::ranges::find(ranges, kAutotuningRange) != ranges.end();
}

bool LaunchFilter::wantsRanges(const std::vector<std::string>& ranges) const {
    if (isAutotuning(ranges)) return false;
    if (!m_selection.ranges.empty() && !anyMatches(m_selection.ranges, ranges)) return false;
    return !anyMatches(m_selection.notRanges, ranges);
}

bool LaunchFilter::wantsKernel(std::uint32_t id, std::string_view name) {
    if (!m_kernel) return true;
    if (id >= m_matches.size()) m_matches.resize(id + 1);
    std::optional<bool>& known = m_matches[id];
    if (!known) known = m_kernel->matchesKernel(name);
    return *known;
}

bool LaunchFilter::takesNext() {
    const std::uint64_t nth = m_taken++;
    return nth >= m_selection.skip &&
           (!m_selection.count || nth - m_selection.skip < *m_selection.count);
}

}  // namespace roofscope::inject
