// SPDX-License-Identifier: Apache-2.0
#include "profile/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "profile/files/file_size_guard.h"
#include "profile/files/gzip_blocks.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;

Error cannotWrite(const fs::path& path, int number) {
    return {.code = number == EIO || number == ENOSPC || number == EDQUOT || number == EFBIG ||
                            number == ENOMEM
                        ? ErrorCode::Io
                        : ErrorCode::CannotCreate,
            .what = fmt::format("cannot be written: {}", std::strerror(number)),
            .where = path.string(),
            .advice = number == ENOENT ? "does the folder exist?" : ""};
}

/// Writes all of it to an open descriptor. 0 or errno.
int writeAll(int descriptor, std::string_view piece) {
    while (!piece.empty()) {
        const auto written = ::write(descriptor, piece.data(), piece.size());
        if (written >= 0)
            piece.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}

/// Writes a text as it is. 0 or errno.
int writePlain(int descriptor, const TextSource& content) {
    int failed = 0;
    content([&](std::string_view piece) {
        if (failed == 0) failed = writeAll(descriptor, piece);
    });
    return failed;
}

/// Writes a text compressed. 0 or errno.
int writeGzip(int descriptor, const TextSource& content) {
    int failed = 0;
    GzipBlocks blocks([&](std::string_view packed) {
        if (failed == 0) failed = writeAll(descriptor, packed);
    });
    content([&](std::string_view text) {
        if (failed == 0) blocks.add(text);
    });
    if (failed == 0) blocks.finish();
    return failed;
}

/// Writes a text as a gzip file that is not compressed. 0 or errno.
int writeStored(int descriptor, const TextSource& content) {
    constexpr std::size_t kBlock = 1U << 18;
    const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);  // gzclose() closes its descriptor
    if (own < 0) return errno;
    errno = 0;
    std::unique_ptr<gzFile_s, decltype(&gzclose)> file(gzdopen(own, "wb0"), gzclose);
    if (!file) {
        ::close(own);
        return ENOMEM;
    }
    int failed = 0;
    content([&](std::string_view text) {
        while (!text.empty() && failed == 0) {
            const auto piece = static_cast<unsigned>(std::min(text.size(), kBlock));
            if (gzwrite(file.get(), text.data(), piece) != static_cast<int>(piece))
                failed = errno != 0 ? errno : EIO;
            text.remove_prefix(piece);
        }
    });
    errno = 0;
    if (gzclose(file.release()) != Z_OK && failed == 0) failed = errno != 0 ? errno : EIO;
    return failed;
}

int writeContent(int descriptor, const TextSource& content, Packing packing) {
    if (packing == Packing::None) return writePlain(descriptor, content);
    return packing == Packing::Gzip ? writeGzip(descriptor, content)
                                    : writeStored(descriptor, content);
}

/// Blocks the signals with which users and batch systems end a process, while there is a file that
/// we would have to remove.
class SignalBlocker {
public:
    SignalBlocker() {
        sigset_t held;
        sigemptyset(&held);
        for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
        pthread_sigmask(SIG_BLOCK, &held, &m_before);
    }
    ~SignalBlocker() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }
    SignalBlocker(const SignalBlocker&) = delete;
    SignalBlocker& operator=(const SignalBlocker&) = delete;

private:
    sigset_t m_before;
};

/// The name of a temporary file beside the target. It is short, so that it fits wherever the
/// target's name fits.
std::string temporaryName(const fs::path& folder) {
    static std::atomic<unsigned> serial{0};
    return (folder / fmt::format(".roofscope-{}-{}", ::getpid(), serial++)).string();
}

