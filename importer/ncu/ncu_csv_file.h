// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "importer/import.h"
#include "profile/errors/result.h"

namespace roofscope {

/// Imports a CSV of ncu from a file, which may be gzip. Errors are those of openInput() and
/// importNcuCsv(), and Io or BadData if reading fails midway.
[[nodiscard]] Result<Profile> readNcuCsv(const std::filesystem::path& path,
                                         const ImportOptions& options);

/// Whether a file without a known ending is a CSV of ncu: the header stands near its beginning.
[[nodiscard]] bool isNcuCsv(const std::filesystem::path& path);

}  // namespace roofscope
