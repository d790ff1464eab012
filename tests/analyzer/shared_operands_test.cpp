// SPDX-License-Identifier: Apache-2.0
// The rule shared-operands, on the bundled matrix product that keeps its tiles in shared memory and
// computes one result per thread.
#include <cmath>
#include <memory>
#include <string>

#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

/// matmul/tiled_shared with one counter changed in all its launches.
KernelAnalysis tiled(const char* counter = nullptr, double value = 0) {
    Profile profile = sample("h200_bundled");
    if (counter)
        for (std::size_t row = 0; row < profile.launches.size(); ++row)
            if (profile.kernels[profile.launches[row].kernel].name.find("matmulTiledShared") !=
                std::string::npos)
                profile.counters.set(counter, row, value);
    for (auto& kernel : analyze(std::make_shared<const Profile>(std::move(profile))).kernels)
        if (kernel.range.starts_with("matmul/tiled_shared/")) return kernel;
    FAIL("no such kernel");
    throw;
}

constexpr const char* kSharedOperands = "shared-operands";
constexpr double kCube = 4096.0 * 4096 * 4096;

}  // namespace

TEST_CASE("shared-operands names a product with one result per thread, and how much it may win") {
    const KernelAnalysis kernel = tiled();
    const Finding* const finding = find(kernel, kSharedOperands);
    REQUIRE(finding);
    CHECK(&kernel.findings.front() == finding);
    CHECK_FALSE(finding->minor);
    CHECK(finding->evidence[0].value == Approx(2.0).epsilon(0.001));
    CHECK(finding->expected[0].from == Approx(2 * kCube / 32).epsilon(0.001));
    // The gain of the next rung of the ladder (a tile of results per thread) is within the bound.
    const Profile profile = sample("h200_bundled");
    for (const auto& next : analyze(std::make_shared<const Profile>(profile)).kernels)
        if (next.range.starts_with("matmul/register_tiled_vec4/"))
            CHECK(kernel.quantities.duration.median - next.quantities.duration.median <
                  *finding->gain);
}

