// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/counter_attribution.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "collector/inject/sessions/source_session.h"
#include "collector/run/join/join_runs.h"
#include "collector/spool/reader/spool_reader.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::inject;
using namespace std::chrono_literals;

namespace {

/// Instructions for the fake session, and what it saw.
struct Script {
    std::size_t capacity = 4;
    std::size_t extraRanges = 0, lostRanges = 0, dropped = 0;
    int failDrain = -1;  ///< the number of the drain that fails
    int drains = 0;
    bool pausesCheaply = true;
    std::size_t groups = 1;  ///< if there are several, group g measures only counter g
    bool running = true;
    std::function<void()> onDrain = [] {};  ///< advances the test's clock
    std::vector<double> run;  ///< one value per "kernel" that ran since the last drain
};

class ScriptedSession final : public CounterSession {
public:
    explicit ScriptedSession(Script& script) : m_script(script) {
        for (std::size_t g = 1; g < script.groups; ++g)
            m_names.push_back("c" + std::to_string(g) + ".sum");
    }
    const std::vector<std::string>& counters() const override { return m_names; }
    const std::vector<std::string>& peakNames() const override { return m_peaks; }
    const std::vector<double>& peakValues() const override { return m_peakValues; }
    std::size_t passes() const override { return 2; }
    std::size_t room() const override { return m_script.capacity; }
    bool pausesCheaply() const override { return m_script.pausesCheaply; }
    std::size_t groups() const override { return m_script.groups; }
    void choose(std::size_t group) override { m_next = group; }
    Result<void> reserve(std::size_t ranges) override {
        m_script.capacity = ranges;
        return {};
    }
    Result<void> resume() override {
        m_script.running = true;
        m_group = m_next;
        return {};
    }
    Result<Batch> drain(bool pause) override {
        m_script.onDrain();
        m_script.running = !pause;
        if (m_script.drains++ == m_script.failDrain)
            return Error{.code = ErrorCode::Unavailable, .what = "gone"};
        Batch batch;
        batch.dropped = m_script.dropped;
        for (std::size_t i = m_script.lostRanges; i < m_script.run.size(); ++i)
            batch.ranges.push_back(row(m_script.run[i]));
        for (std::size_t i = 0; i < m_script.extraRanges; ++i) batch.ranges.push_back({-1.0});
        m_script.run.clear();
        m_group = m_next;
        m_peakValues = {1504.0};
        return batch;
    }

private:
    std::vector<double> row(double value) const {
        std::vector<double> values(m_names.size(), std::nan(""));
        values[m_group] = value;
        return values;
    }

    Script& m_script;
    std::size_t m_group = 0, m_next = 0;
    std::vector<std::string> m_names{"c.sum"}, m_peaks{"p.peak_sustained"};
    std::vector<double> m_peakValues;
};

/// A process that launches kernels; launch n "measures" the value 100 + n.
struct Guest {
    test::TemporaryFolder folder;
    Script script;
    CounterAttribution::Clock::time_point clock{};
    std::unique_ptr<SpoolWriter> spool = std::make_unique<SpoolWriter>(folder.path().string());
    std::unique_ptr<CounterAttribution> attribution;
    std::uint64_t next = 0;

    explicit Guest(Script s = {}, std::uint32_t enough = 0) : script(std::move(s)) {
        spool->process({.pid = 1});
        spool->device(0, Device{.name = "fake", .chip = "GH100"});
        spool->kernel(0, Kernel{.name = "k", .symbol = "k"});
        CounterAttribution::Options options;
        options.now = [this] { return clock; };
        options.started = clock;
        options.enough = enough;
        attribution = std::make_unique<CounterAttribution>(
            0, std::make_unique<ScriptedSession>(script), *spool, options);
    }
    void launch(std::size_t nodes = 1, bool wanted = true,
                std::optional<std::uint64_t> signature = {}) {
        const bool counted = attribution->prepare(nodes, wanted, signature) && wanted;
        std::vector<std::uint64_t> sequences;
        for (std::size_t i = 0; i < nodes; ++i) {
            spool->launch(next, LaunchFacts{.counted = counted});
            if (script.running) script.run.push_back(100.0 + static_cast<double>(next));
            sequences.push_back(wanted ? next : CounterAttribution::kUnwanted);
            ++next;
        }
        attribution->issued(sequences);
        attribution->idle();
    }
    Profile profile() {
        spool.reset();
        auto read = readSpools(folder.path());
        REQUIRE(read.ok());
        return *read;
    }
};

bool hasIssue(const Profile& profile, const std::string& code) {
    for (const auto& issue : profile.issues)
        if (issue.code == code) return true;
    return false;
}

}  // namespace

