// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "profile/errors/result.h"
#include "profile/text/text_sink.h"

namespace roofscope {

/// The file that writing to `path` creates or changes: the end of a chain of links, whether or not
/// a file exists there yet.
[[nodiscard]] std::filesystem::path linkTarget(const std::filesystem::path& path);

/// How a file is packed. Stored: gzip format without compression.
enum class Packing { None, Gzip, Stored };

/// Writes a whole file at once: readers see the old file or the new one, never half of it, and no
/// temporary file is left behind, however the process ends. An old file's permissions are kept.
/// What is not a regular file (/dev/stdout, a pipe) is written to directly.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view content,
                                 Packing packing = Packing::None);
/// The same for text that is produced while it is written; if that throws, nothing is left behind
/// either. On some file systems the source is called twice.
Result<void> writeFileAtomically(const std::filesystem::path& path, const TextSource& content,
                                 Packing packing = Packing::None);

/// Like fs::temp_directory_path(), but an empty TMPDIR counts as unset.
Result<std::filesystem::path> temporaryParent();

}  // namespace roofscope
