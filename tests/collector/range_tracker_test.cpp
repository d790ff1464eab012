// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/ranges/range_tracker.h"

#include <algorithm>
#include <set>

#include "collector/spool/reader/spool_reader.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::inject;

namespace {

/// Instructions for the fake sessions, and what they saw. As in CUPTI, one range too many or a
/// nested range ends the process.
struct RangeScript {
    std::size_t capacity = 4;
    int failPush = -1, failDrain = -1;  ///< number of the call that fails
    std::size_t lost = 0;               ///< ranges that each drain loses
    int opened = 0, pushes = 0, drains = 0;
    bool readable = true;
    bool instrumented = false;  ///< the counter is not seen inside graphs
    bool fatal = false;         ///< CUPTI would have crashed
};

class FakeRanges final : public RangeSession {
public:
    FakeRanges(RangeScript& script, double& work) : m_script(script), m_work(work) {
        if (script.instrumented) m_names = {"smsp__sass_c.sum"};
    }
    const std::vector<std::string>& counters() const override { return m_names; }
    const std::vector<std::string>& peakNames() const override { return m_peaks; }
    const std::vector<double>& peakValues() const override { return m_peakValues; }
    std::size_t room() const override { return m_script.capacity - m_used; }
    Result<void> push(const std::string& name) override {
        m_script.fatal = m_script.fatal || m_open || room() == 0 || m_seen.contains(name);
        if (m_script.pushes++ == m_script.failPush) return gone();
        m_open = true;
        m_seen.insert(name);
        ++m_used;
        m_ranges.push_back({.name = name, .values = {m_work}});
        return {};
    }
    Result<void> pop() override {
        m_script.fatal = m_script.fatal || !m_open;
        m_open = false;
        m_ranges.back().values[0] = m_work - m_ranges.back().values[0];
        return {};
    }
    Result<Batch> drain() override {
        m_script.fatal = m_script.fatal || m_open;
        if (m_script.drains++ == m_script.failDrain) return gone();
        Batch batch{.ranges = {m_ranges.rbegin(), m_ranges.rend()}, .dropped = m_script.lost};
        batch.ranges.resize(batch.ranges.size() - std::min(m_script.lost, batch.ranges.size()));
        m_ranges.clear();
        m_used = 0;
        m_peakValues = {1504.0};
        return batch;
    }

private:
    static Error gone() { return {.code = ErrorCode::Unavailable, .what = "gone"}; }
    RangeScript& m_script;
    double& m_work;  ///< what the GPU has counted so far
    bool m_open = false;
    std::size_t m_used = 0;
    std::set<std::string> m_seen;
    std::vector<Measured> m_ranges;
    std::vector<std::string> m_names{"c.sum"}, m_peaks{"p.peak_sustained"};
    std::vector<double> m_peakValues;
};

const int kContexts[3] = {};

/// A process of one thread, or of several that the test interleaves. A launch of kernel k adds k.
struct RangeGuest {
    test::TemporaryFolder folder;
    RangeScript script;
    double work[3] = {};
    std::unique_ptr<SpoolWriter> spool = std::make_unique<SpoolWriter>(folder.path().string());
    std::unique_ptr<RangeTracker> tracker;
    std::uint64_t next = 0;
    bool capturing = false;
    std::vector<std::string> paths;

