// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_stack.h"

#include "tests/support/catch.h"

using roofscope::inject::NvtxStack;

TEST_CASE("ranges nest and pop per domain") {
    NvtxStack stack;
    stack.push(0, "step");
    stack.push(7, "library");
    stack.push(0, "layer");
    CHECK(stack.path() == "step > library > layer");
    stack.pop(7);
    CHECK(stack.path() == "step > layer");
    stack.pop(0);
    CHECK(stack.path() == "step");
}

TEST_CASE("a pop without a push changes nothing") {
    NvtxStack stack;
    stack.pop(0);
    CHECK(stack.path().empty());
    stack.push(0, "a");
    stack.pop(3);
    CHECK(stack.path() == "a");
}

TEST_CASE("a hostile program cannot make the stack grow without bound") {
    NvtxStack stack;
    for (int i = 0; i < 100000; ++i) stack.push(0, std::string(10000, 'x'));
    CHECK(stack.path().size() < 300000);
}
