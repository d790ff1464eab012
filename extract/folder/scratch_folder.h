// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "profile/errors/result.h"

namespace roofscope {

/// Checks that a folder can be created here: it does not exist or is empty, and its parent exists.
/// Errors: CannotCreate.
[[nodiscard]] Result<void> checkFolderIsFree(const std::filesystem::path& folder);

/// A temporary folder beside the wanted one, on the same disk. It is removed again unless it takes
/// the wanted folder's place.
class ScratchFolder {
public:
    explicit ScratchFolder(const std::filesystem::path& wanted);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    /// The absolute path of the temporary folder, or why it could not be created.
    [[nodiscard]] const Result<std::filesystem::path>& path() const { return m_path; }
    /// Takes the place of the wanted folder, which must not exist or must be empty. Errors:
    /// CannotCreate.
    Result<void> becomeWanted();

private:
    std::filesystem::path m_wanted;
    Result<std::filesystem::path> m_path;
    bool m_kept = false;
};

}  // namespace roofscope
