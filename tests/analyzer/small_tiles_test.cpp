// SPDX-License-Identifier: Apache-2.0
// Products whose tiles are too small for the tensor cores.
#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

/// 3.2 ms of a product as a Triton kernel with tiles of 32 × 32 takes them on an H200 (percent of
/// the pipes), with 37 MB from the DRAM for each 340 MB to the SMs.
struct Product {
    double tensor = 18, path = 66;
    double dramBytes = 370e6, l2Bytes = 3.4e9;
    std::string_view name = "product(__half const*, __half const*, float*)";
};

KernelAnalysis of(const Product& product) {
    SyntheticProfile p(testDevice());
    auto launch = idle(p, product.name, {16384, 1, 1}, {128, 1, 1}, 3200);
    launch.set(kTensorPipe, product.tensor).set(kLsuPipe, product.path);
    launch.set(kLsuWavefronts, 3e8).set(kL2ReadReturns, product.l2Bytes / 32);
    launch.set("dram__bytes_read.sum", product.dramBytes);
    return analyzeOne(p);
}

}  // namespace

TEST_CASE("small-tiles fires where operands take longer than the products of tensor cores") {
    const KernelAnalysis kernel = of({});
    const Finding* finding = find(kernel, "small-tiles");
    REQUIRE(finding);
    CHECK(finding == &kernel.findings.front());
    CHECK(finding->estimate);
    CHECK(finding->gainShare->value == Approx(1 - 0.18).epsilon(0.02));
    CHECK(unfilled(*finding).empty());
    REQUIRE(finding->expected.size() == 1);
    CHECK(finding->expected.front().to == Approx(finding->expected.front().from / 4));
}

TEST_CASE(
    "small-tiles is silent where products or the DRAM take the time, or nobody can change it") {
    const auto silent = [](const Product& product) { return !find(of(product), "small-tiles"); };
    CHECK(silent({.tensor = 55, .path = 70}));  // the tensor cores work
    CHECK(silent({.tensor = 40, .path = 66}));  // operands come nearly as fast
    CHECK(silent({.tensor = 2}));               // products are not the work
    CHECK(silent({.path = 30}));                // warps wait for something else
    CHECK(silent({.dramBytes = 2.5e9}));        // each byte is used once: a matrix and few vectors
    CHECK(silent({.path = 60, .dramBytes = 10e9, .l2Bytes = 20.5e9}));  // at the DRAM's roof
    CHECK(silent({.name = "cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm>"}));
}
