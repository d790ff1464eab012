// SPDX-License-Identifier: Apache-2.0
#include "importer/nsys/nsys_import.h"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "importer/nsys/nsys_rows.h"
#include "importer/sqlite/sqlite_file.h"
#include "importer/traces/trace_profile.h"
#include "profile/codec/codec.h"
#include "profile/files/find_program.h"
#include "profile/files/output_file.h"
#include "profile/operations/merge.h"
#include "profile/times/impossible_times.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;

/// Advice if nsys recorded no kernels.
constexpr const char* kTraceCuda = "record with nsys profile --trace=cuda,nvtx";

Result<Profile> profileOfRows(nsys::RowsOfProcesses& processes, std::string_view name,
                              const std::string& toolVersion) {
    std::erase_if(processes, [](const auto& p) {
        return p.second.work.empty() && p.second.wholeGraphs.empty();
    });
    std::vector<MergeInput> inputs;
    for (auto& [pid, rows] : processes) {
        Profile profile = traces::profileOf(rows);
        if (pid != 0) profile.processes.front().pid = pid;
        profile.capture.toolVersion = toolVersion;
        if (auto valid = validateProfile(profile, name); !valid) return valid.error();
        dropImpossibleTimes(profile);
        inputs.push_back({.profile = std::move(profile), .name = fmt::format("process {}", pid)});
    }
    if (inputs.size() == 1) return std::move(inputs.front().profile);
    return mergeProfiles(std::move(inputs));
}

Result<Profile> import(const auto& source, std::string_view name, const std::string& toolVersion,
                       const traces::TraceLimits& limits) {
    const auto refuse = [&](std::string what, std::string advice, std::string where = {}) {
        return Error{.code = ErrorCode::BadData,
                     .what = std::move(what),
                     .where = std::string(name) + (where.empty() ? "" : ": " + where),
                     .advice = std::move(advice)};
    };
    nsys::RowsOfProcesses processes;
    bool graphs = false;
    try {
        sqlite::Database database(sqlite::bytesOf(source));
        if (!nsys::isOfNsys(database))
            return refuse("is a database of SQLite, but none that Nsight Systems exported",
                          "roofscope opens what nsys export --type sqlite writes");
        nsys::readRows(database, limits, processes);
    } catch (const sqlite::DatabaseFault& fault) {
        return refuse(fault.what, "export it again: nsys export --type sqlite REPORT.nsys-rep",
                      fault.where);
    }
    bool any = false;
    for (const auto& [pid, rows] : processes) {
        any = any || !rows.work.empty();
        graphs = graphs || !rows.wholeGraphs.empty();
    }
    if (!any && graphs)
        return refuse("has CUDA graphs as a whole and no kernels",
                      "record with nsys profile --cuda-graph-trace=node");
    if (!any)
        return refuse("is a recording of Nsight Systems without kernels or copies", kTraceCuda);
    return profileOfRows(processes, name, toolVersion);
}

/// A temporary folder that is removed on destruction.
class ShortFolder {
public:
    ShortFolder() {
        const auto parent = temporaryParent();
        if (!parent) return;
        std::string path = (*parent / "roofscope-nsys-XXXXXX").string();
        if (mkdtemp(path.data()) != nullptr) m_path = path;
    }
    ShortFolder(const ShortFolder&) = delete;
    ShortFolder& operator=(const ShortFolder&) = delete;
    ~ShortFolder() {
        std::error_code error;
        if (!m_path.empty()) fs::remove_all(m_path, error);
    }
    [[nodiscard]] const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

}  // namespace

Result<Profile> readNsysDatabase(const fs::path& path, const std::string& toolVersion,
                                 const traces::TraceLimits& limits) {
    return import(path, path.string(), toolVersion, limits);
}

Result<Profile> importNsysDatabase(std::string_view bytes, std::string_view name,
                                   const std::string& toolVersion,
                                   const traces::TraceLimits& limits) {
    return import(bytes, name, toolVersion, limits);
}

Result<Profile> readNsysReport(const fs::path& path, const std::string& toolVersion,
                               const RunProgram& run) {
    const fs::path nsys = run ? findProgram("nsys") : fs::path();
    if (nsys.empty())
        return Error{.code = ErrorCode::Unavailable,
                     .what =
                         "is a report of Nsight Systems, which only nsys can read, and nsys is "
                         "not in PATH",
                     .where = path.string(),
                     .advice =
                         "on a machine where it is installed, run: nsys export --type sqlite "
                         "REPORT.nsys-rep; then open the .sqlite file"};
    const ShortFolder folder;
    if (folder.path().empty())
        return Error{.code = ErrorCode::Io,
                     .what = "no folder for its export could be made",
                     .where = path.string(),
                     .advice = "set TMPDIR to a folder that can be written"};
    const fs::path database = folder.path() / "report.sqlite";
    // "./", because a file name may look like an option.
    const std::string report = path.is_absolute() ? path.string() : "./" + path.string();
    constexpr std::uint64_t kMostPrinted = 1U << 20;
    const auto printed =
        run({nsys.string(), "export", "--type", "sqlite", "--output", database.string(), report},
            kMostPrinted);
    if (!printed)
        return Error{.code = ErrorCode::BadData,
                     .what = "nsys cannot export it: " + printed.error().what,
                     .where = path.string(),
                     .advice =
                         "nsys reads no reports of newer versions: run nsys export --type "
                         "sqlite with the version that wrote it, and open the .sqlite file"};
    auto profile = readNsysDatabase(database, toolVersion);
    if (!profile) {
        Error error = profile.error();
        error.where = path.string();
        return error;
    }
    return profile;
}

}  // namespace roofscope
