// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "importer/import.h"
#include "profile/errors/result.h"

/// Reports of Nsight Compute, which only ncu itself reads: it is asked for their raw page. The one
/// place of the importer that looks at files; how programs are run is the caller's.
namespace roofscope {

inline constexpr std::string_view kNcuReportSuffix = ".ncu-rep";

/// Runs a program and gives what it wrote to stdout; more than `most` bytes are an error.
using RunProgram =
    std::function<Result<std::string>(const std::vector<std::string>& command, std::uint64_t most)>;

/// What an export has beside the numbers.
struct NcuExport {
    std::string csv;      ///< for importNcuCsv()
    std::string version;  ///< "(read by version 2025.3.1)": the one that wrote it is not in there
};

/// `byHand` is the command that a person would type, for messages. Errors: NoInput, NoPermission,
/// Unavailable without ncu, BadData where ncu cannot read the report.
Result<NcuExport> exportNcuReport(const std::string& file, const std::string& byHand,
                                  const RunProgram& run, std::uint64_t most);

}  // namespace roofscope
