// SPDX-License-Identifier: Apache-2.0
// Roofs of tensor cores by the die, by the board, or not at all.
#include <optional>
#include <string>

#include "analyzer/counters/chip_sums.h"
#include "analyzer/counters/counter_names.h"
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

TEST_CASE("FP64 of a board is not that of its die, unless the board is known") {
    const auto fp64Of = [](const std::string& name) {
        Profile profile;
        Device& gpu = profile.devices.emplace_back();
        gpu.name = name;
        gpu.chip = "GH100";
        gpu.computeMajor = 9;
        gpu.smCount = 78;
        gpu.smClockMax = Hertz{1.98e9};
        gpu.peaks[std::string(counter::kFp64Peak)] = 78 * 64;
        gpu.peaks[std::string(counter::kFp32Peak)] = 78 * 128;
        const auto chip = chipTable(gpu);
        for (const Roof& roof : theoreticalRoofs(profile, 0, &*chip, {}))
            if (roof.precision == Arithmetic(Precision::Fp64) && roof.kind == Roof::Kind::Compute)
                return std::optional(roof);
        return std::optional<Roof>();
    };
    const auto cut = fp64Of("NVIDIA H20");
    REQUIRE(cut);
    CHECK(cut->rate == Approx(1e12));  // not 78 · 128 · 1.98 GHz = 19.8 TFLOP/s
    CHECK_FALSE(cut->unverified);
    CHECK_FALSE(fp64Of("NVIDIA H20 MIG 1g.12gb"));
    CHECK(fp64Of("NVIDIA H200")->rate == Approx(78 * 128 * 1.98e9));
    CHECK_FALSE(fp64Of("NVIDIA H200")->unverified);
    CHECK(fp64Of("NVIDIA H800")->unverified);
    CHECK(fp64Of("NVIDIA H800")->how.find("unverified for this board") != std::string::npos);
}

TEST_CASE("the DRAM roof follows from the width of the memory bus and the clock") {
    Profile profile;
    Device& gpu = profile.devices.emplace_back();
    gpu.name = "NVIDIA GeForce RTX 2060 SUPER";
    gpu.computeMajor = 7;
    gpu.computeMinor = 5;
    gpu.memoryClockMax = Hertz{7.001e9};
    gpu.peaks["device__attribute_global_memory_bus_width"] = 256;
    const auto chip = chipTable(gpu);
    REQUIRE(chip.ok());
    const auto roofs = theoreticalRoofs(profile, 0, &*chip, {});
    REQUIRE(roofs.size() == 1);
    CHECK(roofs[0].rate == Approx(448.064e9));
    CHECK(roofs[0].how.find("width of the memory bus") != std::string::npos);
    // CUPTI's own peak is better.
    gpu.peaks["dram__bytes.sum.peak_sustained"] = 60;
    CHECK(theoreticalRoofs(profile, 0, &*chip, {})[0].rate == Approx(60 * 7.001e9));
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
