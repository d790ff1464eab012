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

#include "profile/codec/codec.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope {

/// The position of each launch in its process, counting launches whose lines were lost. Keyed by
/// row of the profile; only for processes that lost some.
using LaunchPositions = std::map<std::size_t, std::uint64_t>;
inline constexpr std::uint64_t kUnknownPosition = ~std::uint64_t{0};

/// A process that counted before it timed (CountFirstMode).
struct CountedFirst {
    /// Row of the profile; one past the process's rows if no launch was timed.
    std::size_t firstTimed = 0;
    std::optional<Seconds> spent;  ///< how long counting took; absent if it never ended
    std::optional<Seconds> end;    ///< when it ended, in the time of std::chrono::steady_clock
    /// Launches in one iteration of its outer loop; 0: no loop was found.
    std::uint64_t loop = 0;
};
/// Keyed by process of the profile.
using CountedFirstBy = std::map<std::uint32_t, CountedFirst>;

/// Where the code for an entry of Profile::sources is.
struct PassCode {
    std::size_t source = 0;
    std::filesystem::path cubin;  ///< a regular file
    std::string function;         ///< name of the kernel in it
};

/// What spools contain besides the profile.
struct SpoolDetails {
    LaunchPositions positions;    ///< of launches of processes that lost some
    CountedFirstBy countedFirst;  ///< the processes that counted first
    std::vector<PassCode> code;
};

/// Joins the spools that the injected library wrote into `folder` (one per process) into a profile.
///
/// A spool of a crashed process has no end line, and its last line may be cut off. Everything
/// before it is used, and an issue says what is missing. Launches without values keep their row,
/// with missing counters. The folder is not trusted: malformed lines are skipped and reported as an
/// issue. The caller fills in `capture` of the result, except `passes`.
Result<Profile> readSpools(const std::filesystem::path& folder, SpoolDetails* details = nullptr);

/// Texts in memory instead of files; `name` stands for the file in messages.
struct SpoolText {
    std::string_view text, name;
};
/// `mostLaunches`: a smaller limit for tests; the default is what a profile can hold.
Profile parseSpools(std::span<const SpoolText> spools,
                    std::uint64_t mostLaunches = ReadLimits{}.maxLaunches);
Profile parseSpool(std::string_view text, std::string_view name);

/// When launches began (ns in CUPTI's time), by row of the profile.
using LaunchStarts = std::map<std::size_t, Nanoseconds>;

}  // namespace roofscope
