// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace roofscope {

/// The name of a program without the folders before it.
[[nodiscard]] std::string_view programName(std::string_view path);

/// Whether a program (a name or path) is one that starts ranks, each time anew: mpirun, srun, …
[[nodiscard]] bool isLauncher(std::string_view program);

/// What a command runs, for the name of a file: "./app" → "app", "python3 -u step.py 8" → "step",
/// "python3 -m pkg.train" → "pkg.train"; behind torchrun, mpirun, accelerate, env and the like the
/// Python script, where there is one. Otherwise, and for code on the command line, the program's
/// own name.
[[nodiscard]] std::string nameOfCommand(std::span<const std::string> command);

}  // namespace roofscope
