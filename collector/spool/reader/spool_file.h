// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "profile/errors/result.h"

namespace roofscope {

/// Reads a file line by line. The profiled program may have written it, so this never blocks and
/// uses bounded memory: it accepts only regular files and no links, stops at the first line that is
/// too long, and ignores what is written after opening.
class SpoolFile {
public:
    [[nodiscard]] static Result<SpoolFile> open(const std::filesystem::path& path);
    SpoolFile(SpoolFile&& other) noexcept;
    SpoolFile(const SpoolFile&) = delete;
    SpoolFile& operator=(const SpoolFile&) = delete;
    SpoolFile& operator=(SpoolFile&&) = delete;
    ~SpoolFile();

    /// The next line without its newline, valid until the next call; nothing after the last line.
    [[nodiscard]] std::optional<std::string_view> line();
    /// Whether the file was read to its end. If not, a line was too long or reading failed.
    [[nodiscard]] bool whole() const { return m_whole; }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }

    /// More than any line that the library writes. The longest ones hold the counters of each
    /// instruction of a huge kernel.
    static constexpr std::size_t kLongestLine = std::size_t{64} << 20;

private:
    SpoolFile(int file, std::uint64_t bytes) : m_file(file), m_bytes(bytes), m_unread(bytes) {}
    /// Reads the next chunk; false at the end.
    bool fill();

    int m_file;
    std::uint64_t m_bytes;   ///< size of the file when it was opened
    std::uint64_t m_unread;  ///< bytes of the file that were not read yet
    std::string m_buffer;
    std::size_t m_begin = 0;   ///< start of the part that was not returned yet
    std::size_t m_looked = 0;  ///< where to continue the search for the newline
    bool m_ended = false, m_whole = true;
};

}  // namespace roofscope
