// SPDX-License-Identifier: Apache-2.0
#include "importer/any_file/any_profile.h"

#include <algorithm>

#include "importer/any_file/by_content.h"
#include "importer/ncu/ncu_csv_file.h"
#include "importer/traces/file_kind.h"
#include "profile/codec/codec.h"

namespace roofscope {
namespace {

bool endsWith(std::string_view path, std::string_view ending) {
    return path.size() >= ending.size() &&
           std::ranges::equal(path.substr(path.size() - ending.size()), ending, {}, [](char c) {
               return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
           });
}

/// Reads a file whose format is recognised by its content.
Result<Profile> readByContent(const std::filesystem::path& path, const std::string& toolVersion,
                              const RunProgram& run, const std::string& byHand) {
    auto imported = importByContent(path, toolVersion, run, byHand);
    if (!imported) return imported.error();
    if (*imported) return **std::move(imported);
    return readProfile(path);
}

}  // namespace

bool isFromNcu(std::string_view path) {
    return isNcuReport(path) || endsWith(path, ".csv") || endsWith(path, ".csv.gz") ||
           endsWith(path, ".tsv");
}

bool isNcuReport(std::string_view path) { return endsWith(path, kNcuReportSuffix); }

bool isNcuByName(const std::filesystem::path& path) {
    const std::string file = path.string();
    if (!isFromNcu(file)) return false;
    switch (traces::kindOfFile(path)) {
        case traces::FileKind::NcuReport:
            return isNcuReport(file);
        case traces::FileKind::Sqlite:
        case traces::FileKind::NsysReport:
            return false;
        case traces::FileKind::Profile:
        case traces::FileKind::Trace:
            return !isNcuReport(file);  // output of the program may stand before a CSV
        default:
            return !isNcuReport(file) || !isNcuCsv(path);
    }
}

Result<Profile> readAnyProfile(const std::filesystem::path& path, const std::string& toolVersion,
                               const RunProgram& run, const std::string& byHand) {
    const std::string file = path.string();
    if (!isNcuByName(path)) return readByContent(path, toolVersion, run, byHand);
    ImportOptions options;
    options.toolVersion = toolVersion;
    if (isNcuReport(file)) return readNcuReport(file, options, byHand, run);
    return readNcuCsv(path, options);
}

}  // namespace roofscope
