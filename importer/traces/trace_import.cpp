// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/trace_import.h"

#include <utility>

#include "importer/traces/json_pull.h"
#include "importer/traces/trace_profile.h"
#include "profile/codec/codec.h"
#include "profile/files/gzip_file.h"
#include "profile/files/input_file.h"
#include "profile/times/impossible_times.h"

namespace roofscope {
namespace {

/// Why no profile can be made of these rows; nullopt if one can.
std::optional<Error> problemOfRows(const traces::TraceRows& rows, std::string_view name) {
    const auto refuse = [&](std::string what, std::string advice) {
        return Error{.code = ErrorCode::BadData,
                     .what = std::move(what),
                     .where = std::string(name),
                     .advice = std::move(advice)};
    };
    if (rows.hip)
        return refuse("is a PyTorch trace of an AMD GPU; roofscope reads those of CUDA", {});
    if (!rows.work.empty()) return std::nullopt;
    if (rows.anyOperator || !rows.calls.empty() || !rows.devices.empty())
        return refuse("is a PyTorch trace without any kernel or copy of a GPU",
                      "record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], while "
                      "the GPU works");
    return refuse("is a Chrome trace, but has no kernels of PyTorch's profiler",
                  "roofscope opens what torch.profiler's export_chrome_trace() writes");
}

}  // namespace

Result<Profile> importTrace(std::streambuf& source, std::string_view name,
                            const std::string& toolVersion, const traces::TraceLimits& limits) {
    traces::TraceRows rows;
    try {
        traces::readTraceRows(source, limits, rows);
    } catch (const traces::TraceFault& fault) {
        return Error{.code = ErrorCode::BadData,
                     .what = fault.what,
                     .where = std::string(name) + ": " + fault.where};
    }
    if (const auto problem = problemOfRows(rows, name)) return *problem;
    Profile profile = traces::profileOf(rows);
    profile.capture.toolVersion = toolVersion;
    if (auto valid = validateProfile(profile, name); !valid) return valid.error();
    dropImpossibleTimes(profile);
    return profile;
}

Result<Profile> readTrace(const std::filesystem::path& path, const std::string& toolVersion,
                          const traces::TraceLimits& limits) {
    auto file = GzipReader::open(path, limits.maxBytes, kPipeWaitMs);
    if (!file) return file.error();
    auto profile = importTrace(**file, path.string(), toolVersion, limits);
    if (!(*file)->readError().empty())
        return Error{
            .code = (*file)->readErrorCode(), .what = (*file)->readError(), .where = path.string()};
    if ((*file)->tooLarge())
        return Error{.code = ErrorCode::BadData,
                     .what = "is larger than " + std::to_string(limits.maxBytes >> 30) + " GiB",
                     .where = path.string(),
                     .advice = "trace fewer steps (torch.profiler.schedule)"};
    return profile;
}

}  // namespace roofscope
