// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace roofscope::cli {

/// For Option::check(): a finite number above 0. CLI::PositiveNumber lets "nan" pass, and its
/// message has 300 digits.
[[nodiscard]] CLI::Validator positiveNumber();

}  // namespace roofscope::cli
