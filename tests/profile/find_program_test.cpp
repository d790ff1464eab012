// SPDX-License-Identifier: Apache-2.0
#include "profile/files/find_program.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;
using namespace roofscope;

namespace {

fs::path makeFile(const fs::path& path, bool executable) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n";
    if (executable) fs::permissions(path, fs::perms::owner_all);
    return path;
}

/// Changes the current folder for one test.
class CurrentFolder {
public:
    explicit CurrentFolder(const fs::path& path) : m_before(fs::current_path()) {
        fs::current_path(path);
    }
    ~CurrentFolder() { fs::current_path(m_before); }
    CurrentFolder(const CurrentFolder&) = delete;
    CurrentFolder& operator=(const CurrentFolder&) = delete;

private:
    fs::path m_before;
};

}  // namespace

TEST_CASE("programs are found in PATH, in its order, and only files that may be run") {
    const test::TemporaryFolder folder;
    test::Environment environment;
    fs::create_directories(folder.file("first/tool"));  // a folder is not a program
    makeFile(folder.file("second/tool"), false);
    const fs::path third = makeFile(folder.file("third/tool"), true);
    const fs::path fourth = makeFile(folder.file("fourth/tool"), true);
    const auto in = [&](const char* name) { return folder.file(name).string(); };

    const std::string path =
        in("first") + ":" + in("second") + ":" + in("third") + ":" + in("fourth");
    environment.set("PATH", path.c_str());
    CHECK(findProgram("tool") == third);
    CHECK(findProgram("no-such-tool").empty());
    environment.set("PATH", in("fourth").c_str());
    CHECK(findProgram("tool") == fourth);
    CHECK(isProgram(third));
    CHECK_FALSE(isProgram(folder.file("first/tool")));
    CHECK_FALSE(isProgram(folder.file("second/tool")));
    CHECK_FALSE(isProgram(folder.file("fifth/tool")));
}

TEST_CASE("nothing is run from the current folder because PATH has an entry for it") {
    const test::TemporaryFolder folder;
    test::Environment environment;
    makeFile(folder.file("tool"), true);
    makeFile(folder.file("bin/tool"), true);
    const CurrentFolder here(folder.path());
    for (const char* path : {"", ":", "::", "/nowhere:", ":/nowhere", "/nowhere::/nowhere", ".",
                             "./", "bin", "./bin:/nowhere", "/nowhere:bin/"}) {
        INFO(path);
        environment.set("PATH", path);
        CHECK(findProgram("tool").empty());
    }
    environment.set("PATH", nullptr);
    CHECK(findProgram("tool").empty());
}