TEST_CASE("every launch gets the counters of its own range") {
    Guest guest;
    for (int i = 0; i < 10; ++i) guest.launch();
    guest.attribution->finish();
    guest.spool->end();
    const Profile p = guest.profile();
    REQUIRE(p.launches.size() == 10);
    for (std::size_t i = 0; i < 10; ++i)
        CHECK(p.counters.value("c.sum", i) == 100.0 + static_cast<double>(i));
    CHECK(p.devices.at(0).peaks.at("p.peak_sustained") == 1504.0);
    CHECK(p.capture.passes == 2);
    CHECK(p.issues.empty());
}

TEST_CASE(
    "draining early takes no more than its share of the time; a full batch is drained anyway") {
    Script script;
    script.capacity = 8;
    Guest guest(script);
    guest.script.onDrain = [&] { guest.clock += 11ms; };
    guest.clock += 100ms;  // set-up time: 15 % of it allow for one drain of 11 ms
    guest.launch();
    CHECK(guest.script.drains == 1);
    guest.launch();
    CHECK(guest.script.drains == 1);  // 22 of 111 ms would be too much
    CHECK(guest.attribution->pending() == 1);
    guest.clock += 50ms;
    guest.attribution->idle();
    CHECK(guest.script.drains == 2);
    for (int i = 0; i < 8; ++i) guest.launch();
    CHECK(guest.script.drains == 3);  // the buffer is full
    CHECK(guest.attribution->pending() == 0);
}

TEST_CASE("a graph larger than the batch makes room first") {
    Guest guest;
    guest.launch(50);
    CHECK(guest.script.capacity == 50);
    guest.attribution->finish();
    guest.spool->end();
    const Profile p = guest.profile();
    CHECK(p.counters.value("c.sum", 49) == 149.0);
    CHECK(p.issues.empty());
}

TEST_CASE("ranges that do not match the launches are left out, never mislabelled") {
    for (const bool more : {true, false}) {
        Script script;
        (more ? script.extraRanges : script.lostRanges) = 1;
        Guest guest(script);
        guest.launch(2);
        guest.script.extraRanges = guest.script.lostRanges = 0;
        guest.launch(2);
        guest.attribution->finish();
        guest.spool->end();
        const Profile p = guest.profile();
        CHECK_FALSE(p.counters.value("c.sum", 0));
        CHECK_FALSE(p.counters.value("c.sum", 1));
        CHECK(p.counters.value("c.sum", 2) == 102.0);
        CHECK(hasIssue(p, "attribution-failed"));
    }
}

TEST_CASE("dropped ranges make the batch unattributable") {
    Script script;
    script.dropped = 1;
    Guest guest(script);
    guest.launch();
    guest.attribution->finish();
    guest.spool->end();
    const Profile p = guest.profile();
    CHECK_FALSE(p.counters.value("c.sum", 0));
    CHECK(hasIssue(p, "attribution-failed"));
}

TEST_CASE("a session that fails keeps what was measured before") {
    Script script;
    script.failDrain = 1;
    Guest guest(script);
    for (int i = 0; i < 3; ++i) guest.launch();
    CHECK(guest.attribution->failed());
    guest.attribution->finish();
    guest.spool->end();
    const Profile p = guest.profile();
    REQUIRE(p.launches.size() == 3);
    CHECK(p.counters.value("c.sum", 0) == 100.0);
    CHECK_FALSE(p.counters.value("c.sum", 1));
    CHECK(hasIssue(p, "counter-session-failed"));
}

