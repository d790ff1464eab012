// SPDX-License-Identifier: Apache-2.0
#include "importer/ncu/ncu_report.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "importer/import_note.h"
#include "profile/errors/input_error.h"
#include "profile/files/find_program.h"
#include "profile/files/gzip_file.h"
#include "profile/files/input_file.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;

/// "2025.3.1" from the output of `ncu --version`; empty if it has another form.
std::string versionOf(const std::string& text) {
    constexpr std::string_view kVersion = "Version ";
    const std::size_t at = text.find(kVersion);
    if (at == text.npos) return {};
    const std::size_t from = at + kVersion.size();
    return text.substr(from, text.find_first_not_of("0123456789.", from) - from).substr(0, 40);
}

/// The content of a file, decompressed if it is gzip. At most `most` + 1 bytes.
Result<std::string> readUnpacked(const std::string& path, std::size_t most, bool& packed) {
    constexpr std::size_t kBlock = std::size_t{1} << 20;
    auto file = GzipReader::open(path, most + 1, kPipeWaitMs);
    if (!file) return file.error();
    std::string bytes;
    while (bytes.size() <= most) {
        const std::size_t before = bytes.size(), wanted = std::min(kBlock, most + 1 - before);
        bytes.resize(before + wanted);
        const auto count =
            (*file)->sgetn(bytes.data() + before, static_cast<std::streamsize>(wanted));
        bytes.resize(before + static_cast<std::size_t>(std::max<std::streamsize>(count, 0)));
        if (count <= 0) break;
    }
    packed = (*file)->isPacked();
    if (!(*file)->readError().empty())
        return Error{.code = (*file)->readErrorCode(), .what = (*file)->readError(), .where = path};
    return bytes;
}

}  // namespace

Result<NcuExport> exportNcuReport(const std::string& file, const std::string& byHand,
                                  const RunProgram& run, std::uint64_t most) {
    std::error_code error;
    if (access(file.c_str(), R_OK) != 0) return cannotOpenInput(file, errno);
    if (!fs::is_regular_file(file, error))
        return Error{
            .code = ErrorCode::NoInput, .what = "is not a file that ncu can read", .where = file};
    const std::string ncu = findProgram("ncu").string();
    if (ncu.empty())
        return Error{
            .code = ErrorCode::Unavailable,
            .what = "this report can only be read by Nsight Compute's ncu, which is not in PATH",
            .where = file,
            .advice = "on a machine where it is installed, run: " + byHand +
                      "; then: roofscope import report.csv"};
    // "./", because a file name may look like an option.
    const std::string path = fs::path(file).is_absolute() ? file : "./" + file;
    auto text =
        run({ncu, "--import", path, "--csv", "--page", "raw", "--print-units", "base"}, most);
    std::string version;
    if (const auto printed = run({ncu, "--version"}, 1 << 20)) version = versionOf(*printed);
    if (!text)
        return Error{.code = ErrorCode::BadData,
                     .what = "ncu" + (version.empty() ? "" : " (version " + version + ")") +
                             " cannot read it: " + text.error().what,
                     .where = file,
                     .advice =
                         "ncu reads no reports of newer versions: run this with the version that "
                         "wrote it, or see what it says: " +
                         byHand};
    NcuExport exported{.csv = *std::move(text), .version = {}};
    if (!version.empty()) exported.version = "(read by version " + version + ")";
    return exported;
}

Result<Profile> readNcuReport(const std::string& file, const ImportOptions& options,
                              const std::string& byHand, const RunProgram& run) {
    std::string unknown;
    bool packed = false;
    {
        const auto bytes = readUnpacked(file, options.limits.maxBytes, packed);
        if (!bytes) return bytes.error();
        auto profile = importNcuReport(*bytes, file, options);
        if (profile || profile.error().code != ErrorCode::Unavailable) return profile;
        unknown = profile.error().what;
    }
    if (packed)
        return Error{.code = ErrorCode::Unavailable,
                     .what = "the report " + unknown + ", and ncu reads no gzip",
                     .where = file,
                     .advice = "unpack it first: gunzip -c FILE > report.ncu-rep"};
    auto exported = exportNcuReport(file, byHand, run, options.limits.maxBytes);
    if (!exported) {
        Error error = exported.error();
        error.what = "the report " + unknown + "; " + error.what;
        return error;
    }
    ImportOptions converted = options;
    converted.sourceVersion = exported->version;
    auto profile = importNcuCsv(exported->csv, file, converted);
    if (profile)
        addImportNote(*profile, "read-by-ncu", "ncu read the report, because it " + unknown);
    return profile;
}

}  // namespace roofscope
