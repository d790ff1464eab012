// SPDX-License-Identifier: Apache-2.0
#include "cli/sample_profile.h"

#include <filesystem>
#include <system_error>

#include "profile/files/find_program.h"

namespace roofscope::cli {

std::string resolveSampleName(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (path != "sample" || fs::exists(path, error)) return path;
    const fs::path sample =
        executableFolder().parent_path() / "share/roofscope/sample.roofscope.json.gz";
    return fs::exists(sample, error) ? sample.string() : path;
}

}  // namespace roofscope::cli
