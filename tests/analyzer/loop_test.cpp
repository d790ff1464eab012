// SPDX-License-Identifier: Apache-2.0
#include "analyzer/honesty/loop.h"

#include <algorithm>
#include <memory>

#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::honesty;
using roofscope::test::SyntheticProfile;

namespace {

struct Loop {
    double microseconds = 6, dramRead = 0, written = 8e6;
    double first = 6;  ///< µs of the first of 40 launches
    bool bulk = true;
    double bulkWritten = 0;
    std::uint32_t blocks = 1024;
    double lowestGHz = 0;  ///< of the SM clock while launches were timed; 0: not observed
};

Analysis recorded(const Loop& loop) {
    SyntheticProfile p;
    constexpr int kLaunches = 40;
    const std::uint32_t kernel = p.kernel("copy");
    for (int i = 0; i < kLaunches; ++i) {
        auto launch = p.launch(kernel, {loop.blocks, 1, 1}, {256, 1, 1});
        launch.durationUs(i < 4 ? loop.first : loop.microseconds)
            .counterDurationUs(loop.microseconds)
            .set("dram__bytes_read.sum", loop.dramRead)
            .set("dram__bytes_write.sum", 0)
            .set("smsp__sass_data_bytes_mem_global.sum", 8e6 + loop.written)
            .set("smsp__sass_data_bytes_mem_global_op_ld.sum", 8e6)
            .set("smsp__sass_inst_executed_op_ldgsts.sum", 0);
        if (loop.bulk) launch.set("l1tex__m_l1tex2xbar_write_bytes_pipe_tma.sum", loop.bulkWritten);
    }
    Profile profile = p.build();
    if (loop.lowestGHz > 0)
        profile.devices[0].observed =
            ObservedClocks{.samples = 3, .smLowest = Hertz{loop.lowestGHz * 1e9}};
    return analyze(std::make_shared<const Profile>(std::move(profile)));
}

LoopKernel judged(const Loop& loop, const Loop& cold = {.microseconds = 6, .dramRead = 0},
                  const Loop* program = nullptr) {
    const Analysis inPlace = recorded(loop), flushed = recorded(cold);
    std::optional<Analysis> real;
    if (program) real = recorded(*program);
    const auto kernels =
        judgeLoop({.inPlace = &inPlace, .flushed = &flushed, .program = real ? &*real : nullptr});
    REQUIRE(kernels.size() == 1);
    return kernels.front();
}

bool says(const LoopKernel& kernel, LoopFault fault) {
    return std::ranges::find(kernel.findings, fault, &LoopFinding::fault) != kernel.findings.end();
}

}  // namespace

TEST_CASE("loop: data that stay in the L2, with the factor and the bytes") {
    const LoopKernel kernel = judged({}, {.microseconds = 9, .dramRead = 8e6, .first = 9});
    REQUIRE(says(kernel, LoopFault::WarmCache));
    CHECK(*kernel.optimism == Approx(1.5));
    CHECK(kernel.findings.size() == 1);
    // Equally long with cold data: the warm cache does not matter.
    CHECK_FALSE(says(judged({}, {.microseconds = 6.2, .dramRead = 8e6, .first = 6.2}),
                     LoopFault::WarmCache));
    // It takes longer, but not because of the DRAM.
    CHECK_FALSE(
        says(judged({}, {.microseconds = 9, .dramRead = 0, .first = 9}), LoopFault::WarmCache));
    CHECK(judged({}).findings.empty());
}

TEST_CASE("loop: beside the program, which another shape of the same kernel stands for") {
    const Loop cold{.microseconds = 9, .dramRead = 8e6, .first = 9};
    const Loop program{.microseconds = 12, .dramRead = 8e6, .first = 12, .blocks = 2048};
    const LoopKernel kernel = judged({}, cold, &program);
    CHECK(*kernel.optimism == Approx(2));
    CHECK(says(kernel, LoopFault::OtherInputs));
    const Loop alike{.microseconds = 6.1, .first = 6.1};
    CHECK_FALSE(says(judged({}, {}, &alike), LoopFault::OtherInputs));
}

TEST_CASE("loop: clocks that are lower where the kernel takes longer") {
    const Loop cool{.lowestGHz = 1.98}, hot{.microseconds = 8, .first = 8, .lowestGHz = 1.4};
    CHECK(says(judged(cool, {}, &hot), LoopFault::OtherClocks));
    // Longer at a higher clock, equally long at a lower one, or at an unknown clock.
    const Loop slower{.microseconds = 8, .first = 8, .lowestGHz = 1.98};
    CHECK_FALSE(says(judged({.lowestGHz = 1.4}, {}, &slower), LoopFault::OtherClocks));
    const Loop alike{.lowestGHz = 1.4};
    CHECK_FALSE(says(judged(cool, {}, &alike), LoopFault::OtherClocks));
    CHECK_FALSE(says(judged({}, {}, &hot), LoopFault::OtherClocks));
}

TEST_CASE("loop: first launches that take longer") {
    CHECK(says(judged({.first = 12}), LoopFault::FirstLaunches));
    CHECK_FALSE(says(judged({.first = 6.2}), LoopFault::FirstLaunches));
}

TEST_CASE("loop: a kernel that writes nothing, as far as that is known") {
    const Loop silent{.written = 0};
    CHECK(says(judged(silent, silent), LoopFault::NoResult));
    const Loop byBulkCopies{.written = 0, .bulkWritten = 8e6};
    CHECK_FALSE(says(judged(byBulkCopies, byBulkCopies), LoopFault::NoResult));
    const Loop unknown{.written = 0, .bulk = false};
    const LoopKernel kernel = judged(unknown, unknown);
    CHECK_FALSE(says(kernel, LoopFault::NoResult));
    CHECK_FALSE(kernel.unknown.empty());
}
