// SPDX-License-Identifier: Apache-2.0
// `roofscope view [PROFILE…]`: replaces this process by roofscope-gui.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/text_checks.h"
#include "profile/files/file_size_guard.h"
#include "profile/files/find_program.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;
constexpr const char* kProgram = "roofscope-gui";

/// Path of roofscope-gui: beside this program, else in PATH; empty if not found.
fs::path findGui() {
    const fs::path beside = executableFolder() / kProgram;
    return isProgram(beside) ? beside : findProgram(kProgram);
}

/// The error if no window was built, with advice for users of a wheel or of a build.
Error noWindow() {
    // A wheel holds this program in SITE/roofscope/_native/bin.
    const bool wheel = executableFolder().parent_path().filename() == "_native";
    return {.code = ErrorCode::Unavailable,
            .what = wheel ? "roofscope-gui was not found in PATH, and the wheel has no window"
                          : "roofscope-gui was not found, neither beside this program nor in PATH",
            .advice = wheel ? "install the Debian package roofscope-gui, or make a page for the "
                              "browser with `roofscope report PROFILE --out report.html`"
                            : "install Qt 6.4 or later and build again, or read the profile with "
                              "`roofscope report`"};
}

Result<int> run(const std::vector<std::string>& profiles) {
    const fs::path gui = findGui();
    if (gui.empty()) return noWindow();
    std::vector<std::string> arguments{gui.string()};
    // "--", because a file name may look like an option.
    if (!profiles.empty()) arguments.emplace_back("--");
    arguments.insert(arguments.end(), profiles.begin(), profiles.end());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    restoreFileSizeSignal();
    ::execv(argv[0], argv.data());
    return Error{.code = ErrorCode::Unavailable,
                 .what = std::string("cannot be started: ") + std::strerror(errno),
                 .where = gui.string()};
}

}  // namespace

void addViewCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("view", "Open profiles in the desktop program");
    auto profiles = std::make_shared<std::vector<std::string>>();
    command->add_option("PROFILE", *profiles, "Profiles to open")->check(fileName());
    command->footer(
        "Examples:\n"
        "  roofscope view app.roofscope.json\n"
        "  roofscope view before.roofscope.json after.roofscope.json\n"
        "Starts roofscope-gui in its place; for its options: roofscope-gui --help");
    command->callback([&action, profiles] { action = [profiles] { return run(*profiles); }; });
}

}  // namespace roofscope::cli