    explicit RangeGuest(std::optional<std::uint32_t> measuredDepth, RangeScript s = {},
                        std::uint64_t mostFollowed = 1000)
        : script(s) {
        spool->process({.pid = 1});
        spool->device(0, Device{.name = "fake", .uuid = "GPU-0", .chip = "GH100"});
        spool->device(1, Device{.name = "fake", .uuid = "GPU-1", .chip = "GH100"});
        spool->kernel(0, Kernel{.name = "k", .symbol = "k"});
        tracker = std::make_unique<RangeTracker>(
            *spool,
            RangeTracker::Options{.globs = {"decode*", "layer"},
                                  .measuredDepth = measuredDepth,
                                  .mostMeasured = 3,
                                  .mostFollowed = mostFollowed,
                                  .drainShare = 0},
            [this](RangeTracker::Context c) -> std::unique_ptr<RangeSession> {
                ++script.opened;
                if (!script.readable) return nullptr;
                return std::make_unique<FakeRanges>(script, work[device(c)]);
            });
    }
    static std::uint32_t device(RangeTracker::Context c) {
        return static_cast<std::uint32_t>(static_cast<const int*>(c) - kContexts);
    }
    static RangeTracker::Place place(std::uint32_t device) { return {&kContexts[device], device}; }
    std::uint64_t runsNs = 50;  ///< duration of each kernel; they start 100 ns apart
    std::uint64_t push(const std::string& path, std::uint32_t depth = 0,
                       std::optional<std::uint32_t> on = 0) {
        const auto known = std::find(paths.begin(), paths.end(), path);
        const auto id = static_cast<std::uint32_t>(known - paths.begin());
        if (known == paths.end()) {
            paths.push_back(path);
            spool->range(id, path);
        }
        return tracker->pushed(
            id, depth, on ? std::optional(place(*on)) : std::optional<RangeTracker::Place>(), next,
            capturing);
    }
    void pop(std::uint64_t tag) { tracker->popped(tag, next, capturing); }
    void launch(std::uint32_t kernel, std::uint32_t on = 0, bool graph = false) {
        tracker->launching(place(on), 1, kernel, graph, capturing);
        work[on] += kernel;
        spool->launch(next, LaunchFacts{.device = on, .correlation = static_cast<uint32_t>(next)});
        const KernelTime time{.correlation = static_cast<std::uint32_t>(next),
                              .startNs = 1000 + 100 * next,
                              .endNs = 1000 + 100 * next + runsNs};
        spool->times(std::span(&time, 1));
        ++next;
    }
    Profile finish() {
        tracker->finish();
        spool->end();
        spool.reset();
        auto read = readSpools(folder.path());
        REQUIRE(read.ok());
        REQUIRE_FALSE(script.fatal);
        return *read;
    }
};

std::size_t issues(const Profile& profile, const std::string& code) {
    return static_cast<std::size_t>(std::ranges::count_if(
        profile.issues, [&](const Issue& issue) { return issue.code == code; }));
}

std::optional<double> counted(const Profile& p, const std::string& path, std::uint32_t ordinal,
                              std::uint32_t device = 0) {
    for (std::size_t i = 0; i < p.rangeMeasurements.size(); ++i) {
        const RangeMeasurement& m = p.rangeMeasurements[i];
        if (p.ranges[m.range] == path && m.ordinal == ordinal && m.device == device)
            return p.rangeCounters.value("c.sum", i);
    }
    return {};
}

}  // namespace

TEST_CASE("each occurrence of a range gets its own counters, those outside get none") {
    RangeGuest guest(0);
    guest.launch(1000);
    for (const std::uint32_t kernel : {1U, 2U, 3U}) {
        const auto tag = guest.push("decode");
        guest.launch(kernel);
        guest.launch(10 * kernel);
        guest.pop(tag);
        guest.launch(1000);
    }
    const Profile p = guest.finish();
    REQUIRE(p.rangeMeasurements.size() == 3);
    for (std::uint32_t i = 0; i < 3; ++i) {
        CHECK(counted(p, "decode", i) == 11.0 * (i + 1));
        CHECK(p.rangeMeasurements[i].launches == 2U);
        CHECK(p.rangeMeasurements[i].work == 11U * (i + 1));
    }
    CHECK(p.devices.at(0).peaks.at("p.peak_sustained") == 1504.0);
    CHECK(p.issues.empty());
    CHECK(guest.script.opened == 1);
}

