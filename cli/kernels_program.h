// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "profile/errors/result.h"

namespace roofscope::cli {

/// Path of the program with the bundled kernels, beside this executable. Error: Unavailable if it
/// was not built.
[[nodiscard]] Result<std::string> kernelsProgram();

}  // namespace roofscope::cli
