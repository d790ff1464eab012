// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "kernels/app/commands.h"
#include "kernels/measure.h"

namespace roofscope::kernels::app {
namespace {

struct RunOptions {
    SelectionOptions selection;
    int repeat = 0, warmup = -1;  // as given; the defaults depend on whether a profiler is attached
    std::uint64_t seed = 1;
    bool json = false;
};

Repeats repeatsOf(const RunOptions& options) {
    const bool profiled = beingProfiled();
    return {.warmup = options.warmup >= 0 ? options.warmup : (profiled ? 0 : 3),
            .profiled = options.repeat > 0 ? options.repeat : (profiled ? 3 : 20),
            .time = !profiled};
}

/// Minimum bytes divided by the median time; absent if either is missing or 0.
std::optional<BytesPerSecond> effectiveBandwidth(const Measurement& m) {
    if (!m.timing || m.minimumBytes.value <= 0 || m.timing->median.value <= 0) return std::nullopt;
    return m.minimumBytes / m.timing->median;
}

nlohmann::ordered_json toJson(const Job& job, const Measurement& m) {
    nlohmann::ordered_json json{{"range", job.rung->range(job.c)},
                                {"rung", job.rung->id()},
                                {"case", job.c.id()},
                                {"minimum_bytes", m.minimumBytes.value},
                                {"median_ns", nullptr},
                                {"fastest_ns", nullptr},
                                {"slowest_ns", nullptr},
                                {"spread_ratio", nullptr},
                                {"effective_bytes_per_s", nullptr}};
    if (m.timing) {
        json["median_ns"] = m.timing->median.value * 1e9;
        json["fastest_ns"] = m.timing->fastest.value * 1e9;
        json["slowest_ns"] = m.timing->slowest.value * 1e9;
        json["spread_ratio"] = m.timing->spread.value;
    }
    if (const auto bandwidth = effectiveBandwidth(m))
        json["effective_bytes_per_s"] = bandwidth->value;
    return json;
}

void printHead(bool timed) {
    if (timed)
        fmt::print("{:<72} {:>11} {:>8} {:>11} {:>11}\n", "kernel and case", "median", "spread",
                   "fastest", "effective");
}

void printLine(const Job& job, const Measurement& m) {
    if (!m.timing) {
        fmt::print("{}\n", job.rung->range(job.c));
        return;
    }
    const auto bandwidth = effectiveBandwidth(m);
    fmt::print("{:<72} {:>8.1f} µs {:>6.1f} % {:>8.1f} µs {:>11}\n", job.rung->range(job.c),
               m.timing->median.value * 1e6, m.timing->spread.value * 100,
               m.timing->fastest.value * 1e6,
               bandwidth ? fmt::format("{:.0f} GB/s", bandwidth->value * 1e-9) : "-");
}

Result<int> runJobs(const RunOptions& options) {
    Result<std::vector<Job>> jobs = options.selection.jobs();
    if (!jobs) return jobs.error();
    Result<Gpu> gpu = currentGpu();
    if (!gpu) return gpu.error();

    const Repeats repeats = repeatsOf(options);
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    nlohmann::ordered_json skipped = nlohmann::ordered_json::array();
    if (!options.json) printHead(repeats.time);
    Progress progress(jobs->size());
    for (const Job& job : *jobs) {
        progress.next(job.rung->range(job.c));
        if (const std::string why = skipReason(*job.rung, gpu->computeCapability); !why.empty()) {
            if (options.json)
                skipped.push_back(skippedJson(job, why));
            else
                printSkipped(job, why);
            continue;
        }
        Result<Measurement> measurement = measure(job, repeats, options.seed);
        if (!measurement) return measurement.error();
        if (options.json)
            results.push_back(toJson(job, *measurement));
        else
            printLine(job, *measurement);
    }
    if (options.json) {
        const nlohmann::ordered_json document{{"format", "roofscope-kernels-run"},
                                              {"device", gpu->name},
                                              {"profiled", !repeats.time},
                                              {"warmup", repeats.warmup},
                                              {"repeat", repeats.profiled},
                                              {"results", results},
                                              {"skipped", skipped}};
        fmt::print("{}\n", document.dump(2));
    }
    return 0;
}

}  // namespace

void addRunCommand(CLI::App& app, Action& run) {
    CLI::App* const command = app.add_subcommand(
        "run", "launches kernels, each counted launch in an NVTX range, and prints their times");
    auto options = std::make_shared<RunOptions>();
    options->selection.declare(*command, true);
    command->add_option("--repeat", options->repeat, "timed launches (20; 3 under a profiler)")
        ->check(CLI::Range(1, 1'000'000));
    command
        ->add_option("--warmup", options->warmup,
                     "warm-up launches (3; none under a profiler, which would measure them too)")
        ->check(CLI::Range(0, 1'000'000));
    command->add_option("--seed", options->seed, "seed of the random inputs (1)");
    command->add_flag("--json", options->json, "as JSON");
    command->callback([=, &run] { run = [=] { return runJobs(*options); }; });
}

}  // namespace roofscope::kernels::app
