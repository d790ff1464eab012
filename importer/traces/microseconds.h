// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace roofscope::traces {

/// Nanoseconds from microseconds as they are written in a trace, "4458676983543.183": exact, since
/// a double holds no nanoseconds of the time since 1970. Digits beyond the nanosecond are rounded.
/// Nullopt for what is no number or does not fit.
[[nodiscard]] std::optional<std::int64_t> nanosecondsIn(std::string_view microseconds);

/// The whole number that is written; nullopt for a fraction and what does not fit.
[[nodiscard]] std::optional<std::uint64_t> wholeIn(std::string_view number);

}  // namespace roofscope::traces
