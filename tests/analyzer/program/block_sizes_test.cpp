// SPDX-License-Identifier: Apache-2.0
// One kernel that does the same work in blocks of several sizes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

constexpr const char* kBlockSize = "block-size";

struct Shape {
    std::uint32_t blocks = 1024, threads = 32;
    double us = 70, loaded = 50e6, stored = 50e6, fmas = 25e6;
    const char* kernel = "normalize(float const*, float*)";
};

/// A program that launches these shapes in turn.
Program launching(const std::vector<Shape>& shapes) {
    Profile profile = repeated([&](SyntheticProgram& p) {
        for (const Shape& shape : shapes) p.launch(shape.kernel, shape.us);
        p.sync();
    });
    // The first launch comes before the steps.
    for (std::size_t row = 1; row < profile.launches.size(); ++row) {
        const Shape& shape = shapes[(row - 1) % shapes.size()];
        profile.launches[row].grid = {shape.blocks, 1, 1};
        profile.launches[row].block = {shape.threads, 1, 1};
        const auto at = static_cast<std::uint32_t>(row);
        const auto set = [&](std::string_view counter, double value) {
            profile.counters.set(counter, at, value);
        };
        set(counter::kGlobalLoadBytes, shape.loaded);
        set(counter::kGlobalLoadSectors, shape.loaded / 32);
        set(counter::kGlobalLoads, shape.loaded / 128);
        set(counter::kAsyncCopies, 0);
        for (const auto name : {counter::kFp32Add, counter::kFp32Mul}) set(name, 0);
        set(counter::kFp32Fma, shape.fmas);
        set(counter::kGlobalStoreBytes, shape.stored);
        set(counter::kGlobalStoreSectors, shape.stored / 32);
        set(counter::kGlobalStores, shape.stored / 128);
    }
    return judged(profile);
}

}  // namespace

TEST_CASE("the same work in slower blocks is told which blocks are faster") {
    const Program program = launching(
        {{.threads = 32, .us = 70}, {.threads = 256, .us = 40}, {.threads = 512, .us = 43}});
    const Action& action = actionOf(program, kBlockSize);
    // 512 threads are too little slower than 256.
    CHECK(action.bound.value * 1e6 == Approx(30).epsilon(0.01));
    CHECK(argument(action, "block") == 32);
    CHECK(argument(action, "better") == 256);
    CHECK(argument(action, "slow") * 1e6 == Approx(70));
    CHECK(action.estimate);
    CHECK(action.kernels.size() == 1);
}

TEST_CASE("other work, the same blocks and short launches say nothing about block sizes") {
    const Shape fast{.threads = 256, .us = 40};
    CHECK(says(launching({{}, fast}), kBlockSize));
    CHECK_FALSE(says(launching({{.stored = 60e6}, fast}), kBlockSize));
    CHECK_FALSE(says(launching({{.loaded = 80e6}, fast}), kBlockSize));
    CHECK_FALSE(
        says(launching({{.stored = 0}, {.threads = 256, .us = 40, .stored = 0}}), kBlockSize));
    CHECK_FALSE(says(launching({{.blocks = 2048}, {.blocks = 1024, .us = 40}}), kBlockSize));
    CHECK_FALSE(says(launching({{.kernel = "other(float const*, float*)"}, fast}), kBlockSize));
    CHECK_FALSE(says(launching({{.us = 4}, {.threads = 256, .us = 2}}), kBlockSize));
    CHECK_FALSE(says(launching({{.us = 42}, fast}), kBlockSize));
}

TEST_CASE("what operations take that only slower blocks need is no gain of the block size") {
    const auto gain = [](double fmas) {
        const Program program = launching({{.fmas = fmas}, {.threads = 256, .us = 40}});
        return says(program, kBlockSize) ? actionOf(program, kBlockSize).bound.value * 1e6 : 0;
    };
    CHECK(gain(25e6) == Approx(30).epsilon(0.01));
    CHECK(gain(31.25e6) == Approx(70 * 0.8 - 40).epsilon(0.01));
    CHECK(gain(50e6) == 0);
    CHECK(gain(10e6) == Approx(30).epsilon(0.01));
}
