// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roofscope {

/// The driver of a folder as one C++ source: extract/driver/replay.cpp with its headers expanded.
[[nodiscard]] std::string driverSource();
/// The `check` script of a folder.
[[nodiscard]] std::string checkScript();
/// `candidate_runner.py`, which runs Python candidates.
[[nodiscard]] std::string pythonRunner();

}  // namespace roofscope
