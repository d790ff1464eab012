// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/errors/result.h"

/// Armed processes: the injected library waits in them for `roofscope snap`, on a socket file in
/// this folder. This header is shared by the library (collector/inject/arm) and the commands
/// (collector/run/arm).
namespace roofscope::arm {

/// The environment variable that arms a program: the absolute path of the folder for its socket, or
/// "on" for defaultFolder(). With "off" or any other text the program is not armed.
inline constexpr const char* kVariable = "ROOFSCOPE_ARM";

/// The folder that a value of kVariable asks for; nullopt: do not arm the process.
[[nodiscard]] std::optional<std::filesystem::path> folderOf(std::string_view value);

/// `roofscope` in XDG_RUNTIME_DIR if that is set, else /tmp/roofscope-UID.
[[nodiscard]] std::filesystem::path defaultFolder();

/// The existing folders in which to look for sockets of armed processes. If `folder` is not empty,
/// only that one; else the folder that kVariable names; else the default folders of this user, and
/// for root those of all users.
[[nodiscard]] std::vector<std::filesystem::path> foldersToSearch(const std::string& folder);

/// Makes the folder, for this user only (0700), and checks it. Its parent must exist.
[[nodiscard]] Result<void> makeFolder(const std::filesystem::path& folder);

/// Checks that it is a real folder (not a link), that this user owns it (root accepts any owner),
/// and that nobody else can read or write it.
[[nodiscard]] Result<void> checkFolder(const std::filesystem::path& folder);

/// The socket of a process in the folder, and back: the process id in a socket's file name (nullopt
/// for other file names).
[[nodiscard]] std::filesystem::path socketOf(const std::filesystem::path& folder, std::int64_t pid);
[[nodiscard]] std::optional<std::int64_t> pidOf(const std::filesystem::path& socket);

}  // namespace roofscope::arm
