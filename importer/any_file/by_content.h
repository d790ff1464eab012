// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "importer/ncu/ncu_report.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope {

/// Imports another tool's file that is recognised by its content: a trace of PyTorch's profiler, a
/// CSV file or report of ncu, or a database or report of Nsight Systems (which nsys exports,
/// started by `run`). `byHand` is passed to readNcuReport(). Nullopt if the content is not
/// recognised or is a roofscope profile. A recognised file that cannot be read is an error that
/// names the format and what to do.
[[nodiscard]] Result<std::optional<Profile>> importByContent(const std::filesystem::path& path,
                                                             const std::string& toolVersion,
                                                             const RunProgram& run,
                                                             const std::string& byHand);

}  // namespace roofscope
