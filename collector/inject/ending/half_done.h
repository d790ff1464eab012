// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace roofscope::inject {

/// Why something outside of this process could stay half done if the process ended now. nullopt if
/// nothing could. That needs all of this: roofscope itself started the process; it has no child
/// process and no connection to another process; it has no file open or mapped for writing; and it
/// has written at most 512 bytes besides its output and our spool. The folder `own` holds the
/// spool, stdout and stderr.
[[nodiscard]] std::optional<std::string> whatStaysHalfDone(const std::filesystem::path& own);

}  // namespace roofscope::inject
