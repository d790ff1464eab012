// SPDX-License-Identifier: Apache-2.0
// Roofs of tensor cores by the die, by the board, or not at all.
#include <optional>
#include <string>

#include "analyzer/counters/chip_sums.h"
#include "analyzer/roofline/roofline.h"
#include "profile/chips/chip.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

struct GpuOfTest {
    std::string name;
    std::string chip;
    int major = 9, minor = 0;
    std::uint32_t sms = 132;
    std::optional<Hertz> clock = Hertz{1.98e9};
};

/// The theoretical roof of a tensor type; absent if there is none.
std::optional<Roof> roofOf(const GpuOfTest& gpu, TensorType type = TensorType::Bf16) {
    Profile profile;
    profile.devices.push_back({.name = gpu.name,
                               .chip = gpu.chip,
                               .computeMajor = gpu.major,
                               .computeMinor = gpu.minor,
                               .smCount = gpu.sms,
                               .smClockMax = gpu.clock});
    PerTensorType<bool> wanted;
    wanted[type] = true;
    const auto chip = chipTable(profile.devices[0]);
    for (const Roof& roof : theoreticalRoofs(profile, 0, chip ? &*chip : nullptr, wanted))
        if (roof.precision == Arithmetic(type)) return roof;
    return std::nullopt;
}

}  // namespace

TEST_CASE("the die's rate and the clock give the roof of a board that has all of it") {
    const auto roof = roofOf({"NVIDIA H100 80GB HBM3", "GH100"});
    REQUIRE(roof);
    CHECK(roof->rate == Approx(132.0 * 4096 * 1.98e9));
    CHECK(roof->how.find("unverified") == std::string::npos);
    // Of a board that no table has, nobody knows whether it is cut down.
    const auto unknown = roofOf({"NVIDIA H800", "GH100"});
    REQUIRE(unknown);
    CHECK(unknown->rate == Approx(132.0 * 4096 * 1.98e9));
    CHECK(unknown->how.find("unverified for this board") != std::string::npos);
}

TEST_CASE("a board that does less than its die has its own roof") {
    const auto roof = roofOf({.name = "NVIDIA H20", .chip = "GH100", .sms = 78});
    REQUIRE(roof);
    CHECK(roof->rate == 148e12);  // not 78 · 4096 · 1.98 GHz = 633 TFLOP/s
    CHECK_FALSE(roofOf({.name = "NVIDIA H20", .chip = "GH100", .sms = 78}, TensorType::Fp64));
    CHECK_FALSE(roofOf({.name = "NVIDIA H20 MIG 1g.12gb", .chip = "GH100", .sms = 10}));
    // Shares of the die's roof are missing.
    const auto chip = chipTable("GH100", 9, 0);
    REQUIRE(chip);
    Device h20{.name = "NVIDIA H20", .smCount = 78};
    CHECK_FALSE(peakRate(&*chip, h20, "tensor_bf16").ok());
    h20.name = "NVIDIA H200";
    CHECK(peakRate(&*chip, h20, "tensor_bf16").ok());
}

TEST_CASE("a MIG slice has the roof of its own SMs") {
    const auto roof = roofOf({.name = "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
                              .chip = "GA100",
                              .major = 8,
                              .sms = 14,
                              .clock = Hertz{1.41e9}});
    REQUIRE(roof);
    CHECK(roof->rate == Approx(14.0 * 2048 * 1.41e9));
}

TEST_CASE("where the die's rate or the clock is not known, the board's figure is the roof") {
    const auto b200 = roofOf({"NVIDIA B200", "GB100", 10, 0, 148});
    REQUIRE(b200);
    CHECK(b200->rate == 2250e12);
    CHECK_FALSE(b200->measured);
    CHECK(b200->how == "public figure for dense products of NVIDIA B200");
    // A trace has no clock.
    const auto trace = roofOf({"NVIDIA H100 80GB HBM3", "", 9, 0, 132, std::nullopt});
    REQUIRE(trace);
    CHECK(trace->rate == 989.4e12);
    CHECK_FALSE(roofOf({"NVIDIA H900", "", 9, 0, 132, std::nullopt}));
    CHECK_FALSE(roofOf({"NVIDIA GB10", "GB20B", 12, 1, 48}));
    CHECK(roofOf({"NVIDIA GB10", "GB20B", 12, 1, 48}, TensorType::Fp4)->rate == 500e12);
}
