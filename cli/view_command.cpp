// SPDX-License-Identifier: Apache-2.0
// `roofscope view [PROFILE…]`: becomes roofscope-gui. Looks beside this program, then in PATH.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/text_checks.h"
#include "profile/file_size_guard.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;
constexpr const char* kProgram = "roofscope-gui";

bool isProgram(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<fs::path> findGui() {
    std::error_code error;
    if (const fs::path self = fs::read_symlink("/proc/self/exe", error); !error) {
        if (fs::path beside = self.parent_path() / kProgram; isProgram(beside)) return beside;
    }
    const char* path = std::getenv("PATH");
    std::string folders = path ? path : "";
    for (std::size_t at = 0; at <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', at), folders.size());
        // An empty entry means the current folder; what lies there is not ours to run.
        if (end > at) {
            if (fs::path found = fs::path(folders.substr(at, end - at)) / kProgram;
                isProgram(found))
                return found;
        }
        at = end + 1;
    }
    return std::nullopt;
}

Result<int> run(const std::vector<std::string>& profiles) {
    const std::optional<fs::path> gui = findGui();
    if (!gui)
        return Error{.code = ErrorCode::Unavailable,
                     .what = "roofscope-gui was not found, neither beside this program nor in PATH",
                     .advice =
                         "install Qt 6.4 or later and build again, or read the profile with "
                         "`roofscope report`"};
    std::vector<std::string> arguments{gui->string()};
    // "--": a file named like an option is still a file.
    if (!profiles.empty()) arguments.emplace_back("--");
    arguments.insert(arguments.end(), profiles.begin(), profiles.end());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    restoreFileSizeSignal();
    ::execv(argv[0], argv.data());
    return Error{.code = ErrorCode::Unavailable,
                 .what = std::string("cannot be started: ") + std::strerror(errno),
                 .where = gui->string()};
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
        "Becomes roofscope-gui, whose own options are in \"roofscope-gui --help\"");
    command->callback([&action, profiles] { action = [profiles] { return run(*profiles); }; });
}

}  // namespace roofscope::cli