TEST_CASE("a timing run says when ranges occur, and how long they took") {
    RangeGuest guest(std::nullopt);
    const auto outer = guest.push("decode", 0);
    guest.launch(1);
    const auto inner = guest.push("decode > layer", 1);
    guest.launch(2);
    guest.launch(3);
    guest.pop(inner);
    guest.pop(outer);
    guest.launch(4);
    guest.pop(guest.push("decode"));  // has no launches: left out
    const Profile p = guest.finish();
    REQUIRE(p.rangeMeasurements.size() == 2);
    const RangeMeasurement &all = p.rangeMeasurements[0], &layer = p.rangeMeasurements[1];
    CHECK(all.launches == 3U);
    CHECK(all.depth == 0);
    REQUIRE(all.duration);
    CHECK(all.duration->value == Approx(250e-9));
    CHECK(layer.launches == 2U);
    CHECK(layer.depth == 1);
    REQUIRE(layer.duration);
    CHECK(layer.duration->value == Approx(150e-9));
    REQUIRE(all.busy);
    CHECK(all.busy->value == Approx(150e-9));
    CHECK(layer.busy->value == Approx(100e-9));
    CHECK(p.rangeCounters.names().empty());
    CHECK(guest.script.opened == 0);
}

TEST_CASE("time in which kernels of a range run side by side counts once") {
    RangeGuest guest(std::nullopt);
    const auto tag = guest.push("decode");
    guest.runsNs = 310;
    guest.launch(1);
    guest.runsNs = 50;  // within the first kernel
    guest.launch(2);
    guest.launch(3);
    guest.launch(4);  // 300 to 350: the first ends at 310
    guest.launch(5);  // after a gap
    guest.pop(tag);
    const Profile p = guest.finish();
    REQUIRE(p.rangeMeasurements.size() == 1);
    CHECK(p.rangeMeasurements[0].duration->value == Approx(450e-9));
    CHECK(p.rangeMeasurements[0].busy->value == Approx(400e-9));
    CHECK(p.issues.empty());
}

TEST_CASE("one depth is measured in a run, and nested ranges never meet in a session") {
    for (const std::uint32_t depth : {0U, 1U}) {
        RangeGuest guest(depth);
        for (int i = 0; i < 2; ++i) {
            const auto outer = guest.push("decode", 0);
            guest.launch(1);
            const auto inner = guest.push("decode > layer", 1);
            guest.launch(2);
            guest.pop(inner);
            guest.pop(outer);
        }
        const Profile p = guest.finish();
        REQUIRE(p.rangeMeasurements.size() == 2);
        CHECK(counted(p, "decode", 1) == (depth == 0 ? std::optional(3.0) : std::nullopt));
        CHECK(counted(p, "decode > layer", 1) == (depth == 1 ? std::optional(2.0) : std::nullopt));
        CHECK(p.issues.empty());
    }
}

TEST_CASE("more ranges than a session holds are handed over in time") {
    RangeScript script;
    script.capacity = 2;
    RangeGuest guest(0, script);
    for (const char* path : {"decode", "decode 2", "decode 3"})
        for (std::uint32_t i = 0; i < 3; ++i) {
            const auto tag = guest.push(path);
            guest.launch(7 + i);
            guest.pop(tag);
        }
    const Profile p = guest.finish();
    CHECK(guest.script.drains >= 4);
    for (const char* path : {"decode", "decode 2", "decode 3"})
        for (std::uint32_t i = 0; i < 3; ++i) CHECK(counted(p, path, i) == 7.0 + i);
    CHECK(p.issues.empty());
}

