// SPDX-License-Identifier: Apache-2.0
// The injected library's own part, with a fake driver and CUPTI: what it makes of a program's
// calls. What the GPU does is tested on a GPU (tests/gpu).
#include "collector/inject/injector.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "collector/run/strategy/replay_strategy.h"
#include "collector/spool/reader/spool_reader.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/fake_gpu/fake_session.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using test::FakeProgram;

namespace {

const RunConfiguration kTiming{.mode = TimingMode{}};

Profile recorded(const RunConfiguration& configuration,
                 const std::function<void(FakeProgram&)>& program,
                 FakeProgram::Counters counters = {}) {
    const test::TemporaryFolder folder;
    REQUIRE(test::runFakeProgram(configuration, folder.path(), program, counters));
    auto profile = readSpools(folder.path());
    REQUIRE(profile);
    return *profile;
}

/// Kernels in launch order: "a b a".
std::string kernels(const Profile& profile) {
    std::string names;
    for (const Launch& launch : profile.launches)
        names += (names.empty() ? "" : " ") + profile.kernels[launch.kernel].symbol;
    return names;
}

/// The counted blocks per launch, "-" without counters: "7 - 1".
std::string counted(const Profile& profile) {
    std::string values;
    for (std::size_t i = 0; i < profile.launches.size(); ++i) {
        const auto value = profile.counters.value(test::FakeSession::kCounter, i);
        values += (i ? " " : "") + (value ? std::to_string(static_cast<int>(*value)) : "-");
    }
    return values;
}

std::vector<std::string> issues(const Profile& profile) {
    std::vector<std::string> codes;
    for (const Issue& issue : profile.issues) codes.push_back(issue.code);
    return codes;
}

}  // namespace

TEST_CASE("launches are noted with kernel, shape, range and stream") {
    const Profile profile = recorded(kTiming, [](FakeProgram& program) {
        program.pushRange("step");
        program.launch({.kernel = "a", .grid = 7, .block = 64});
        program.pushRange("layer");
        program.launch({.kernel = "b", .stream = reinterpret_cast<CUstream>(0x10)});
        program.popRange();
        program.popRange();
        program.launch({.kernel = "a"});
    });
    REQUIRE(kernels(profile) == "a b a");
    const auto& launches = profile.launches;
    CHECK(launches[0].grid.x == 7);
    CHECK(launches[0].block.x == 64);
    CHECK(profile.ranges[launches[0].range.value()] == "step");
    CHECK(profile.ranges[launches[1].range.value()] == "step > layer");
    CHECK_FALSE(launches[2].range);
    CHECK(launches[0].stream == launches[2].stream);
    CHECK(launches[0].stream != launches[1].stream);
    CHECK(launches[0].residentBlocksPerSm == 2U);
    CHECK(profile.kernels[launches[0].kernel].registersPerThread == 32U);
    CHECK(issues(profile).empty());
}

TEST_CASE("only what is launched between cudaProfilerStart and Stop is noted") {
    RunConfiguration configuration = kTiming;
    configuration.selection.fromStart = false;
    const Profile profile = recorded(configuration, [](FakeProgram& program) {
        program.launch({.kernel = "before"});
        program.profilerStart();
        program.launch({.kernel = "a"});
        program.launch({.kernel = "b"});
        program.profilerStop();
        program.launch({.kernel = "after"});
        program.profilerStart();
        program.launch({.kernel = "a"});
    });
    CHECK(kernels(profile) == "a b a");
}

