// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roofscope {

/// The driver of a folder as one C++ source: extract/driver/replay.cpp with the headers that it
/// includes in place of the includes.
[[nodiscard]] std::string driverSource();
/// The script `check` of a folder.
[[nodiscard]] std::string checkScript();
/// The program that runs candidates in Python: `candidate_runner.py`.
[[nodiscard]] std::string pythonRunner();

}  // namespace roofscope
