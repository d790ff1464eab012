// SPDX-License-Identifier: Apache-2.0
// Times of GPU work that cannot be, each kind beside something similar that can.
#include "profile/times/impossible_times.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "profile/codec/codec.h"
#include "profile/operations/merge.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using roofscope::test::SyntheticProfile;

namespace {

constexpr Nanoseconds kMicro = 1'000, kMilli = 1'000'000;

/// Work of a process, given by its call and its time on the GPU. Times are in microseconds; calls
/// take 5.
class Recording {
public:
    Recording() {
        profile().capture.origin = "recorded";
        profile().processes[0].timeline =
            TimelineParts{.copies = true, .waits = true, .launches = true};
        profile().timeline.threads = {{.process = 0, .id = 1, .name = ""}};
    }

    /// An empty `function` leaves the call out.
    Recording& kernel(std::string_view function, double called, double start, double time,
                      std::uint32_t stream = 0) {
        auto launch = m_synthetic.launch(m_kernel, {1}, {32}).durationUs(time).stream(stream);
        launch.launch().start = Seconds{start * 1e-6};
        call(function, CallKind::Launch, called, launch.row());
        return *this;
    }

    Recording& copy(double called, double start, double time) {
        auto& transfers = profile().timeline.transfers;
        const auto from = static_cast<Nanoseconds>(start * kMicro);
        transfers.push_back({.kind = TransferKind::HostToDevice,
                             .time = {from, from + static_cast<Nanoseconds>(time * kMicro)}});
        call("cudaMemcpyAsync", CallKind::Transfer, called, transfers.size() - 1);
        return *this;
    }

    Recording& wait(double called, double time) {
        call("cudaDeviceSynchronize", CallKind::Wait, called, {});
        profile().timeline.calls.back().time.end += static_cast<Nanoseconds>((time - 5) * kMicro);
        return *this;
    }

    Profile& profile() { return m_synthetic.profile(); }

    /// The profile without its impossible times.
    Profile cleaned() {
        Profile profile = m_synthetic.build();
        profile.capture.origin = "recorded";
        dropImpossibleTimes(profile);
        return profile;
    }

private:
    void call(std::string_view function, CallKind kind, double called,
              std::optional<std::size_t> work) {
        if (function.empty()) return;
        Timeline& t = profile().timeline;
        t.callNames.push_back({std::string(function), kind});
        const auto from = static_cast<Nanoseconds>(called * kMicro);
        Call row{.name = static_cast<std::uint32_t>(t.callNames.size() - 1),
                 .thread = 0,
                 .time = {from, from + 5 * kMicro}};
        if (work) row.work = static_cast<std::uint32_t>(*work);
        t.calls.push_back(row);
    }

    SyntheticProfile m_synthetic;
    std::uint32_t m_kernel = m_synthetic.kernel("k");
};

/// Ten kernels of 40 µs in one stream, launched every 10 µs: the GPU falls behind.
Recording ten(std::string_view function = "cudaLaunchKernel") {
    Recording recording;
    for (int i = 0; i < 10; ++i) recording.kernel(function, 10.0 * i, 20 + 40.0 * i, 40);
    return recording;
}

/// What the issue says; empty if there is none.
std::string doubt(const Profile& profile) {
    const auto issue =
        std::ranges::find_if(profile.issues, [](const Issue& i) { return i.source == "profile"; });
    return issue == profile.issues.end() ? "" : issue->code + ": " + issue->message;
}

std::size_t timedLaunches(const Profile& profile) {
    return static_cast<std::size_t>(std::ranges::count_if(
        profile.launches, [](const Launch& l) { return l.start && l.duration; }));
}

void moveStart(Recording& recording, std::size_t row, double microseconds) {
    recording.profile().launches[row].start->value += microseconds * 1e-6;
}

}  // namespace

TEST_CASE("times that can be are left alone") {
    Recording recording = ten();
    recording.copy(500, 520, 10).wait(530, 20);
    const Profile before = recording.profile();
    const Profile after = recording.cleaned();
    CHECK(doubt(after).empty());
    CHECK(timedLaunches(after) == 10);
    CHECK(after.timeline == before.timeline);
}

