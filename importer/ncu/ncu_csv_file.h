// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "importer/import.h"
#include "profile/errors/result.h"

namespace roofscope {

/// Imports a CSV file of ncu, which may be compressed with gzip. Errors are those of openInput()
/// and importNcuCsv(), and Io or BadData if reading fails in the middle.
[[nodiscard]] Result<Profile> readNcuCsv(const std::filesystem::path& path,
                                         const ImportOptions& options);

/// Whether a file with another extension is a CSV file of ncu, with the header near its beginning.
[[nodiscard]] bool isNcuCsv(const std::filesystem::path& path);

}  // namespace roofscope