TEST_CASE("costs per launch begin with the first launch that is wanted") {
    // Without traced launches a timing run does not say what traced launch calls took.
    RunConfiguration configuration = kTiming;
    configuration.selection.fromStart = false;
    for (const bool started : {false, true}) {
        const Profile profile = recorded(configuration, [&](FakeProgram& program) {
            program.launch({.kernel = "before"});
            if (started) program.profilerStart();
            // The first launch may take too long to be counted.
            for (int i = 0; i < 20; ++i) program.launch({.kernel = "a"});
        });
        CHECK(profile.processes.at(0).tracedLaunch.has_value() == started);
    }
    configuration = {.selection = {.kernel = "wanted"}};
    const Profile profile = recorded(configuration,
                                     [](FakeProgram& program) {
                                         program.launch({.kernel = "other"});
                                         if (test::FakeSession::runs())
                                             std::abort();  // recorded() reports it
                                         program.launch({.kernel = "wanted", .grid = 7});
                                     },
                                     {.readable = true, .passes = 1, .cheapPauses = false});
    CHECK(counted(profile) == "7");
}

TEST_CASE("a graph that was made before cudaProfilerStart is counted after it") {
    RunConfiguration configuration;
    configuration.selection.fromStart = false;
    for (const bool cheapPauses : {true, false}) {
        INFO("cheap pauses " << cheapPauses);
        const Profile profile = recorded(configuration,
                                         [](FakeProgram& program) {
                                             static const test::FakeGraph graph({"a", "b"});
                                             program.launch({.kernel = "a", .grid = 9});
                                             program.make(graph);
                                             program.launch(graph);
                                             program.profilerStart();
                                             program.launch({.kernel = "a", .grid = 7});
                                             program.launch(graph);
                                             program.profilerStop();
                                             program.launch(graph);
                                         },
                                         {.readable = true, .cheapPauses = cheapPauses});
        CHECK(kernels(profile) == "a a b");
        CHECK(counted(profile) == "7 1 1");
        CHECK(issues(profile).empty());
    }
}

TEST_CASE("only the kernels, ranges and devices that were asked for are noted") {
    const auto program = [](FakeProgram& p) {
        for (const char* range : {"warm-up", "step"}) {
            p.pushRange(range);
            for (const char* kernel : {"gemm", "copy", "gemm2"}) p.launch({.kernel = kernel});
            p.popRange();
        }
        p.launch({.kernel = "gemm3"});
    };
    RunConfiguration configuration = kTiming;
    configuration.selection.kernel = "gemm";
    CHECK(kernels(recorded(configuration, program)) == "gemm gemm2 gemm gemm2 gemm3");
    configuration.selection.ranges = {"step"};
    const Profile step = recorded(configuration, program);
    CHECK(kernels(step) == "gemm gemm2");
    CHECK(step.processes[0].unchosenLaunches == 5U);
    configuration.selection = {.notRanges = {"warm*"}};
    CHECK(kernels(recorded(configuration, program)) == "gemm copy gemm2 gemm3");
    configuration.selection = {.devices = {1}};
    CHECK(kernels(recorded(configuration, program)).empty());
}

TEST_CASE("launches of autotuners are left out and reported once") {
    const auto program = [](FakeProgram& p) {
        for (int i = 0; i < 2; ++i) {
            p.pushRange(kAutotuningRange);
            p.launch({.kernel = "candidate"});
            p.launch({.kernel = "candidate"});
            p.popRange();
            p.launch({.kernel = "chosen"});
        }
    };
    const Profile profile = recorded(kTiming, program);
    CHECK(kernels(profile) == "chosen chosen");
    CHECK(issues(profile) == std::vector<std::string>{"autotuning-left-out"});
    RunConfiguration keeping = kTiming;
    keeping.selection.autotuning = true;
    const Profile all = recorded(keeping, program);
    CHECK(all.launches.size() == 6);
    CHECK(issues(all).empty());
}

TEST_CASE("a refused launch is not recorded; a nested one belongs to the outer call") {
    const Profile profile = recorded(kTiming, [](FakeProgram& program) {
        program.launch({.kernel = "refused", .result = CUDA_ERROR_INVALID_VALUE});
        program.launch(
            {.kernel = "outer", .meanwhile = [&] { program.launch({.kernel = "inner"}); }});
        program.launch({.kernel = "next"});
    });
    CHECK(kernels(profile) == "outer next");
    CHECK(profile.processes.at(0).launchesSeen == 2);
}

