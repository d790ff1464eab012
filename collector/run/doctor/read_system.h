// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "collector/run/doctor/facts.h"
#include "collector/run/doctor/probe_process.h"

namespace roofscope::doctor {

/// Where the facts come from. Tests use folders and variables of their own.
struct SystemSources {
    std::filesystem::path root = "/";  ///< prefix of /proc, /etc, /usr
    std::function<std::optional<std::string>(const char*)> variable;  ///< getenv if empty
};

/// Reads files, processes and the environment, each with a size limit. A hung file system can block
/// it: run it in runProbe(). `program` is the program that is going to be recorded, or empty.
void readSystem(const SystemSources& sources, const std::string& program, const Reporter& report);

/// What kind of file a program is. A `name` without slash is searched for in `path` (as in PATH).
[[nodiscard]] ProgramFile readProgramFile(const std::string& name, const std::string& path);

/// "2025.3.1" for "libcupti.so.2025.3.1"; empty if the name holds no release.
[[nodiscard]] std::string cuptiRelease(const std::string& fileName);

}  // namespace roofscope::doctor
