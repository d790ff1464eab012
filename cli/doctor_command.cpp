// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "collector/run/doctor.h"

namespace roofscope::cli {
namespace {

const char* name(CheckStatus status) {
    switch (status) {
        case CheckStatus::Ok:
            return "ok";
        case CheckStatus::Warning:
            return "warning";
        case CheckStatus::Failed:
            return "failed";
        case CheckStatus::Skipped:
            return "skipped";
    }
    return "skipped";
}

const char* colour(CheckStatus status) {
    switch (status) {
        case CheckStatus::Ok:
            return "\033[32m";
        case CheckStatus::Warning:
            return "\033[33m";
        case CheckStatus::Failed:
            return "\033[31m";
        case CheckStatus::Skipped:
            return "\033[90m";
    }
    return "";
}

void printText(const Diagnosis& diagnosis) {
    const bool colours = wantsColour(1);
    std::size_t width = 0;
    for (const Check& check : diagnosis.checks) width = std::max(width, check.title.size());
    for (const Check& check : diagnosis.checks) {
        std::cout << fmt::format("{}{:<8}{} {:<{}}  {}\n", colours ? colour(check.status) : "",
                                 name(check.status), colours ? "\033[0m" : "", check.title, width,
                                 check.detail);
        if (!check.advice.empty() && check.status != CheckStatus::Ok)
            std::cout << fmt::format("{:<{}}  -> {}\n", "", width + 9, check.advice);
    }
    std::cout << (diagnosis.exitCode == 0
                      ? "Counters can be read here: roofscope record -- PROGRAM\n"
                      : "Counters cannot be read here. Profiles recorded "
                        "elsewhere can be read and reported.\n");
}

void printJson(const Diagnosis& diagnosis) {
    nlohmann::ordered_json json;
    json["counters_readable"] = diagnosis.exitCode == 0;
    json["exit_code"] = diagnosis.exitCode;
    auto& checks = json["checks"] = nlohmann::ordered_json::array();
    for (const Check& c : diagnosis.checks)
        checks.push_back({{"id", c.id},
                          {"title", c.title},
                          {"status", name(c.status)},
                          {"detail", c.detail},
                          {"advice", c.advice}});
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

}  // namespace

void addDoctorCommand(CLI::App& app, Action& run) {
    auto json = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand(
        "doctor", "Say whether counters can be read here, and what to do if not");
    command->add_flag("--json", *json, "Machine-readable output");
    command->footer(
        "Exit codes: 0 counters can be read, 69 no driver, GPU or CUPTI, 77 not permitted.");
    command->callback([=, &run] {
        run = [=]() -> Result<int> {
            const Diagnosis diagnosis = diagnose();
            *json ? printJson(diagnosis) : printText(diagnosis);
            return diagnosis.exitCode;
        };
    });
}

}  // namespace roofscope::cli