TEST_CASE("of a range that occurs very often the first occurrences are measured") {
    RangeGuest guest(0);
    for (std::uint32_t i = 0; i < 10; ++i) {
        const auto tag = guest.push("decode");
        guest.launch(1);
        guest.pop(tag);
    }
    const Profile p = guest.finish();
    CHECK(p.rangeMeasurements.size() == 3);
    CHECK(guest.script.pushes == 3);
    CHECK(issues(p, "ranges-beyond-limit") == 1);
    RangeGuest timing(std::nullopt, {}, 5);
    for (std::uint32_t i = 0; i < 10; ++i) {
        const auto tag = timing.push("decode");
        timing.launch(1);
        timing.pop(tag);
    }
    const Profile q = timing.finish();
    CHECK(q.rangeMeasurements.size() == 5);
    CHECK(issues(q, "ranges-too-many") == 1);
}

TEST_CASE("a range of another thread that overlaps stays without counters, and it is told") {
    RangeGuest guest(0);
    const auto first = guest.push("decode a");
    guest.launch(1);
    const auto second = guest.push("decode b");
    guest.launch(2);
    guest.pop(first);
    guest.launch(4);
    guest.pop(second);
    const auto third = guest.push("decode b");
    guest.launch(8);
    guest.pop(third);
    const Profile p = guest.finish();
    CHECK(counted(p, "decode a", 0) == 3.0);
    CHECK_FALSE(counted(p, "decode b", 0));
    CHECK(counted(p, "decode b", 1) == 8.0);
    CHECK(issues(p, "ranges-overlap") == 1);
}

TEST_CASE("pops without a push, ranges that are open at the end") {
    RangeGuest guest(0);
    guest.pop(0);
    guest.pop(77);
    guest.push("decode");
    guest.launch(1);
    const Profile p = guest.finish();
    CHECK(p.rangeMeasurements.empty());
    RangeGuest timing(std::nullopt);
    timing.push("decode");
    timing.launch(1);
    const Profile q = timing.finish();
    CHECK(q.rangeMeasurements.empty());
    CHECK(issues(q, "ranges-open") == 1);
}

TEST_CASE("a range whose end is never seen blocks no other") {
    RangeGuest guest(0);
    const auto lost = guest.push("decode");
    guest.launch(1);
    guest.tracker->forget(lost);
    const auto next = guest.push("decode");
    guest.launch(2);
    guest.pop(next);
    const Profile p = guest.finish();
    CHECK_FALSE(counted(p, "decode", 0));
    CHECK(counted(p, "decode", 1) == 2.0);
    CHECK(issues(p, "ranges-cut-short") == 1);
}

TEST_CASE("two GPUs in one range have a row each; one that is met late joins at its first launch") {
    RangeGuest guest(0);
    const auto tag = guest.push("decode", 0, 0);
    guest.launch(1, 0);
    guest.launch(20, 1);
    guest.launch(3, 1);
    guest.pop(tag);
    const auto none = guest.push("decode", 0, std::nullopt);  // the thread has no context yet
    guest.launch(5, 1);
    guest.pop(none);
    const Profile p = guest.finish();
    REQUIRE(p.rangeMeasurements.size() == 3);
    CHECK(counted(p, "decode", 0, 0) == 1.0);
    CHECK(counted(p, "decode", 0, 1) == 23.0);
    CHECK(counted(p, "decode", 1, 1) == 5.0);
    CHECK(p.issues.empty());
}

TEST_CASE("a context that ends within a range takes its counters along, earlier ones stay") {
    RangeGuest guest(0);
    const auto first = guest.push("decode");
    guest.launch(1);
    guest.pop(first);
    const auto cut = guest.push("decode");
    guest.launch(2);
    guest.tracker->contextEnds(&kContexts[0]);
    guest.pop(cut);
    const auto again = guest.push("decode");  // a new context at the same address
    guest.launch(4);
    guest.pop(again);
    const Profile p = guest.finish();
    CHECK(counted(p, "decode", 0) == 1.0);
    CHECK_FALSE(counted(p, "decode", 1));
    CHECK(counted(p, "decode", 2) == 4.0);
    CHECK(issues(p, "ranges-cut-short") == 1);
    CHECK(guest.script.opened == 2);
}

