// SPDX-License-Identifier: Apache-2.0
// Several recordings in a process that measures its own functions: Injector::begin() and end().
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "collector/inject/injector.h"
#include "collector/spool/reader/spool_reader.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/fake_gpu/fake_session.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using inject::Injector;
using test::FakeProgram;

namespace {

const RunConfiguration kOneTiming{.mode = TimingMode{}};
const RunConfiguration kCounting{.mode = CountersMode{.replay = CountersMode::Replay::Application}};
constexpr FakeProgram::Counters kOnePass{.readable = true, .passes = 1, .cheapPauses = false};

/// Runs `program` in a child process; true if it returns true.
bool holds(const std::function<bool(FakeProgram&)>& program) {
    const pid_t child = fork();
    if (child == 0) {
        FakeProgram fake;
        _exit(program(fake) ? 0 : 1);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

bool begin(const RunConfiguration& configuration, const test::TemporaryFolder& folder) {
    return writeRunConfiguration(configuration, folder.path()) &&
           Injector::begin(folder.path(), FakeProgram::opener(kOnePass));
}

/// "a b a: 7 - 1 issue": kernels in launch order, what was counted, issues.
std::string outcome(const test::TemporaryFolder& folder) {
    const auto profile = readSpools(folder.path());
    if (!profile) return "unreadable";
    std::string kernels, values;
    for (std::size_t i = 0; i < profile->launches.size(); ++i) {
        const auto value = profile->counters.value(test::FakeSession::kCounter, i);
        kernels += (i ? " " : "") + profile->kernels[profile->launches[i].kernel].symbol;
        values += value ? " " + std::to_string(static_cast<int>(*value)) : " -";
    }
    for (const Issue& issue : profile->issues) values += " " + issue.code;
    return kernels + ":" + values;
}

}  // namespace

TEST_CASE("recordings of one process follow each other, each with its own launches") {
    const test::TemporaryFolder first, second, third;
    REQUIRE(holds([&](FakeProgram& program) {
        program.launch({.kernel = "before"});
        if (!begin(kOneTiming, first)) return false;
        program.launch({.kernel = "a"});
        if (begin(kOneTiming, second)) return false;  // one at a time
        Injector::end();
        program.launch({.kernel = "between"});
        if (Injector::instance() || !begin(kCounting, second)) return false;
        program.launch({.kernel = "a", .grid = 7});
        Injector::end();
        if (test::FakeSession::runs() || !begin(kCounting, third)) return false;
        program.launch({.kernel = "a", .grid = 8});
        program.launch({.kernel = "b", .grid = 9});
        Injector::end();
        program.launch({.kernel = "after"});
        return test::FakeSession::opened() == 2;
    }));
    CHECK(outcome(first) == "a: -");
    CHECK(outcome(second) == "a: 7");
    CHECK(outcome(third) == "a b: 8 9");
}

TEST_CASE("a call that is open when a recording ends is unknown to the next") {
    const test::TemporaryFolder first, second;
    REQUIRE(holds([&](FakeProgram& program) {
        if (!begin(kOneTiming, first)) return false;
        program.pushRange("of the first");
        bool begun = false;
        program.launch({.kernel = "a", .meanwhile = [&] {
                            Injector::end();
                            begun = begin(kOneTiming, second);
                        }});
        program.launch({.kernel = "b"});
        Injector::end();
        return begun;
    }));
    CHECK(outcome(first) == "a: -");
    CHECK(outcome(second) == "b: -");
    CHECK(readSpools(second.path())->ranges.empty());
}

TEST_CASE("a graph created before the recording is reported as missing") {
    static const test::FakeGraph graph({"a", "b"});
    for (const RunConfiguration& configuration : {kOneTiming, kCounting}) {
        const test::TemporaryFolder folder, later;
        REQUIRE(holds([&](FakeProgram& program) {
            if (!begin(kOneTiming, later)) return false;
            program.make(graph);
            Injector::end();
            if (!begin(configuration, folder)) return false;
            program.launch(graph);
            Injector::end();
            return true;
        }));
        CHECK(outcome(folder) == ": graph-too-old");
    }
}

TEST_CASE("kernels of a graph created before the recording are known by their times") {
    static const test::FakeGraph graph({"_Z1av", "_Z1bv"});
    const test::TemporaryFolder earlier, folder;
    REQUIRE(holds([&](FakeProgram& program) {
        if (!begin(kOneTiming, earlier)) return false;
        program.make(graph);
        Injector::end();
        if (!begin(kOneTiming, folder)) return false;
        const auto ran = [&](const char* name, std::uint64_t start, std::uint32_t correlation) {
            CUpti_ActivityKernel10 kernel{};
            kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
            kernel.correlationId = correlation;
            kernel.start = start;
            kernel.end = start + 70;
            kernel.gridX = kernel.gridY = kernel.gridZ = 2;
            kernel.blockX = 64;
            kernel.blockY = kernel.blockZ = 1;
            kernel.registersPerThread = 24;
            kernel.staticSharedMemory = 16;
            kernel.dynamicSharedMemory = 32;
            kernel.graphNodeId = 9;
            kernel.name = name;
            program.did(kernel);
        };
        program.at(1000);
        program.launch(graph);
        const auto first = program.correlation();
        program.launch({.kernel = "_Z1av", .grid = 4});
        test::kernelRan(program, 1300, 1400);
        program.launch(graph);
        ran("_Z1bv", 1200, first);
        ran("_Z1av", 1100, first);
        ran("_Z1av", 1500, program.correlation());
        ran("_Z1cv", 1500, 77);  // of a launch that nobody saw
        Injector::end();
        return true;
    }));
    CHECK(outcome(folder) == "_Z1av _Z1bv _Z1av _Z1av: - - - -");
    const auto profile = readSpools(folder.path());
    REQUIRE(profile);
    REQUIRE(profile->kernels.size() == 2);
    CHECK(profile->launches[2].kernel == profile->launches[0].kernel);
    const Kernel& b = profile->kernels[profile->launches[1].kernel];
    CHECK(b.name == "b()");
    CHECK(b.registersPerThread == 24);
    CHECK(b.staticSharedBytes == 16);
    const Launch& launch = profile->launches[1];
    CHECK(launch.fromGraph);
    CHECK(launch.grid == Dim3{2, 2, 2});
    CHECK(launch.block == Dim3{64, 1, 1});
    CHECK(launch.dynamicSharedBytes == 32);
    CHECK_FALSE(profile->launches[2].fromGraph);
    CHECK(profile->launches[2].grid.x == 4);
    CHECK(launch.start->value * 1e9 == Approx(100));
    CHECK(launch.duration->value * 1e9 == Approx(70));
    CHECK(profile->processes[0].launchesSeen == 4);
}

TEST_CASE("recordings come and go while other threads launch") {
    const test::TemporaryFolder folder;
    REQUIRE(writeRunConfiguration(kOneTiming, folder.path()));
    REQUIRE(holds([&](FakeProgram& program) {
        std::atomic<bool> over{false};
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t)
            threads.emplace_back([&] {
                while (!over) program.launch({.kernel = "a"});
            });
        bool all = true;
        for (int i = 0; i < 100; ++i) {
            all = all && Injector::begin(folder.path());
            Injector::end();
        }
        over = true;
        for (auto& thread : threads) thread.join();
        return all;
    }));
    const auto profile = readSpools(folder.path());
    REQUIRE(profile);
    CHECK(profile->processes.size() == 100);
    for (const Process& process : profile->processes) CHECK(process.endedCleanly);
}
