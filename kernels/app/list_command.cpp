// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "kernels/app/commands.h"

namespace roofscope::kernels::app {
namespace {

nlohmann::ordered_json toJson(const Rung& rung) {
    nlohmann::ordered_json cases = nlohmann::ordered_json::array();
    for (const Case& c : rung.cases()) cases.push_back(c.id());
    nlohmann::ordered_json json{
        {"family", rung.family}, {"rung", rung.name},
        {"order", rung.order},   {"summary", rung.summary},
        {"fault", nullptr},      {"default_case", rung.cases().front().id()},
        {"cases", cases},        {"min_compute_capability", computeCapabilityJson(rung)}};
    if (!rung.fault.empty()) json["fault"] = rung.fault;
    return json;
}

void printTable(const std::vector<const Rung*>& rungs) {
    std::string_view family;
    for (const Rung* rung : rungs) {
        if (rung->family != family) {
            fmt::print("{}{}\n", family.empty() ? "" : "\n", rung->family);
            family = rung->family;
        }
        const std::string needs =
            rung->minComputeCapability > 0
                ? fmt::format(" (needs compute capability {})",
                              computeCapabilityText(rung->minComputeCapability))
                : std::string();
        fmt::print("  {:<22} {:<22} {:<32} {}{}\n", rung->name,
                   rung->fault.empty() ? "-" : rung->fault, rung->cases().front().id(),
                   rung->summary, needs);
    }
}

}  // namespace

void addListCommand(CLI::App& app, Action& run) {
    CLI::App* const command = app.add_subcommand(
        "list", "lists each kernel's family, rung, fault, default case and summary");
    auto names = std::make_shared<std::vector<std::string>>();
    auto json = std::make_shared<bool>(false);
    command->add_option("NAME", *names, "as for `run`; all kernels if omitted");
    command->add_flag("--json", *json, "as JSON");
    command->callback([=, &run] {
        run = [=]() -> Result<int> {
            Result<std::vector<const Rung*>> rungs = selectRungs(*names);
            if (!rungs) return rungs.error();
            if (!*json) {
                printTable(*rungs);
                return 0;
            }
            nlohmann::ordered_json list = nlohmann::ordered_json::array();
            for (const Rung* rung : *rungs) list.push_back(toJson(*rung));
            fmt::print("{}\n", list.dump(2));
            return 0;
        };
    });
}

}  // namespace roofscope::kernels::app
