// SPDX-License-Identifier: Apache-2.0
#include "extract/folder/scratch_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace roofscope {
namespace {

namespace fs = std::filesystem;

Error cannotCreate(const fs::path& where, std::string what) {
    return {.code = ErrorCode::CannotCreate,
            .what = std::move(what),
            .where = where.string(),
            .advice = "choose another place with --out"};
}

/// The absolute path of a folder, without a trailing "/".
fs::path withoutSlash(const fs::path& folder) {
    const fs::path path = fs::absolute(folder).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

Result<fs::path> makeBeside(const fs::path& wanted) {
    std::string path = (wanted.parent_path() / ".roofscope-extract-XXXXXX").string();
    if (!mkdtemp(path.data())) return cannotCreate(wanted, std::strerror(errno));
    return fs::path(path);
}

}  // namespace

Result<void> checkFolderIsFree(const fs::path& folder) {
    std::error_code error;
    const auto status = fs::symlink_status(folder, error);
    if (fs::exists(status)) {
        if (!fs::is_directory(status)) return cannotCreate(folder, "exists and is no folder");
        if (!fs::is_empty(folder, error)) return cannotCreate(folder, "the folder is not empty");
        if (error) return cannotCreate(folder, error.message());
    }
    const fs::path parent = withoutSlash(folder).parent_path();
    if (!fs::is_directory(parent, error))
        return cannotCreate(folder, "the folder that it is to lie in does not exist");
    if (access(parent.c_str(), W_OK) != 0) return cannotCreate(folder, std::strerror(errno));
    return {};
}

ScratchFolder::ScratchFolder(const fs::path& wanted)
    : m_wanted(withoutSlash(wanted)), m_path(makeBeside(m_wanted)) {}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    if (m_path && !m_kept) fs::remove_all(*m_path, ignored);
}

Result<void> ScratchFolder::becomeWanted() {
    std::error_code error;
    // mkdtemp() gives access only to the user; apply the usual umask instead.
    const mode_t mask = umask(0);
    umask(mask);
    fs::permissions(*m_path, static_cast<fs::perms>(0777U & ~mask), error);
    // rename() replaces an empty folder, but nothing else.
    fs::rename(*m_path, m_wanted, error);
    if (error) return cannotCreate(m_wanted, error.message());
    m_kept = true;
    return {};
}

}  // namespace roofscope
