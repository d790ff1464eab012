// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <string>

#include "tests/support/catch.h"

namespace {

/// What worker_program.cpp prints.
std::string worker(const std::string& how) {
    std::string text;
    FILE* const program = popen((ROOFSCOPE_WORKER_PROGRAM " " + how).c_str(), "r");
    REQUIRE(program);
    for (int c = std::fgetc(program); c != EOF; c = std::fgetc(program))
        text += static_cast<char>(c);
    pclose(program);
    return text;
}

}  // namespace

TEST_CASE("a worker's messages and its end are seen, however it ends") {
    CHECK(worker("ends") == "code 5, sum 15\n");
    CHECK(worker("crashes") == "code -1, sum 15\n");
    const auto begun = std::chrono::steady_clock::now();
    CHECK(worker("hangs") == "code -1, sum 15\n");
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(10));
}

TEST_CASE(
    "a worker that finds an address taken is started again, and at last the address is told") {
    CHECK(worker("taken") ==
          "the address 0x1234 of the launch's memory could not be had in 40 processes; try again, "
          "or on another machine\n");
}
