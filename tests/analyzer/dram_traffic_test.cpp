// SPDX-License-Identifier: Apache-2.0
// Rules about DRAM traffic: bytes-in-flight, l2-thrash, write-amplification.
#include <limits>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kRead = "dram__bytes_read.sum";
constexpr const char* kWrite = "dram__bytes_write.sum";
constexpr double kGiB = 1 << 30;
constexpr double kPeak = 1504 * 3.2e9, kMissing = std::numeric_limits<double>::quiet_NaN();

/// Reads 1 GiB with 16-byte loads in blocks of four warps, at the share `dram` of the attainable
/// read bandwidth.
LaunchRef reading(SyntheticProfile& p, double dram, std::uint32_t residentBlocks) {
    const double microseconds = kGiB / (dram * 0.938 * kPeak) * 1e6;
    auto launch = idle(p, "sum(float const*, float*)", {4224, 1, 1}, {128, 1, 1}, microseconds);
    launch.set(kRead, kGiB).set("lts__lts2xbar_cycles_active.sum", kGiB / 32);
    launch.set(kGlobalLoadBytes, kGiB).set(kGlobalLoadSectors, kGiB / 32);
    launch.set(kGlobalSectors, kGiB / 32).set(kGlobalLoads, kGiB / 512).set(kWidth128, kGiB / 512);
    return launch.residentBlocksPerSm(residentBlocks);
}

/// Gives the launch two buffers of these sizes: one to read and one to write.
void give(SyntheticProfile& p, LaunchRef launch, double input, double output) {
    auto& profile = p.profile();
    for (const double bytes : {input, output})
        profile.buffers.push_back({.allocation = static_cast<std::uint32_t>(profile.buffers.size()),
                                   .offsetBytes = 0,
                                   .bytes = static_cast<std::uint64_t>(bytes)});
    launch.launch().arguments = 0;
    const BufferArgument list[] = {{.buffer = 0, .parameter = 0}, {.buffer = 1, .parameter = 1}};
    profile.argumentLists.add(list);
}

/// One lane of each warp stores 4 bytes into its own sector; nothing is read.
constexpr double kStores = 1 << 24;
LaunchRef scattering(SyntheticProfile& p) {
    const double microseconds = 32 * kStores / (0.7 * 0.893 * kPeak) * 1e6;
    auto launch = idle(p, "results(float*)", {4224, 1, 1}, {256, 1, 1}, microseconds);
    launch.set(kWrite, 32 * kStores).set(kGlobalStores, kStores);
    launch.set(kGlobalStoreBytes, 4 * kStores).set(kGlobalStoreSectors, kStores);
    launch.set(kGlobalSectors, kStores).set(kWidth32, kStores);
    return launch.set(kL2WriteSectors, kStores);
}

}  // namespace

TEST_CASE("bytes-in-flight fires where even four loads of 16 bytes are too few") {
    SyntheticProfile p(testDevice());
    reading(p, 0.4, 2);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "bytes-in-flight");
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    CHECK(unfilled(kernel).empty());
    // 2 blocks of 4 warps, 512 bytes per load, 4 loads; 4.81 TB/s × 1.29 µs / 132 SMs.
    CHECK(finding->evidence[0].value == 16384.0);
    CHECK(*finding->evidence[0].threshold == Approx(kPeak * 1290e-9 / 132));
    CHECK(*finding->evidence[0].threshold == Approx(47034.0).epsilon(0.001));
    CHECK(finding->gainShare->value == Approx(0.6));
}

