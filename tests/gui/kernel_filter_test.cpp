// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/kernel_filter.h"

#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;

namespace {

KernelAnalysis kernel() {
    KernelAnalysis k;
    k.name = "copy<float, 4>";
    k.fullName = "void ops::copy<float, 4>(float const*)";
    k.range = "epoch 1 > attention";
    k.group.launches = {0, 1, 2};
    k.quantities.duration = {
        .median = {40e-6}, .min = {39e-6}, .max = {42e-6}, .total = {121e-6}, .count = 3};
    k.quantities.bandwidth[Level::Dram] = Derived<BytesPerSecond>::of({3.2e12}, "");
    k.quantities.utilisation[Level::Dram] = Derived<Ratio>::of({0.66}, "");
    k.quantities.shared.excessCertain = Derived<Ratio>::of({0.2}, "");
    k.quantities.occupancy.achieved = Derived<Ratio>::of({0.5}, "");
    k.verdict.cls = VerdictClass::MemoryBound;
    k.verdict.limiter = ResourceId::Dram;
    return k;
}

bool matches(const char* line, const KernelAnalysis& k = kernel()) {
    const Result<KernelFilter> filter = KernelFilter::parse(QString::fromUtf8(line));
    INFO(line);
    if (!filter) FAIL(filter.error().message());
    return filter->matches(k);
}

/// True if the line is rejected with a message that contains `part`.
bool refused(const char* line, const char* part) {
    const Result<KernelFilter> filter = KernelFilter::parse(QString::fromUtf8(line));
    INFO(line);
    REQUIRE_FALSE(filter.ok());
    INFO(filter.error().message());
    return filter.error().message().find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("filters compare shares, rates, times and counts in their units") {
    CHECK(matches("bw > 60%"));
    CHECK_FALSE(matches("bw > 70%"));
    CHECK(matches("bw>0.6"));
    CHECK(matches("BW > 3TB/s"));
    CHECK_FALSE(matches("bandwidth > 3.3 TB/s"));
    CHECK(matches("dram >= 3200 GB/s"));
    CHECK(matches("conflict > 0.1"));
    CHECK(matches("conflict = 20%"));
    CHECK_FALSE(matches("occupancy < 50%"));
    CHECK(matches("occupancy <= 50%"));
    CHECK(matches("time > 100us"));
    CHECK(matches("time > 100 µs"));
    CHECK_FALSE(matches("time > 1ms"));
    CHECK(matches("launches == 3"));
    CHECK(matches("launches != 4"));
    CHECK(matches("verdict = memory-bound"));
    CHECK_FALSE(matches("verdict = compute"));
    CHECK(matches("verdict != compute"));
}

TEST_CASE("words are searched in names and ranges, and all terms must hold") {
    CHECK(matches("COPY"));
    CHECK(matches("attention"));
    CHECK_FALSE(matches("gemm"));
    CHECK(matches("copy bw > 60%"));
    CHECK_FALSE(matches("gemm bw > 60%"));
    CHECK_FALSE(matches("copy bw > 60% conflict > 50%"));
    CHECK(matches("\"float, 4\""));
    CHECK(matches("   "));
    CHECK(matches("\""));
}

TEST_CASE("a template name is a name and no comparison") {
    CHECK(matches("copy<float,"));
    CHECK(matches("copy<float, 4>"));
    CHECK(matches("<float"));
    CHECK_FALSE(matches("copy<double"));
    CHECK(matches("ops::copy"));
}

TEST_CASE("a missing value matches no comparison") {
    KernelAnalysis k;
    k.name = "unmeasured";
    for (const char* line : {"bw > 0%", "bw < 100%", "bw != 5%", "time > 0us", "intensity >= 0",
                             "coalescing < 100%", "conflict = 0%"}) {
        CHECK_FALSE(matches(line, k));
    }
}

TEST_CASE("a wrong expression says what is wrong and what would be right") {
    CHECK(refused("bw > ", "needs a value to compare with"));
    CHECK(refused("bw > fast", "\"fast\" is not a number"));
    CHECK(refused("speed > 4", "\"speed\" is not a field"));
    CHECK(refused("speed > 4", "occupancy"));
    CHECK(refused("time > 100", "use ns, us, ms or s"));
    CHECK(refused("occupancy < 50", "use 50% or 0.5"));
    CHECK(refused("conflict > 3TB/s", "cannot be compared"));
    CHECK(refused("bw > 2XB/s", "2TB/s"));
    CHECK(refused("launches > 10%", "plain number"));
    CHECK(refused("verdict =", "memory-bound"));
}