TEST_CASE("a process that dies without warning keeps what was drained") {
    Guest guest;
    guest.launch();
    guest.attribution->prepare(1);
    guest.spool->launch(guest.next, LaunchFacts{});  // issued, then the process ends
    const Profile p = guest.profile();
    REQUIRE(p.launches.size() == 2);
    CHECK(p.counters.value("c.sum", 0) == 100.0);
    CHECK_FALSE(p.counters.value("c.sum", 1));
    CHECK(hasIssue(p, "process-ended-early"));
    CHECK_FALSE(p.processes.at(0).endedCleanly);
    CHECK(p.processes.at(0).launchesSeen == 2);
}

TEST_CASE("a retracted launch leaves no row") {
    Guest guest;
    guest.spool->launch(guest.next, LaunchFacts{});
    guest.spool->retract(guest.next++);
    guest.launch();
    guest.attribution->finish();
    guest.spool->end();
    const Profile p = guest.profile();
    REQUIRE(p.launches.size() == 1);
    CHECK(p.counters.value("c.sum", 0) == 101.0);
}

TEST_CASE("launches of a graph whose order is open are counted but not labelled") {
    Guest guest;
    guest.spool->launch(0, LaunchFacts{});
    guest.spool->launch(1, LaunchFacts{});
    guest.spool->launch(2, LaunchFacts{});
    guest.script.run = {100.0, 101.0, 102.0};
    guest.attribution->issued({0, 1}, false);
    guest.attribution->issued({2});
    guest.attribution->finish();
    guest.spool->end();
    const Profile p = guest.profile();
    CHECK_FALSE(p.counters.value("c.sum", 0));
    CHECK_FALSE(p.counters.value("c.sum", 1));
    CHECK(p.counters.value("c.sum", 2) == 102.0);  // its position is known nonetheless
}

TEST_CASE("a batch whose order was lost gets no counters, the next one does") {
    Guest guest;
    guest.spool->launch(guest.next, LaunchFacts{});
    guest.script.run.push_back(100.0);
    guest.attribution->loseOrder();
    guest.attribution->issued({guest.next++});
    guest.attribution->idle();
    guest.launch();
    guest.attribution->finish();
    guest.spool->end();
    const Profile p = guest.profile();
    CHECK_FALSE(p.counters.value("c.sum", 0));
    CHECK(p.counters.value("c.sum", 1) == 101.0);
    CHECK(hasIssue(p, "launch-order-lost"));
}

TEST_CASE("the spool stays out of a host's standard streams") {
    const int saved = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    const test::TemporaryFolder folder;
    {
        SpoolWriter spool(folder.path().string());
        CHECK(fcntl(STDIN_FILENO, F_GETFD) == -1);  // remains free for the host
        spool.end();
    }
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    const auto read = readSpools(folder.path());
    REQUIRE(read.ok());
    CHECK(read->processes.at(0).endedCleanly);
}

TEST_CASE("a host that takes over the spool's descriptor keeps its file clean") {
    const test::TemporaryFolder folder, hosts;
    SpoolWriter spool(folder.path().string());
    const auto file = hosts.file("own");
    const int own = open(file.c_str(), O_CREAT | O_WRONLY, 0600);
    REQUIRE(own >= 0);
    // Replaces the spool's descriptor, whatever its number, with one of the host.
    for (int fd = 3; fd < 1024; ++fd)
        if (fd != own) {
            char link[64], target[256] = {};
            std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
            if (readlink(link, target, sizeof target - 1) > 0 &&
                std::string(target).ends_with(".spool"))
                dup2(own, fd);
        }
    spool.end();
    CHECK(test::readText(file).empty());
    close(own);
}