TEST_CASE("shared-operands does not fire where operands are few, new, or not what is waited for") {
    using namespace counter;
    // Hardly anything is read repeatedly: the bytes come from the L2.
    const KernelAnalysis fresh = tiled("lts__lts2xbar_cycles_active.sum", 4.8e9);
    CHECK_FALSE(find(fresh, kSharedOperands));
    CHECK_FALSE(isRuledOut(fresh, kSharedOperands));  // the pipe is busy nonetheless
    // Between two and four reads of each byte.
    CHECK(find(tiled("lts__lts2xbar_cycles_active.sum", 2.4e9), kSharedOperands));
    // A tile of results per thread: few loads.
    const KernelAnalysis few =
        tiled("sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 0.1 * kCube / 32);
    CHECK_FALSE(find(few, kSharedOperands));
    // The pipe has time to spare.
    CHECK_FALSE(find(tiled(std::string(kLsuPipe).c_str(), 40), kSharedOperands));
    for (const char* name :
         {"h200_bundled", "h200_torch_chain", "h200_torch_triton", "h200_triton_source",
          "h200_atomics", "h200_lightning_shapes", "h200_compare", "h200_torchrun"})
        for (const auto& kernel : analyze(std::make_shared<const Profile>(sample(name))).kernels) {
            INFO(name << ": " << kernel.name);
            if (!kernel.range.starts_with("matmul/tiled_shared/"))
                CHECK_FALSE(find(kernel, kSharedOperands));
        }
}

TEST_CASE("shared-operands also names loops of other arithmetic, such as shortest paths") {
    using namespace counter;
    const auto titleWith = [](std::string_view name, double value) {
        const KernelAnalysis kernel = tiled(std::string(name).c_str(), value);
        const Finding* const finding = find(kernel, kSharedOperands);
        if (finding) CHECK(unfilled(*finding).empty());
        return finding ? finding->title.in(Language::En) : std::string("none");
    };
    constexpr const char* kOther = "Inner loop bound by shared-memory bandwidth";
    CHECK(titleWith(kFp32Fma, kCube).empty());
    CHECK(titleWith(kFp32Fma, 0) == kOther);
    CHECK(titleWith(kFp32Add, kCube) == kOther);  // additions beside the multiply-adds
    // A few loads among many instructions; a sort, which stores what it loads; broadcast words.
    const auto otherwise = [&](std::string_view name, double value) {
        Profile profile = sample("h200_bundled");
        for (std::size_t row = 0; row < profile.launches.size(); ++row) {
            profile.counters.set(std::string(kFp32Fma).c_str(), row, 0);
            profile.counters.set(std::string(name).c_str(), row, value);
        }
        for (auto& kernel : analyze(std::make_shared<const Profile>(std::move(profile))).kernels)
            if (kernel.range.starts_with("matmul/tiled_shared/"))
                return find(kernel, kSharedOperands) != nullptr;
        return true;
    };
    CHECK_FALSE(otherwise(kWarpInstructions, 10 * kCube / 32));
    CHECK_FALSE(otherwise(kSharedStores, kCube / 32));
    CHECK_FALSE(otherwise(kSharedLoadBytes, 8 * 2 * kCube / 32));
}

TEST_CASE("shared-operands cannot tell without the bytes that shared loads ask for") {
    Profile profile = sample("h200_bundled");
    for (std::size_t row = 0; row < profile.launches.size(); ++row)
        profile.counters.set("smsp__sass_data_bytes_mem_shared_op_ld.sum", row, std::nan(""));
    std::size_t unknowns = 0;
    for (const auto& kernel : analyze(std::make_shared<const Profile>(std::move(profile))).kernels)
        if (kernel.range.starts_with("matmul/tiled_shared/")) {
            CHECK_FALSE(find(kernel, kSharedOperands));
            unknowns += unknown(kernel, kSharedOperands) != nullptr;
        }
    CHECK(unknowns == 1);
}

TEST_CASE("shared-operands names the loop of a long kernel by what the hardware counts") {
    using namespace counter;
    // Neither bytes nor operations are read of a kernel that instrumentation would make too slow.
    const auto titleWith = [](std::string_view changed, double times) {
        Profile profile = sample("h200_bundled");
        for (std::size_t row = 0; row < profile.launches.size(); ++row) {
            for (const auto name : {kSharedLoadBytes, kSharedStoreBytes, kFp32Add, kFp32Mul,
                                    kFp32Fma, kWidth32, kWidth64, kWidth128})
                profile.counters.set(std::string(name).c_str(), row, std::nan(""));
            const std::string name(changed);
            if (!name.empty())
                profile.counters.set(name.c_str(), row,
                                     times * profile.counters.value(name, row).value_or(0));
        }
        for (auto& kernel : analyze(std::make_shared<const Profile>(std::move(profile))).kernels)
            if (kernel.range.starts_with("matmul/tiled_shared/")) {
                const Finding* const finding = find(kernel, kSharedOperands);
                if (!finding) return std::string("none");
                CHECK(unfilled(*finding).empty());
                CHECK(finding->evidence.size() == 2);  // how often a byte is read is not known
                return finding->title.in(Language::En);
            }
        return std::string("no such kernel");
    };
    CHECK(titleWith("", 1) == "Inner loop bound by shared-memory bandwidth");
    CHECK(titleWith(kSharedStores, 20) == "none");         // as much is stored as loaded
    CHECK(titleWith(kSharedLoadWavefronts, 2) == "none");  // wide loads, or conflicts
    CHECK(titleWith(kWarpInstructions, 4) == "none");      // few of the instructions are loads
    CHECK(titleWith(kLsuPipe, 0.5) == "none");
    CHECK(titleWith(kSharedStores, 0) == "none");  // brought by asynchronous copies
}
