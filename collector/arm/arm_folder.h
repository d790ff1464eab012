// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/errors/result.h"

/// Armed processes: the injected library waits in them for `roofscope snap`, on a socket that is a
/// file of this folder. The library (collector/inject/arm) and the commands (collector/run/arm)
/// share what is here.
namespace roofscope::arm {

/// The environment variable that arms a program: an absolute path of the folder for its socket, or
/// "on" for defaultFolder(). "off", and every other text, refuses.
inline constexpr const char* kVariable = "ROOFSCOPE_ARM";

/// The folder that such a value asks for; nullopt: the process is not to be armed.
[[nodiscard]] std::optional<std::filesystem::path> folderOf(std::string_view value);

/// `roofscope` in XDG_RUNTIME_DIR, if that is set; else /tmp/roofscope-UID.
[[nodiscard]] std::filesystem::path defaultFolder();

/// Where the sockets of armed processes may be that the caller may ask: `folder` only, if it is not
/// empty; else kVariable's, if it names one; else the default folders of this user, and for root
/// those of all users. Only folders that exist.
[[nodiscard]] std::vector<std::filesystem::path> foldersToSearch(const std::string& folder);

/// Makes the folder, for this user only (0700), and checks it. Its parent must exist.
[[nodiscard]] Result<void> makeFolder(const std::filesystem::path& folder);

/// Whether it is a folder (no link) of this user, or of any user if this is root, into which
/// nobody else can write or look.
[[nodiscard]] Result<void> checkFolder(const std::filesystem::path& folder);

/// The socket of a process in the folder; its id by such a file's name, nullopt for other names.
[[nodiscard]] std::filesystem::path socketOf(const std::filesystem::path& folder, std::int64_t pid);
[[nodiscard]] std::optional<std::int64_t> pidOf(const std::filesystem::path& socket);

}  // namespace roofscope::arm
