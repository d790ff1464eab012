// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <streambuf>
#include <string>
#include <string_view>

#include "importer/traces/trace_reader.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

/// Imports traces of PyTorch's profiler (torch.profiler, Kineto): Chrome trace JSON, plain or gzip.
namespace roofscope {

/// Imports a trace from a stream. Kernels, copies, CUDA calls, ranges and operators become a
/// profile with a timeline but without counters (docs/import.md). Error messages contain `name` and
/// the position in bytes.
Result<Profile> importTrace(std::streambuf& source, std::string_view name,
                            const std::string& toolVersion, const traces::TraceLimits& limits = {});

/// The same for a file.
Result<Profile> readTrace(const std::filesystem::path& path, const std::string& toolVersion,
                          const traces::TraceLimits& limits = {});

}  // namespace roofscope