TEST_CASE("stream 0 of the per-thread default stream is one for each thread") {
    const Profile profile = recorded(kTiming, [](FakeProgram& program) {
        const FakeProgram::Launch launch{.kernel = "a", .perThreadStream = true};
        program.launch(launch);
        std::thread([&] { program.launch(launch); }).join();
        program.launch(launch);
        program.launch({.kernel = "a"});
    });
    REQUIRE(profile.launches.size() == 4);
    const auto stream = [&](std::size_t i) { return profile.launches[i].stream; };
    CHECK(stream(0) == stream(2));
    CHECK(stream(0) != stream(1));
    CHECK(stream(3) != stream(0));
    CHECK(stream(3) != stream(1));
}

TEST_CASE("where counters cannot be read launches are noted without, and it is said once") {
    for (const bool first : {true, false}) {
        const RunConfiguration configuration{.mode = CountersMode{.perKernel = first ? 1U : 0U}};
        const Profile profile = recorded(configuration, [](FakeProgram& program) {
            for (int i = 0; i < 3; ++i) program.launch({.kernel = "a"});
        });
        CHECK(kernels(profile) == "a a a");
        CHECK(profile.counters.names().empty());
        CHECK(issues(profile) == std::vector<std::string>{"counters-unavailable"});
    }
}

TEST_CASE("counters are those of the launch, whatever is launched in between") {
    for (const bool cheapPauses : {true, false}) {
        INFO("cheap pauses " << cheapPauses);
        RunConfiguration configuration;
        configuration.selection = {.kernel = "wanted", .ranges = {"step"}};
        const Profile profile = recorded(
            configuration,
            [](FakeProgram& program) {
                program.launch({.kernel = "wanted", .grid = 99});  // not in the range
                program.pushRange("step");
                for (unsigned i = 1; i <= 20; ++i) {
                    program.launch({.kernel = "other", .grid = 1000 + i});
                    program.launch(
                        {.kernel = "wanted", .grid = 500, .result = CUDA_ERROR_INVALID_VALUE});
                    program.launch({.kernel = "wanted", .grid = i});
                }
                program.popRange();
                program.launch({.kernel = "wanted", .grid = 99});
            },
            {.readable = true, .passes = 1, .cheapPauses = cheapPauses});
        REQUIRE(profile.launches.size() == 20);
        std::string expected;
        for (int i = 1; i <= 20; ++i) expected += (i > 1 ? " " : "") + std::to_string(i);
        CHECK(counted(profile) == expected);
        CHECK(issues(profile).empty());
    }
}

TEST_CASE("launches beyond the first of a kernel run without counters") {
    const Profile profile = recorded({.mode = CountersMode{.perKernel = 2}},
                                     [](FakeProgram& program) {
                                         for (unsigned i = 0; i < 4; ++i) {
                                             program.launch({.kernel = "a", .grid = 3});
                                             program.launch({.kernel = "b", .grid = 5});
                                         }
                                     },
                                     {.readable = true});
    CHECK(counted(profile) == "3 5 3 5 - - - -");
    CHECK(issues(profile).empty());
}

TEST_CASE("launches of several threads keep their own counters") {
    const Profile profile = recorded({},
                                     [](FakeProgram& program) {
                                         std::vector<std::thread> threads;
                                         for (unsigned t = 1; t <= 4; ++t)
                                             threads.emplace_back([&program, t] {
                                                 for (int i = 0; i < 100; ++i)
                                                     program.launch({.kernel = "a", .grid = t});
                                             });
                                         for (auto& thread : threads) thread.join();
                                     },
                                     {.readable = true, .passes = 1, .cheapPauses = false});
    REQUIRE(profile.launches.size() == 400);
    for (std::size_t i = 0; i < profile.launches.size(); ++i)
        CHECK(profile.counters.value(test::FakeSession::kCounter, i) ==
              static_cast<double>(profile.launches[i].grid.x));
    CHECK(issues(profile).empty());
}

