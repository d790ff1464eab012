// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "profile/errors/result.h"

namespace roofscope {

/// A private folder below TMPDIR, removed with its contents by the destructor. A lock shows
/// that its owner is alive: folders of owners that were killed (`kill -9`) are removed when
/// the next folder is created.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    /// Its path, or why there is none.
    [[nodiscard]] const Result<std::filesystem::path>& path() const { return m_path; }

private:
    int m_lock = -1;
    Result<std::filesystem::path> m_path;
};

/// Removes the folders whose owners were killed, also those of the Python package
/// (python/roofscope/_own_folder.py). Making a TemporaryFolder does the same.
void removeAbandonedFolders();

}  // namespace roofscope