TEST_CASE("work that begins before its call") {
    Recording recording;
    for (int i = 0; i < 4; ++i)
        recording.kernel("cudaLaunchKernel", 5000.0 * i, 10 + 5000.0 * i, 10);
    moveStart(recording, 2, -1020);  // 1010 µs before its call at 10,000 µs
    const Profile after = recording.cleaned();
    CHECK(doubt(after) ==
          "times-impossible: 1 of 4 kernels and copies has a time that cannot be and counts as not "
          "timed: 1 begins before its call. What the GPU did meanwhile is unknown.");
    CHECK_FALSE(after.launches[2].start);
    CHECK_FALSE(after.launches[2].duration);
    // After its call and the end of the kernel before it, before the start of the one after it.
    REQUIRE(after.timeline.untimed.size() == 1);
    CHECK(after.timeline.untimed[0] ==
          UntimedWork{
              .process = 0, .device = 0, .time = {10'000 * kMicro, 15'010 * kMicro}, .launch = 2});

    // One impossible time among thousands is only a note.
    const auto severityOf = [](int launches) {
        Recording many;
        for (int i = 0; i < launches; ++i)
            many.kernel("cudaLaunchKernel", 5000.0 * i, 10 + 5000.0 * i, 10);
        moveStart(many, 2, -1020);
        const Profile cleaned = many.cleaned();
        return std::ranges::find(cleaned.issues, "times-impossible", &Issue::code)->severity;
    };
    CHECK(severityOf(900) == Severity::DataLoss);
    CHECK(severityOf(1000) == Severity::Info);

    Recording clocks;  // the clocks of CPU and GPU are never compared to better than this
    for (int i = 0; i < 4; ++i) clocks.kernel("cudaLaunchKernel", 5000.0 * i, 10 + 5000.0 * i, 10);
    moveStart(clocks, 2, -960);
    CHECK(doubt(clocks.cleaned()).empty());
}

TEST_CASE("if most work begins before its call, the clocks disagree") {
    Recording recording;
    for (int i = 0; i < 4; ++i)
        recording.kernel("cudaLaunchKernel", 5000.0 * i, 5000.0 * i - 3000, 10);
    const Profile after = recording.cleaned();
    CHECK(doubt(after).starts_with("clocks-disagree: "));
    CHECK(timedLaunches(after) == 4);
    CHECK_FALSE(after.processes[0].timeline->launches);
    CHECK_FALSE(after.processes[0].timeline->waits);
    CHECK(after.processes[0].timeline->copies);
}

TEST_CASE("work in the future") {
    Recording recording = ten();
    recording.wait(430, 20);
    moveStart(recording, 9, 3e6);
    const Profile after = recording.cleaned();
    CHECK(doubt(after).find(": 1 lies after the end of the program.") != std::string::npos);
    REQUIRE_FALSE(after.timeline.untimed.empty());
    CHECK(after.timeline.untimed[0].time == TimeSpan{380 * kMicro, 450 * kMicro});

    // The GPU works on for seconds with what was launched.
    Recording behind = ten();
    behind.profile().launches[9].duration = Seconds{3};
    behind.kernel("cudaLaunchKernel", 100, 380 + 3e6, 10);
    CHECK(doubt(behind.cleaned()).empty());

    // The end of the process is known: nothing runs beyond it.
    behind.profile().processes[0].run =
        ProcessRun{.time = {-kMilli, 3000 * kMilli}, .setup = {-kMilli, -kMilli}};
    CHECK(doubt(behind.cleaned()).empty());
    behind.profile().processes[0].run->time.end = 2900 * kMilli;
    CHECK(doubt(behind.cleaned()).find(": 2 lie after the end of the program.") !=
          std::string::npos);
}

TEST_CASE("a kernel that runs together with others of its stream") {
    Recording recording = ten();
    recording.profile().launches[3].duration = Seconds{200e-6};
    const Profile after = recording.cleaned();
    CHECK(doubt(after).find(": 1 overlaps other work of its stream.") != std::string::npos);
    CHECK(timedLaunches(after) == 9);
    CHECK_FALSE(after.launches[3].start);

    // It contradicts only one neighbour, so nobody knows which of the two is wrong.
    Recording two = ten();
    two.profile().launches[3].duration = Seconds{60e-6};
    const Profile both = two.cleaned();
    CHECK(timedLaunches(both) == 8);
    CHECK_FALSE(both.launches[3].start);
    CHECK_FALSE(both.launches[4].start);

    Recording little = ten();
    little.profile().launches[3].duration = Seconds{49e-6};
    CHECK(doubt(little.cleaned()).empty());
}

TEST_CASE("kernels that may run together") {
    const auto longOne = [](Recording recording) {
        recording.profile().launches[3].duration = Seconds{200e-6};
        return doubt(recording.cleaned());
    };
    // Programmatic dependent launch needs a launch with attributes; without calls nobody knows.
    CHECK(longOne(ten("cudaLaunchKernelExC")).empty());
    CHECK(longOne(ten("cuLaunchKernelEx")).empty());
    CHECK(longOne(ten("INVALID")).empty());
    CHECK(longOne(ten("")).empty());
    CHECK_FALSE(longOne(ten("cuLaunchKernel_ptsz")).empty());

    Recording graph = ten();  // its branches run side by side
    for (Launch& launch : graph.profile().launches) launch.fromGraph = true;
    CHECK(longOne(graph).empty());

    Recording streams = ten();
    streams.profile().launches[3].stream = 1;
    CHECK(longOne(streams).empty());

    Recording devices = ten();
    devices.profile().devices.emplace_back();
    devices.profile().launches[3].device = 1;
    CHECK(longOne(devices).empty());
}