TEST_CASE("kernels that wait for other processes are never repeated, alone or in a graph") {
    constexpr const char* kPeer = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
    const auto program = [&](FakeProgram& p) {
        static const test::FakeGraph withPeer({"a", kPeer});
        static const test::FakeGraph without({"a", "b"});
        p.launch({.kernel = kPeer});
        p.launch(without);
        p.launch(withPeer);
        p.launch({.kernel = "a", .grid = 7});
    };
    const Profile repeated = recorded({}, program, {.readable = true, .passes = 2});
    CHECK(counted(repeated) == "- 1 1 - - 7");
    CHECK(issues(repeated) ==
          std::vector<std::string>{"peer-kernels-uncounted", "peer-graphs-uncounted"});
    // A single pass repeats nothing, so the graph's other kernels can be counted.
    const Profile once = recorded({}, program, {.readable = true, .passes = 1});
    CHECK(counted(once) == "- 1 1 1 - 7");
}

TEST_CASE("graphs with kernels in clusters are not counted, nor anything that they run") {
    const auto program = [&](FakeProgram& p) {
        static test::FakeGraph clustered({"a", "bb"});
        clustered.nodes[1].cluster = 2;
        static test::FakeGraph alone({"a", "bb"});
        alone.nodes[1].cluster = 1;
        p.launch(alone);
        p.launch(clustered);
        p.launch({.kernel = "a", .grid = 7});
    };
    for (const bool cheapPauses : {true, false}) {
        const Profile profile =
            recorded({}, program, {.readable = true, .passes = 2, .cheapPauses = cheapPauses});
        CHECK(counted(profile) == "1 2 - - 7");
        CHECK(issues(profile) == std::vector<std::string>{"cluster-graphs-uncounted"});
    }
}

TEST_CASE("a launch that is counted and a capture of another thread wait for each other") {
    SECTION("the launch waits") {
        const Profile profile =
            recorded({},
                     [&](FakeProgram& program) {
                         program.launch({.kernel = "a", .grid = 3});
                         program.beginCapture();
                         std::atomic<bool> ended{false};
                         std::thread other([&] {
                             program.launch({.kernel = "b", .grid = 7, .meanwhile = [&] {
                                                 if (!ended) std::abort();  // recorded() reports it
                                             }});
                         });
                         std::this_thread::sleep_for(std::chrono::milliseconds(100));
                         ended = true;
                         program.endCapture();
                         other.join();
                     },
                     {.readable = true, .passes = 2});
        CHECK(counted(profile) == "3 7");
    }
    SECTION("the capture waits") {
        const Profile profile = recorded(
            {},
            [&](FakeProgram& program) {
                program.launch({.kernel = "a", .grid = 3});
                std::atomic<bool> launched{false};
                std::thread other;
                program.launch({.kernel = "b", .grid = 7, .meanwhile = [&] {
                                    other = std::thread([&] {
                                        program.beginCapture();
                                        if (!launched) std::abort();
                                        program.endCapture();
                                    });
                                    std::this_thread::sleep_for(std::chrono::milliseconds(100));
                                    launched = true;
                                }});
                other.join();
            },
            {.readable = true, .passes = 2});
        CHECK(counted(profile) == "3 7");
    }
    SECTION("a capture that waits for the launch goes on after a while") {
        const auto begun = std::chrono::steady_clock::now();
        const Profile profile = recorded(
            {},
            [&](FakeProgram& program) {
                program.launch({.kernel = "a", .grid = 3});
                program.beginCapture();
                for (int i = 0; i < 3; ++i)
                    std::thread([&] { program.launch({.kernel = "b", .grid = 7}); }).join();
                program.endCapture();
            },
            {.readable = true, .passes = 2});
        CHECK(profile.launches.size() == 4);
        CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));
    }
}

