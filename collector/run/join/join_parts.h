// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profile/model/profile.h"

/// Helpers for joining the runs of one program.
namespace roofscope {

[[nodiscard]] bool hasIssue(const Profile& profile, std::string_view code);
/// Adds an issue unless the profile has one with this code and message.
void addIssue(Profile& profile, Issue issue);
void addIssues(Profile& profile, const std::vector<Issue>& issues);

/// Adds what another run found out about the same GPU: its chip and its peaks.
void addDeviceFacts(Device& device, const Device& found);

/// For each launch, whether any of these counters was measured. The device may lack some of them.
[[nodiscard]] std::vector<bool> measuredAt(const Profile& profile,
                                           const std::vector<std::string>& counters);

/// The median of at least one value.
[[nodiscard]] double median(std::vector<double> values);
/// How many calls of a kind a timeline has.
[[nodiscard]] std::uint64_t callsOf(const Timeline& timeline, CallKind kind);
/// The median of each list of seconds; no list may be empty.
[[nodiscard]] std::map<std::uint64_t, Seconds> medians(
    std::map<std::uint64_t, std::vector<double>> seconds);

}  // namespace roofscope
