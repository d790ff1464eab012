// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/ranges/nvtx_stack.h"

#include "collector/inject/frameworks/frameworks.h"

#include "tests/support/catch.h"

using roofscope::inject::countedName;
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

TEST_CASE("names and what judge() says of them follow pushes and pops") {
    NvtxStack stack;
    int asked = 0;
    const auto inStep = [&] {
        return stack.judged([&](const std::vector<std::string>& names) {
            ++asked;
            return !names.empty() && names.front() == "step";
        });
    };
    CHECK_FALSE(inStep());
    stack.push(0, "step");
    stack.push(7, "layer");
    CHECK(inStep());
    CHECK(inStep());
    CHECK(asked == 2);
    CHECK(stack.names() == std::vector<std::string>{"step", "layer"});
    stack.pop(0);
    CHECK_FALSE(inStep());
    CHECK(stack.names() == std::vector<std::string>{"layer"});
    CHECK(stack.path() == "layer");
}

TEST_CASE("a range keeps its tag when others around it end") {
    NvtxStack stack;
    stack.push(0, "a");
    stack.tag(1);
    stack.push(7, "b");
    stack.tag(2);
    stack.push(0, "c");
    CHECK(stack.tagged() == 2);
    CHECK(stack.pop(7).tag == 2);
    CHECK(stack.tagged() == 1);
    CHECK(stack.pop(0).tag == 0);
    CHECK(stack.pop(0).tag == 1);
    CHECK(stack.path().empty());
}

TEST_CASE("a range of XLA has the same name in every run") {
    CHECK(countedName("XlaModule:#hlo_module=jit_step,program_id=5302#") ==
          "XlaModule:#hlo_module=jit_step#");
    CHECK(countedName("A:#program_id=1,hlo_op=fusion.2,program_id=03#") == "A:#hlo_op=fusion.2#");
    CHECK(countedName("A#program_id=7#") == "A##");
    for (const char* other :
         {"", "#", "step", "Xla", "Thunk:", "program_id=5", "x,program_id=5", "program_id=#",
          "A#my_program_id=5#", "A#program_id=5a#", "A#program_id=#B#"})
        CHECK(countedName(other) == other);
}

TEST_CASE("ranges of XLA's compiler and thunks count for nothing, and their pops are their own") {
    CHECK(countedName("XlaPass:#name=algsimp,module=jit_step#").empty());
    CHECK(countedName("Thunk:#hlo_op=command_buffer_1#").empty());
    NvtxStack stack;
    stack.push(0, "step");
    stack.push(7, "XlaModule:#hlo_module=jit_step#");
    stack.push(7, "");
    CHECK(stack.path() == "step > XlaModule:#hlo_module=jit_step#");
    stack.pop(7);
    CHECK(stack.path() == "step > XlaModule:#hlo_module=jit_step#");
    stack.pop(7);
    CHECK(stack.path() == "step");
}
