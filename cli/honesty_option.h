// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "profile/errors/result.h"
#include "reports/honesty/honesty_report.h"

/// Output options that `check-loop` and `judge-review` share.
namespace roofscope::cli {

struct HonestyOutput {
    std::string format, out, lang;
};
void addHonestyOptions(CLI::App& command, HonestyOutput& output);

/// The chosen format and the options for its writer.
struct HonestyWriter {
    const HonestyFormatEntry* format = nullptr;
    HonestyOptions options;
};
/// Errors: Usage.
[[nodiscard]] Result<HonestyWriter> honestyWriter(const HonestyOutput& output,
                                                  const std::string& what);

}  // namespace roofscope::cli
