// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

/// Makes profiles from other tools' measurements. No CUDA, no I/O: text in, profile out.
namespace roofscope {

/// Limits of an importer. Exports are untrusted and must not exhaust the memory.
struct ImportLimits {
    std::size_t maxBytes = std::size_t{1} << 30;
    std::size_t maxColumns = 65'536;
    std::size_t maxLaunches = 1'000'000;
    std::size_t maxValues = 40'000'000;               ///< counters × launches
    std::size_t maxCellBytes = std::size_t{1} << 20;  ///< template names can be long
    std::size_t maxFields = 500'000'000;              ///< of a report, including nested fields
};

struct ImportOptions {
    std::string toolVersion;  ///< version of roofscope, for Capture::toolVersion
    /// Version of ncu to show to users, if known. A report contains it, a CSV export does not.
    std::string sourceVersion;
    ImportLimits limits;
};

/// Imports the output of `ncu --csv --page raw`: one row per launch, one column per metric.
///
/// Skips lines that are not CSV (`==PROF== …`, the program's output) before the header and between
/// rows. Every metric becomes a counter with the same name, in CUPTI's base unit (docs/import.md);
/// values that are not finite numbers are missing. `launch__*` and `device__attribute_*` columns
/// become facts of launch, kernel and device. Error messages give `name` and the line.
Result<Profile> importNcuCsv(std::string_view text, std::string_view name,
                             const ImportOptions& options = {});

/// Imports the bytes of a report (.ncu-rep) without ncu. The profile is that of the report's raw
/// page with full precision, plus mangled names, the version of ncu, and when and where it ran.
/// Errors give `name` and the place. Unavailable: not a report, or in an unknown format that ncu
/// may read; BadData: damaged, without launches, or beyond the limits.
Result<Profile> importNcuReport(std::string_view bytes, std::string_view name,
                                const ImportOptions& options = {});

}  // namespace roofscope
