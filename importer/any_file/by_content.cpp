// SPDX-License-Identifier: Apache-2.0
#include "importer/any_file/by_content.h"

#include "importer/ncu/ncu_csv_file.h"
#include "importer/nsys/nsys_import.h"
#include "importer/traces/file_kind.h"
#include "importer/traces/trace_import.h"

namespace roofscope {
namespace {

constexpr const char* kRecordInstead =
    "record the program with roofscope, or trace it with torch.profiler and open that";

}  // namespace

Result<std::optional<Profile>> importByContent(const std::filesystem::path& path,
                                               const std::string& toolVersion,
                                               const RunProgram& run, const std::string& byHand) {
    const auto refuse = [&](std::string what, std::string advice) {
        return Error{.code = ErrorCode::BadData,
                     .what = std::move(what),
                     .where = path.string(),
                     .advice = std::move(advice)};
    };
    switch (traces::kindOfFile(path)) {
        case traces::FileKind::Trace: {
            auto profile = readTrace(path, toolVersion);
            if (!profile) return profile.error();
            return std::optional(*std::move(profile));
        }
        case traces::FileKind::ExecutionTrace:
            return refuse("is an execution trace of PyTorch, which has no times of the GPU",
                          "trace the program with torch.profiler and open that");
        case traces::FileKind::Proton:
            return refuse("is a profile of Triton's Proton, which roofscope does not read",
                          kRecordInstead);
        case traces::FileKind::OtherJson:
            return refuse(
                "is JSON, but neither a profile of roofscope nor a trace of PyTorch's profiler",
                {});
        case traces::FileKind::Sqlite: {
            auto profile = readNsysDatabase(path, toolVersion);
            if (!profile) return profile.error();
            return std::optional(*std::move(profile));
        }
        case traces::FileKind::NsysReport: {
            auto profile = readNsysReport(path, toolVersion, run);
            if (!profile) return profile.error();
            return std::optional(*std::move(profile));
        }
        case traces::FileKind::NcuReport: {
            auto profile = readNcuReport(path.string(), {.toolVersion = toolVersion}, byHand, run);
            if (!profile) return profile.error();
            return std::optional(*std::move(profile));
        }
        case traces::FileKind::Perfetto:
            return refuse("is a trace of Perfetto in protobuf, which roofscope does not read",
                          "open it in ui.perfetto.dev; to analyse it here, write the trace as JSON "
                          "(torch.profiler's export_chrome_trace does)");
        case traces::FileKind::Unknown: {
            if (!isNcuCsv(path)) break;
            auto profile = readNcuCsv(path, {.toolVersion = toolVersion});
            if (!profile) return profile.error();
            return std::optional(*std::move(profile));
        }
        case traces::FileKind::Profile:
            break;
    }
    return std::optional<Profile>();
}

}  // namespace roofscope
