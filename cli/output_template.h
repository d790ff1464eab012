// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/record_output.h"
#include "profile/errors/result.h"

namespace roofscope::cli {

/// Values of the placeholders in an output file's name.
struct OutputPlaceholders {
    std::int64_t pid = 0;               ///< %p: roofscope's own process id
    std::string host;                   ///< %h
    std::optional<std::uint32_t> rank;  ///< %r
};

/// Replaces %p, %h, %r and %% in `pattern`. Other placeholders are a usage error, and so is %r
/// without a rank: all ranks would write to the same file.
Result<std::string> expandOutput(const std::string& pattern, const OutputPlaceholders& marks);

/// Where `record` writes: `pattern` (--out) with its placeholders replaced. Without a pattern the
/// name is `program` (from nameOfCommand()), followed by ".rank3" if a launcher started this
/// process as one of several.
Result<ProfileOutput> chooseProfileOutput(const std::string& pattern, const std::string& program);

}  // namespace roofscope::cli