TEST_CASE("copies and kernels are compared less strictly: two clocks may time them") {
    const auto withCopy = [](double start, double time) {
        Recording recording = ten();
        recording.copy(90, start, time);
        return doubt(recording.cleaned());
    };
    CHECK(withCopy(420, 10).empty());
    CHECK(withCopy(400, 10).empty());   // 20 µs before the last kernel ends
    CHECK(withCopy(20, 2000).empty());  // it overlaps no kernel by a millisecond
    Recording recording;
    recording.kernel("cudaLaunchKernel", 0, 10, 9000).copy(10, 5000, 3000);
    const Profile after = recording.cleaned();
    CHECK(doubt(after).find(": 2 overlap other work of their stream.") != std::string::npos);
    CHECK(after.timeline.transfers.empty());
    CHECK_FALSE(after.timeline.calls[1].work);
    CHECK(after.timeline.untimed.size() == 2);
}

TEST_CASE("work out of the order of its stream") {
    Recording recording = ten();
    for (int i = 0; i < 5; ++i)
        recording.kernel("cudaLaunchKernel", 1000 + 100.0 * i, 1010 + 100.0 * i, 10);
    moveStart(recording, 12, 250);  // issued third, began last, overlapping nothing
    const Profile after = recording.cleaned();
    CHECK(doubt(after).find(": 1 is out of the order of its stream.") != std::string::npos);
    CHECK_FALSE(after.launches[12].start);
    REQUIRE_FALSE(after.timeline.untimed.empty());
    CHECK(after.timeline.untimed[0].time == TimeSpan{1200 * kMicro, 1310 * kMicro});

    // Two threads launch at the same time: the later call may be first.
    Recording threads;
    threads.kernel("cudaLaunchKernel", 0, 10, 10).kernel("cudaLaunchKernel", 10, 90, 10);
    threads.kernel("cudaLaunchKernel", 30, 50, 10).kernel("cudaLaunchKernel", 60, 110, 10);
    CHECK_FALSE(doubt(threads.cleaned()).empty());
    threads.profile().timeline.calls[1].time.end = 40 * kMicro;
    CHECK(doubt(threads.cleaned()).empty());
}

TEST_CASE("kernels that begin in the same nanosecond") {
    // Without calls, too, and with programmatic dependent launch.
    for (const char* function : {"", "cudaLaunchKernelExC"}) {
        Recording recording = ten(function);
        moveStart(recording, 5, -40);
        const Profile after = recording.cleaned();
        CHECK(doubt(after).find(": 2 begin with another kernel of their stream.") !=
              std::string::npos);
        CHECK(timedLaunches(after) == 8);
    }
    Recording later = ten("cudaLaunchKernelExC");
    moveStart(later, 5, -39.999);
    CHECK(doubt(later.cleaned()).empty());
    // Traces in whole microseconds.
    Recording whole;
    whole.kernel("", 0, 0, 5).kernel("", 0, 7, 1).kernel("", 0, 7, 1).kernel("", 0, 9, 3);
    CHECK(doubt(whole.cleaned()).empty());
}

