// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "importer/import.h"
#include "importer/ncu_report_file/wire_reader.h"
#include "profile/errors/result.h"

namespace roofscope::ncufile {

/// The version of the file format that we can read. Nsight Compute 2020.2 to 2026.2 write it.
inline constexpr std::uint64_t kFormatVersion = 7;

/// Facts in a report about the session that made it; empty or absent if not there.
struct Session {
    std::optional<std::uint64_t> created;  ///< seconds since 1970
    std::string_view ncuVersion;           ///< "2025.1.0.0 (build 35237751) (public-release)"
    std::string_view cudaVersion;          ///< of the driver's CUDA: "12.8"
    std::string_view computer;             ///< where the program ran
    std::string_view commandLine;          ///< command line of ncu, without quotes around arguments
    std::string_view clockControl;         ///< as set in the window of Nsight Compute: "Base"
};

struct ProcessInfo {
    std::optional<std::uint64_t> pid;
    std::string_view host;  ///< address of the host
    std::string_view name;  ///< the program's path
};

/// A result in the file, for readResult().
struct StoredResult {
    std::string_view message;
    std::uint32_t process = 0;  ///< index into ReportFile::processes
};

struct ReportFile {
    Session session;
    std::vector<ProcessInfo> processes;
    std::vector<std::string_view> names;  ///< of all metrics; no two are equal
    std::vector<StoredResult> results;    ///< in the order of the launches
    std::size_t rangeResults = 0;         ///< number of results of another kind, which are not read
};

/// A metric's value; monostate if it has only instances.
using Value = std::variant<std::monostate, std::string_view, double>;

struct Metric {
    std::optional<std::uint64_t> name;  ///< index into ReportFile::names, not checked
    Value value;
};

using Extents = std::array<std::uint64_t, 3>;

/// The result of one launch.
struct LaunchResult {
    std::string_view mangledName, functionName, demangledName;
    std::optional<Extents> grid, block;
    std::optional<std::uint64_t> thread, context, stream;
    std::vector<Metric> metrics;
    /// Push/pop ranges of the launching thread, outermost first.
    std::vector<std::string_view> ranges;
};

/// Reads everything except the results. Errors give the place in the file. Unavailable: another
/// format or another version of it; BadData: damaged, or beyond the limits.
Result<ReportFile> readReportFile(std::string_view bytes, const ImportLimits& limits,
                                  WireBudget& budget);

/// Reads one result into `out`, replacing its contents. Same errors, but without a place.
Result<void> readResult(std::string_view message, const ImportLimits& limits, WireBudget& budget,
                        LaunchResult& out);

}  // namespace roofscope::ncufile