TEST_CASE(
    "launches that nobody asked for run without the session, or give their ranges to nobody") {
    for (const bool cheap : {true, false}) {
        INFO("pauses cheaply: " << cheap);
        Script script;
        script.pausesCheaply = cheap;
        Guest guest(script);
        guest.launch();
        guest.launch(1, false);
        CHECK(guest.script.running == !cheap);
        guest.launch(2, false);
        guest.launch();
        CHECK(guest.script.running);
        guest.attribution->finish();
        guest.spool->end();
        const Profile p = guest.profile();
        REQUIRE(p.launches.size() == 5);
        CHECK(p.counters.value("c.sum", 0) == 100.0);
        CHECK_FALSE(p.counters.value("c.sum", 1));
        CHECK_FALSE(p.counters.value("c.sum", 3));
        CHECK(p.counters.value("c.sum", 4) == 104.0);
        CHECK(p.issues.empty());  // without counters on purpose
    }
}

TEST_CASE("a paused session runs again while a graph is made") {
    Guest guest;
    guest.launch(1, false);
    REQUIRE_FALSE(guest.script.running);
    guest.attribution->resume();
    CHECK(guest.script.running);
    guest.launch();
    guest.attribution->finish();
    guest.spool->end();
    CHECK(guest.profile().counters.value("c.sum", 1) == 101.0);
}

TEST_CASE("a spool beyond the limit on file sizes is cut; the host lives on") {
    const test::TemporaryFolder folder;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_DFL);
        const rlimit limit{.rlim_cur = 300, .rlim_max = 300};
        setrlimit(RLIMIT_FSIZE, &limit);
        SpoolWriter spool(folder.path().string());
        spool.process({.pid = 1});
        for (std::uint64_t i = 0; i < 20; ++i) spool.launch(i, LaunchFacts{});
        spool.end();
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        _exit(sigismember(&blocked, SIGXFSZ) ? 1 : 7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
    const auto read = readSpools(folder.path());
    REQUIRE(read.ok());
    CHECK(read->processes.at(0).pid == 1);
    CHECK(hasIssue(*read, "process-ended-early"));
}

