// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofscope {

/// Whether a program (a name or path) is one that starts ranks, each time anew: mpirun, srun, …
[[nodiscard]] bool isLauncher(std::string_view program);

}  // namespace roofscope
