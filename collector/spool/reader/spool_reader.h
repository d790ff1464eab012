// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope {

/// The position of each launch in its process, counting launches whose lines were lost: by row of
/// the profile, and only for processes that lost some.
using LaunchPositions = std::map<std::size_t, std::uint64_t>;
/// An unknown position.
inline constexpr std::uint64_t kUnknownPosition = ~std::uint64_t{0};

/// A process that counted before it timed (CountFirstMode).
struct CountedFirst {
    std::size_t firstTimed = 0;    ///< row of the profile; one past its rows if it never timed any
    std::optional<Seconds> spent;  ///< what counting took; absent if it never came to an end
    std::optional<Seconds> end;    ///< when it ended, by std::chrono::steady_clock
    std::uint64_t loop = 0;        ///< launches of one round of its outer loop; 0: none was found
};
/// By process of the profile.
using CountedFirstBy = std::map<std::uint32_t, CountedFirst>;

/// Where the code of a pass is (Profile::sources).
struct PassCode {
    std::size_t source = 0;
    std::filesystem::path cubin;  ///< a regular file
    std::string function;         ///< name of the kernel in it
};

/// What spools tell beside the profile.
struct SpoolDetails {
    LaunchPositions positions;    ///< of launches of processes that lost some
    CountedFirstBy countedFirst;  ///< the processes that counted first
    std::vector<PassCode> code;
};

/// Joins the spools that the injected library wrote into `folder` (one per process) into a profile.
///
/// Spools of crashed processes lack the end line, and their last line may be cut: everything before
/// it counts, and an issue says what is missing. Launches without values keep their row, with
/// missing counters. The folder is not trusted: malformed lines are left out with an issue, and the
/// rest is kept. `capture` of the result is left for the caller, except passes.
Result<Profile> readSpools(const std::filesystem::path& folder, SpoolDetails* details = nullptr);

/// The same for texts. `name` stands for the file in messages.
struct SpoolText {
    std::string_view text, name;
};
Profile parseSpools(std::span<const SpoolText> spools);
Profile parseSpool(std::string_view text, std::string_view name);

/// When launches began by the clock of CUPTI (ns), by row of the profile.
using LaunchStarts = std::map<std::size_t, Nanoseconds>;

}  // namespace roofscope
