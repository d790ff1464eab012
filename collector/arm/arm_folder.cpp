// SPDX-License-Identifier: Apache-2.0
#include "collector/arm/arm_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace roofscope::arm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".sock";

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

fs::path inTmp(uid_t user) { return "/tmp/roofscope-" + std::to_string(user); }

/// The folders directly inside `parent`; links are left out.
std::vector<fs::path> foldersIn(const fs::path& parent) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code unreadable;
        if (entry->symlink_status(unreadable).type() == fs::file_type::directory)
            found.push_back(entry->path());
    }
    return found;
}

}  // namespace

std::optional<fs::path> folderOf(std::string_view value) {
    if (value == "on") return defaultFolder();
    const fs::path folder(value);
    return folder.is_absolute() ? std::optional(folder) : std::nullopt;
}

fs::path defaultFolder() {
    const fs::path runtime = environment("XDG_RUNTIME_DIR");
    return runtime.is_absolute() ? runtime / "roofscope" : inTmp(geteuid());
}

std::vector<fs::path> foldersToSearch(const std::string& folder) {
    std::vector<fs::path> folders;
    if (!folder.empty())
        folders.emplace_back(folder);
    else if (const auto named = folderOf(environment(kVariable)))
        folders.push_back(*named);
    else {
        folders = {defaultFolder(), inTmp(geteuid())};
        if (geteuid() == 0) {
            for (const fs::path& user : foldersIn("/run/user"))
                folders.push_back(user / "roofscope");
            for (const fs::path& one : foldersIn("/tmp"))
                if (one.filename().string().starts_with("roofscope-")) folders.push_back(one);
        }
    }
    std::ranges::sort(folders);
    // Not std::ranges::unique, whose result clang 14 cannot compile with libstdc++.
    folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
    std::erase_if(folders, [](const fs::path& one) {
        std::error_code error;
        return !fs::is_directory(one, error);
    });
    return folders;
}

Result<void> makeFolder(const fs::path& folder) {
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return Error{.code = ErrorCode::Io,
                     .what = std::string("cannot be made: ") + std::strerror(errno),
                     .where = folder.string(),
                     .advice = "make its parent folder, or name another one"};
    return checkFolder(folder);
}

Result<void> checkFolder(const fs::path& folder) {
    const auto refused = [&](const char* what) {
        return Error{.code = ErrorCode::NoPermission,
                     .what = what,
                     .where = folder.string(),
                     .advice = "name a folder of your own that is closed to others (chmod 700)"};
    };
    struct stat facts {};
    if (lstat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode))
        return refused("is not a folder");
    const uid_t self = geteuid();
    if (facts.st_uid != self && self != 0) return refused("belongs to another user");
    if ((facts.st_mode & 077) != 0) return refused("is open to other users");
    return {};
}

fs::path socketOf(const fs::path& folder, std::int64_t pid) {
    return folder / (std::to_string(pid) + std::string(kSuffix));
}

std::optional<std::int64_t> pidOf(const fs::path& socket) {
    const std::string name = socket.filename().string();
    if (!name.ends_with(kSuffix)) return std::nullopt;
    const char* const last = name.data() + name.size() - kSuffix.size();
    std::int64_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), last, pid);
    return error == std::errc{} && end == last && pid > 0 ? std::optional(pid) : std::nullopt;
}

}  // namespace roofscope::arm
