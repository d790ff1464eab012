// SPDX-License-Identifier: Apache-2.0
#include "collector/run/processes/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "profile/files/output_file.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "roofscope-";
constexpr std::size_t kRandom = 6;  ///< random letters after it
/// The file that the owner of a folder keeps locked while it lives.
constexpr const char* kLock = "owner";
/// The content of that file. Other programs may also have a folder "roofscope-…" with a file
/// "owner".
constexpr std::string_view kMark = "temporary folder of roofscope, removed with its owner\n";

/// Takes the lock of a folder; -1 if another process holds it or if there is no lock file.
int takeLock(const fs::path& folder, int flags) {
    const int file = open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    if (file < 0) return -1;
    struct stat is {};
    // Another process may have removed it between the two calls.
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &is) == 0 && is.st_nlink > 0)
        return file;
    const int error = errno;
    close(file);
    errno = error;
    return -1;
}

/// Whether make() made this folder: by its name, owner, rights, and the mark in its lock.
bool isOurs(const fs::path& folder) {
    const std::string name = folder.filename();
    struct stat is {};
    if (!name.starts_with(kPrefix) || name.size() != std::string_view(kPrefix).size() + kRandom ||
        lstat(folder.c_str(), &is) != 0 || !S_ISDIR(is.st_mode) || is.st_uid != geteuid() ||
        (is.st_mode & 07777) != 0700)
        return false;
    const int file = open((folder / kLock).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return false;
    std::string text(kMark.size() + 1, '\0');
    const bool marked = fstat(file, &is) == 0 && S_ISREG(is.st_mode) && is.st_uid == geteuid() &&
                        read(file, text.data(), text.size()) == static_cast<ssize_t>(kMark.size());
    close(file);
    return marked && text.starts_with(kMark);
}

/// Removes the folders of killed owners, but only those of our own user: in /tmp anybody can
/// create files of any name.
void sweep(const fs::path& parent) {
    std::error_code error;
    for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
        if (!isOurs(it->path())) continue;
        const int lock = takeLock(it->path(), 0);
        if (lock < 0) continue;
        std::error_code ignored;
        fs::remove_all(it->path(), ignored);
        close(lock);
    }
}

Result<fs::path> make(int& lock) {
    auto parent = temporaryParent();
    if (!parent) return parent.error();
    sweep(*parent);
    for (int tries = 0; tries < 3; ++tries) {
        std::string pattern = (*parent / (kPrefix + std::string(kRandom, 'X'))).string();
        if (!mkdtemp(pattern.data())) break;
        lock = takeLock(pattern, O_CREAT | O_EXCL);
        if (lock >= 0 && write(lock, kMark.data(), kMark.size()) > 0) return fs::path(pattern);
        const int number = errno;
        if (lock >= 0) close(lock);
        lock = -1;
        std::error_code ignored;
        fs::remove_all(pattern, ignored);
        errno = number;
    }
    return Error{
        .code = ErrorCode::CannotCreate,
        .what = std::string("no temporary folder could be created: ") + std::strerror(errno),
        .where = parent->string(),
        .advice = "set TMPDIR to a writable folder"};
}

}  // namespace

void removeAbandonedFolders() {
    if (const auto parent = temporaryParent()) sweep(*parent);
}

TemporaryFolder::TemporaryFolder() : m_path(make(m_lock)) {}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (m_path) fs::remove_all(*m_path, ignored);
    if (m_lock >= 0) close(m_lock);
}

}  // namespace roofscope
