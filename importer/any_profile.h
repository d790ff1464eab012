// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "importer/ncu_report.h"

namespace roofscope {

/// Whether a file is what Nsight Compute wrote, by its ending: a report (.ncu-rep) or the CSV of
/// its raw page.
[[nodiscard]] bool isFromNcu(std::string_view path);

/// Reads a profile of roofscope, or imports what Nsight Compute wrote, as `roofscope import` does.
/// `run` and `byHand` are those of exportNcuReport(): a report is read by ncu.
[[nodiscard]] Result<Profile> readAnyProfile(const std::filesystem::path& path,
                                             const std::string& toolVersion, const RunProgram& run,
                                             const std::string& byHand);

}  // namespace roofscope
