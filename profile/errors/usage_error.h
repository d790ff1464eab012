// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "profile/errors/result.h"

namespace roofscope {

/// A mistake in a command line, an option or typed input.
[[nodiscard]] inline Error usageError(std::string what, std::string where = {},
                                      std::string advice = {}) {
    return {.code = ErrorCode::Usage,
            .what = std::move(what),
            .where = std::move(where),
            .advice = std::move(advice)};
}

}  // namespace roofscope
