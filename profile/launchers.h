// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofscope {

/// The name of a program without the folders before it.
[[nodiscard]] std::string_view programName(std::string_view path);

/// Whether a program (a name or path) is one that starts ranks, each time anew: mpirun, srun, …
[[nodiscard]] bool isLauncher(std::string_view program);

}  // namespace roofscope
