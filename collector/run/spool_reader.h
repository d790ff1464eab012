// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>

#include "profile/profile.h"
#include "profile/result.h"

namespace roofscope {

/// The position of each launch in its process, counting launches whose lines were lost: by row of
/// the profile, and only for processes that lost some.
using LaunchPositions = std::map<std::size_t, std::uint64_t>;
/// An unknown position.
inline constexpr std::uint64_t kUnknownPosition = ~std::uint64_t{0};

/// Joins the spools that the injected library wrote into `folder` (one per process) into a profile.
///
/// Spools of crashed processes lack the end line, and their last line may be cut: everything before
/// it counts, and an issue says what is missing. Launches without values keep their row, with
/// missing counters. The folder is not trusted: malformed lines are left out with an issue, and the
/// rest is kept. `capture` of the result is left for the caller, except passes. `positions`, if
/// given, receives the positions of launches of processes that lost some.
Result<Profile> readSpools(const std::filesystem::path& folder,
                           LaunchPositions* positions = nullptr);

/// When launches began by the clock of CUPTI (ns), by row of the profile.
using LaunchStarts = std::map<std::size_t, std::int64_t>;

/// One spool's text, appended to `profile`. `name` stands for the file in messages.
void appendSpool(std::string_view text, std::string_view name, Profile& profile);
/// Sets Launch::start, and converts the timeline from CUPTI's clock to times since the first
/// launch.
void countFromFirst(Profile& profile, const LaunchStarts& starts);

}  // namespace roofscope