TEST_CASE("no session runs while a kernel runs that must not be repeated") {
    static constexpr const char* kPeer = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
    const auto notRunning = [] {
        if (test::FakeSession::runs()) std::abort();  // recorded() reports it
    };
    SECTION("a capture is open") {
        const Profile profile =
            recorded({},
                     [&](FakeProgram& program) {
                         program.launch({.kernel = "a", .grid = 3});
                         program.beginCapture();
                         program.launch({.kernel = kPeer, .meanwhile = notRunning});
                         program.endCapture();
                         program.launch({.kernel = "a", .grid = 5});
                     },
                     {.readable = true, .passes = 2});
        CHECK(counted(profile) == "3 - 5");
    }
    SECTION("another thread makes a graph") {
        static const test::FakeGraph graph({"b"});
        const Profile profile = recorded(
            {},
            [&](FakeProgram& program) {
                std::thread other;
                program.launch({.kernel = "a", .grid = 3});
                program.launch({.kernel = kPeer, .meanwhile = [&] {
                                    other = std::thread([&] { program.make(graph); });
                                    std::this_thread::sleep_for(std::chrono::milliseconds(100));
                                    notRunning();
                                }});
                other.join();
                program.launch(graph);
            },
            {.readable = true, .passes = 2});
        CHECK(counted(profile) == "3 - 1");
        CHECK(issues(profile) == std::vector<std::string>{"peer-kernels-uncounted"});
    }
}

TEST_CASE("a graph on a device that nobody asked for opens no counters") {
    RunConfiguration configuration;
    configuration.selection.devices = {1};
    const Profile profile = recorded(configuration,
                                     [](FakeProgram& program) {
                                         static const test::FakeGraph graph({"a"});
                                         program.make(graph);
                                         if (test::FakeSession::runs()) std::abort();
                                     },
                                     {.readable = true});
    CHECK(issues(profile).empty());
}

using Node = test::FakeGraph::Node;
using Chain = std::vector<Node>;

TEST_CASE("kernels of child graphs are counted in the order in which they run") {
    static const test::FakeGraph inner(Chain{"bb", "ccc"});
    static const test::FakeGraph outer(Chain{"a", Node(inner), "dddd"});
    static const test::FakeGraph nothing(Chain{Node(test::FakeGraph(Chain{}))});
    const auto program = [](FakeProgram& p) {
        p.launch({.kernel = "e", .grid = 9});
        p.launch(nothing);
        p.launch(outer);
        p.launch({.kernel = "e", .grid = 8});
    };
    for (const bool cheapPauses : {false, true}) {
        const Profile profile =
            recorded({}, program, {.readable = true, .cheapPauses = cheapPauses});
        CHECK(kernels(profile) == "e a bb ccc dddd e");
        CHECK(counted(profile) == "9 1 2 3 4 8");
        CHECK(issues(profile).empty());
    }
}

TEST_CASE("a graph's kernel has the cluster of its node, as when it is launched by itself") {
    // Otherwise a kernel timed in a graph and counted outside of it would be two kernels.
    static Node paired("bb");
    paired.cluster = 2;
    static const test::FakeGraph graph(Chain{"a", paired});
    const Profile profile = recorded(kTiming, [](FakeProgram& p) { p.launch(graph); });
    REQUIRE(kernels(profile) == "a bb");
    CHECK_FALSE(profile.launches[0].cluster);
    CHECK(profile.launches[1].cluster == Dim3{2, 1, 1});
}

TEST_CASE("a kernel that waits for other processes is never repeated, however deep in a graph") {
    static const test::FakeGraph inner(Chain{"ncclDevKernel_AllReduce_Sum_f32_RING_LL"});
    static const test::FakeGraph outer(Chain{"a", Node(test::FakeGraph(Chain{Node(inner)}))});
    const Profile profile = recorded({},
                                     [](FakeProgram& p) {
                                         p.launch(outer);
                                         p.launch({.kernel = "a", .grid = 7});
                                     },
                                     {.readable = true, .passes = 2});
    CHECK(counted(profile) == "- - 7");
}

