// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "importer/ncu/ncu_report.h"

namespace roofscope {

/// Whether a file comes from Nsight Compute, judged by its extension: a report (.ncu-rep) or a CSV
/// (.csv, .csv.gz, .tsv).
[[nodiscard]] bool isFromNcu(std::string_view path);

/// Whether Nsight Compute's reader has to read the file: its extension says so, and its content is
/// not that of another kind.
[[nodiscard]] bool isNcuByName(const std::filesystem::path& path);

/// Whether the file is a report (.ncu-rep). ncu has to convert it if its format is unknown.
[[nodiscard]] bool isNcuReport(std::string_view path);

/// Reads a roofscope profile, or imports a file of Nsight Compute or Nsight Systems or a trace of
/// PyTorch's profiler, as `roofscope import` does. Nsight Systems files, traces, and CSV files
/// without the usual extension are recognised by content. `run` starts ncu or nsys where a report
/// needs it. `byHand` is passed to readNcuReport().
[[nodiscard]] Result<Profile> readAnyProfile(const std::filesystem::path& path,
                                             const std::string& toolVersion, const RunProgram& run,
                                             const std::string& byHand);

}  // namespace roofscope
