// SPDX-License-Identifier: Apache-2.0
// `roofscope disarm PID`: an armed process listens no more.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "cli/arm_folder_option.h"
#include "cli/commands.h"
#include "cli/number_check.h"
#include "collector/run/arm/armed_processes.h"

namespace roofscope::cli {
namespace {

struct DisarmArguments {
    std::string folder;
    std::int64_t pid = 0;
};

constexpr const char* kDisarmFooter =
    "The process goes on; it can be armed again only by a restart. What it starts later is still\n"
    "armed.\n\n"
    "Example:\n"
    "  roofscope disarm 4242\n"
    "What arming is: docs/arm.md";

}  // namespace

void addDisarmCommand(CLI::App& app, Action& run) {
    auto options = std::make_shared<DisarmArguments>();
    CLI::App* command = app.add_subcommand("disarm", "Let an armed process listen no more");
    command->add_option("pid", options->pid, "Process id, as \"roofscope ps\" lists it")
        ->required()
        ->check(wholeNumber(1, std::numeric_limits<std::int32_t>::max()));
    addArmFolderOption(*command, options->folder);
    command->footer(kDisarmFooter);
    command->callback([=, &run] {
        run = [=]() -> Result<int> {
            const auto process = armedProcess(options->pid, options->folder);
            if (!process) return process.error();
            const auto done = disarm(*process);
            return done ? Result<int>(0) : done.error();
        };
    });
}

}  // namespace roofscope::cli
