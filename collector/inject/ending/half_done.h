// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace roofscope::inject {

/// Why something outside of this process could stay half done if it ended now; nullopt if nothing
/// could: roofscope itself started it; it has no child process, opened no file that it writes to,
/// maps none, has no connection to another process, and has written at most 512 bytes besides its
/// output and our spool, which is in the folder `own` as are stdout and stderr.
[[nodiscard]] std::optional<std::string> whatStaysHalfDone(const std::filesystem::path& own);

}  // namespace roofscope::inject
