// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "profile/errors/result.h"
#include "reports/honesty/honesty_report.h"

/// What `check-loop` and `review` have in common: where and how they write.
namespace roofscope::cli {

struct HonestyOutput {
    std::string format, out, lang;
};
void addHonestyOptions(CLI::App& command, HonestyOutput& output);

/// The format's row, and how it is written.
struct HonestyWriter {
    const HonestyFormatEntry* format = nullptr;
    HonestyOptions options;
};
/// Errors: Usage.
[[nodiscard]] Result<HonestyWriter> honestyWriter(const HonestyOutput& output,
                                                  const std::string& what);

}  // namespace roofscope::cli
