// SPDX-License-Identifier: Apache-2.0
#include "profile/gzip_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "profile/file_size_guard.h"
#include "profile/input_file.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kBlock = 1U << 18;
constexpr std::uint64_t kMostBlank = 1U << 20;
// Profiles compress about 3:1 to 10:1. Small files may do better, and cannot do harm.
constexpr std::uint64_t kMostExpansion = 200, kExpansionFrom = 64U << 20;

std::string systemMessage(int number) { return std::strerror(number); }

Error cannotWrite(const fs::path& path, int number) {
    return {.code = number == EIO || number == ENOSPC || number == EDQUOT || number == EFBIG
                        ? ErrorCode::Io
                        : ErrorCode::CannotCreate,
            .what = "cannot be written: " + systemMessage(number),
            .where = path.string(),
            .advice = number == ENOENT ? "does the folder exist?" : ""};
}

/// Writes everything to an open descriptor and closes it. 0 or errno.
int writePlain(int descriptor, std::string_view content) {
    int failed = 0;
    while (!content.empty() && failed == 0) {
        const auto written = ::write(descriptor, content.data(), content.size());
        if (written >= 0) {
            content.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            failed = errno;
        }
    }
    if (::close(descriptor) != 0 && failed == 0) failed = errno;
    return failed;
}

int writeGzip(int descriptor, std::string_view content) {
    errno = 0;
    gzFile file = gzdopen(descriptor, "wb6");
    if (file == nullptr) {
        ::close(descriptor);
        return ENOMEM;
    }
    int failed = 0;
    while (!content.empty() && failed == 0) {
        const auto piece = static_cast<unsigned>(std::min<std::size_t>(content.size(), kBlock));
        if (gzwrite(file, content.data(), piece) != static_cast<int>(piece)) {
            failed = errno != 0 ? errno : EIO;
        }
        content.remove_prefix(piece);
    }
    errno = 0;
    if (gzclose(file) != Z_OK && failed == 0) failed = errno != 0 ? errno : EIO;
    return failed;
}

}  // namespace

Result<std::unique_ptr<GzipReader>> GzipReader::open(const fs::path& path, std::uint64_t maxBytes,
                                                     int pipeWaitMs) {
    const Result<int> opened = openInput(path, pipeWaitMs);
    if (!opened) return opened.error();
    const int descriptor = *opened;
    gzFile file = gzdopen(descriptor, "rb");
    if (file == nullptr) {
        ::close(descriptor);
        return Error{.code = ErrorCode::Io,
                     .what = "not enough memory",
                     .where = path.string(),
                     .advice = {}};
    }
    gzbuffer(file, kBlock);
    return std::unique_ptr<GzipReader>(new GzipReader(file, maxBytes));
}

GzipReader::GzipReader(gzFile_s* file, std::uint64_t maxBytes)
    : m_file(file), m_left(maxBytes), m_block(kBlock) {}

GzipReader::~GzipReader() { gzclose_r(m_file); }

GzipReader::int_type GzipReader::underflow() {
    if (m_tooLarge || !m_readError.empty()) return traits_type::eof();
    errno = 0;
    const int count = gzread(m_file, m_block.data(), kBlock);
    const int systemError = errno;
    if (count < static_cast<int>(kBlock)) {
        // At the end zlib tells whether it was the end of the gzip stream as well.
        int state = Z_OK;
        const char* message = gzerror(m_file, &state);
        if (state == Z_BUF_ERROR) {
            m_readError = "the gzip data ends in the middle: the file was cut off";
        } else if (state == Z_ERRNO) {
            m_readError = "reading broke off: " + systemMessage(systemError);
            m_readErrorCode = ErrorCode::Io;
        } else if (state != Z_OK && state != Z_STREAM_END) {
            m_readError = fmt::format("the gzip data is damaged ({})", message);
        }
    }
    if (count <= 0) return traits_type::eof();
    // No profile has megabytes of white space; a small compressed file can have gigabytes.
    const auto isBlank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
    const bool blank = std::all_of(m_block.begin(), m_block.begin() + count, isBlank);
    m_blank = blank ? m_blank + static_cast<std::uint64_t>(count) : 0;
    if (m_blank > kMostBlank) {
        m_readError = "is nothing but white space for more than a megabyte";
        return traits_type::eof();
    }
    m_unpacked += static_cast<std::uint64_t>(count);
    if (m_unpacked > kExpansionFrom && gzdirect(m_file) == 0) {
        const auto packed = gzoffset(m_file);  // -1 where it is unknown: in a pipe
        if (packed > 0 && m_unpacked / kMostExpansion > static_cast<std::uint64_t>(packed)) {
            m_readError = fmt::format("unpacks to more than {} times its size: not a profile",
                                      kMostExpansion);
            return traits_type::eof();
        }
    }
    auto usable = static_cast<std::uint64_t>(count);
    if (usable > m_left) {
        m_tooLarge = true;
        usable = m_left;
    }
    m_left -= usable;
    setg(m_block.data(), m_block.data(), m_block.data() + usable);
    return usable == 0 ? traits_type::eof() : traits_type::to_int_type(m_block[0]);
}

Result<void> writeFileAtomically(const fs::path& path, std::string_view content, bool gzip) {
    const FileSizeGuard guard;
    const auto write = gzip ? writeGzip : writePlain;
    std::error_code ignored;
    const auto status = fs::status(path, ignored);
    if (fs::is_directory(status)) {
        return Error{.code = ErrorCode::CannotCreate,
                     .what = "is a directory",
                     .where = path.string(),
                     .advice = "give the name of a file"};
    }
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0) return cannotWrite(path, errno);
        if (const int failed = write(descriptor, content); failed != 0)
            return cannotWrite(path, failed);
        return {};
    }

    // A link keeps pointing: replace what it points to.
    fs::path target = path;
    if (fs::is_symlink(fs::symlink_status(path, ignored)) && fs::exists(status)) {
        target = fs::canonical(path, ignored);
        if (ignored) target = path;
    }
    static std::atomic<unsigned> serial{0};
    fs::path temporary = target;
    temporary += fmt::format(".tmp{}-{}", ::getpid(), serial++);
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) return cannotWrite(path, errno);
    int failed = write(descriptor, content);
    if (failed == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) failed = errno;
    if (failed != 0) {
        ::unlink(temporary.c_str());
        return cannotWrite(path, failed);
    }
    return {};
}

}  // namespace roofscope
