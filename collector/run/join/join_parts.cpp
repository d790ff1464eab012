// SPDX-License-Identifier: Apache-2.0
#include "collector/run/join/join_parts.h"

#include <algorithm>

namespace roofscope {

bool hasIssue(const Profile& profile, std::string_view code) {
    return std::ranges::any_of(profile.issues,
                               [&](const Issue& issue) { return issue.code == code; });
}

void addIssue(Profile& profile, Issue issue) {
    const bool told = std::ranges::any_of(profile.issues, [&](const Issue& other) {
        return other.code == issue.code && other.message == issue.message;
    });
    if (!told) profile.issues.push_back(std::move(issue));
}

void addIssues(Profile& profile, const std::vector<Issue>& issues) {
    for (const Issue& issue : issues) addIssue(profile, issue);
}

void addDeviceFacts(Device& device, const Device& found) {
    if (device.chip.empty()) device.chip = found.chip;
    for (const auto& [name, value] : found.peaks) device.peaks.emplace(name, value);
}

std::vector<bool> measuredAt(const Profile& profile, const std::vector<std::string>& counters) {
    std::vector<bool> rows(profile.launches.size());
    for (const std::string& name : counters)
        profile.counters.column(name).forEach([&](std::size_t row, double) {
            if (row < rows.size()) rows[row] = true;
        });
    return rows;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return 0.5 * (*std::max_element(values.begin(), middle) + *middle);
}

std::uint64_t callsOf(const Timeline& timeline, CallKind kind) {
    return static_cast<std::uint64_t>(std::ranges::count_if(timeline.calls, [&](const Call& call) {
        return timeline.callNames[call.name].kind == kind;
    }));
}

std::map<std::uint64_t, Seconds> medians(std::map<std::uint64_t, std::vector<double>> seconds) {
    std::map<std::uint64_t, Seconds> times;
    for (auto& [key, list] : seconds) times[key] = Seconds{median(std::move(list))};
    return times;
}

}  // namespace roofscope
