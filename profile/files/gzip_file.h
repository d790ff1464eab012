// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <vector>

#include "profile/errors/result.h"

struct gzFile_s;

/// Reading of plain and gzip files. Internal to profile/.
namespace roofscope {

/// Reads a file as a stream of decompressed bytes; a file that is not gzip is read as it is. Stops
/// after `maxBytes`, so that a small file cannot fill the memory.
class GzipReader final : public std::streambuf {
public:
    /// Opens the file as openInput() does.
    static Result<std::unique_ptr<GzipReader>> open(const std::filesystem::path& path,
                                                    std::uint64_t maxBytes, int pipeWaitMs);
    ~GzipReader() override;
    GzipReader(const GzipReader&) = delete;
    GzipReader& operator=(const GzipReader&) = delete;

    /// Size on disk; nullopt for a pipe or device.
    [[nodiscard]] std::optional<std::uint64_t> fileBytes() const { return m_fileBytes; }
    /// Whether the file is compressed. Only known for regular files.
    [[nodiscard]] bool isPacked() const { return m_packed; }
    /// True when reading ended at the limit.
    [[nodiscard]] bool tooLarge() const { return m_tooLarge; }
    /// Why reading ended before the end of the file (damaged or cut gzip, I/O error); empty if it
    /// did not.
    [[nodiscard]] const std::string& readError() const { return m_readError; }
    /// Io if the system could not read, BadData if the file is at fault.
    [[nodiscard]] ErrorCode readErrorCode() const { return m_readErrorCode; }

protected:
    int_type underflow() override;

private:
    GzipReader(gzFile_s* file, std::uint64_t maxBytes);
    gzFile_s* m_file;
    std::optional<std::uint64_t> m_fileBytes;
    bool m_packed = false;
    std::uint64_t m_left;
    std::uint64_t m_unpacked = 0;
    std::uint64_t m_blank = 0;  ///< white space since the last other byte, in whole blocks
    bool m_tooLarge = false;
    std::string m_readError;
    ErrorCode m_readErrorCode = ErrorCode::BadData;
    std::vector<char> m_block;
};

}  // namespace roofscope
