// SPDX-License-Identifier: Apache-2.0
#include "cli/kernels_program.h"

#include <filesystem>

#include "profile/files/find_program.h"

namespace roofscope::cli {

Result<std::string> kernelsProgram() {
    const std::filesystem::path path = executableFolder() / "roofscope-kernels";
    std::error_code error;
    if (std::filesystem::exists(path, error)) return path.string();
    return Error{.code = ErrorCode::Unavailable,
                 .what = "the bundled kernels were not built (" + path.string() + " is missing)",
                 .advice = "build roofscope with a CUDA compiler (nvcc)"};
}

}  // namespace roofscope::cli
