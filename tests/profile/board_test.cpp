// SPDX-License-Identifier: Apache-2.0
// What data sheets of boards say of tensor cores.
#include "profile/boards/board.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("a board is found by its whole name") {
    const Board* const h20 = findBoard("NVIDIA H20");
    REQUIRE(h20);
    CHECK(h20->cutDown);
    CHECK(h20->rates.at("tensor_bf16") == 148e12);
    const Board* const pcie = findBoard("NVIDIA H100 PCIe");
    REQUIRE(pcie);
    CHECK_FALSE(pcie->cutDown);
    CHECK(pcie->rates.at("tensor_bf16") == 756.5e12);
    // Names that only begin alike, or have a part of the board.
    for (const char* name :
         {"NVIDIA H200 NVL", "NVIDIA H20-3e", "NVIDIA GeForce RTX 4090 D",
          "NVIDIA GeForce RTX 4090 Laptop GPU", "H20", "", "NVIDIA A100-SXM4-40GB MIG 1g.5gb"})
        CHECK_FALSE(findBoard(name));
}

TEST_CASE("a slice of a board that does less than its die does less, too") {
    CHECK(isCutDown("NVIDIA H20"));
    CHECK(isCutDown("NVIDIA H20 MIG 1g.12gb"));
    CHECK_FALSE(isCutDown("NVIDIA H200"));
    CHECK_FALSE(isCutDown("NVIDIA H200 MIG 1g.18gb"));
    CHECK_FALSE(isCutDown("NVIDIA H20-3e"));
    CHECK_FALSE(isCutDown(""));
}

TEST_CASE("the table of boards is consistent and documented") {
    std::ifstream file(ROOFSCOPE_SOURCE_DIR "/docs/ceilings.md");
    std::stringstream docs;
    docs << file.rdbuf();
    const std::set<std::string> types{"fp64",        "tensor_fp64", "tensor_tf32", "tensor_bf16",
                                      "tensor_fp16", "tensor_fp8",  "tensor_int8", "tensor_fp4"};
    std::set<std::string> names;
    CHECK(knownBoards().size() >= 16);
    for (const Board& board : knownBoards()) {
        CHECK_FALSE(board.names.empty());
        CHECK_FALSE(board.rates.empty());
        for (const std::string& name : board.names) {
            INFO(name);
            CHECK(names.insert(name).second);
            CHECK(docs.str().find("`" + name + "`") != std::string::npos);
        }
        for (const auto& [type, rate] : board.rates) {
            INFO(board.names.front() << " " << type);
            CHECK(types.contains(type));
            CHECK(rate >= 1e12);
            CHECK(rate <= 20e15);
        }
        // Both 16-bit types have one rate, and half as wide a type is at least as fast.
        const auto of = [&](const char* type) {
            const auto found = board.rates.find(type);
            return found == board.rates.end() ? 0 : found->second;
        };
        if (of("tensor_bf16") > 0 && of("tensor_fp16") > 0)
            CHECK(of("tensor_bf16") == of("tensor_fp16"));
        if (of("tensor_fp8") > 0) CHECK(of("tensor_fp8") >= 1.9 * of("tensor_fp16"));
        if (of("tensor_tf32") > 0)
            CHECK(of("tensor_tf32") <= 0.51 * std::max(of("tensor_fp16"), of("tensor_int8")));
    }
}
