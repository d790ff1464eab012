// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace roofscope::cli {

/// For Option::check(): a finite number above 0. CLI::PositiveNumber accepts "nan", and its error
/// message has 300 digits.
[[nodiscard]] CLI::Validator positiveNumber();

/// For Option::check(): a whole number from `least` to `most`, digits only. CLI11 itself reads "-1"
/// and numbers above 64 bits as the largest unsigned number.
[[nodiscard]] CLI::Validator wholeNumber(std::uint64_t least, std::uint64_t most);

}  // namespace roofscope::cli
