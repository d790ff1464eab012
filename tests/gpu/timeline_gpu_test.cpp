// SPDX-License-Identifier: Apache-2.0
// The timeline of a program that knows where its time goes (account_program.cu) is correct to 2 per
// cent in each class.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "collector/run/recording/record.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

constexpr std::size_t kSteps = 6;

struct Truth {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    double seconds = 0;
};
using Truths = std::map<std::string, Truth>;

struct Recorded {
    Profile profile;
    Truths truth;
    std::vector<TimeSpan> steps;  ///< the program's own steps, without its warm-up
};

Recorded recordAccount(TimelineDetail detail = TimelineDetail::Full) {
    const test::TemporaryFolder folder;
    const std::string output = folder.file("output").string();
    RecordOptions options;
    options.command = {
        "sh", "-c",
        std::string(ROOFSCOPE_ACCOUNT_PROGRAM) + " " + std::to_string(kSteps) + " > " + output};
    options.library = ROOFSCOPE_BINARY_DIR "/lib/libroofscope_inject.so";
    options.timingOnly = true;
    options.timeline = detail;
    auto recording = record(options);
    REQUIRE(recording.ok());
    REQUIRE(recording->programExit == 0);
    Recorded result{.profile = std::move(recording->profile)};
    std::ifstream stream(output);
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string truth, what;
        Truth t;
        words >> truth >> what >> t.count >> t.bytes >> t.seconds;
        t.seconds /= 1e3;
        if (truth == "truth") result.truth[what] = t;
    }
    REQUIRE(result.truth.size() == 11);
    for (const RangeSpan& range : result.profile.timeline.ranges)
        result.steps.push_back(range.time);
    return result;
}

bool inSteps(const Recorded& r, Nanoseconds at) {
    return std::ranges::any_of(r.steps,
                               [&](const TimeSpan& s) { return s.start <= at && at < s.end; });
}

double seconds(const TimeSpan& span) { return static_cast<double>(span.length()) / 1e9; }

/// The transfers within the steps.
Truth transfers(const Recorded& r, TransferKind kind, MemoryKind source, MemoryKind target) {
    Truth sum;
    for (const Transfer& t : r.profile.timeline.transfers) {
        if (t.kind != kind || t.source != source || t.target != target) continue;
        if (!inSteps(r, t.time.start)) continue;
        ++sum.count;
        sum.bytes += t.bytes;
        sum.seconds += seconds(t.time);
    }
    return sum;
}

Truth calls(const Recorded& r, const std::string& name) {
    Truth sum;
    for (const Call& c : r.profile.timeline.calls) {
        if (r.profile.timeline.callNames[c.name].name != name || !inSteps(r, c.time.start))
            continue;
        ++sum.count;
        sum.seconds += seconds(c.time);
    }
    return sum;
}

}  // namespace

TEST_CASE("each class of a program's account is what the program measured itself, to 2 per cent") {
    const Recorded r = recordAccount();
    const Profile& p = r.profile;
    const double window = r.truth.at("step").seconds;
    const double allowed = 0.02 * window;
    const auto holds = [&](const char* what, const Truth& measured) {
        const Truth& truth = r.truth.at(what);
        INFO(what << ": " << measured.seconds * 1e3 << " ms, truly " << truth.seconds * 1e3
                  << " ms, of " << window * 1e3);
        CHECK(measured.count == truth.count);
        CHECK(std::abs(measured.seconds - truth.seconds) <= allowed);
    };
    REQUIRE(r.steps.size() == kSteps);
    Truth steps{.count = r.steps.size()};
    for (const TimeSpan& span : r.steps) steps.seconds += seconds(span);
    holds("step", steps);

    Truth spins, shorts;
    for (const Launch& launch : p.launches) {
        REQUIRE(launch.start);
        REQUIRE(launch.duration);
        if (!inSteps(r, static_cast<Nanoseconds>(launch.start->value * 1e9))) continue;
        Truth& sum = launch.duration->value > 1e-3 ? spins : shorts;
        ++sum.count;
        sum.seconds += launch.duration->value;
    }
    holds("spin", spins);
    CHECK(shorts.count == r.truth.at("launches").count);

    const Truth pinned =
        transfers(r, TransferKind::HostToDevice, MemoryKind::Pinned, MemoryKind::Device);
    holds("pinned-to-device", pinned);
    CHECK(pinned.bytes == r.truth.at("pinned-to-device").bytes);
    const Truth pageable =
        transfers(r, TransferKind::HostToDevice, MemoryKind::Pageable, MemoryKind::Device);
    CHECK(pageable.bytes == r.truth.at("pageable-to-device").bytes);
    CHECK(pageable.seconds <= r.truth.at("pageable-to-device").seconds);
    const Truth back =
        transfers(r, TransferKind::DeviceToHost, MemoryKind::Device, MemoryKind::Pinned);
    holds("device-to-pinned", back);
    CHECK(back.bytes == r.truth.at("device-to-pinned").bytes);
    const Truth set = transfers(r, TransferKind::Memset, MemoryKind::Unknown, MemoryKind::Device);
    holds("memset", set);
    CHECK(set.bytes == r.truth.at("memset").bytes);

    holds("allocate", calls(r, "cuMemAlloc"));
    holds("free", calls(r, "cuMemFree"));
    const Truth copies = calls(r, "cuMemcpyHtoD");
    INFO("synchronous copies: " << copies.seconds);
    CHECK(std::abs(copies.seconds - r.truth.at("pageable-to-device").seconds) <= allowed);
    // The first wait of each step is for the spin kernel.
    CHECK(calls(r, "cuStreamSynchronize").seconds >= r.truth.at("wait").seconds - allowed);
    for (const RangeSpan& range : p.timeline.ranges) CHECK(range.gpu);
    for (const auto& issue : p.issues) INFO(issue.code << ": " << issue.message);
    CHECK(p.issues.empty());
}

TEST_CASE("without a timeline a program is timed as before") {
    const Recorded off = recordAccount(TimelineDetail::Off);
    CHECK(off.profile.timeline.empty());
    CHECK(off.profile.launches.size() > kSteps);
    const Recorded gpu = recordAccount(TimelineDetail::Gpu);
    CHECK(gpu.profile.timeline.ranges.empty());
    CHECK_FALSE(gpu.profile.timeline.transfers.empty());
}
