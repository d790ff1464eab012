// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>

#include "profile/profile.h"
#include "profile/result.h"

namespace roofscope {

/// How many launches of its process came before a launch, those included whose lines were lost: by
/// row of the profile, and only of processes that lost some.
using LaunchPositions = std::map<std::size_t, std::uint64_t>;
/// The position of a launch that cannot be told.
inline constexpr std::uint64_t kUnknownPosition = ~std::uint64_t{0};

/// Joins the spools that the injected library wrote into `folder` (one per process) into a profile.
///
/// Spools of crashed processes end without an end line and perhaps in a cut line: everything before
/// counts, and an issue says what is missing. Launches without values keep their row, with missing
/// counters. The profiled program can write there what it likes: what is not as the library writes
/// it is left out, with an issue, and the rest is kept. `capture` of the result is left for the
/// caller, except passes. `positions`, where given, says where launches stood that others were lost
/// around.
Result<Profile> readSpools(const std::filesystem::path& folder,
                           LaunchPositions* positions = nullptr);

/// When launches began by the clock of CUPTI (ns), by row of the profile.
using LaunchStarts = std::map<std::size_t, std::int64_t>;

/// One spool's text, appended to `profile`. `name` stands for the file in messages.
void appendSpool(std::string_view text, std::string_view name, Profile& profile);
/// Sets Launch::start, and makes times of the timeline that are by CUPTI's clock count from the
/// first launch.
void countFromFirst(Profile& profile, const LaunchStarts& starts);

}  // namespace roofscope
