// SPDX-License-Identifier: Apache-2.0
#include "profile/files/find_program.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace roofscope {

namespace fs = std::filesystem;

fs::path executableFolder() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path("/") : self.parent_path();
}

bool isProgram(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

fs::path findProgram(std::string_view name) {
    const char* path = std::getenv("PATH");
    const std::string_view folders = path ? path : "";
    for (std::size_t at = 0; at < folders.size();) {
        const std::size_t end = std::min(folders.find(':', at), folders.size());
        if (folders[at] == '/')
            if (fs::path found = fs::path(folders.substr(at, end - at)) / name; isProgram(found))
                return found;
        at = end + 1;
    }
    return {};
}

}  // namespace roofscope
