// SPDX-License-Identifier: Apache-2.0
#include "profile/errors/input_error.h"

#include <cerrno>

#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("an input that cannot be opened: refused by the system, missing, or something else") {
    for (const int number : {EACCES, EPERM}) {
        const Error error = cannotOpenInput("a.json", number);
        CHECK(error.code == ErrorCode::NoPermission);
        CHECK(error.message() == "a.json: no permission to read this file");
    }
    CHECK(cannotOpenInput("a.json", ENOENT).message() == "a.json: no such file");
    CHECK(cannotOpenInput("a.json", EISDIR).code == ErrorCode::NoInput);
    CHECK(cannotOpenInput(".", EISDIR).message() == ".: cannot be opened: Is a directory");
}
