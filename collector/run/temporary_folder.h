// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "profile/result.h"

namespace roofscope {

/// A private folder below TMPDIR that is removed with everything in it. A lock says that its owner
/// lives: what a killed owner (`kill -9`) left behind is removed when the next one is made.
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
