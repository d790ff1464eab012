// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "kernels/app/commands.h"
#include "kernels/measure.h"

namespace roofscope::kernels::app {
namespace {

constexpr int kMismatch = 1;  // exit code

struct VerifyOptions {
    SelectionOptions selection;
    bool all = false, json = false;
    std::uint64_t seed = 0;  // 0: random
};

/// Each rung's verification cases, or the case named by the options.
Result<std::vector<Job>> verifyJobs(const SelectionOptions& selection) {
    if (selection.changesCases()) return selection.jobs();
    Result<std::vector<const Rung*>> rungs = selectRungs(selection.names);
    if (!rungs) return rungs.error();
    std::vector<Job> jobs;
    for (const Rung* rung : *rungs)
        for (const Case& c : rung->verifyCases()) jobs.push_back({rung, c});
    return jobs;
}

std::string remark(const Check& check) {
    std::string text;
    if (check.unwritten > 0) text += fmt::format("{} elements not written; ", check.unwritten);
    if (check.outside > 0) text += fmt::format("{} bytes written past the end; ", check.outside);
    if (!check.ok && !check.worst.empty()) text += "furthest off: " + check.worst;
    return text;
}

nlohmann::ordered_json toJson(const Job& job, const Check& check) {
    nlohmann::ordered_json json{{"rung", job.rung->id()},
                                {"case", job.c.id()},
                                {"ok", check.ok},
                                {"relative_l2", nullptr},
                                {"tolerance", check.tolerance},
                                {"unwritten_elements", check.unwritten},
                                {"outside_bytes", check.outside},
                                {"worst", check.worst}};
    if (check.relativeL2 == check.relativeL2) json["relative_l2"] = check.relativeL2;  // not NaN
    return json;
}

Result<int> runVerification(const VerifyOptions& options) {
    if (options.all && !options.selection.names.empty())
        return Error{.code = ErrorCode::Usage, .what = "--all takes no names"};
    Result<std::vector<Job>> jobs = verifyJobs(options.selection);
    if (!jobs) return jobs.error();
    Result<Gpu> gpu = currentGpu();
    if (!gpu) return gpu.error();

    const std::uint64_t seed =
        options.seed != 0 ? options.seed
                          : static_cast<std::uint64_t>(
                                std::chrono::system_clock::now().time_since_epoch().count());
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    nlohmann::ordered_json skipped = nlohmann::ordered_json::array();
    std::size_t failed = 0;
    Progress progress(jobs->size());
    for (const Job& job : *jobs) {
        progress.next(job.rung->range(job.c));
        if (const std::string why = skipReason(*job.rung, gpu->computeCapability); !why.empty()) {
            skipped.push_back(skippedJson(job, why));
            if (!options.json) printSkipped(job, why);
            continue;
        }
        Result<Check> check = verify(job, seed);
        if (!check) return check.error();
        failed += !check->ok;
        if (options.json)
            results.push_back(toJson(job, *check));
        else
            fmt::print("{:<4} {:<72} {:>9.2e} of {:<8.0e} {}\n", check->ok ? "ok" : "BAD",
                       job.rung->range(job.c), check->relativeL2, check->tolerance, remark(*check));
    }
    const std::size_t ran = jobs->size() - skipped.size();
    if (options.json)
        fmt::print("{}\n", nlohmann::ordered_json{{"format", "roofscope-kernels-verify"},
                                                  {"device", gpu->name},
                                                  {"seed", seed},
                                                  {"failed", failed},
                                                  {"results", results},
                                                  {"skipped", skipped}}
                               .dump(2));
    else
        fmt::print("{} of {} cases agree with the CPU reference on {} (seed {}){}\n", ran - failed,
                   ran, gpu->name, seed,
                   skipped.empty() ? "" : fmt::format("; {} skipped", skipped.size()));
    return failed == 0 ? 0 : kMismatch;
}

}  // namespace

void addVerifyCommand(CLI::App& app, Action& run) {
    CLI::App* const command = app.add_subcommand(
        "verify", "compares kernels with a CPU reference in double precision, odd sizes included");
    auto options = std::make_shared<VerifyOptions>();
    options->selection.declare(*command, false);
    command->add_flag("--all", options->all, "all kernels (the default without names)");
    command->add_option("--seed", options->seed, "seed of the random inputs; random if omitted");
    command->add_flag("--json", options->json, "as JSON");
    command->callback([=, &run] { run = [=] { return runVerification(*options); }; });
}

}  // namespace roofscope::kernels::app
