// SPDX-License-Identifier: Apache-2.0
#include "profile/launchers.h"

#include <algorithm>
#include <iterator>

namespace roofscope {

std::string_view programName(std::string_view path) {
    return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool isLauncher(std::string_view program) {
    program = programName(program);
    constexpr std::string_view kNames[] = {"srun", "torchrun", "orterun", "prterun", "jsrun"};
    return program.starts_with("mpirun") || program.starts_with("mpiexec") ||
           std::ranges::find(kNames, program) != std::end(kNames);
}

}  // namespace roofscope
