// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "profile/errors/result.h"

namespace roofscope {

/// A private folder below TMPDIR, removed with its contents by the destructor. A lock shows that
/// its owner is alive: folders of killed owners (`kill -9`) are removed when the next one is
/// created.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    /// Where it is, or why there is none.
    [[nodiscard]] const Result<std::filesystem::path>& path() const { return m_path; }

private:
    int m_lock = -1;
    Result<std::filesystem::path> m_path;
};

}  // namespace roofscope
