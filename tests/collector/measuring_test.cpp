// SPDX-License-Identifier: Apache-2.0
// Several measurements in one process: counters, times, and counters again. With a fake driver and
// CUPTI.
#include "collector/inject/measuring/measuring.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "collector/inject/calls/call_roles.h"
#include "collector/inject/calls/driver_calls.h"
#include "collector/inject/calls/memory_writes.h"
#include "collector/inject/injector.h"
#include "collector/spool/reader/spool_reader.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/fake_gpu/fake_session.h"
#include "tests/support/catch.h"
#include "tests/support/process_name.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using inject::Injector;
using test::FakeProgram;
using test::FakeSession;

namespace {

Profile measured(const RunConfiguration::Mode& first,
                 const std::function<void(FakeProgram&)>& program,
                 FakeProgram::Counters counters = {.readable = true}) {
    const test::TemporaryFolder folder;
    REQUIRE(test::runFakeProgram({.mode = first}, folder.path(), program, counters));
    auto profile = readSpools(folder.path());
    REQUIRE(profile);
    return *profile;
}

/// For programs, which run in a child process: measured() reports a failure.
void must(bool holds) {
    if (!holds) std::abort();
}
bool goOn(const RunConfiguration::Mode& mode) { return Injector::instance()->goOn(mode); }

/// For each launch its kernel and measurement: "a 7" (7 blocks counted), "a 500ns", "a -".
std::vector<std::string> measurementsOf(const Profile& profile) {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < profile.launches.size(); ++i) {
        const Launch& launch = profile.launches[i];
        std::string text = profile.kernels[launch.kernel].symbol;
        const auto value = profile.counters.value(FakeSession::kCounter, i);
        if (value) text += " " + std::to_string(static_cast<int>(*value));
        if (launch.duration)
            text +=
                " " + std::to_string(static_cast<int>(1e9 * launch.duration->value + 0.5)) + "ns";
        list.push_back(value || launch.duration ? text : text + " -");
    }
    return list;
}

std::vector<std::string> issueCodes(const Profile& profile) {
    std::vector<std::string> list;
    for (const Issue& issue : profile.issues) list.push_back(issue.code);
    return list;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a process counts, times, and counts again; each launch is measured in one way") {
    for (const bool cheapPauses : {true, false}) {
        const Profile profile =
            measured(CountersMode{},
                     [](FakeProgram& program) {
                         program.launch({.kernel = "a", .grid = 7});
                         must(FakeSession::runs() && goOn(TimingMode{}) && !FakeSession::runs());
                         for (unsigned i = 1; i < 3; ++i) {
                             program.launch({.kernel = "a", .grid = 100});
                             test::kernelRan(program, 1000 * i, 1000 * i + 500);
                         }
                         must(goOn(CountersMode{}));
                         program.launch({.kernel = "a", .grid = 9});
                         program.launch({.kernel = "b", .grid = 3});
                         must(FakeSession::opened() == 2 && goOn(TimingMode{}));
                         program.launch({.kernel = "b", .grid = 100});
                         test::kernelRan(program, 5000, 5700);
                     },
                     {.readable = true, .passes = 1, .cheapPauses = cheapPauses});
        CHECK(measurementsOf(profile) ==
              Lines{"a 7", "a 500ns", "a 500ns", "a 9", "b 3", "b 700ns"});
        CHECK(profile.launches[2].start->value == Approx(1e-6));
        CHECK(profile.launches[5].start->value == Approx(4e-6));
        CHECK(issueCodes(profile).empty());
        CHECK(profile.processes.at(0).endedCleanly);
    }
}

TEST_CASE("a process that counted first, and times, can count what came later") {
    const CountFirstMode mode{.counting = {.perKernel = 1}, .leastStart = 0, .rests = false};
    const Profile profile = measured(mode, [](FakeProgram& program) {
        for (unsigned i = 0; i < 200; ++i) {
            program.launch({.kernel = "a", .grid = 7});
            program.call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
            // In its first moments a program shows no loop.
            if (i < 6) std::this_thread::sleep_for(std::chrono::milliseconds(11));
        }
        must(!FakeSession::runs());  // it has seen enough launches of a
        program.launch({.kernel = "later", .grid = 100});
        must(goOn(CountersMode{.perKernel = 1}));
        for (unsigned i = 0; i < 2; ++i) program.launch({.kernel = "later", .grid = 5});
        must(goOn(TimingMode{}) && !FakeSession::runs());
        program.launch({.kernel = "later", .grid = 100});
        test::kernelRan(program, 1000, 1500);
    });
    REQUIRE(profile.launches.size() == 204);
    const Lines all = measurementsOf(profile);
    CHECK(all[0] == "a 7");
    CHECK(Lines(all.end() - 5, all.end()) ==
          Lines{"a -", "later -", "later 5", "later -", "later 500ns"});
    CHECK(issueCodes(profile).empty());
}

