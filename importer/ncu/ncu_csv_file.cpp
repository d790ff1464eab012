// SPDX-License-Identifier: Apache-2.0
#include "importer/ncu/ncu_csv_file.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

#include "importer/csv_reader.h"
#include "importer/ncu/ncu_csv_reader.h"
#include "importer/text_encoding.h"
#include "profile/files/gzip_file.h"
#include "profile/files/input_file.h"

namespace roofscope {
namespace {

/// Reads to the end, but at most `most` + 1 bytes.
std::string readUpTo(GzipReader& file, std::size_t most) {
    std::string text;
    std::string block(std::size_t{1} << 18, '\0');
    while (text.size() <= most) {
        const std::size_t wanted = std::min(block.size(), most + 1 - text.size());
        const auto count = file.sgetn(block.data(), static_cast<std::streamsize>(wanted));
        if (count <= 0) break;
        text.append(block.data(), static_cast<std::size_t>(count));
    }
    return text;
}

}  // namespace

Result<Profile> readNcuCsv(const std::filesystem::path& path, const ImportOptions& options) {
    const std::size_t most = options.limits.maxBytes;
    auto file = GzipReader::open(path, most + 1, kPipeWaitMs);
    if (!file) return file.error();
    const std::string text = readUpTo(**file, most);
    if (!(*file)->readError().empty())
        return Error{
            .code = (*file)->readErrorCode(), .what = (*file)->readError(), .where = path.string()};
    return importNcuCsv(text, path.string(), options);
}

bool isNcuCsv(const std::filesystem::path& path) {
    constexpr std::size_t kLookedAt = 1U << 18;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    auto file = GzipReader::open(path, kLookedAt + 1, 0);
    if (!file) return false;
    const std::string bytes = readUpTo(**file, kLookedAt);
    const auto converted = convertedToUtf8(bytes);
    CsvReader lines(converted ? *converted : bytes, 1, 1);
    for (; !lines.atEnd(); lines.skipLine())
        if (const std::string_view line = lines.peekLine();
            ncuCsvHeader(line) && line.find("Kernel Name") != line.npos)
            return true;
    return false;
}

}  // namespace roofscope