TEST_CASE("a disk that is full for a while: the gap is told, and no counters move") {
    const test::TemporaryFolder whole, folder;
    constexpr std::uint64_t kLaunches = 1000, kFullFrom = 10, kRoomFrom = 900;
    // Failed launches: before the gap, one whose end only is in the gap, within it, and after it.
    const auto failed = [](std::uint64_t i) { return i == 5 || i == 8 || i == 500 || i == 950; };
    const auto begin = [](SpoolWriter& spool) {
        spool.process({.pid = 1});
        spool.device(0, {});
        spool.counters(0, std::vector<std::string>{"c.sum"}, 1);
        spool.kernel(0, {.name = "k", .symbol = "k"});
    };
    {
        SpoolWriter spool(whole.path().string());
        begin(spool);
        for (std::uint64_t i = 0; i < kLaunches; ++i)
            if (!failed(i)) spool.launch(i, LaunchFacts{});
        for (std::uint64_t i = 0; i < kLaunches; ++i)
            if (failed(i)) spool.retract(i);
        spool.end();
    }
    const pid_t child = fork();
    if (child == 0) {
        rlimit usual{};
        getrlimit(RLIMIT_FSIZE, &usual);
        SpoolWriter spool(folder.path().string());
        begin(spool);
        for (std::uint64_t i = 0; i < kLaunches; ++i) {
            const rlimit full{.rlim_cur = 2000, .rlim_max = usual.rlim_max};
            if (i == kFullFrom) setrlimit(RLIMIT_FSIZE, &full);
            if (i == kFullFrom + 50) spool.retract(8);
            if (i == kFullFrom + 60) spool.kernel(1, {.name = "l", .symbol = "l"});
            if (i == kRoomFrom) setrlimit(RLIMIT_FSIZE, &usual);
            spool.launch(i, LaunchFacts{});
            if (i == 8) continue;  // ends later
            if (failed(i))
                spool.retract(i);
            else
                spool.values(i, 0, std::vector<double>{static_cast<double>(i)});
        }
        spool.end();
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    REQUIRE(status == 0);
    auto base = readSpools(whole.path());
    SpoolDetails details;
    const auto run = readSpools(folder.path(), &details);
    REQUIRE(base.ok());
    REQUIRE(run.ok());
    CHECK(base->launches.size() == kLaunches - 4);
    CHECK(run->launches.size() > kLaunches - kRoomFrom);
    CHECK(run->launches.size() < 200);
    REQUIRE(hasIssue(*run, "spool-damaged"));
    REQUIRE(hasIssue(*run, "launches-lost"));
    CHECK_FALSE(hasIssue(*run, "process-ended-early"));
    for (const Issue& issue : run->issues) {
        CHECK(issue.severity == Severity::DataLoss);
        if (issue.code == "launches-lost")
            CHECK(issue.message.find(": " +
                                     std::to_string(base->launches.size() - run->launches.size()) +
                                     " launch") != std::string::npos);
    }
    CHECK(details.positions.size() == run->launches.size());
    CHECK(run->kernels.size() == 2);  // the second one first seen while nothing could be written
    for (const bool lostInBase : {false, true}) {
        Profile first = lostInBase ? *run : *base, second = lostInBase ? *base : *run;
        if (lostInBase) {
            // The values that were kept tell which launch it is.
            std::vector<double> numbers;
            for (std::uint64_t i = 0; i < kLaunches; ++i)
                if (!failed(i)) numbers.push_back(static_cast<double>(i));
            second.counters.addColumn("d.sum", numbers);
            (void)joinCounters(first, second, details.positions, {});
            for (std::size_t row = 0; row < first.launches.size(); ++row)
                if (const auto value = first.counters.value("c.sum", row))
                    CHECK(first.counters.value("d.sum", row) == value);
            continue;
        }
        CHECK(joinCounters(first, second, {}, details.positions).matched == run->launches.size());
        std::size_t row = 0, counted = 0;
        for (std::uint64_t i = 0; i < kLaunches; ++i) {
            if (failed(i)) continue;
            const auto value = first.counters.value("c.sum", row++);
            counted += value ? 1 : 0;
            if (value) CHECK(*value == static_cast<double>(i));
        }
        CHECK(counted + 1 >= run->launches.size());  // one launch lost only its values
    }
}

TEST_CASE("a signal handler may end the process in the midst of a line") {
    const test::TemporaryFolder folder;
    const pid_t child = fork();
    if (child == 0) {
        static SpoolWriter spool(folder.path().string());
        spool.process({.pid = 1});
        for (std::uint64_t i = 0; i < 300'000; ++i) spool.launch(i, LaunchFacts{});
        // The signal arrives while all of that is being written.
        signal(SIGALRM, [](int) {
            spool.end();
            _exit(0);
        });
        const itimerval soon{.it_value = {.tv_sec = 0, .tv_usec = 500}};
        setitimer(ITIMER_REAL, &soon, nullptr);
        for (;;) {
            spool.flush();
            spool.launch(300'000, LaunchFacts{});
        }
    }
    int status = 1;
    pid_t ended = 0;
    for (int i = 0; i < 500 && ended == 0; ++i) {
        ended = waitpid(child, &status, WNOHANG);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (ended == 0) kill(child, SIGKILL);
    CHECK(ended == child);
    CHECK(status == 0);
}

TEST_CASE("lines keep their order where one thread launches and another one writes") {
    constexpr std::uint64_t kLaunches = 20'000;
    const test::TemporaryFolder folder;
    {
        SpoolWriter spool(folder.path().string());
        spool.process({.pid = 1});
        spool.device(0, {});
        spool.setFlushedByOtherThread(true);
        std::atomic<bool> over{false};
        std::thread writer([&] {
            while (!over)
                if (spool.hasQueuedLines()) spool.flush();
        });
        for (std::uint64_t i = 0; i < kLaunches; ++i) {
            const auto kernel = static_cast<std::uint32_t>(i / 1000);
            if (i % 1000 == 0) spool.kernel(kernel, {.name = "k", .symbol = "k"});
            spool.launch(i, {.kernel = kernel});
            spool.flushIfDue();
            if (i % 7 == 0) spool.arguments(i, {});
            if (i % 1000 == 999) spool.retract(i);
        }
        over = true;
        writer.join();
        spool.end();
    }
    const auto p = readSpools(folder.path());
    REQUIRE(p);
    CHECK(p->issues.empty());
    REQUIRE(p->launches.size() == kLaunches - kLaunches / 1000);
    std::size_t withArguments = 0;
    for (const Launch& l : p->launches) withArguments += l.arguments ? 1 : 0;
    CHECK(withArguments == 2855);  // every seventh, except three retracted ones
}

TEST_CASE("the code of two processes' kernels goes to two files") {
    const test::TemporaryFolder folder;
    const SpoolWriter one(folder.path().string()), another(folder.path().string());
    CHECK(cubinName(one, 3) != cubinName(another, 3));
    CHECK(cubinName(one, 3) != cubinName(one, 4));
    CHECK(std::filesystem::exists(folder.file(one.name() + ".spool")));
}

TEST_CASE("after missed launches the positions of later ones are unknown") {
    const test::TemporaryFolder folder;
    {
        SpoolWriter spool(folder.path().string());
        spool.process({.pid = 1});
        spool.device(0, {});
        spool.kernel(0, {.name = "k", .symbol = "k"});
        spool.launch(0, LaunchFacts{});
        spool.launchesMissed(1);
        spool.launch(1, LaunchFacts{});
        spool.end();
    }
    SpoolDetails details;
    const auto read = readSpools(folder.path(), &details);
    REQUIRE(read.ok());
    CHECK(details.positions == LaunchPositions{{0, 0}, {1, kUnknownPosition}});
    Profile base = *read, run = *read;
    run.counters.addColumn("c.sum", {1, 2});
    CHECK(joinCounters(base, run, {}, details.positions).matched == 1);
    CHECK(base.counters.value("c.sum", 0) == 1.0);
    CHECK_FALSE(base.counters.value("c.sum", 1));
}

TEST_CASE(
    "groups of counters take turns: every kind of launch meets each, at its share of the time") {
    Script script;
    script.capacity = 64;
    script.groups = 3;
    script.pausesCheaply = false;
    Guest guest(script);
    guest.script.onDrain = [&] { guest.clock += 20ms; };
    // Phases of 64 launches, the size of a full batch: turns of fixed length would stay in phase.
    constexpr int kKinds = 3, kPhase = 64, kSteps = 10;
    std::vector<int> kinds;
    for (int step = 0; step < kSteps; ++step)
        for (int kind = 0; kind < kKinds; ++kind)
            for (int i = 0; i < kPhase; ++i) {
                guest.clock += 1ms;
                kinds.push_back(kind);
                guest.launch(1, true, 1000 + kind);
            }
    const auto elapsed = guest.clock.time_since_epoch();
    guest.attribution->finish();
    guest.spool->end();
    const Profile p = guest.profile();
    REQUIRE(p.launches.size() == kinds.size());
    CHECK(p.issues.empty());
    const std::vector<std::string> names{"c.sum", "c1.sum", "c2.sum"};
    std::vector<std::vector<int>> met(kKinds, std::vector<int>(names.size()));
    for (std::size_t row = 0; row < kinds.size(); ++row) {
        int measured = 0;
        for (std::size_t g = 0; g < names.size(); ++g)
            if (const auto value = p.counters.value(names[g], row)) {
                ++met[kinds[row]][g];
                ++measured;
                CHECK(*value == 100.0 + static_cast<double>(row));
            }
        CHECK(measured == 1);
    }
    for (const auto& groups : met)
        for (const int count : groups) CHECK(count >= kPhase * kSteps / 6);
    CHECK(guest.script.drains * 20ms < 0.45 * elapsed);
}

TEST_CASE("launches that have met every group often enough run unmeasured") {
    Script script;
    script.capacity = 64;
    script.groups = 2;
    script.pausesCheaply = false;
    Guest guest(script, 4);
    guest.clock += 100s;
    for (int i = 0; i < 40; ++i) guest.launch(1, true, 7);
    CHECK_FALSE(guest.script.running);
    const int drains = guest.script.drains;
    for (int i = 0; i < 40; ++i) guest.launch(1, true, 7);
    CHECK(guest.script.drains == drains);
    for (int i = 0; i < 40; ++i) {  // launches that were not chosen do not resume measuring
        guest.launch(1, false);
        guest.launch(1, true, 7);
    }
    CHECK(guest.script.drains == drains);
    CHECK_FALSE(guest.script.running);
    guest.launch(1, true, 8);  // a new kind of launch
    CHECK(guest.script.running);
    for (int i = 0; i < 17; ++i) guest.launch(1, true, 7);
    CHECK_FALSE(guest.script.running);
    guest.launch(1, true, 8);  // it has one group and resumes measuring for the other
    guest.attribution->finish();
    guest.spool->end();
    const Profile p = guest.profile();
    for (const Issue& issue : p.issues) UNSCOPED_INFO(issue.code << ": " << issue.message);
    CHECK(p.issues.empty());
    // 40 + 40 + 2 × 40 + 1 + 17 + 1; here launches that were not chosen have a row as well.
    REQUIRE(p.launches.size() == 179);
    std::size_t first = 0, second = 0;
    for (std::size_t row = 0; row < 80; ++row) {
        first += p.counters.value("c.sum", row).has_value();
        second += p.counters.value("c1.sum", row).has_value();
        for (const char* name : {"c.sum", "c1.sum"})
            if (const auto v = p.counters.value(name, row))
                CHECK(*v == 100.0 + static_cast<double>(row));
    }
    CHECK(first >= 4);
    CHECK(second >= 4);
    CHECK(first + second < 40);
    const auto met = [&](std::size_t row) {
        return std::pair{p.counters.value("c.sum", row).has_value(),
                         p.counters.value("c1.sum", row).has_value()};
    };
    CHECK(met(160).first != met(160).second);
    CHECK(met(178).first != met(178).second);
    CHECK(met(160).first != met(178).first);
}

TEST_CASE("a change of groups waits until it can be afforded, or nothing needs the group") {
    Script script;
    script.capacity = 64;
    script.groups = 2;
    script.pausesCheaply = false;
    const bool patient = GENERATE(true, false);
    Guest guest(script, 3);
    guest.script.onDrain = [&] { guest.clock += 30ms; };
    guest.launch(1, true, 7);
    CHECK(guest.script.drains == 0);  // a first launch is measured with the current group
    guest.launch(1, true, 7);         // the second, the other: a drain's cost is unknown
    CHECK(guest.script.drains == 1);
    for (int i = 0; i < 2; ++i) guest.launch(1, true, 7);  // three times in all
    CHECK(guest.script.drains == 1);
    if (patient) {
        for (int i = 0; i < 16; ++i) guest.launch(1, true, 7);
        CHECK(guest.script.drains == 1);
    } else {
        guest.clock += 1s;
    }
    guest.launch(1, true, 7);
    CHECK(guest.script.drains == 2);
}

TEST_CASE("a kind of launch meets every group once before it meets one often") {
    Script script;
    script.capacity = 64;
    script.groups = 4;
    script.pausesCheaply = false;
    Guest guest(script, 8);
    for (int i = 0; i < 12; ++i) {
        guest.clock += 1s;  // time for any change of groups
        guest.launch(1, true, 7);
    }
    guest.attribution->finish();
    guest.spool->end();
    const Profile p = guest.profile();
    REQUIRE(p.launches.size() == 12);
    const std::vector<std::string> names{"c.sum", "c1.sum", "c2.sum", "c3.sum"};
    std::vector<std::size_t> met;
    for (std::size_t row = 0; row < 12; ++row)
        for (std::size_t g = 0; g < names.size(); ++g)
            if (p.counters.value(names[g], row)) met.push_back(g);
    CHECK(met == std::vector<std::size_t>{0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 0});
}