TEST_CASE("bytes-in-flight allows for what it cannot know") {
    SyntheticProfile enough(testDevice());  // 24 warps: 49152 bytes
    reading(enough, 0.4, 6);
    CHECK_FALSE(find(analyzeOne(enough), "bytes-in-flight"));
    CHECK_FALSE(isRuledOut(analyzeOne(enough), "bytes-in-flight"));
    SyntheticProfile close(testDevice());  // 20 warps: 40960 bytes
    reading(close, 0.4, 5);
    CHECK(find(analyzeOne(close), "bytes-in-flight"));

    SyntheticProfile fast(testDevice());
    reading(fast, 0.85, 2);
    CHECK_FALSE(find(analyzeOne(fast), "bytes-in-flight"));
    SyntheticProfile async(testDevice());  // asynchronous copies need no registers
    reading(async, 0.4, 2)
        .set(kAsyncCopies, 1000)
        .set(kGlobalBytes, kGiB)
        .set(kGlobalLoads, kGiB / 512);
    CHECK_FALSE(find(analyzeOne(async), "bytes-in-flight"));
    SyntheticProfile bulk(testDevice());  // nor do bulk copies, which no load counter sees
    reading(bulk, 0.4, 2).set(kGlobalLoadBytes, kGiB / 2).set(kGlobalLoadSectors, kGiB / 64);
    CHECK_FALSE(find(analyzeOne(bulk), "bytes-in-flight"));
    SyntheticProfile writes(testDevice());
    reading(writes, 0.4, 2).set(kWrite, kGiB);
    CHECK_FALSE(find(analyzeOne(writes), "bytes-in-flight"));
    Device other = testDevice();  // the latency of this chip is not known
    other.chip = "AD102";
    other.computeMajor = 8;
    other.computeMinor = 9;
    SyntheticProfile unknownChip(other);
    reading(unknownChip, 0.4, 2);
    CHECK_FALSE(find(analyzeOne(unknownChip), "bytes-in-flight"));
}

TEST_CASE("bytes-in-flight cannot tell without the counters of asynchronous copies") {
    SyntheticProfile p(testDevice());
    reading(p, 0.4, 2).set(kAsyncCopies, kMissing);
    CHECK(unknown(analyzeOne(p), "bytes-in-flight"));
}

TEST_CASE("l2-thrash fires where DRAM delivers its buffers several times") {
    SyntheticProfile p(testDevice());
    auto launch = reading(p, 0.7, 16);
    give(p, launch, kGiB / 4, 4096);
    launch.set(kL2HitRate, 12);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "l2-thrash");
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    CHECK(unfilled(kernel).empty());
    CHECK(finding->evidence[0].value == Approx(4.0).epsilon(0.001));
    CHECK(finding->evidence[1].value == Approx(0.12));
    // Three of four bytes are repeated reads, but the L2 must still deliver them all.
    CHECK(finding->gainShare->value ==
          Approx(1.0 - kernel.quantities.utilisation[Level::L2]->value));
    CHECK(finding->gainShare->value < 0.75);
}

TEST_CASE("rules about DRAM traffic fire at the roof too: moving less is what helps there") {
    SyntheticProfile again(testDevice());
    give(again, reading(again, 0.95, 16), kGiB / 4, 4096);
    const auto read = analyzeOne(again);
    CHECK(read.verdict.cls == VerdictClass::NearRoof);
    REQUIRE(find(read, "l2-thrash"));
    CHECK_FALSE(find(read, "l2-thrash")->minor);
    SyntheticProfile single(testDevice());
    scattering(single).counterDurationUs(32 * kStores / (0.95 * 0.893 * kPeak) * 1e6);
    const auto written = analyzeOne(single);
    CHECK(written.verdict.cls == VerdictClass::NearRoof);
    REQUIRE(find(written, "write-amplification"));
    CHECK_FALSE(find(written, "write-amplification")->minor);

    // If another resource is at its roof as well, there is hardly anything to gain.
    for (const double l1 : {98.0, 99.8}) {
        CAPTURE(l1);
        SyntheticProfile both(testDevice());
        auto launch = reading(both, 0.998, 16);
        give(both, launch.set(kLsuPipe, l1), kGiB / 4, 4096);
        const auto kernel = analyzeOne(both);
        const Finding* finding = find(kernel, "l2-thrash");
        CHECK((l1 > 99 || finding));
        CHECK((!finding || (finding->minor && finding->gainShare->value <= 1 - l1 / 100 + 1e-9)));
    }
}