TEST_CASE("what a graph's conditional nodes run takes no other launch's counters") {
    static const test::FakeGraph body(Chain{"bb", "ccc"});
    static const test::FakeGraph only(Chain{Node(body, Node::Kind::Conditional, 5)});
    static const test::FakeGraph within(Chain{"a", Node(body, Node::Kind::Conditional, 2)});
    const auto program = [](FakeProgram& p) {
        p.launch({.kernel = "e", .grid = 9});
        p.launch(only);
        p.launch(only);
        p.launch({.kernel = "e", .grid = 8});
        p.launch(within);
        p.launch({.kernel = "e", .grid = 7});
        p.launch(only);
    };
    for (const bool cheapPauses : {false, true}) {
        const Profile profile =
            recorded({}, program, {.readable = true, .cheapPauses = cheapPauses});
        CHECK(counted(profile) == "9 8 - 7");
        CHECK(issues(profile) == std::vector<std::string>{"graph-kernels-unknown"});
    }
    // Without counters they are lost as well.
    CHECK(issues(recorded(kTiming, program)) == std::vector<std::string>{"graph-kernels-unknown"});
}

TEST_CASE("a graph without any selected kernel is not reported as lost") {
    static const test::FakeGraph graph(
        Chain{Node(test::FakeGraph(Chain{"bb"}), Node::Kind::Conditional)});
    RunConfiguration configuration;
    configuration.selection.ranges = {"other"};
    CHECK(
        issues(recorded(configuration, [](FakeProgram& p) { p.launch(graph); }, {.readable = true}))
            .empty());
}

TEST_CASE("nodes of a graph that are switched off do not run") {
    const Profile profile = recorded({},
                                     [](FakeProgram& p) {
                                         static test::FakeGraph graph(Chain{"a", "bb", "ccc"});
                                         p.launch(graph);
                                         p.enable(graph, 1, false);
                                         p.launch(graph);
                                         p.enable(graph, 1, true);
                                         p.launch(graph);
                                         p.launch({.kernel = "e", .grid = 9});
                                     },
                                     {.readable = true});
    CHECK(counted(profile) == "1 2 3 1 3 1 2 3 9");
    CHECK(issues(profile).empty());
}

TEST_CASE("what is launched after the end opens nothing again") {
    const test::TemporaryFolder folder;
    CHECK(test::runFakeProgram({}, folder.path(),
                               [](FakeProgram& program) {
                                   program.launch({.kernel = "a"});
                                   program.end();
                                   program.launch({.kernel = "b"});
                                   static const test::FakeGraph graph({"a"});
                                   program.make(graph);
                                   _exit(test::FakeSession::runs() ? 1 : 0);
                               },
                               {.readable = true}));
    const auto profile = readSpools(folder.path());
    REQUIRE(profile);
    CHECK(kernels(*profile) == "a");
}

