// SPDX-License-Identifier: Apache-2.0
// Kernel ids: stable across recordings and unique.
#include "reports/kernels/kernel_id.h"

#include <algorithm>
#include <set>

#include "profile/names/name_pattern.h"
#include "reports/profile/ask_command.h"
#include "reports/report.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using test::recorded;

TEST_CASE("ids are those that Python gave before") {
    // From docs/assistants.md.
    CHECK(kernelIds(recorded("h200_source")) ==
          std::vector<std::string>{"k1e8913", "kb9c3bd", "k0195d3"});
}

TEST_CASE("every kernel of every recording is found by its id alone") {
    for (const std::string& path : test::allRecordings()) {
        const Analysis analysis = test::analysisIn(path);
        const std::vector<std::string> ids = kernelIds(analysis);
        CAPTURE(path);
        CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == ids.size());
        for (std::size_t i = 0; i < ids.size(); ++i) {
            CHECK(isKernelId(ids[i]));
            const auto found = matchingKernels(analysis, ids[i]);
            REQUIRE(found.ok());
            CHECK(*found == std::vector{i});
        }
    }
}

TEST_CASE("an id whose shape changed leads to all shapes of its kernel") {
    test::SyntheticProfile p;
    const auto kernel = p.kernel("k(float*)", 32);
    for (const std::uint32_t blocks : {64u, 128u}) p.launch(kernel, {blocks, 1, 1}, {256, 1, 1});
    p.launch(p.kernel("k2(float*)", 32), {64, 1, 1}, {256, 1, 1});
    const Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
    const std::string id = kernelIds(analysis)[0];
    REQUIRE(id.size() == 12);
    CHECK(kernelsOfId(analysis, id).size() == 1);
    CHECK(kernelsOfId(analysis, id.substr(0, 8) + "0000").size() == 2);
    CHECK(kernelsOfId(analysis, "k000000").empty());
    for (const char* other : {"", "k", "kernel1", "k12345g", "k123456-", "k123456-12", "K123456"})
        CHECK_FALSE(isKernelId(other));
}

TEST_CASE("thousands of kernels that are alike get ids that stay short") {
    test::SyntheticProfile p;
    constexpr std::size_t kKernels = 3000;
    for (std::size_t i = 0; i < kKernels; ++i) {
        const auto kernel = p.kernel("same(int)", 32);
        p.profile().kernels[kernel].symbol = "s" + std::to_string(i);
        p.launch(kernel, {64, 1, 1}, {256, 1, 1});
    }
    const Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
    REQUIRE(analysis.kernels.size() == kKernels);
    const std::vector<std::string> ids = kernelIds(analysis);
    CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == kKernels);
    CHECK(ids[1] == ids[0] + "x");
    CHECK(ids[2] == ids[0] + "xx");
    CHECK(ids[100] == ids[0] + "x100");
    for (const std::string& id : ids) {
        CHECK(isKernelId(id));
        CHECK(id.size() <= 20);
    }
    CHECK(kernelsOfId(analysis, ids[100]) == std::vector<std::size_t>{100});
    CHECK_FALSE(isKernelId(ids[0] + "x1y"));
}

TEST_CASE("a pattern finds its function and no neighbour") {
    for (const std::string& path : test::allRecordings()) {
        const Profile profile = test::profileIn(path);
        std::set<std::string> names;
        for (const Kernel& kernel : profile.kernels) names.insert(kernel.name);
        for (const std::string& name : names) {
            const std::string expression = exactPattern(name);
            if (expression.empty()) continue;
            const auto pattern = NamePattern::compile(expression);
            CAPTURE(path, name, expression);
            REQUIRE(pattern.ok());
            CHECK(pattern->matchesKernel(name));
            CHECK(std::ranges::count_if(
                      names, [&](const std::string& n) { return pattern->matchesKernel(n); }) == 1);
        }
    }
    CHECK(exactPattern("void ns::gemm<float, 4>(float const*)") == "\\bgemm<float, 4>\\(");
    CHECK(exactPattern("_matmul") == "\\b_matmul$");
    CHECK(exactPattern("<lambda>").empty());
    const std::string tags = "[abi:v1][abi:cw51cXTLSUwv1sDUaKthqaNg]";
    CHECK(exactPattern("__main__::mm" + tags + "(double)") == "^mm\\(float64\\)$");
    std::string many = "double";
    for (int i = 0; i < 30; ++i) many += ", double";
    CHECK(exactPattern("m::f::_3clocals_3e::g" + tags + "(" + many + ")") ==
          "^f\\.<locals>\\.g\\(");
}

TEST_CASE("an id does not change with the options of Numba's compiler") {
    const auto idOf = [](const char* version, const char* type) {
        test::SyntheticProfile p;
        const std::string tags = std::string("[abi:") + version + "][abi:cw51cXTLSUwv1sDUaKth]";
        p.launch(p.kernel("__main__::k" + tags + "(" + type + ")", 32), {8, 1, 1}, {256, 1, 1});
        return kernelIds(analyze(std::make_shared<const Profile>(p.build())))[0];
    };
    CHECK(idOf("v1", "int") == idOf("v2", "int"));
    CHECK(idOf("v1", "int") != idOf("v1", "float"));
}

TEST_CASE("the next command names the kernel by its id") {
    const Analysis& analysis = recorded("h200_source");
    const std::string ask = askCommand(analysis, 1, {.profilePath = "a.roofscope.json"});
    CHECK(ask.find("--source '\\btransposeTile<0>\\(' ") != std::string::npos);
    CHECK(ask.find(" --kernel kb9c3bd ") != std::string::npos);
}
