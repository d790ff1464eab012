// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>

#include "cli/commands.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

/// `roofscope view ARGUMENTS` as main() runs it. Returns the exit code, which may be that of the
/// started program.
int view(std::vector<std::string> arguments, const std::string& path) {
    const pid_t child = fork();
    if (child == 0) {
        setenv("PATH", path.c_str(), 1);
        CLI::App app;
        cli::Action action;
        cli::addViewCommand(app, action);
        arguments.insert(arguments.begin(), "view");
        std::reverse(arguments.begin(), arguments.end());
        app.parse(arguments);
        const Result<int> result = action();
        _exit(result ? *result : exitCode(result.error().code));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("without roofscope-gui, view says so with exit code 69") {
    const TemporaryFolder folder;
    CHECK(view({"a.roofscope.json"}, folder.path().string()) == 69);
    CHECK(view({}, "") == 69);
}

TEST_CASE("view starts roofscope-gui from PATH with its arguments as they are") {
    const TemporaryFolder folder;
    const auto fake = folder.file("roofscope-gui");
    const auto log = folder.file("log");
    std::ofstream(fake) << "#!/bin/sh\nfor a in \"$@\"; do echo \"[$a]\" >> '" << log.string()
                        << "'; done\nexit 7\n";
    REQUIRE(chmod(fake.c_str(), 0755) == 0);
    // A folder with that name and a file that is not executable are skipped.
    const TemporaryFolder decoy;
    std::filesystem::create_directory(decoy.file("roofscope-gui"));
    const std::string path = decoy.path().string() + "::" + folder.path().string();
    CHECK(view({"a b.json", "$(echo x);c.json", "r\xE9.json"}, path) == 7);
    CHECK(readText(log) == "[--]\n[a b.json]\n[$(echo x);c.json]\n[r\xE9.json]\n");
}
