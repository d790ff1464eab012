// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "profile/errors/result.h"
#include "profile/text/text_sink.h"

namespace roofscope {

/// The file that writing to `path` makes or changes: where a link leads in the end, whether or not
/// there is a file yet.
[[nodiscard]] std::filesystem::path linkTarget(const std::filesystem::path& path);

/// Writes a whole file at once: readers see the old file or the new one, never half of it, and
/// nothing else is left behind, whatever ends the process. An old file's rights stay. What is no
/// regular file (/dev/stdout, a pipe) is written to directly.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view content,
                                 bool gzip = false);
/// The same of a text that is made meanwhile; where that throws, nothing is left either. On some
/// file systems the text is asked for twice.
Result<void> writeFileAtomically(const std::filesystem::path& path, const TextSource& content,
                                 bool gzip = false);

/// As fs::temp_directory_path(), but an empty TMPDIR is one that is not set.
Result<std::filesystem::path> temporaryParent();

}  // namespace roofscope
