// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/record_output.h"
#include "profile/errors/result.h"

namespace roofscope::cli {

/// The values of the placeholders in an output's name.
struct OutputMarks {
    std::int64_t pid = 0;               ///< %p: of roofscope itself
    std::string host;                   ///< %h
    std::optional<std::uint32_t> rank;  ///< %r
};

/// `pattern` with %p, %h, %r and %% replaced. Another mark, or %r without a rank, is a usage error:
/// the other ranks would overwrite a file whose name lacks the rank.
Result<std::string> expandOutput(const std::string& pattern, const OutputMarks& marks);

/// Where `record` writes: `pattern` (--out) with its marks replaced. Without one `program`,
/// the name of what runs (nameOfCommand()), with ".rank3" behind it when a launcher started this
/// process as one of several.
Result<ProfileOutput> recordOutput(const std::string& pattern, const std::string& program);

}  // namespace roofscope::cli
