// SPDX-License-Identifier: Apache-2.0
#include "analyzer/roofline/measured_roofs.h"

#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

constexpr double kRoof = 1504 * 3.2e9;  // B/s: the theoretical DRAM roof of the test device
constexpr double kRoofMicroseconds = 100;

Ceiling bandwidth(const char* name, double rate) {
    return {.name = name, .kind = Ceiling::Kind::Bandwidth, .burst = rate};
}

/// The test device with measured roofs far below those of an H200, so that a mix-up shows.
Device measuredDevice() {
    Device device = testDevice();
    device.ceilings = {bandwidth("dram_read", 0.80 * kRoof),
                       bandwidth("dram_write", 0.60 * kRoof),
                       bandwidth("dram_copy", 0.50 * kRoof),
                       bandwidth("dram_triad", 0.55 * kRoof),
                       bandwidth("l2_read", 5e12),
                       {.name = "fp32", .kind = Ceiling::Kind::Compute, .burst = 6e13},
                       {.name = "tensor_bf16", .kind = Ceiling::Kind::Compute, .burst = 8e14}};
    return device;
}

/// A kernel that reads and writes these shares of the theoretical roof.
KernelAnalysis moving(const Device& device, double read, double write) {
    SyntheticProfile p(device);
    const double bytes = kRoof * kRoofMicroseconds * 1e-6;
    idle(p, "k", {2112, 1, 1}, {256, 1, 1}, kRoofMicroseconds)
        .set("dram__bytes_read.sum", read * bytes)
        .set("dram__bytes_write.sum", write * bytes);
    return analyzeOne(p);
}

}  // namespace

TEST_CASE("a kernel is judged against the measured ceiling of its own mix") {
    const Device device = measuredDevice();
    // Reads only: read roof. Writes only: write. Half and half: copy. Two to one: triad.
    CHECK(moving(device, 0.72, 0).verdict.utilisation->value == Approx(0.72 / 0.80));
    CHECK(moving(device, 0, 0.48).verdict.utilisation->value == Approx(0.48 / 0.60));
    CHECK(moving(device, 0.20, 0.20).verdict.utilisation->value == Approx(0.40 / 0.50));
    CHECK(moving(device, 0.34, 0.17).verdict.utilisation->value == Approx(0.51 / 0.55));
    // In between: one read to three writes, three reads to one write.
    CHECK(moving(device, 0.10, 0.30).verdict.utilisation->value == Approx(0.40 / 0.55));
    CHECK(moving(device, 0.45, 0.15).verdict.utilisation->value == Approx(0.60 / 0.6125));
    Device noTriad = device;
    std::erase_if(noTriad.ceilings, [](const Ceiling& c) { return c.name == "dram_triad"; });
    CHECK(moving(noTriad, 0.45, 0.15).verdict.utilisation->value == Approx(0.60 / 0.65));

    const auto copy = moving(device, 0.20, 0.20);
    CHECK(copy.verdict.cls == VerdictClass::NearRoof);
    REQUIRE(copy.verdict.reason.leading);
    CHECK(copy.verdict.reason.leading->measured);
    CHECK(copy.verdict.reason.leading->ofRoof.value == Approx(0.40));
    CHECK(copy.verdict.reason.leading->busy.value == Approx(0.80));
    CHECK(copy.verdict.headroom->value == Approx(20e-6));
    CHECK(copy.quantities.dramAttainable.how.find("measured on this GPU") != std::string::npos);
}

TEST_CASE("without measured ceilings, or with some missing, an H200's shares are used") {
    for (const char* lacking : {"dram_read", "dram_write", "dram_copy", "all"}) {
        INFO(lacking);
        Device device = measuredDevice();
        std::erase_if(device.ceilings, [&](const Ceiling& c) {
            return c.name == lacking || lacking == std::string("all");
        });
        const auto copy = moving(device, 0.40, 0.40);
        CHECK(copy.verdict.utilisation->value == Approx(0.80 / 0.885));
        CHECK_FALSE(copy.verdict.reason.leading->measured);
        CHECK(copy.quantities.dramAttainable.how.find("H200") != std::string::npos);
    }
}

TEST_CASE("measured roofs stand beside the theoretical ones") {
    SyntheticProfile p(measuredDevice());
    idle(p, "k", {2112, 1, 1}, {256, 1, 1}, kRoofMicroseconds);
    const Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
    const auto rate = [&](bool measured, Roof::Kind kind, Level level, Precision precision) {
        double found = 0;
        for (const Roof& roof : analysis.roofs)
            if (roof.measured == measured && roof.kind == kind &&
                (kind == Roof::Kind::Bandwidth ? roof.level == level : roof.precision == precision))
                found = roof.rate;
        return found;
    };
    const auto slope = [&](bool measured, Level level) {
        return rate(measured, Roof::Kind::Bandwidth, level, {});
    };
    CHECK(slope(false, Level::Dram) == Approx(kRoof));
    CHECK(slope(true, Level::Dram) == Approx(0.80 * kRoof));  // no mix lies above it
    CHECK(slope(true, Level::L2) == Approx(5e12));
    CHECK(slope(true, Level::L1) == 0);  // not measured: no line
    CHECK(rate(true, Roof::Kind::Compute, {}, Precision::Fp32) == Approx(6e13));
    CHECK(rate(true, Roof::Kind::Compute, {}, Precision::Fp64) == 0);
}

TEST_CASE("a ceiling of the wrong kind is no roof") {
    SyntheticProfile p(testDevice());
    p.profile().devices[0].ceilings = {
        bandwidth("fp32", 1e12),
        {.name = "l2_read", .kind = Ceiling::Kind::Compute, .burst = 1e12}};
    CHECK(measuredRoofs(p.build(), 0).empty());
}

TEST_CASE("each device has its own measured roofs") {
    SyntheticProfile p(testDevice());
    const auto second = p.addDevice(measuredDevice());
    CHECK(measuredRoofs(p.build(), 0).empty());
    const auto roofs = measuredRoofs(p.build(), second);
    REQUIRE(roofs.size() == 3);
    for (const Roof& roof : roofs) CHECK(roof.device == second);
}
