// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "importer/ncu/ncu_report.h"
#include "importer/traces/trace_reader.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

/// Recordings of Nsight Systems.
namespace roofscope {

/// Imports a database that `nsys export --type sqlite` wrote: kernels, copies, calls of CUDA and
/// NVTX ranges become a profile with a timeline and without counters (docs/import.md).
Result<Profile> readNsysDatabase(const std::filesystem::path& path, const std::string& toolVersion,
                                 const traces::TraceLimits& limits = {});

/// The same of a database in memory. Error messages give `name`.
Result<Profile> importNsysDatabase(std::string_view bytes, std::string_view name,
                                   const std::string& toolVersion,
                                   const traces::TraceLimits& limits = {});

/// Imports a report (.nsys-rep), which nsys has to export. Errors: Unavailable without nsys, and
/// BadData if it cannot read the report.
Result<Profile> readNsysReport(const std::filesystem::path& path, const std::string& toolVersion,
                               const RunProgram& run);

}  // namespace roofscope
