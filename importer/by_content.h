// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "importer/ncu/ncu_report.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope {

/// Imports a file of another tool that its content tells: a trace of PyTorch's profiler, a CSV file
/// of ncu, a database or a report of Nsight Systems, which `run` has nsys export. Nullopt if the
/// content is none that is known, or a profile of roofscope. A known file that cannot be read is an
/// error that names its format and the way on.
[[nodiscard]] Result<std::optional<Profile>> importByContent(const std::filesystem::path& path,
                                                             const std::string& toolVersion,
                                                             const RunProgram& run);

}  // namespace roofscope
