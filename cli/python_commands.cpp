// SPDX-License-Identifier: Apache-2.0
// `roofscope show`, `review`, `try`, `mcp`, `setup`, `loop` and `ci`: replace this process by the
// Python package `roofscope`, which gets every number of a profile from this program. The
// `roofscope` command that pip installs is that package itself, so it never runs these functions.
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
#include "profile/files/file_size_guard.h"
#include "profile/files/find_program.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

/// Whether the package belongs to the owner of this program, or to root. For a build folder in
/// /tmp, anybody could put a package above it.
bool isOwnedByUsOrRoot(const fs::path& package) {
    struct stat self {
    }, other{};
    return ::stat("/proc/self/exe", &self) == 0 && ::stat(package.c_str(), &other) == 0 &&
           (other.st_uid == self.st_uid || other.st_uid == 0);
}

/// The folder that contains the package: in an installation, in the source tree of this build, or
/// in a wheel (SITE/roofscope/_native/bin). Empty: Python must find the package itself.
fs::path packageFolder() {
    const fs::path here = executableFolder();
    std::vector<fs::path> places{here / "../share/roofscope/python", here / "../../python"};
    // Only in a wheel: elsewhere, the folder three levels up may belong to anybody.
    if (here.parent_path().filename() == "_native") places.push_back(here / "../../..");
    std::error_code error;
    for (const fs::path& folder : places)
        if (fs::is_regular_file(folder / "roofscope/__main__.py", error) &&
            isOwnedByUsOrRoot(folder / "roofscope") &&
            isOwnedByUsOrRoot(folder / "roofscope/__main__.py"))
            return fs::canonical(folder, error);
    return {};
}

/// Imports the package, and nothing else, from the folder in the first argument.
constexpr const char* kStart =
    "import sys; sys.path.insert(0, sys.argv.pop(1)); import roofscope; del sys.path[0]; "
    "from roofscope.__main__ import main; sys.exit(main())";

/// The Python that ROOFSCOPE_PYTHON names, else python3 in PATH; empty if not found.
std::string python() {
    // The command in a wheel sets it to its own Python, whose environment need not be active.
    const char* chosen = std::getenv("ROOFSCOPE_PYTHON");
    const std::string name = chosen && *chosen ? chosen : "python3";
    return name.find('/') != std::string::npos ? name : findProgram(name).string();
}

/// The package parses its options itself. Here they are only for completion
/// and for the help of all commands (python/tests/test_completion.py compares them with the
/// package's help). `words` are what else can follow.
struct PythonCommand {
    const char *name, *what, *options;
    const char* words = "";
};
constexpr PythonCommand kPythonCommands[] = {
    {"show", "Show a kernel, finding, source or counters by id, for assistants", "--help --window"},
    {"loop",
     "Keep a ledger of edits: the promised and the achieved gain of each, and what to do next",
     "--help --kernel --ledger --same-program --skip --tried --window", "show undo"},
    {"try", "Run a program with edits that need no change of a file, and say what each saves",
     "--help --list --json --out --time-limit --tolerance --yes",
     "tf32 compile bf16 compile-graphs fused-optimizer loader channels-last cudnn-benchmark gc-off "
     "expandable-segments jax-bf16 jax-tf32 jax-memory connections eager-loading"},
    {"review", "Say whether a function's speed-up over its baseline is real (PyTorch)",
     "--help --candidate --baseline --inputs --kernel --tolerance --flops --keep --format --lang "
     "--out"},
    {"mcp", "Serve these commands to an assistant over the Model Context Protocol",
     "--help --root --time-limit --allow"},
    {"setup", "Register the server with assistants, and tell them how to use roofscope",
     "--help --dry-run --remove --yes --project --for --root"},
    {"ci", "Write a workflow for continuous integration; post its comment", "--help",
     "init comment"},
};

/// Values of options, and options of the commands inside a command.
constexpr PythonWords kPythonWords[] = {
    {"ci init",
     "--help --wheel --program --profile --sources --build --baseline --rules --cuda --runner "
     "--for --dry-run --force"},
    {"ci comment", "--help"},
    {"ci init --cuda", "12 13 none"},
    {"ci init --for", "github gitlab"},
    {"setup --for", "claude codex gemini cursor copilot windsurf zed opencode"},
};

}  // namespace

Result<int> execPythonPackage(const std::string& command,
                              const std::vector<std::string>& arguments) {
    // -I: do not import from the current folder or from PYTHONPATH. The package adds the user's own
    // folders for the commands that need them (__main__.py).
    // -B: do not write bytecode files beside the package.
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

std::string_view pythonArguments(std::string_view command) {
    for (const PythonCommand& each : kPythonCommands)
        if (command == each.name) return each.words;
    return {};
}

std::span<const PythonWords> pythonWords() { return kPythonWords; }

void addPythonCommands(CLI::App& app) {
    for (const PythonCommand& each : kPythonCommands) {
        CLI::App* command = app.add_subcommand(each.name, each.what);
        // The package parses all options, including --help.
        command->set_help_flag();
        command->prefix_command();
    }
}

}  // namespace roofscope::cli
