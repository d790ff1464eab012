// SPDX-License-Identifier: Apache-2.0
#include "profile/files/gzip_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "profile/files/input_file.h"
#include "profile/files/read_progress.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kBlock = 1U << 18;
constexpr std::uint64_t kMostBlank = 1U << 20;
// Profiles compress about 3:1 to 10:1 as a whole; columns that repeat millions of times do far
// better. Small files are exempt: the only harm they could do is a large number of rows, which
// profile/codec/codec.cpp limits.
constexpr std::uint64_t kMostExpansion = 200, kExpansionFrom = 16U << 20;

std::string systemMessage(int number) { return std::strerror(number); }

}  // namespace

Result<std::unique_ptr<GzipReader>> GzipReader::open(const fs::path& path, std::uint64_t maxBytes,
                                                     int pipeWaitMs) {
    const Result<int> opened = openInput(path, pipeWaitMs);
    if (!opened) return opened.error();
    const int descriptor = *opened;
    gzFile file = gzdopen(descriptor, "rb");
    if (file == nullptr) {
        ::close(descriptor);
        return Error{.code = ErrorCode::Io, .what = "not enough memory", .where = path.string()};
    }
    gzbuffer(file, kBlock);
    std::unique_ptr<GzipReader> reader(new GzipReader(file, maxBytes));
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        reader->m_fileBytes = static_cast<std::uint64_t>(status.st_size);
        reader->m_packed = gzdirect(file) == 0;
    }
    return reader;
}

GzipReader::GzipReader(gzFile_s* file, std::uint64_t maxBytes)
    : m_file(file), m_left(maxBytes), m_block(kBlock) {}

GzipReader::~GzipReader() { gzclose_r(m_file); }

GzipReader::int_type GzipReader::underflow() {
    if (m_tooLarge || !m_readError.empty()) return traits_type::eof();
    const auto offset = [this] {  // in the file; 0 if unknown, as in a pipe
        return static_cast<std::uint64_t>(std::max<z_off_t>(gzoffset(m_file), 0));
    };
    errno = 0;
    const int count = gzread(m_file, m_block.data(), kBlock);
    const int systemError = errno;
    if (count < static_cast<int>(kBlock)) {
        // At the end of the file zlib tells whether the gzip stream is complete as well.
        int state = Z_OK;
        const char* message = gzerror(m_file, &state);
        if (state == Z_BUF_ERROR) {
            m_readError = "the gzip data ends in the middle: the file was cut off";
        } else if (state == Z_ERRNO) {
            m_readError = "reading failed: " + systemMessage(systemError);
            m_readErrorCode = ErrorCode::Io;
        } else if (state == Z_MEM_ERROR) {
            m_readError = "not enough memory for this profile";
            m_readErrorCode = ErrorCode::Io;
        } else if (state != Z_OK && state != Z_STREAM_END) {
            m_readError = fmt::format("the gzip data is damaged ({})", message);
        }
    }
    if (count <= 0) return traits_type::eof();
    if (m_fileBytes) ReadProgress::report(offset(), *m_fileBytes);
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
        const std::uint64_t packed = m_fileBytes.value_or(offset());
        if (packed > 0 && m_unpacked / kMostExpansion > packed) {
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

}  // namespace roofscope
