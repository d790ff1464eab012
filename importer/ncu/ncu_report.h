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

/// Reports of Nsight Compute. For a report in an unknown format, ncu exports the raw page. The
/// caller provides the function that runs programs.
namespace roofscope {

inline constexpr std::string_view kNcuReportSuffix = ".ncu-rep";

/// How long ncu may print nothing. It prints the whole report at the end.
inline constexpr std::chrono::seconds kNcuPatience{300};

/// Runs a program and returns its stdout. If it prints more than `most` bytes, or nothing for
/// kNcuPatience, it is ended, and this is an error.
using RunProgram =
    std::function<Result<std::string>(const std::vector<std::string>& command, std::uint64_t most)>;

/// An exported report.
struct NcuExport {
    std::string csv;  ///< for importNcuCsv()
    /// "(read by version 2025.3.1)": the version that wrote the report is not in the export.
    std::string version;
};

/// Exports the raw page with ncu. Messages contain `byHand`, the command that a user would type.
/// Errors: NoInput, NoPermission, Unavailable without ncu, BadData if ncu cannot read the report.
Result<NcuExport> exportNcuReport(const std::string& file, const std::string& byHand,
                                  const RunProgram& run, std::uint64_t most);

/// Reads a report with importNcuReport() or, if the format is unknown, through ncu; then a note in
/// the profile says why. Errors are those of both functions; without ncu, the message says what is
/// unknown about the report.
Result<Profile> readNcuReport(const std::string& file, const ImportOptions& options,
                              const std::string& byHand, const RunProgram& run);

}  // namespace roofscope
