// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "importer/ncu/ncu_report.h"
#include "importer/traces/trace_reader.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

/// Imports recordings of Nsight Systems.
namespace roofscope {

/// Imports a database that `nsys export --type sqlite` wrote. Kernels, copies, CUDA calls and NVTX
/// ranges become a profile with a timeline but without counters (docs/import.md).
Result<Profile> readNsysDatabase(const std::filesystem::path& path, const std::string& toolVersion,
                                 const traces::TraceLimits& limits = {});

/// The same for a database in memory. Error messages contain `name`.
Result<Profile> importNsysDatabase(std::string_view bytes, std::string_view name,
                                   const std::string& toolVersion,
                                   const traces::TraceLimits& limits = {});

/// Imports a report (.nsys-rep) by having nsys export it. Errors: Unavailable without nsys, BadData
/// if nsys cannot read the report.
Result<Profile> readNsysReport(const std::filesystem::path& path, const std::string& toolVersion,
                               const RunProgram& run);

}  // namespace roofscope
