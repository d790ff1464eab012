// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "importer/import.h"
#include "profile/errors/result.h"

/// Reports of Nsight Compute. Only ncu can read them, so ncu is run to export their raw page. The
/// caller provides the function that runs programs.
namespace roofscope {

inline constexpr std::string_view kNcuReportSuffix = ".ncu-rep";

/// How long ncu may print nothing. It prints the whole report at the end.
inline constexpr std::chrono::seconds kNcuPatience{300};

/// Runs a program and returns its stdout. More than `most` bytes are an error, and so is silence
/// for kNcuPatience; then the program is ended.
using RunProgram =
    std::function<Result<std::string>(const std::vector<std::string>& command, std::uint64_t most)>;

/// An exported report.
struct NcuExport {
    std::string csv;  ///< for importNcuCsv()
    /// "(read by version 2025.3.1)": the version that wrote the report is not in the export.
    std::string version;
};

/// `byHand` is the command that a user would type, for messages. Errors: NoInput, NoPermission,
/// Unavailable without ncu, BadData if ncu cannot read the report.
Result<NcuExport> exportNcuReport(const std::string& file, const std::string& byHand,
                                  const RunProgram& run, std::uint64_t most);

}  // namespace roofscope
