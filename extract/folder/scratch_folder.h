// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "profile/errors/result.h"

namespace roofscope {

/// Whether a folder can be made here: it does not exist, or it is empty, and what it is to lie in
/// exists. Errors: CannotCreate.
[[nodiscard]] Result<void> checkFolderIsFree(const std::filesystem::path& folder);

/// A folder beside a wanted one, on the same disk, that is removed again unless it takes that one's
/// place.
class ScratchFolder {
public:
    explicit ScratchFolder(const std::filesystem::path& wanted);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    /// Its absolute path, or why there is none.
    [[nodiscard]] const Result<std::filesystem::path>& path() const { return m_path; }
    /// Takes the place of the wanted folder, which does not exist or is empty. Errors:
    /// CannotCreate.
    Result<void> becomeWanted();

private:
    std::filesystem::path m_wanted;
    Result<std::filesystem::path> m_path;
    bool m_kept = false;
};

}  // namespace roofscope
