// SPDX-License-Identifier: Apache-2.0
#include "profile/errors/input_error.h"

#include <cerrno>
#include <cstring>

namespace roofscope {

Error cannotOpenInput(const std::filesystem::path& path, int number) {
    if (number == EACCES || number == EPERM)
        return {.code = ErrorCode::NoPermission,
                .what = "no permission to read this file",
                .where = path.string()};
    return {.code = ErrorCode::NoInput,
            .what = number == ENOENT ? std::string("no such file")
                                     : std::string("cannot be opened: ") + std::strerror(number),
            .where = path.string()};
}

}  // namespace roofscope