TEST_CASE("a stream capture is left alone: what it cuts short is not taken for the range") {
    RangeGuest guest(0);
    const auto cut = guest.push("decode");
    guest.launch(1);
    guest.capturing = true;
    guest.pop(cut);
    guest.pop(guest.push("decode"));  // captured kernels do not run
    guest.capturing = false;
    guest.launch(100);
    const auto after = guest.push("decode");
    guest.launch(4);
    guest.pop(after);
    const Profile p = guest.finish();
    CHECK_FALSE(counted(p, "decode", 0));
    CHECK(counted(p, "decode", 2) == 4.0);
    CHECK(issues(p, "ranges-cut-short") == 1);
}

TEST_CASE("counters that cannot be read, fail or get lost") {
    RangeScript unreadable;
    unreadable.readable = false;
    RangeScript pushFails;
    pushFails.failPush = 1;
    RangeScript drainFails;
    drainFails.failDrain = 0;
    RangeScript loses;
    loses.lost = 1;
    const auto run = [](RangeScript script) {
        RangeGuest guest(0, script);
        for (std::uint32_t i = 0; i < 3; ++i) {
            const auto tag = guest.push("decode");
            guest.launch(1 + i);
            guest.pop(tag);
        }
        return guest.finish();
    };
    CHECK(run(unreadable).rangeMeasurements.size() == 3);
    CHECK(run(unreadable).issues.empty());  // opening has already reported why
    const Profile pushed = run(pushFails);
    CHECK(issues(pushed, "counter-session-failed") == 1);
    CHECK_FALSE(counted(pushed, "decode", 1));
    const Profile drained = run(drainFails);
    CHECK(issues(drained, "counter-session-failed") == 1);
    CHECK_FALSE(counted(drained, "decode", 0));
    const Profile lost = run(loses);
    CHECK(issues(lost, "ranges-dropped") > 0);
    CHECK(counted(lost, "decode", 2) == 3.0);  // by name: the other ranges keep theirs
    CHECK_FALSE(counted(lost, "decode", 0));
}

TEST_CASE("kernels that are not known make the range's launches unknown, not its counters") {
    RangeGuest guest(0);
    const auto tag = guest.push("decode");
    guest.launch(1);
    guest.tracker->launching(RangeGuest::place(0), 0, std::nullopt, true, false);
    guest.work[0] += 5;
    guest.pop(tag);
    const Profile p = guest.finish();
    REQUIRE(p.rangeMeasurements.size() == 1);
    CHECK_FALSE(p.rangeMeasurements[0].launches);
    CHECK_FALSE(p.rangeMeasurements[0].work);
    CHECK_FALSE(p.rangeMeasurements[0].duration);
    CHECK(counted(p, "decode", 0) == 6.0);
}

TEST_CASE("names are matched by glob") {
    RangeGuest guest(0);
    CHECK(guest.tracker->wants("decode"));
    CHECK(guest.tracker->wants("decode step 7"));
    CHECK_FALSE(guest.tracker->wants("prefill decode"));
    CHECK_FALSE(guest.tracker->wants("layers"));
    CHECK_FALSE(guest.tracker->wants(""));
}

TEST_CASE("instrumented counters of a range with graph launches are missing, and not too small") {
    for (const bool instrumented : {false, true}) {
        RangeGuest guest(0);
        guest.script.instrumented = instrumented;
        for (const bool graph : {false, true}) {
            const auto tag = guest.push("step");
            guest.launch(3);
            guest.launch(4, 0, graph);
            guest.pop(tag);
        }
        const Profile p = guest.finish();
        REQUIRE(p.rangeMeasurements.size() == 2);
        const char* name = instrumented ? "smsp__sass_c.sum" : "c.sum";
        CHECK(p.rangeCounters.value(name, 0) == 7.0);
        CHECK(p.rangeCounters.value(name, 1) == (instrumented ? std::nullopt : std::optional(7.0)));
    }
}
