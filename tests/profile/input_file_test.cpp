// SPDX-License-Identifier: Apache-2.0
#include "profile/files/input_file.h"

#include <sys/stat.h>

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

TEST_CASE("an input is read up to its limit and one byte more") {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("text")) << "12345";
    for (const auto& [most, expected] :
         {std::pair{9, "12345"}, {5, "12345"}, {4, "12345"}, {3, "1234"}, {0, "1"}}) {
        const auto text = readInput(folder.file("text"), static_cast<std::size_t>(most));
        REQUIRE(text.ok());
        CHECK(*text == expected);
    }
}

TEST_CASE("what cannot be read is an error, and never a hang") {
    const test::TemporaryFolder folder;
    const auto code = [&](const std::filesystem::path& path) {
        const auto text = readInput(path, 9, 50);
        REQUIRE_FALSE(text.ok());
        CHECK(text.error().where == path.string());
        return text.error().code;
    };
    CHECK(code(folder.file("missing")) == ErrorCode::NoInput);
    CHECK(code(folder.path()) == ErrorCode::NoInput);
    const auto pipe = folder.file("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(code(pipe) == ErrorCode::NoInput);  // nobody writes to it
#ifdef __linux__
    CHECK(code("/proc/self/mem") == ErrorCode::Io);
#endif
}