class Descriptor {
public:
    explicit Descriptor(int number) : m_number(number) {}
    ~Descriptor() { (void)close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int number() const { return m_number; }
    int close() {
        const int number = std::exchange(m_number, -1);
        return number < 0 || ::close(number) == 0 ? 0 : errno;
    }

private:
    int m_number;
};

/// Writes the content and takes over owner and permissions of the file to be replaced. 0 or errno.
int fill(int descriptor, const fs::path& target, const TextSource& content, Packing packing) {
    struct stat old {};
    if (::stat(target.c_str(), &old) == 0) {
        // Only root can keep another user's file theirs; then they can at least still read it.
        [[maybe_unused]] const int ignored = ::fchown(descriptor, old.st_uid, old.st_gid);
        if (::fchmod(descriptor, old.st_mode & 07777) != 0) return errno;
    }
    return writeContent(descriptor, content, packing);
}

/// Writes to a file that has no name until it is complete, so that nothing can be left behind.
/// Nullopt if the file system does not support that.
std::optional<int> writeUnnamed(const fs::path& target, const fs::path& folder,
                                const TextSource& content, Packing packing) {
    Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
    if (file.number() < 0) return std::nullopt;
    if (const int failed = fill(file.number(), target, content, packing); failed != 0)
        return failed;
    const SignalBlocker wait;
    const std::string self = fmt::format("/proc/self/fd/{}", file.number());
    std::string temporary;
    int linked = 0;
    do {
        temporary = temporaryName(folder);
        linked = ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW);
    } while (linked != 0 && errno == EEXIST);
    if (linked != 0) return std::nullopt;  // no /proc or no hard links
    if (::rename(temporary.c_str(), target.c_str()) == 0) return 0;
    const int failed = errno;
    ::unlink(temporary.c_str());
    return failed;
}

int writeNamed(const fs::path& target, const fs::path& folder, const TextSource& content,
               Packing packing) {
    const SignalBlocker wait;
    const std::string temporary = temporaryName(folder);
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.number() < 0) return errno;
    int failed = 0;
    try {
        failed = fill(file.number(), target, content, packing);
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
    if (const int closed = file.close(); failed == 0) failed = closed;
    if (failed == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) failed = errno;
    if (failed != 0) ::unlink(temporary.c_str());
    return failed;
}

}  // namespace

fs::path linkTarget(const fs::path& path) {
    constexpr int kMostLinks = 40;
    fs::path at = path;
    std::error_code error;
    for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(at, error)); ++i) {
        const fs::path to = fs::read_symlink(at, error);
        if (error) break;
        at = at.parent_path() / to;  // an absolute `to` replaces the folder
    }
    return at;
}

Result<void> writeFileAtomically(const fs::path& path, std::string_view content, Packing packing) {
    return writeFileAtomically(
        path, [content](const TextSink& sink) { sink(content); }, packing);
}

Result<void> writeFileAtomically(const fs::path& path, const TextSource& content, Packing packing) {
    const FileSizeGuard guard;
    std::error_code ignored;
    const auto status = fs::status(path, ignored);
    if (fs::is_directory(status))
        return Error{.code = ErrorCode::CannotCreate,
                     .what = "is a directory",
                     .where = path.string(),
                     .advice = "give the name of a file"};
    int failed = 0;
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        if (file.number() < 0) return cannotWrite(path, errno);
        failed = writeContent(file.number(), content, packing);
        if (const int closed = file.close(); failed == 0) failed = closed;
    } else {
        const fs::path target = linkTarget(path);
        if (fs::is_symlink(fs::symlink_status(target, ignored))) return cannotWrite(path, ELOOP);
        const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
        const auto unnamed = writeUnnamed(target, folder, content, packing);
        failed = unnamed ? *unnamed : writeNamed(target, folder, content, packing);
    }
    if (failed != 0) return cannotWrite(path, failed);
    return {};
}

Result<fs::path> temporaryParent() {
    const char* set = std::getenv("TMPDIR");
    const fs::path parent = set && *set ? set : "/tmp";
    std::error_code error;
    // TMPDIR may be relative: programs change their folder and must still find it.
    const fs::path whole = fs::absolute(parent, error);
    if (!error && fs::is_directory(whole, error)) return whole;
    return Error{.code = ErrorCode::CannotCreate,
                 .what = error ? error.message() : std::string("is not a folder"),
                 .where = (set && *set ? "TMPDIR: " : "") + parent.string(),
                 .advice = "set TMPDIR to a writable folder"};
}

}  // namespace roofscope
