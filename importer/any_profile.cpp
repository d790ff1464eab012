// SPDX-License-Identifier: Apache-2.0
#include "importer/any_profile.h"

#include <algorithm>

#include "profile/codec/codec.h"
#include "profile/files/input_file.h"

namespace roofscope {
namespace {

bool endsWith(std::string_view path, std::string_view ending) {
    return path.size() >= ending.size() &&
           std::ranges::equal(path.substr(path.size() - ending.size()), ending, {}, [](char c) {
               return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
           });
}

}  // namespace

bool isFromNcu(std::string_view path) { return isNcuReport(path) || endsWith(path, ".csv"); }

bool isNcuReport(std::string_view path) { return endsWith(path, kNcuReportSuffix); }

Result<Profile> readAnyProfile(const std::filesystem::path& path, const std::string& toolVersion,
                               const RunProgram& run, const std::string& byHand) {
    const std::string file = path.string();
    if (!isFromNcu(file)) return readProfile(path);
    ImportOptions options;
    options.toolVersion = toolVersion;
    if (isNcuReport(file)) return readNcuReport(file, options, byHand, run);
    const auto csv = readInput(path, options.limits.maxBytes);
    if (!csv) return csv.error();
    return importNcuCsv(*csv, file, options);
}

}  // namespace roofscope
