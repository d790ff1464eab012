// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "kernels/app/commands.h"

namespace roofscope::kernels::app {

void SelectionOptions::declare(CLI::App& app, bool withAllShapes) {
    app.add_option("NAME", names,
                   "family/rung, rung, family, or a pattern such as '*/copy_*'; all if omitted");
    CLI::Option* const extents =
        app.add_option("--shape", shapes, "extents to replace in the default shape: B=64,D=96")
            ->allow_extra_args(false);  // or it would swallow a NAME after it
    app.add_option("--dtype", dtype, "element type: f32, bf16, …");
    if (withAllShapes)
        app.add_flag("--all-shapes", allShapes, "all cases of each rung instead of the default")
            ->excludes(extents);
}

Result<CaseOptions> SelectionOptions::caseOptions() const {
    CaseOptions options{.allShapes = allShapes};
    if (!shapes.empty()) {
        std::string joined;
        for (const std::string& shape : shapes) joined += (joined.empty() ? "" : ",") + shape;
        Result<Shape> parsed = parseShape(joined);
        if (!parsed) return parsed.error();
        options.shape = *parsed;
    }
    if (!dtype.empty()) {
        options.dtype = dtypeFromName(dtype);
        if (!options.dtype)
            return Error{.code = ErrorCode::Usage,
                         .what = "there is no element type '" + dtype + "'",
                         .advice = "f32, f64, f16, bf16, u8"};
    }
    return options;
}

Result<std::vector<Job>> SelectionOptions::jobs() const {
    Result<std::vector<const Rung*>> rungs = selectRungs(names);
    if (!rungs) return rungs.error();
    Result<CaseOptions> options = caseOptions();
    if (!options) return options.error();
    return planJobs(*rungs, *options);
}

Progress::Progress(std::size_t total) : m_visible(isatty(STDERR_FILENO) == 1), m_total(total) {}

Progress::~Progress() {
    if (m_visible) std::fputs("\r\033[K", stderr);
}

void Progress::next(const std::string& what) {
    ++m_done;
    if (m_visible) std::fprintf(stderr, "\r\033[K[%zu/%zu] %s", m_done, m_total, what.c_str());
}

void printSkipped(const Job& job, const std::string& why) {
    fmt::print("{:<72} skipped: {}\n", job.rung->range(job.c), why);
}

nlohmann::ordered_json skippedJson(const Job& job, const std::string& why) {
    return {{"range", job.rung->range(job.c)}, {"reason", why}};
}

nlohmann::ordered_json computeCapabilityJson(const Rung& rung) {
    if (rung.minComputeCapability == 0) return nullptr;
    return {rung.minComputeCapability / 10, rung.minComputeCapability % 10};
}

bool beingProfiled() {
    const char* const value = std::getenv("ROOFSCOPE_PROFILING");
    return value != nullptr && std::string_view(value) == "1";
}

}  // namespace roofscope::kernels::app
