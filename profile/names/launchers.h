// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace roofscope {

/// The name of a program without the folders before it.
[[nodiscard]] std::string_view programName(std::string_view path);

/// Whether a program (a name or path) starts ranks, like mpirun or srun.
[[nodiscard]] bool isLauncher(std::string_view program);

/// The name of what a command runs, used to name files: "./app" → "app", "python3 -u step.py 8" →
/// "step", "python3 -m pkg.train" → "pkg.train". For torchrun, mpirun, accelerate, env and the like
/// it is the Python script that they start, if any. Otherwise, and for code on the command line, it
/// is the program's own name.
[[nodiscard]] std::string nameOfCommand(std::span<const std::string> command);

}  // namespace roofscope
