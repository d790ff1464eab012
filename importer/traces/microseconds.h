// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace roofscope::traces {

/// Converts microseconds as written in a trace ("4458676983543.183") to nanoseconds without going
/// through a double, which cannot hold the nanoseconds since 1970. Further digits are rounded.
/// Nullopt if the text is not a number or the number is too large.
[[nodiscard]] std::optional<std::int64_t> nanosecondsIn(std::string_view microseconds);

/// A whole number; nullopt if it has a fraction or is too large.
[[nodiscard]] std::optional<std::uint64_t> wholeIn(std::string_view number);

}  // namespace roofscope::traces
