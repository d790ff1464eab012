// SPDX-License-Identifier: Apache-2.0
#include "profile/files/output_conflict.h"

namespace roofscope {

namespace fs = std::filesystem;

Result<void> checkOutputIsNoInput(const std::string& option, const fs::path& out,
                                  const std::vector<fs::path>& inputs) {
    std::error_code error;
    // A terminal or a pipe can be input and output at once.
    if (out.empty() || !fs::is_regular_file(out, error)) return {};
    for (const fs::path& input : inputs)
        if (!input.empty() && fs::equivalent(input, out, error) && !error)
            return Error{.code = ErrorCode::Usage,
                         .what = "is also an input and would be overwritten",
                         .where = option.empty() ? out.string() : option + " " + out.string(),
                         .advice = "write to another file"};
    return {};
}

}  // namespace roofscope
