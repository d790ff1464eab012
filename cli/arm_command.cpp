// SPDX-License-Identifier: Apache-2.0
// `roofscope arm -- PROGRAM`: starts a program as it is, so that `roofscope snap` can record some
// of its steps later.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/arm_folder_option.h"
#include "cli/commands.h"
#include "cli/program_words.h"
#include "collector/arm/arm_folder.h"
#include "collector/run/tools/inject_library.h"
#include "profile/errors/usage_error.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

struct ArmArguments {
    std::string folder;
    bool environment = false;
};

constexpr const char* kArmFooter =
    "The program takes the place of this command. Nothing is traced and nothing wakes up until\n"
    "somebody asks for a snap. Only the same user, or root, may ask.\n\n"
    "Examples:\n"
    "  roofscope arm python3 serve.py\n"
    "  roofscope ps                                armed processes\n"
    "  roofscope snap 4242 --steps 50              record 50 steps of one\n"
    "  eval \"$(roofscope arm --environment)\"       arm whatever this shell starts\n"
    "Containers, systemd, and what a snap costs: docs/arm.md";

constexpr const char* kInjection = "CUDA_INJECTION64_PATH";

/// An environment variable that arms a program.
struct ArmingVariable {
    const char* name;
    std::string value;
};

Result<std::vector<ArmingVariable>> armingVariables(const std::string& wanted) {
    std::error_code error;
    const char* const named = std::getenv(arm::kVariable);
    const fs::path folder = !wanted.empty()
                                ? fs::absolute(wanted, error)
                                : arm::folderOf(named ? named : "").value_or(arm::defaultFolder());
    if (error) return usageError("no such folder", "--folder " + wanted, "");
    if (auto ok = arm::makeFolder(folder); !ok) return ok.error();
    const auto library = findInjectLibrary();
    if (!library) return library.error();
    const char* const other = std::getenv(kInjection);
    if (other && *other && fs::path(other) != *library)
        return Error{.code = ErrorCode::Unavailable,
                     .what = "another tool is loaded into CUDA programs here",
                     .where = fmt::format("{}={}", kInjection, other),
                     .advice = fmt::format("unset {}", kInjection)};
    return std::vector<ArmingVariable>{{kInjection, library->string()},
                                       {"NVTX_INJECTION64_PATH", library->string()},
                                       {arm::kVariable, folder.string()}};
}

/// The value for a POSIX shell.
std::string shellQuoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

Result<int> armProgram(const ArmArguments& o, const std::vector<std::string>& program) {
    if (program.empty() == !o.environment)
        return usageError(o.environment ? "--environment takes no program" : "no program to arm",
                          "arm", "example: roofscope arm python3 serve.py");
    const auto all = armingVariables(o.folder);
    if (!all) return all.error();
    for (const auto& [name, value] : *all)
        if (o.environment)
            fmt::print("export {}={}\n", name, shellQuoted(value));
        else
            setenv(name, value.c_str(), 1);
    if (o.environment) return 0;
    std::vector<char*> words;
    for (const std::string& word : program) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words.front(), words.data());
    return Error{.code = errno == ENOENT ? ErrorCode::NoInput : ErrorCode::NoPermission,
                 .what = std::string("cannot be started: ") + std::strerror(errno),
                 .where = program.front()};
}

}  // namespace

void addArmCommand(CLI::App& app, Action& run, const std::vector<std::string>& afterDashes) {
    auto options = std::make_shared<ArmArguments>();
    CLI::App* command =
        app.add_subcommand("arm", "Start a program so that steps of it can be recorded later");
    addArmFolderOption(*command, options->folder);
    command->add_flag(
        "--environment", options->environment,
        "Print the variables that arm a program, for a shell, instead of starting one");
    endsWithProgram(*command);
    command->footer(kArmFooter);
    command->callback([=, &run, &afterDashes] {
        run = [=, &afterDashes]() -> Result<int> {
            const auto program = programWords(*command, afterDashes);
            if (!program) return program.error();
            return armProgram(*options, *program);
        };
    });
}

}  // namespace roofscope::cli