TEST_CASE("l2-thrash does not fire where the bytes may all differ") {
    SyntheticProfile once(testDevice());
    give(once, reading(once, 0.7, 16), 0.75 * kGiB, 4096);
    CHECK_FALSE(find(analyzeOne(once), "l2-thrash"));

    SyntheticProfile scattered(testDevice());  // fetches bytes that no load asked for
    auto launch = reading(scattered, 0.7, 16);
    launch.set(kGlobalLoadBytes, kGiB / 8);
    give(scattered, launch, kGiB / 4, 4096);
    CHECK_FALSE(find(analyzeOne(scattered), "l2-thrash"));

    SyntheticProfile busy(testDevice());  // not limited by the DRAM
    auto compute = reading(busy, 0.3, 16);
    give(busy, compute, kGiB / 4, 4096);
    CHECK_FALSE(find(analyzeOne(busy), "l2-thrash"));
}

TEST_CASE("l2-thrash cannot tell when buffers are unknown, and says so only when asked") {
    SyntheticProfile p(testDevice());
    reading(p, 0.7, 16).set(kL2HitRate, 12);
    CHECK(unknown(analyzeOne(p), "l2-thrash"));
    SyntheticProfile unasked(testDevice());
    reading(unasked, 0.7, 16);
    CHECK_FALSE(unknown(analyzeOne(unasked), "l2-thrash"));
    // A pointer inside a struct may point to anything.
    SyntheticProfile hidden(testDevice());
    auto launch = reading(hidden, 0.7, 16).set(kL2HitRate, 12);
    give(hidden, launch, kGiB / 4, 4096);
    hidden.profile().kernels.front().name = "sum(Params)";
    const auto kernel = analyzeOne(hidden);
    CHECK_FALSE(find(kernel, "l2-thrash"));
    CHECK(unknown(kernel, "l2-thrash"));
}

TEST_CASE("write-amplification fires on single words in sectors of their own") {
    SyntheticProfile p(testDevice());
    scattering(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "write-amplification");
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    CHECK(unfilled(kernel).empty());
    const double l2 = static_cast<double>(*testDevice().l2Bytes);
    CHECK(finding->evidence[0].value == Approx((32 * kStores - l2) / (4 * kStores)));
    CHECK(finding->evidence[1].value == 4.0);
    CHECK(finding->gainShare->value ==
          Approx(1.0 - kernel.quantities.utilisation[Level::L2]->value));
    CHECK(finding->gainShare->value < (28 * kStores - l2) / (32 * kStores));
}

TEST_CASE("write-amplification does not fire where others may have written") {
    SyntheticProfile wide(testDevice());
    copy(wide, "copy", 268435456, 16, 140).set(kL2WriteSectors, 268435456 / 32);
    CHECK(isRuledOut(analyzeOne(wide), "write-amplification"));

    SyntheticProfile others(testDevice());  // bulk copies or atomics write as well
    scattering(others).set(kL2WriteSectors, 1.5 * kStores);
    CHECK_FALSE(find(analyzeOne(others), "write-amplification"));

    SyntheticProfile uncoalesced(testDevice());  // 32 sectors per store: another rule
    scattering(uncoalesced)
        .set(kGlobalStores, kStores / 32)
        .set(kGlobalStoreBytes, 4 * kStores)
        .set(kWidth32, kStores / 32);
    const auto kernel = analyzeOne(uncoalesced);
    CHECK(find(kernel, "global-uncoalesced"));
    CHECK_FALSE(find(kernel, "write-amplification"));

    SyntheticProfile dirty(testDevice());  // the L2 may have held as much dirty
    scattering(dirty).set(kWrite, 60e6).counterDurationUs(20);
    CHECK_FALSE(find(analyzeOne(dirty), "write-amplification"));
}

TEST_CASE("write-amplification cannot tell without the L2's writes, and asks only on suspicion") {
    SyntheticProfile p(testDevice());
    scattering(p).set(kL2WriteSectors, kMissing);
    const auto kernel = analyzeOne(p);
    const CannotTell* cannot = unknown(kernel, "write-amplification");
    REQUIRE(cannot);
    CHECK(cannot->advice.in(Language::En).find("cache") != std::string::npos);
    SyntheticProfile wide(testDevice());
    copy(wide, "copy", 268435456, 16, 140);
    CHECK_FALSE(unknown(analyzeOne(wide), "write-amplification"));
}