TEST_CASE("kernels that wait for other processes are known even where nobody asked for them") {
    RunConfiguration configuration = kTiming;
    configuration.selection.ranges = {"forward"};
    const Profile profile = recorded(configuration, [](FakeProgram& program) {
        program.pushRange("forward");
        program.launch({.kernel = "gemm"});
        program.popRange();
        program.launch({.kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"});
    });
    CHECK(kernels(profile) == "gemm");
    CHECK(hasPeerKernels(profile));
}

TEST_CASE("a forked child is left alone, and does not end its parent's recording") {
    const Profile profile = recorded(kTiming, [](FakeProgram& program) {
        program.launch({.kernel = "a"});
        const pid_t child = fork();
        if (child == 0) {
            program.launch({.kernel = "of the child"});
            program.end();
            _exit(inject::Injector::instance() ? 1 : 0);
        }
        int status = 1;
        if (waitpid(child, &status, 0) != child || status != 0) _exit(1);
        program.launch({.kernel = "b"});
    });
    CHECK(kernels(profile) == "a b");
    CHECK(issues(profile).empty());
}

TEST_CASE("launches of many threads are all noted, and let each other through") {
    for (const bool counting : {false, true}) {
        const Profile profile =
            recorded(counting ? RunConfiguration{} : kTiming, [](FakeProgram& program) {
                std::vector<std::thread> threads;
                for (int t = 0; t < 4; ++t)
                    threads.emplace_back([&] {
                        for (int i = 0; i < 200; ++i)
                            program.launch(
                                {.kernel = "a",
                                 .result = i % 10 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE});
                    });
                for (auto& thread : threads) thread.join();
            });
        CHECK(profile.launches.size() == 4 * 180);
        // No launch-order-unknown, which would follow from launches waiting for each other in vain.
        CHECK(issues(profile) == std::vector<std::string>(counting, "counters-unavailable"));
    }
}

namespace {

/// Whether the library does anything in a process whose environment names this folder.
bool attaches(const std::string& folder) {
    const pid_t child = fork();
    if (child == 0) {
        setenv("ROOFSCOPE_SPOOL_DIR", folder.c_str(), 1);
        inject::Injector::attach();
        _exit(inject::Injector::instance() ? 1 : 0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status) == 1;
}

}  // namespace

TEST_CASE("no counters are read while a tuner runs, however launches are counted") {
    const Profile profile =
        recorded({.mode = CountersMode{.replay = CountersMode::Replay::Application}},
                 [](FakeProgram& program) {
                     const auto launch = [&](const char* kernel, bool counts) {
                         program.launch({.kernel = kernel, .grid = 7, .meanwhile = [=] {
                                             if (test::FakeSession::runs() != counts) std::abort();
                                         }});
                     };
                     launch("work", true);
                     program.pushRange(kAutotuningRange);
                     launch("candidate", false);
                     launch("candidate", false);
                     program.popRange();
                     launch("work", true);
                 },
                 {.readable = true, .passes = 1, .cheapPauses = false});
    CHECK(kernels(profile) == "work work");
    CHECK(counted(profile) == "7 7");
    CHECK(profile.processes[0].autotuningLaunches == 2U);
    CHECK(profile.processes[0].unchosenLaunches == 0U);
}

TEST_CASE("without a run configuration that can be read, or a spool, the library does nothing") {
    const test::TemporaryFolder folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    CHECK_FALSE(attaches(folder.path()));  // the run is over, or there is no configuration
    REQUIRE(writeRunConfiguration({}, folder.path()));
    CHECK(attaches(folder.path()));
    for (const char* elsewhere : {"", ".", "/no/such/folder"}) CHECK_FALSE(attaches(elsewhere));
    std::filesystem::current_path(before);
    // Only one file can be open: the run configuration can be read, but no spool written.
    const test::TemporaryFolder full;
    REQUIRE(writeRunConfiguration({}, full.path()));
    const pid_t child = fork();
    if (child == 0) {
        const rlimit none{.rlim_cur = 4, .rlim_max = 4};  // one descriptor at a time
        setrlimit(RLIMIT_NOFILE, &none);
        setenv("ROOFSCOPE_SPOOL_DIR", full.path().c_str(), 1);
        for (int fd = 3; fd < 100; ++fd) close(fd);
        inject::Injector::attach();
        _exit(inject::Injector::instance() ? 1 : 0);
    }
    int status = 1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

TEST_CASE("a run configuration that is not what was written is told, and nothing is counted") {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file(kRunConfigurationFile)) << "{\"timing\":";
    CHECK_FALSE(attaches(folder.path()));
    const auto profile = readSpools(folder.path());
    REQUIRE(profile);
    CHECK(issues(*profile) == std::vector<std::string>{"configuration-unreadable"});
}

TEST_CASE("pthread_cancel during a launch ends that thread only", "[needs-no-sanitizer]") {
#ifdef __SANITIZE_ADDRESS__
    // The sanitizer does not see that a cancelled thread leaves its frames, and reports its own use
    // of that stack as an error.
    SKIP_CASE("pthread_cancel under AddressSanitizer");
#endif
    const Profile profile = recorded({}, [](FakeProgram& program) {
        static FakeProgram* launching = &program;
        pthread_t thread{};
        pthread_create(
            &thread, nullptr,
            [](void*) -> void* {
                for (;;) {
                    launching->launch({.kernel = "a"});
                    pthread_testcancel();
                }
            },
            nullptr);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        pthread_cancel(thread);
        void* result = nullptr;
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED) std::abort();
        program.launch({.kernel = "b"});
    });
    REQUIRE_FALSE(profile.launches.empty());
    CHECK(profile.kernels[profile.launches.back().kernel].symbol == "b");
    CHECK(profile.processes.at(0).endedCleanly);
}

TEST_CASE("a function of a later context is another one, whatever its handle") {
    const Profile profile = recorded(kTiming, [](FakeProgram& program) {
        static char name[] = "a";
        program.launch({.kernel = name});
        program.destroyContext();
        name[0] = 'b';
        program.launch({.kernel = name});
    });
    CHECK(kernels(profile) == "a b");
}

TEST_CASE("a launch belongs to the GPU of its context, current or not") {
    const Profile profile = recorded(kTiming, [](FakeProgram& program) {
        program.launch({.kernel = "a", .context = test::kOtherContext});
        program.launch({.kernel = "b"});
        for (int i = 0; i < 2; ++i)
            program.launch({.kernel = "nowhere", .context = test::kBrokenContext});
        program.launch({.kernel = "c", .context = test::kOtherContext});
    });
    REQUIRE(kernels(profile) == "a b c");
    CHECK(profile.devices.size() == 2);
    CHECK(profile.launches[0].device != profile.launches[1].device);
    CHECK(profile.launches[0].device == profile.launches[2].device);
    CHECK(issues(profile) == std::vector<std::string>{"device-unknown"});
}

TEST_CASE("a context that is destroyed while our state is taken is not used again") {
    const Profile profile =
        recorded({},
                 [](FakeProgram& program) {
                     program.launch({.kernel = "a", .grid = 3});
                     std::thread slow([&] { program.launch({.kernel = "slow", .grid = 5}); });
                     std::this_thread::sleep_for(std::chrono::milliseconds(200));
                     program.destroyContext();  // waits without success
                     slow.join();
                     program.launch({.kernel = "a", .grid = 7});
                     if (test::FakeSession::opened() != 2) std::abort();
                 },
                 {.readable = true, .passes = 1, .cheapPauses = false});
    CHECK(kernels(profile) == "a slow a");
    // What the destroyed context had not handed over is lost, and no other launch gets it.
    CHECK(profile.counters.value(test::FakeSession::kCounter, 2) == 7.0);
    const auto codes = issues(profile);
    CHECK(std::ranges::count(codes, "context-lost") == 1);
}

TEST_CASE("launches that could not be noted in time are counted and told") {
    const test::TemporaryFolder folder;
    REQUIRE(test::runFakeProgram(kTiming, folder.path(), [](FakeProgram& program) {
        program.launch({.kernel = "a"});
        std::thread slow([&] { program.launch({.kernel = "slow"}); });
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        program.launch({.kernel = "missed"});
        slow.join();
        program.launch({.kernel = "b"});
    }));
    SpoolDetails details;
    const auto profile = readSpools(folder.path(), &details);
    REQUIRE(profile);
    CHECK(kernels(*profile) == "a slow b");
    REQUIRE(issues(*profile) == std::vector<std::string>{"launches-missed"});
    CHECK(profile->issues[0].severity == Severity::DataLoss);
    CHECK(profile->issues[0].message.find(": 1 launch, ") != std::string::npos);
    // From then on positions are unknown.
    CHECK(details.positions.at(0) == 0);
    CHECK(details.positions.at(2) == kUnknownPosition);
}