TEST_CASE("a measurement that wants every launch begins where the one before was not wanted") {
    const Profile profile = measured(TimingMode{}, [](FakeProgram& program) {
        must(goOn(CountersMode{}));
        must(!FakeSession::opened());  // an open session costs every launch
        program.launch({.kernel = "a", .grid = 7});
        must(FakeSession::opened() == 1);
    });
    CHECK(measurementsOf(profile) == Lines{"a 7"});
}

TEST_CASE("measurements do not change within a launch or a capture") {
    const Profile profile = measured(CountersMode{}, [](FakeProgram& program) {
        program.launch({.kernel = "a", .grid = 7, .meanwhile = [] { must(!goOn(TimingMode{})); }});
        program.beginCapture();
        must(!goOn(TimingMode{}));
        program.endCapture();
        program.launch({.kernel = "a", .grid = 8});
        program.end();
        must(!goOn(TimingMode{}));
        _exit(0);
    });
    CHECK(measurementsOf(profile) == Lines{"a 7", "a 8"});
}

TEST_CASE("the kernels of a graph that was made before counting take no other launch's counters") {
    for (const bool cheapPauses : {true, false}) {
        const Profile profile =
            measured(TimingMode{},
                     [](FakeProgram& program) {
                         static const test::FakeGraph graph({"bb", "ccc"});
                         static const test::FakeGraph later({"bb"});
                         program.launch(graph);
                         must(goOn(CountersMode{}));
                         program.launch({.kernel = "a", .grid = 7});
                         program.launch(graph);
                         program.launch({.kernel = "a", .grid = 8});
                         program.launch(later);
                         program.launch({.kernel = "a", .grid = 9});
                     },
                     {.readable = true, .passes = 1, .cheapPauses = cheapPauses});
        CHECK(measurementsOf(profile) ==
              Lines{"bb -", "ccc -", "a 7", "bb -", "ccc -", "a 8", "bb 2", "a 9"});
        CHECK(issueCodes(profile) == Lines{"graph-not-prepared"});
    }
}

TEST_CASE("the timeline goes on where it stopped, with the same threads and names") {
    constexpr auto kAlloc = CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2;
    const Profile profile = measured(TimingMode{}, [&](FakeProgram& program) {
        const auto allocate = [&](std::uint64_t at) {
            program.at(at);
            program.call(kAlloc, [&] { program.at(at + 10); });
        };
        program.at(900);
        program.launch({.kernel = "a"});
        test::kernelRan(program, 1000, 1500);
        allocate(2000);
        must(goOn(CountersMode{}));
        allocate(3000);  // left out: counting delays the program
        must(goOn(TimingMode{}));
        allocate(4000);
    });
    std::vector<std::int64_t> began;
    for (const Call& call : profile.timeline.calls)
        if (profile.timeline.callNames.at(call.name).name == "cuMemAlloc")
            began.push_back(call.time.start);
    std::ranges::sort(began);
    CHECK(began == std::vector<std::int64_t>{1000, 3000});  // since the first launch started
    CHECK(profile.timeline.threads.size() == 1);
    CHECK(profile.processes.at(0).timeline.has_value());
}

TEST_CASE("launches of other threads get no wrong counters when measurements change") {
    const Profile profile = measured(
        TimingMode{},
        [](FakeProgram& program) {
            std::atomic<bool> over{false};
            std::vector<std::thread> threads;
            for (unsigned t = 1; t <= 3; ++t)
                threads.emplace_back([&program, &over, t] {
                    while (!over) program.launch({.kernel = "a", .grid = t});
                });
            const auto some = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
            for (int i = 0; i < 20; ++i) {
                must(goOn(CountersMode{}));
                some();
                must(goOn(TimingMode{}));
                some();
            }
            over = true;
            for (auto& thread : threads) thread.join();
        },
        {.readable = true, .passes = 1, .cheapPauses = false});
    std::size_t counted = 0;
    for (std::size_t i = 0; i < profile.launches.size(); ++i)
        if (const auto value = profile.counters.value(FakeSession::kCounter, i)) {
            ++counted;
            REQUIRE(*value == static_cast<double>(profile.launches[i].grid.x));
        }
    CHECK(counted > 0);
    CHECK(profile.processes.at(0).endedCleanly);
}

