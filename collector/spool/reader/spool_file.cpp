// SPDX-License-Identifier: Apache-2.0
#include "collector/spool/reader/spool_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace roofscope {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;

}  // namespace

Result<SpoolFile> SpoolFile::open(const std::filesystem::path& path) {
    const auto refused = [&](std::string what) {
        return Error{
            .code = ErrorCode::BadData, .what = std::move(what), .where = path.filename().string()};
    };
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return refused(errno == ELOOP ? "is a link"
                                      : std::string("cannot be opened: ") + std::strerror(errno));
    struct stat info {};
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode))
        return SpoolFile(file, static_cast<std::uint64_t>(info.st_size));
    close(file);
    return refused("is not a regular file");
}

SpoolFile::SpoolFile(SpoolFile&& other) noexcept
    : m_file(std::exchange(other.m_file, -1)),
      m_bytes(other.m_bytes),
      m_unread(other.m_unread),
      m_buffer(std::move(other.m_buffer)),
      m_begin(other.m_begin),
      m_looked(other.m_looked),
      m_ended(other.m_ended),
      m_whole(other.m_whole) {}

SpoolFile::~SpoolFile() {
    if (m_file >= 0) close(m_file);
}

bool SpoolFile::fill() {
    m_buffer.erase(0, m_begin);
    m_looked -= m_begin;
    m_begin = 0;
    const std::size_t before = m_buffer.size();
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, m_unread));
    m_buffer.resize(before + wanted);
    ssize_t n = 0;
    do {
        n = read(m_file, m_buffer.data() + before, wanted);
    } while (n < 0 && errno == EINTR);
    const auto got = static_cast<std::size_t>(std::max<ssize_t>(n, 0));
    m_buffer.resize(before + got);
    m_unread -= got;
    if (n < 0) m_whole = false;
    return n > 0;
}

std::optional<std::string_view> SpoolFile::line() {
    for (;;) {
        const auto newline = m_buffer.find('\n', m_looked);
        if (newline != std::string::npos) {
            const std::string_view found(m_buffer.data() + m_begin, newline - m_begin);
            m_begin = m_looked = newline + 1;
            return found;
        }
        m_looked = m_buffer.size();
        if (m_looked - m_begin > kLongestLine) {
            m_whole = false;
            m_ended = true;
        }
        if (m_ended) return {};
        if (fill()) continue;
        m_ended = true;
        if (m_begin == m_buffer.size()) return {};
        // The last line has no newline: it may have been cut off.
        const std::string_view found(m_buffer.data() + m_begin, m_buffer.size() - m_begin);
        m_begin = m_looked = m_buffer.size();
        return found;
    }
}

}  // namespace roofscope
