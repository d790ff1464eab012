// SPDX-License-Identifier: Apache-2.0
// `roofscope show`, `review`, `mcp`, `setup` and `loop`: become Python's `roofscope` package, which
// talks to assistants and takes every number from this program. pip's `roofscope` never comes here:
// it is that package.
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "collector/run/tools/inject_library.h"
#include "profile/files/file_size_guard.h"
#include "profile/files/find_program.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

/// Whether the package is from whoever this program is from: above a build folder in /tmp anybody
/// can put one.
bool isOfOurOwner(const fs::path& package) {
    struct stat self {
    }, other{};
    return ::stat("/proc/self/exe", &self) == 0 && ::stat(package.c_str(), &other) == 0 &&
           (other.st_uid == self.st_uid || other.st_uid == 0);
}

/// The folder that contains the package: of an installation, of the source tree whose build this
/// is, or of a wheel (SITE/roofscope/_native/bin). Empty: Python has to find the package itself.
fs::path packageFolder() {
    const fs::path here = executableFolder();
    std::vector<fs::path> places{here / "../share/roofscope/python", here / "../../python"};
    // Only there: three folders above another place may be anybody's.
    if (here.parent_path().filename() == "_native") places.push_back(here / "../../..");
    std::error_code error;
    for (const fs::path& folder : places)
        if (fs::is_regular_file(folder / "roofscope/__main__.py", error) &&
            isOfOurOwner(folder / "roofscope") && isOfOurOwner(folder / "roofscope/__main__.py"))
            return fs::canonical(folder, error);
    return {};
}

/// Imports the package from the folder that is the first argument, and nothing else from there.
constexpr const char* kStart =
    "import sys; sys.path.insert(0, sys.argv.pop(1)); import roofscope; del sys.path[0]; "
    "from roofscope.__main__ import main; sys.exit(main())";

/// Python as the user named it, or PATH's; empty where there is none.
std::string python() {
    // A wheel's command names its own Python, whose environment need not be active.
    const char* chosen = std::getenv("ROOFSCOPE_PYTHON");
    const std::string name = chosen && *chosen ? chosen : "python3";
    return name.find('/') != std::string::npos ? name : findProgram(name).string();
}

/// The package reads the options itself: here they are only words for completion
/// (python/tests/test_completion.py compares them with the package's help).
struct PythonCommand {
    const char *name, *what, *options;
};
constexpr PythonCommand kPythonCommands[] = {
    {"show", "Show a kernel, finding, source or counters by id, for assistants", "--help"},
    {"loop", "Keep a ledger of edits: what each promised and reached, and what is next",
     "--help --kernel --ledger --skip"},
    {"review", "Say whether a function's speed-up over its baseline is real (PyTorch)",
     "--help --candidate --baseline --inputs --kernel --tolerance --flops --keep --format --lang "
     "--out"},
    {"mcp", "Serve these commands to an assistant over the Model Context Protocol",
     "--help --root --time-limit"},
    {"setup", "Tell the assistants found on this machine how to use roofscope",
     "--help --dry-run --remove --yes --project"},
};

}  // namespace

Result<int> becomePython(const std::string& command, const std::vector<std::string>& arguments) {
    // -I: no module of the current folder, no sitecustomize that PYTHONPATH leads to. The package
    // adds the user's own folders for the commands that need them (__main__.py).
    // -B: leaves no files beside the package's.
    std::vector<std::string> words{python(), "-I", "-B"};
    if (words.front().empty())
        return Error{.code = ErrorCode::Unavailable,
                     .what = "python3 was not found in PATH",
                     .where = command,
                     .advice = "install Python 3.10 or later"};
    if (const fs::path folder = packageFolder(); folder.empty())
        words.insert(words.end(), {"-m", "roofscope"});
    else
        words.insert(words.end(), {"-c", kStart, folder.string()});
    words.push_back(command);
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string self = (executableFolder() / "roofscope").string();
    ::setenv("ROOFSCOPE_EXECUTABLE", self.c_str(), 0);
    restoreFileSizeSignal();
    ::execv(argv[0], argv.data());
    return Error{.code = ErrorCode::Unavailable,
                 .what = words.front() + " cannot be started: " + std::strerror(errno),
                 .where = command,
                 .advice = "install Python 3.10 or later"};
}

std::string_view pythonOptions(std::string_view command) {
    for (const PythonCommand& each : kPythonCommands)
        if (command == each.name) return each.options;
    return {};
}

void addPythonCommands(CLI::App& app, Action& run) {
    for (const PythonCommand& each : kPythonCommands) {
        CLI::App* command = app.add_subcommand(each.name, each.what);
        // Options, help included, are the package's to read.
        command->set_help_flag();
        command->prefix_command();
        command->callback([command, &run, name = std::string(each.name)] {
            run = [name, arguments = command->remaining()] {
                return becomePython(name, arguments);
            };
        });
    }
}

}  // namespace roofscope::cli
