// SPDX-License-Identifier: Apache-2.0
// What can be tested of the probes without a GPU.
#include <set>

#include "kernels/ceilings/clock_watch.h"
#include "kernels/ceilings/probe.h"
#include "kernels/ceilings/theoretical.h"
#include "profile/chips/chip.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::kernels;

namespace {

ProbeGpu h200() {
    return {.name = "NVIDIA H200",
            .uuid = "GPU-0",
            .computeCapability = 90,
            .smCount = 132,
            .l2Bytes = 62914560,
            .memoryBytes = 150000000000,
            .freeBytes = 140000000000,
            .smClockMax = Hertz{1.98e9},
            .memoryClockMax = Hertz{3.201e9},
            .memoryBusBits = 6016};
}

const Probe& probe(std::string_view name) {
    for (const Probe* p : allProbes())
        if (p->name == name) return *p;
    FAIL("no probe " << name);
    return *allProbes().front();
}

}  // namespace

TEST_CASE("every probe has a name and a place of its own") {
    std::set<std::string_view> names;
    std::set<int> places;
    for (const Probe* p : allProbes()) {
        CHECK(names.insert(p->name).second);
        CHECK(places.insert(p->order).second);
        CHECK_FALSE(p->summary.empty());
    }
    for (const char* needed :
         {"dram_read", "dram_write", "dram_copy", "dram_triad", "l2_read", "l1_read", "shared_read",
          "fp64", "fp32", "fp16", "tensor_fp16", "tensor_bf16", "tensor_tf32", "tensor_fp8",
          "tensor_int8", "tensor_fp64"})
        CHECK(names.contains(needed));
}

TEST_CASE("every probe is in the table of what is measured") {
    const std::string text = test::readText(ROOFSCOPE_SOURCE_DIR "/docs/ceilings.md");
    for (const Probe* p : allProbes()) {
        INFO(p->name);
        CHECK(text.find("`" + std::string(p->name) + "`") != text.npos);
    }
}

TEST_CASE("theoretical values of an H200 are those of its data sheet") {
    const ProbeGpu gpu = h200();
    CHECK(*probe("dram_copy").theoretical(gpu) == Approx(4.814e12).epsilon(1e-3));
    CHECK(*probe("fp32").theoretical(gpu) == Approx(66.9e12).epsilon(1e-3));
    CHECK(*probe("fp64").theoretical(gpu) == Approx(33.5e12).epsilon(2e-3));
    CHECK(*probe("fp16").theoretical(gpu) == Approx(133.8e12).epsilon(1e-3));
    // 989 TFLOP/s is the value at 1.83 GHz.
    CHECK(*probe("tensor_bf16").theoretical(gpu) * 1.83 / 1.98 == Approx(989.4e12).epsilon(1e-3));
    CHECK(*probe("tensor_fp64").theoretical(gpu) == Approx(66.9e12).epsilon(1e-3));
    CHECK(*probe("shared_read").theoretical(gpu) == Approx(33.45e12).epsilon(1e-3));
    CHECK_FALSE(probe("l2_read").theoretical(gpu));
}

TEST_CASE("what is not known has no theoretical value") {
    ProbeGpu gpu = h200();
    gpu.smClockMax.reset();
    CHECK_FALSE(probe("fp32").theoretical(gpu));
    gpu = h200();
    gpu.memoryBusBits.reset();
    CHECK_FALSE(probe("dram_read").theoretical(gpu));
    gpu = h200();
    gpu.computeCapability = 123;
    for (const char* name : {"fp32", "tensor_bf16", "l1_read"})
        CHECK_FALSE(probe(name).theoretical(gpu));
}

TEST_CASE("tensor cores are measured only where the instructions reach their rate") {
    ProbeGpu gpu = h200();
    for (const int computeCapability : {75, 100, 103, 110, 123}) {  // 12.3: no table
        gpu.computeCapability = computeCapability;
        CHECK_FALSE(probe("tensor_bf16").refusal(gpu).empty());
        CHECK_FALSE(probe("tensor_fp64").refusal(gpu).empty());
        CHECK(probe("fp32").refusal(gpu).empty());
    }
    for (const int computeCapability : {80, 86, 89, 120}) {
        gpu.computeCapability = computeCapability;
        CHECK(probe("tensor_bf16").refusal(gpu).empty());
        CHECK(probe("tensor_fp8").refusal(gpu).empty() == (computeCapability >= 89));
        CHECK(probe("tensor_fp64").refusal(gpu).empty() == (computeCapability == 80));
    }
}

TEST_CASE("only what holds clocks back is called throttling") {
    CHECK(throttleWords(0).empty());
    CHECK(throttleWords(0x1 | 0x2 | 0x100).empty());  // idle, clocks set by the user
    CHECK(throttleWords(0x4) == "power cap");
    CHECK(throttleWords(0x4 | 0x20) == "power cap, thermal slowdown");
}

TEST_CASE("clocks that cannot be watched are not known, and it is said why") {
    ClockWatch clocks("GPU-00000000-0000-0000-0000-000000000000");
    REQUIRE_FALSE(clocks.whyNot().empty());
    clocks.start();
    const ClockReport report = clocks.stop();
    CHECK_FALSE(report.throttled);
    CHECK_FALSE(report.lowestSm);
}

TEST_CASE("only chips of one product have rates of tensor cores by the data sheet") {
    for (const std::string& chip : knownChips()) {
        const auto peaks = chipTable(chip).value().peaks;
        for (const auto& [name, peak] : peaks) {
            INFO(chip << " " << name);
            CHECK((peak.perSm > 0) == name.starts_with("tensor_"));
            if (peak.perSm > 0) CHECK((chip == "GA100" || chip == "GH100"));
        }
    }
}
