// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <streambuf>
#include <string>
#include <string_view>

#include "importer/traces/trace_reader.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

/// Traces of PyTorch's profiler (torch.profiler, Kineto): Chrome trace JSON, plain or gzip.
namespace roofscope {

/// Imports a trace while reading it: kernels, copies, calls of CUDA, ranges and operators become a
/// profile with a timeline and without counters (docs/import.md). Error messages give `name` and
/// the byte.
Result<Profile> importTrace(std::streambuf& source, std::string_view name,
                            const std::string& toolVersion, const traces::TraceLimits& limits = {});

/// The same of a file.
Result<Profile> readTrace(const std::filesystem::path& path, const std::string& toolVersion,
                          const traces::TraceLimits& limits = {});

}  // namespace roofscope
