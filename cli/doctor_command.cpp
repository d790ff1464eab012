// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "collector/run/doctor/doctor.h"
#include "reports/escape/escape.h"
#include "reports/escape/terminal_text.h"

namespace roofscope::cli {
namespace {

constexpr std::size_t kStatusWidth = 8;
constexpr std::size_t kMaxText = 4000;

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
            return "32";
        case CheckStatus::Warning:
            return "33";
        case CheckStatus::Failed:
            return "31";
        case CheckStatus::Skipped:
            return "90";
    }
    return "";
}

void printText(const Diagnosis& diagnosis) {
    const bool colours = wantsColour(1);
    const auto columns = static_cast<std::size_t>(terminalWidth());
    std::size_t titles = 0;
    for (const Check& check : diagnosis.checks) titles = std::max(titles, check.title.size());
    const std::size_t indent = kStatusWidth + 1 + titles + 2;
    // Facts come from files and environment variables: remove control characters.
    const auto clean = [](const std::string& text) { return cleanText(text, kMaxText); };
    for (const Check& check : diagnosis.checks) {
        const std::string status =
            painted(colours ? colour(check.status) : "",
                    fmt::format("{:<{}}", name(check.status), kStatusWidth), colours);
        // Wrap without the colour codes: they take no columns.
        std::string lines =
            wrappedLines(fmt::format("{:<{}} {:<{}}  ", "", kStatusWidth, check.title, titles),
                         clean(check.detail), indent, columns);
        std::cout << status << lines.substr(std::min(kStatusWidth, lines.size()));
        if (check.status == CheckStatus::Ok) continue;
        const std::string margin(indent, ' ');
        if (!check.advice.empty())
            std::cout << wrappedLines(margin + "-> ", clean(check.advice), indent + 3, columns);
        // Do not wrap commands, so that they can be copied.
        for (const std::string& command : check.commands)
            std::cout << margin << "   $ " << clean(command) << "\n";
    }
    std::cout << (diagnosis.exitCode == 0 ? "Counters can be read here: roofscope record PROGRAM\n"
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
                          {"cause", c.cause},
                          {"advice", c.advice},
                          {"commands", c.commands}});
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

}  // namespace

void addDoctorCommand(CLI::App& app, Action& run) {
    auto json = std::make_shared<bool>(false);
    auto program = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand(
        "doctor", "Check whether counters can be read here, and what to do if not");
    command->add_flag("--json", *json, "Machine-readable output");
    command->add_option("PROGRAM", *program, "Also check the program that you want to record")
        ->type_name("");
    command->footer(
        "Examples:\n"
        "  roofscope doctor\n"
        "  roofscope doctor ./app\n"
        "  roofscope doctor --json\n"
        "Exit codes: 0 counters can be read, 69 something is missing or not supported, 75 another\n"
        "program holds the counters, 77 not permitted. What is checked: docs/doctor.md");
    command->callback([=, &run] {
        run = [=]() -> Result<int> {
            const Diagnosis diagnosis = diagnose(*program);
            *json ? printJson(diagnosis) : printText(diagnosis);
            return diagnosis.exitCode;
        };
    });
}

}  // namespace roofscope::cli
