// SPDX-License-Identifier: Apache-2.0
// `roofscope ps`: the armed processes that the caller may snap.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/arm_folder_option.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "collector/run/arm/armed_processes.h"
#include "reports/escape/escape.h"

namespace roofscope::cli {
namespace {

struct PsArguments {
    std::string folder;
    bool json = false;
};

constexpr const char* kPsFooter =
    "Lists programs that were started with \"roofscope arm\", or with its environment, and have\n"
    "initialised CUDA.\n\n"
    "Examples:\n"
    "  roofscope ps\n"
    "  roofscope ps --json | jq '.[].pid'\n"
    "What arming is: docs/arm.md";

constexpr std::size_t kMostShownCommand = 60;

std::string joinedWords(const std::vector<std::string>& words, const char* between) {
    return fmt::format("{}", fmt::join(words, between));
}

/// "3 d 4 h", "12 min", "7 s".
std::string ago(std::uint64_t since) {
    const auto now = static_cast<std::uint64_t>(std::time(nullptr));
    const std::uint64_t s = now > since ? now - since : 0;
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{} min", s / 60);
    if (s < 86400) return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
    return fmt::format("{} d {} h", s / 86400, s / 3600 % 24);
}

std::string stateWords(const ArmedProcess& process) {
    if (!process.state) return "does not answer";
    return process.state->snapped ? "being snapped" : "armed";
}

std::string processesAsText(const std::vector<ArmedProcess>& all) {
    if (all.empty()) return "No armed process. Start one: roofscope arm -- PROGRAM\n";
    std::string text = fmt::format("{:>8}  {:<15}  {:>10}  {:<24}  {}\n", "PID", "STATE", "SINCE",
                                   "GPU", "COMMAND");
    for (const ArmedProcess& process : all) {
        const arm::State state = process.state.value_or(arm::State{});
        text += fmt::format(
            "{:>8}  {:<15}  {:>10}  {:<24}  {}\n", process.pid, stateWords(process),
            process.state ? ago(state.armedSince) : "?",
            state.gpus.empty() ? "none yet" : cleanText(joinedWords(state.gpus, ", "), 200),
            cleanText(joinedWords(state.command, " "), kMostShownCommand));
    }
    return text;
}

std::string processesAsJson(const std::vector<ArmedProcess>& all) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const ArmedProcess& process : all) {
        Json one{{"pid", process.pid}, {"socket", process.socket.string()}};
        one["answers"] = process.state.has_value();
        if (const auto& state = process.state) {
            one["command"] = state->command;
            one["gpus"] = state->gpus;
            one["armed_since_s"] = state->armedSince;
            one["snapped"] = state->snapped;
            one["snaps"] = state->snaps;
            one["version"] = state->version;
        }
        list.push_back(std::move(one));
    }
    return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

void addPsCommand(CLI::App& app, Action& run) {
    auto options = std::make_shared<PsArguments>();
    CLI::App* command = app.add_subcommand("ps", "List armed processes");
    addArmFolderOption(*command, options->folder);
    command->add_flag("--json", options->json, "As JSON");
    command->footer(kPsFooter);
    command->callback([=, &run] {
        run = [=]() -> Result<int> {
            const auto all = armedProcesses(options->folder);
            const auto written =
                writeOutput("", options->json ? processesAsJson(all) : processesAsText(all));
            return written ? Result<int>(0) : written.error();
        };
    });
}

}  // namespace roofscope::cli
