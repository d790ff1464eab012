// SPDX-License-Identifier: Apache-2.0
// `roofscope record --range` on a real GPU: a range has the sum of its launches' counters
// (guest_program.cu; `work` on n floats reads n/8 sectors), and its kernels still overlap.
#include "collector/run/recording/record.h"
#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

constexpr const char* kRangeSectors = "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kRangeDuration = "gpu__time_duration.sum";
constexpr double kSectors = (1 << 20) / 8;  ///< per small launch; a large one has four times that

Profile guest(const std::string& mode, const std::string& glob) {
    RecordOptions options{.replay = ReplayChoice::Kernel, .perKernel = 1};
    options.ranges = {glob};
    options.command = {ROOFSCOPE_GUEST_PROGRAM, mode};
    options.library = ROOFSCOPE_BINARY_DIR "/lib/libroofscope_inject.so";
    auto recording = record(options);
    if (!recording) FAIL(recording.error().message());
    CHECK(recording->programExit == 0);
    for (const Issue& issue : recording->profile.issues)
        UNSCOPED_INFO(issue.code << ": " << issue.message);
    return std::move(recording->profile);
}

/// The row of an occurrence, or the number of rows.
std::size_t rowOf(const Profile& p, const std::string& path, std::uint32_t ordinal) {
    for (std::size_t i = 0; i < p.rangeMeasurements.size(); ++i)
        if (p.ranges[p.rangeMeasurements[i].range] == path &&
            p.rangeMeasurements[i].ordinal == ordinal)
            return i;
    return p.rangeMeasurements.size();
}

std::optional<double> counted(const Profile& p, const std::string& path, std::uint32_t ordinal,
                              const char* counter = kRangeSectors) {
    return p.rangeCounters.value(counter, rowOf(p, path, ordinal));
}

bool hasRangeIssue(const Profile& profile, const std::string& code) {
    for (const auto& issue : profile.issues)
        if (issue.code == code) return true;
    return false;
}

bool lostSomething(const Profile& profile) {
    for (const auto& issue : profile.issues)
        if (issue.severity != Severity::Info) return true;
    return false;
}

}  // namespace

TEST_CASE("nested ranges: each has the sum of its launches, at both depths") {
    const Profile p = guest("ranges-nested", "*");
    REQUIRE(p.rangeMeasurements.size() == 9);
    CHECK_FALSE(lostSomething(p));
    for (std::uint32_t i = 0; i < 3; ++i) {
        INFO("occurrence " << i);
        CHECK(counted(p, "step", i) == kSectors * (1 + 3 * 4));
        CHECK(counted(p, "step > layer", 2 * i) == kSectors * 4);
        CHECK(counted(p, "step > layer", 2 * i + 1) == kSectors * 8);
        const RangeMeasurement& step = p.rangeMeasurements[rowOf(p, "step", i)];
        CHECK(step.launches == 4U);
        CHECK(step.depth == 0);
        REQUIRE(step.duration);
        CHECK(step.duration->value > 0);
        const RangeMeasurement& layer = p.rangeMeasurements[rowOf(p, "step > layer", 2 * i + 1)];
        CHECK(layer.launches == 2U);
        CHECK(layer.depth == 1);
        // Hardware and instrumented counters come from two runs; both are there.
        CHECK(counted(p, "step", i, kRangeDuration).value_or(0) > 0);
        CHECK(counted(p, "step > layer", i, kRangeDuration).value_or(0) > 0);
        CHECK(counted(p, "step", i, "dram__bytes_read.sum").has_value());
    }
    CHECK_FALSE(p.devices.at(0).peaks.empty());
    CHECK(p.launches.size() == 15);  // measured separately, one by one
    const test::TemporaryFolder folder;
    REQUIRE(writeProfile(p, folder.file("p.roofscope.json.gz")).ok());
    const auto read = readProfile(folder.file("p.roofscope.json.gz"));
    REQUIRE(read.ok());
    CHECK(counted(*read, "step", 2) == counted(p, "step", 2));
}

TEST_CASE("kernels of one range run side by side") {
    const Profile p = guest("ranges-concurrent", "*");
    const double alone = counted(p, "alone", 0, kRangeDuration).value_or(0);
    const double together = counted(p, "together", 0, kRangeDuration).value_or(0);
    REQUIRE(alone > 1e6);  // 20 million cycles take about 10 ms
    CHECK(together > 0.9 * alone);
    CHECK(together < 1.4 * alone);
    const auto &one = p.rangeMeasurements[rowOf(p, "alone", 0)].duration,
               &two = p.rangeMeasurements[rowOf(p, "together", 0)].duration;
    REQUIRE(one);
    REQUIRE(two);
    CHECK(two->value < 1.4 * one->value);
    CHECK_FALSE(lostSomething(p));
}

TEST_CASE("graph launches in a range count, as far as the hardware counts them") {
    const Profile p = guest("ranges-graph", "replay");
    REQUIRE(p.rangeMeasurements.size() == 3);
    for (std::uint32_t i = 0; i < 3; ++i) {
        // Hardware counters see kernels in graphs; instrumented ones do not, so they are missing.
        CHECK(counted(p, "replay", i, kRangeDuration).value_or(0) > 0);
        CHECK_FALSE(counted(p, "replay", i));
        CHECK(p.rangeMeasurements[i].launches == 6U);
    }
}

TEST_CASE("more ranges than a session holds, and more than are measured") {
    const Profile p = guest("ranges-many", "*");
    REQUIRE(p.rangeMeasurements.size() == 340);
    for (std::uint32_t name = 0; name < 10; ++name)
        for (std::uint32_t i = 0; i < 30; ++i) {
            INFO("many " << name << ", occurrence " << i);
            CHECK(counted(p, "many " + std::to_string(name), i) == kSectors * (name + 1));
        }
    CHECK(counted(p, "often", 31) == kSectors);
    CHECK_FALSE(counted(p, "often", 32));
    CHECK(hasRangeIssue(p, "ranges-beyond-limit"));
    CHECK_FALSE(lostSomething(p));
}

TEST_CASE("ranges of the two functions; a capture and a device reset within a range") {
    const Profile p = guest("ranges-api", "api*");
    CHECK(counted(p, "api outer", 0) == kSectors * 3);
    CHECK(counted(p, "api outer > api inner", 0) == kSectors * 2);
    CHECK_FALSE(counted(p, "api reset", 0));
    CHECK(counted(p, "api again", 0) == kSectors);
}

TEST_CASE("ranges of two threads that overlap: the first is measured, the other is told") {
    const Profile p = guest("ranges-threads", "thread*");
    CHECK(counted(p, "thread 0", 0) == kSectors * 5);  // whichever thread launches
    CHECK_FALSE(counted(p, "thread 1", 0));
    CHECK(hasRangeIssue(p, "ranges-overlap"));
}

TEST_CASE("no range matches") {
    const Profile p = guest("ranges-nested", "nothing like it");
    CHECK(p.rangeMeasurements.empty());
    CHECK(hasRangeIssue(p, "ranges-unavailable"));
    CHECK(p.launches.size() == 15);
}