namespace {

/// Runs a program that would go on for minutes after `launches`, with its output in our folder.
/// Returns its profile if it was ended before.
std::optional<Profile> endedEarly(const RunConfiguration::Mode& mode, unsigned launches,
                                  const std::function<void(FakeProgram&)>& before = {}) {
    const test::TemporaryFolder folder;
    const test::ProcessName guard(test::ProcessName::kGuard);
    const bool ended =
        test::runFakeProgram({.mode = mode, .endsWith = 0}, folder.path(),
                             [&](FakeProgram& program) {
                                 const int output = open((folder.path() / "output").c_str(),
                                                         O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
                                 dup2(output, STDOUT_FILENO);
                                 dup2(output, STDERR_FILENO);
                                 if (before) before(program);
                                 for (unsigned i = 1; i <= launches; ++i)
                                     program.launch({.kernel = "a", .grid = i});
                                 program.call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
                                 std::this_thread::sleep_for(std::chrono::seconds(3));
                                 _exit(1);
                             },
                             {.readable = true});
    if (!ended) return std::nullopt;
    auto profile = readSpools(folder.path());
    REQUIRE(profile);
    return *profile;
}

/// The signature of launches of kernel "a" with this number of blocks.
std::uint64_t signatureOf(unsigned blocks) {
    return launchSignature("a", {.grid = {blocks, 1, 1}, .block = {32, 1, 1}}, "");
}

}  // namespace

TEST_CASE("a run ends when it has what it is for, unless a file would stay half written") {
    CountersMode mode{.perKernel = 1,
                      .picks = {{signatureOf(2), {0}}},
                      .onlyPicks = true,
                      .rests = true,
                      .enoughSeconds = 0};
    const auto profile = endedEarly(mode, 2);
    REQUIRE(profile);
    CHECK(measurementsOf(*profile) == Lines{"a -", "a 2"});
    CHECK(profile->processes.at(0).endedCleanly);
    CHECK(issueCodes(*profile).empty());

    CHECK_FALSE(endedEarly(mode, 1));  // what was picked did not come
    const test::TemporaryFolder elsewhere;
    CHECK_FALSE(endedEarly(mode, 2, [&](FakeProgram&) {
        must(open((elsewhere.path() / "result").c_str(), O_WRONLY | O_CREAT, 0600) >= 0);
    }));
}

TEST_CASE("a run that is to show the pace alone ends later") {
    CountersMode mode{.perKernel = 1,
                      .picks = {{signatureOf(1), {0}}},
                      .onlyPicks = true,
                      .rests = true,
                      .enoughSeconds = 0.2};
    const auto begun = std::chrono::steady_clock::now();
    REQUIRE(endedEarly(mode, 2));
    CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds(200));
    mode.enoughSeconds.reset();
    CHECK_FALSE(endedEarly(mode, 2));

    // If the pace is known and no lines of Python are followed, nothing is left to wait for.
    mode.enoughSeconds = 60;
    mode.paceKnown = true;
    CHECK(endedEarly(mode, 1));
}

TEST_CASE("a run that is to show the lines of all copies ends after the last one") {
    const CountersMode mode{.perKernel = 1,
                            .picks = {{signatureOf(1), {0}}},
                            .onlyPicks = true,
                            .callSites = true,
                            .rests = true,
                            .enoughSeconds = 0,
                            .untilLaunches = 2,
                            .untilTransfers = 1};
    const auto copy = [](FakeProgram& program) {
        const std::vector<std::byte> bytes(64);
        program.copyToGpu(bytes.data(), bytes.size());
    };
    CHECK(endedEarly(mode, 2, copy));
    CHECK_FALSE(endedEarly(mode, 2));
    CHECK_FALSE(endedEarly(mode, 1, copy));
}

TEST_CASE("a program with graphs does not rest, and ends when what was picked is counted") {
    const auto graph = [](FakeProgram& program) {
        static const test::FakeGraph chain({"b"});
        program.make(chain);
        program.launch(chain);
    };
    CountersMode mode{.perKernel = 1,
                      .picks = {{signatureOf(1), {0}}, {signatureOf(40), {0}}},
                      .onlyPicks = true,
                      .rests = true,
                      .enoughSeconds = 60,
                      .paceKnown = true};
    CHECK(endedEarly(mode, 40, graph));
    CHECK_FALSE(endedEarly(mode, 39, graph));
    // Where the pace is not known either, the time that it would need.
    mode.paceKnown = false;
    CHECK_FALSE(endedEarly(mode, 40, graph));
    mode.enoughSeconds = 1e-6;
    CHECK(endedEarly(mode, 42, graph));
}

TEST_CASE("every function of the driver that matters has one role") {
    using inject::CallRole;
    using inject::roleOf;
    for (const auto& [calls, role] :
         {std::pair{std::span<const CUpti_CallbackId>(inject::kLaunches), CallRole::Launch},
          std::pair{inject::writesToFirstArgument(), CallRole::Write},
          std::pair{inject::writesElsewhere(), CallRole::WriteElsewhere},
          std::pair{inject::PinnedMemory::calls(), CallRole::Pinning},
          std::pair{std::span<const CUpti_CallbackId>(inject::kGraphChanges),
                    CallRole::GraphChange},
          std::pair{std::span<const CUpti_CallbackId>(inject::kSynchronisations), CallRole::Wait},
          std::pair{std::span<const CUpti_CallbackId>(inject::kCaptureBegins),
                    CallRole::CaptureBegin},
          std::pair{std::span<const CUpti_CallbackId>(inject::kCaptureEnds), CallRole::CaptureEnd}})
        for (const CUpti_CallbackId id : calls) CHECK(roleOf(id) == role);
    CHECK(roleOf(CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload) == CallRole::LibraryUnload);
    CHECK(roleOf(CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent) == CallRole::None);
    CHECK(roleOf(~CUpti_CallbackId{0}) == CallRole::None);
}