TEST_CASE("copies that are faster than memory") {
    const auto doubtOf = [](double microseconds, std::uint64_t bytes, TransferKind kind) {
        Recording recording = ten();
        recording.copy(120, 500, microseconds);
        Transfer& copy = recording.profile().timeline.transfers.back();
        copy.bytes = bytes;
        copy.kind = kind;
        const Profile after = recording.cleaned();
        CHECK(after.timeline.transfers.empty() == !doubt(after).empty());
        return doubt(after);
    };
    constexpr auto kThere = TransferKind::HostToDevice;
    // 1.32 PB/s; the DRAM of the profile's GPU moves 4.8 TB/s.
    CHECK(doubtOf(10, 13'200'000'000, kThere).find(": 1 is faster than memory.") !=
          std::string::npos);
    CHECK_FALSE(doubtOf(100, 600'000'000, kThere).empty());
    CHECK(doubtOf(100, 60'000'000, kThere).empty());
    // In the L2, and within a tick of the clock.
    CHECK(doubtOf(100, 600'000'000, TransferKind::OnDevice).empty());
    CHECK_FALSE(doubtOf(10, 13'200'000'000, TransferKind::Memset).empty());
    CHECK(doubtOf(0, 1'000'000, kThere).empty());
    CHECK_FALSE(doubtOf(0, 100'000'000, kThere).empty());
}

TEST_CASE("copies that are removed leave the others with their calls") {
    Recording recording;
    recording.kernel("cudaLaunchKernel", 0, 0, 10);
    for (int i = 0; i < 3; ++i) recording.copy(5000 + 100.0 * i, 5010 + 100.0 * i, 10);
    TimeSpan& moved = recording.profile().timeline.transfers[1].time;
    moved = {moved.start - 3 * kMilli, moved.end - 3 * kMilli};
    recording.profile().timeline.transfers[1].peer = 1;
    recording.profile().devices.emplace_back();
    recording.profile().ranges = {"step"};
    recording.profile().timeline.ranges = {
        {.range = 0,
         .thread = 0,
         .time = {0, 6 * kMilli},
         .gpu = TimeSpan{moved.start, 5220 * kMicro}},
        {.range = 0, .thread = 0, .time = {0, 6 * kMilli}, .gpu = TimeSpan{0, 5220 * kMicro}}};
    const Profile after = recording.cleaned();
    REQUIRE(after.timeline.transfers.size() == 2);
    const auto& calls = after.timeline.calls;
    CHECK(calls[0].work == 0U);
    CHECK(calls[1].work == 0U);
    CHECK_FALSE(calls[2].work);
    CHECK(calls[3].work == 1U);
    // Both GPUs of the copy are concerned, and the range whose work it was.
    REQUIRE(after.timeline.untimed.size() == 2);
    CHECK(after.timeline.untimed[1].device == 1);
    CHECK_FALSE(after.timeline.untimed[0].launch);
    CHECK_FALSE(after.timeline.ranges[0].gpu);
    CHECK(after.timeline.ranges[1].gpu);
}

TEST_CASE("files are judged when they are read, invented profiles are not") {
    Recording recording = ten();
    recording.profile().launches[3].duration = Seconds{200e-6};
    Profile profile = recording.profile();
    profile.capture.origin = "synthetic";
    auto invented = parseProfile(formatProfile(profile), "p");
    REQUIRE(invented.ok());
    CHECK(doubt(*invented).empty());
    profile.capture.origin = "recorded";
    auto read = parseProfile(formatProfile(profile), "p");
    REQUIRE(read.ok());
    CHECK(timedLaunches(*read) == 9);
    // Writing and reading it again changes nothing.
    auto again = parseProfile(formatProfile(*read), "p");
    REQUIRE(again.ok());
    CHECK(again->timeline == read->timeline);
    CHECK(again->issues.size() == read->issues.size());
    // Merged behind another profile, it refers to its own launch.
    Profile other = ten().profile();
    other.capture.origin = "recorded";
    other.processes[0].pid = 77;
    std::vector<MergeInput> parts;
    parts.push_back({.profile = other, .name = "a"});
    parts.push_back({.profile = *read, .name = "b"});
    const auto merged = mergeProfiles(std::move(parts));
    REQUIRE(merged.ok());
    REQUIRE(merged->timeline.untimed.size() == 1);
    CHECK(merged->timeline.untimed[0].process == 1);
    CHECK(merged->timeline.untimed[0].launch == 13U);
}

TEST_CASE("what a far call leaves untimed can be written, also after a merge") {
    constexpr double kLate = 1e6;  // µs
    Recording recording;
    for (int i = 0; i < 10; ++i)
        recording.kernel("cudaLaunchKernel", kLate + 10.0 * i, kLate + 5000 + 40.0 * i, 40);
    // A file has the distance of each call from the one before it, of up to 2^53 ns.
    Call& last = recording.profile().timeline.calls.back();
    last.time.start += kMilli - (Nanoseconds{1} << 53);
    last.time.end = last.time.start + 5 * kMicro;
    const auto read = parseProfile(formatProfile(recording.profile()), "p");
    REQUIRE(read.ok());
    CHECK_FALSE(read->timeline.untimed.empty());
    const auto again = parseProfile(formatProfile(*read), "p");
    INFO((again.ok() ? "" : again.error().message()));
    CHECK(again.ok());
    Profile second = ten().profile();
    second.processes[0].pid = 77;
    const auto merged = mergeProfiles({{*read, "a"}, {second, "b"}});
    REQUIRE(merged.ok());
    const auto back = parseProfile(formatProfile(*merged), "p");
    INFO((back.ok() ? "" : back.error().message()));
    CHECK(back.ok());
}

TEST_CASE("a timeline with a span that no reader takes is not written") {
    Profile profile = ten().profile();
    constexpr Nanoseconds kHalf = Nanoseconds{1} << 52;
    profile.timeline.calls[0].time = {-kHalf - kMilli, kHalf + kMilli};
    const test::TemporaryFolder folder;
    const auto written = writeProfile(profile, folder.file("p.json"));
    REQUIRE_FALSE(written.ok());
    CHECK(written.error().message().find("/timeline/calls/duration_ns/0") != std::string::npos);
}
