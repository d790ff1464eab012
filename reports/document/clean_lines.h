// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace roofscope::doc {

/// Lines of code, each cleaned, capped and ended with a newline.
[[nodiscard]] std::string cleanLines(std::string_view lines);

}  // namespace roofscope::doc
