// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "kernels/app/commands.h"

namespace roofscope::kernels::app {
namespace {

/// Counts are whole numbers up to 2^53 and are written as integers.
nlohmann::ordered_json number(double value) {
    constexpr double kExact = 9007199254740992.0;
    if (value >= 0 && value < kExact &&
        value == static_cast<double>(static_cast<std::uint64_t>(value)))
        return static_cast<std::uint64_t>(value);
    return value;
}

nlohmann::ordered_json toJson(const Job& job) {
    nlohmann::ordered_json counters = nlohmann::ordered_json::array();
    for (const Expectation& e : job.rung->expect(job.c))
        counters.push_back({{"counter", e.counter},
                            {"value", number(e.value)},
                            {"tolerance", e.tolerance},
                            {"formula", e.formula}});
    return {{"range", job.rung->range(job.c)},
            {"rung", job.rung->id()},
            {"case", job.c.id()},
            {"min_compute_capability", computeCapabilityJson(*job.rung)},
            {"counters", counters}};
}

void printTable(const Job& job) {
    fmt::print("{}\n", job.rung->range(job.c));
    for (const Expectation& e : job.rung->expect(job.c)) {
        const std::string tolerance =
            e.tolerance == 0 ? "exact" : fmt::format("± {:.1f} %", e.tolerance * 100);
        fmt::print("  {:<62} {:>16.0f}  {:<9}  {}\n", e.counter, e.value, tolerance, e.formula);
    }
}

}  // namespace

void addExpectCommand(CLI::App& app, Action& run) {
    CLI::App* const command = app.add_subcommand(
        "expect", "prints the counter values expected after one launch; needs no GPU");
    auto selection = std::make_shared<SelectionOptions>();
    auto json = std::make_shared<bool>(false);
    selection->declare(*command, true);
    command->add_flag("--json", *json, "as JSON");
    // Accepts the arguments of `run`, so that they can be passed on unchanged.
    auto ignored = std::make_shared<int>(0);
    command->add_option("--repeat", *ignored, "ignored: the values are for one launch");
    command->add_option("--warmup", *ignored, "ignored");
    command->callback([=, &run] {
        run = [=]() -> Result<int> {
            (void)ignored;  // kept alive by this capture
            Result<std::vector<Job>> jobs = selection->jobs();
            if (!jobs) return jobs.error();
            if (!*json) {
                for (const Job& job : *jobs) printTable(job);
                return 0;
            }
            nlohmann::ordered_json list = nlohmann::ordered_json::array();
            for (const Job& job : *jobs) list.push_back(toJson(job));
            fmt::print("{}\n", list.dump(2));
            return 0;
        };
    });
}

}  // namespace roofscope::kernels::app
