// SPDX-License-Identifier: Apache-2.0
// `roofscope record` on a real GPU, with a program of many behaviours and known counters
// (guest_program.cu): `work` on n floats reads and writes n/8 sectors.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include "collector/run/recording/record.h"
#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/environment.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

constexpr const char* kLoadSectors = "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kDuration = "gpu__time_duration.sum";
constexpr std::uint64_t kN = 1 << 20;

Recording guest(const std::string& mode,
                RecordOptions options = {.replay = ReplayChoice::Kernel, .perKernel = 0}) {
    options.command = {ROOFSCOPE_GUEST_PROGRAM, mode};
    options.library = ROOFSCOPE_BINARY_DIR "/lib/libroofscope_inject.so";
    auto recording = record(options);
    if (!recording) FAIL(recording.error().message());
    return std::move(*recording);
}

bool hasIssue(const Profile& profile, const std::string& code) {
    for (const auto& issue : profile.issues)
        if (issue.code == code) return true;
    return false;
}

/// Checks that every launch of `work` has the sectors of its own grid, so no label is swapped.
void checkSectors(const Profile& p) {
    for (std::size_t i = 0; i < p.launches.size(); ++i) {
        if (p.kernels[p.launches[i].kernel].name.find("work") == std::string::npos) continue;
        const double sectors = static_cast<double>(p.launches[i].grid.total() * 256 / 8);
        INFO("launch " << i);
        CHECK(p.counters.value(kLoadSectors, i) == sectors);
    }
}

std::size_t measured(const Profile& p) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < p.launches.size(); ++i)
        n += p.counters.value(kDuration, i).has_value();
    return n;
}

}  // namespace

TEST_CASE("a plain program: exact counters, launch shapes, device facts") {
    const auto r = guest("plain");
    const Profile& p = r.profile;
    CHECK(recordExitCode(r) == 0);
    REQUIRE(p.launches.size() == 3);
    checkSectors(p);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(p.counters.value("smsp__sass_data_bytes_mem_global_op_ld.sum", i) == 4.0 * kN);
        CHECK(p.counters.value("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", i) ==
              1.0 * kN);
        CHECK(p.counters.value("smsp__sass_inst_executed_op_shared.sum", i) == 0.0);  // measured 0
    }
    CHECK(p.launches[0].grid == Dim3{kN / 256, 1, 1});
    CHECK(p.launches[0].residentBlocksPerSm.value_or(0) > 0);
    REQUIRE(p.devices.size() == 1);
    CHECK(p.devices[0].smCount > 0);
    CHECK_FALSE(p.devices[0].chip.empty());
    CHECK_FALSE(p.devices[0].peaks.empty());
    CHECK(p.processes.at(0).cuptiPath.find("libcupti") != std::string::npos);
    CHECK(p.issues.empty());
    // The file keeps all measurements.
    const test::TemporaryFolder folder;
    REQUIRE(writeProfile(p, folder.file("p.roofscope.json.gz")).ok());
    const auto read = readProfile(folder.file("p.roofscope.json.gz"));
    REQUIRE(read.ok());
    CHECK(read->counters.value(kLoadSectors, 2) == p.counters.value(kLoadSectors, 2));
}

TEST_CASE("programs that end early keep what was measured; their exit codes pass through") {
    const std::map<std::string, int> codes{
        {"exit", 7}, {"_exit", 7}, {"abort", 128 + 6}, {"segv", 128 + 11}, {"kill", 128 + 9}};
    for (const auto& [mode, code] : codes) {
        INFO(mode);
        const auto r = guest(mode);
        CHECK(recordExitCode(r) == code);
        CHECK(r.profile.launches.size() == 3);
        CHECK(measured(r.profile) == 3);
        CHECK(hasIssue(r.profile, "process-ended-early") == (mode != "exit"));
        checkSectors(r.profile);
    }
}

TEST_CASE("a kernel that traps: earlier launches count, the loss is reported") {
    const auto r = guest("trap");
    CHECK(recordExitCode(r) == 5);
    CHECK(r.profile.launches.size() == 4);
    CHECK(measured(r.profile) == 3);
    CHECK(hasIssue(r.profile, "counter-session-failed"));
}

TEST_CASE("no CUDA, and CUDA without a launch") {
    CHECK(recordExitCode(guest("no-cuda")) == kExitNothing);
    const auto idle = guest("init-only");
    CHECK(recordExitCode(idle) == kExitNothing);
    CHECK(hasIssue(idle.profile, "no-launch"));
}

TEST_CASE("graph launches yield one row per kernel node, under the right shape") {
    const auto r = guest("graph");
    CHECK(recordExitCode(r) == 0);
    REQUIRE(r.profile.launches.size() == 10);
    CHECK(measured(r.profile) == 10);
    CHECK(r.profile.launches[0].fromGraph);
    CHECK_FALSE(r.profile.launches[9].fromGraph);
    checkSectors(r.profile);
}

TEST_CASE("launches name their buffers; nodes of graphs do not") {
    const Profile plain = guest("plain").profile;
    REQUIRE(plain.launches.size() == 3);
    REQUIRE(plain.buffers.size() == 2);
    for (const Launch& launch : plain.launches) {
        REQUIRE(launch.arguments);
        const auto list = plain.argumentLists[*launch.arguments];
        REQUIRE(list.size() == 2);  // in and out; the number of elements is not a pointer
        CHECK(list[0] == BufferArgument{.buffer = 0, .parameter = 0});
        CHECK(list[1] == BufferArgument{.buffer = 1, .parameter = 1});
    }
    for (const Buffer& buffer : plain.buffers) {
        CHECK(buffer.offsetBytes == 0);
        CHECK(buffer.bytes >= kN * sizeof(float));
        CHECK(buffer.bytes < 2 * kN * sizeof(float) + (2U << 20));
    }
    CHECK(plain.buffers[0].allocation != plain.buffers[1].allocation);
    const Profile graph = guest("graph").profile;
    REQUIRE(graph.launches.size() == 10);
    for (std::size_t i = 0; i < 10; ++i)
        CHECK(graph.launches[i].arguments.has_value() == !graph.launches[i].fromGraph);
}

TEST_CASE("a graph that is updated keeps the right shapes") {
    const auto r = guest("graph-update");
    CHECK(recordExitCode(r) == 0);
    REQUIRE(r.profile.launches.size() == 3);
    CHECK(measured(r.profile) == 3);
    CHECK(r.profile.launches[0].grid.x == kN / 256);
    CHECK(r.profile.launches[1].grid.x == 4 * kN / 256);
    CHECK(r.profile.launches[2].grid.x == 8 * kN / 256);
    checkSectors(r.profile);
}

TEST_CASE("parallel branches of a graph are never labelled by guess") {
    const auto r = guest("graph-branches");
    CHECK(recordExitCode(r) == kExitPartial);
    REQUIRE(r.profile.launches.size() == 3);
    CHECK(measured(r.profile) == 1);
    CHECK(r.profile.counters.value(kLoadSectors, 2) == kN / 8.0);  // the plain launch after it
    CHECK(hasIssue(r.profile, "graph-order-unknown"));
}

TEST_CASE("child graphs are part of their graph, and nodes that are switched off are not") {
    for (const ReplayChoice replay : {ReplayChoice::Kernel, ReplayChoice::Application}) {
        const auto r = guest("graph-child", {.replay = replay, .perKernel = 0});
        CAPTURE(r.profile.capture.strategy);
        CHECK(recordExitCode(r) == 0);
        REQUIRE(r.profile.launches.size() == 10);
        CHECK(measured(r.profile) == 10);
        std::vector<unsigned> sizes;
        for (const Launch& launch : r.profile.launches) {
            sizes.push_back(launch.grid.x * 256 / kN);
            CHECK(launch.duration);
        }
        CHECK(sizes == std::vector<unsigned>{4, 1, 4, 8, 1, 4, 4, 8, 1, 4});
        checkSectors(r.profile);
    }
}

TEST_CASE("a graph with kernels in clusters runs as it would, without counters") {
    for (const ReplayChoice replay : {ReplayChoice::Kernel, ReplayChoice::Application}) {
        const auto r = guest("graph-clusters", {.replay = replay, .perKernel = 0});
        CAPTURE(r.profile.capture.strategy);
        if (r.programExit == 77) SKIP_CASE("needs a GPU of compute capability 9.0");
        CHECK(r.programExit == 0);  // its results are right
        CHECK(hasIssue(r.profile, "cluster-graphs-uncounted"));
        REQUIRE(r.profile.launches.size() == 10);
        for (std::size_t i = 0; i < 10; ++i) {
            CAPTURE(i);
            CHECK(r.profile.launches[i].duration);
            CHECK(r.profile.counters.value(kDuration, i).has_value() ==
                  !r.profile.launches[i].fromGraph);
        }
        CHECK(r.profile.counters.value(kLoadSectors, 9) == kN / 8.0);  // the plain one at the end
    }
}

TEST_CASE("what conditional nodes of a graph run is told, and takes nothing from other launches") {
    for (const ReplayChoice replay : {ReplayChoice::Kernel, ReplayChoice::Application}) {
        const auto r = guest("graph-conditional", {.replay = replay, .perKernel = 0});
        CAPTURE(r.profile.capture.strategy);
        CHECK(r.programExit == 0);
        CHECK(recordExitCode(r) == kExitPartial);
        CHECK(hasIssue(r.profile, "graph-kernels-unknown"));
        REQUIRE(r.profile.launches.size() == 5);  // four plain ones and the one before the node
        CHECK(measured(r.profile) == 4);
        for (const std::size_t plain : {0, 1, 3, 4})
            CHECK(r.profile.counters.value(kLoadSectors, plain) == 4 * kN / 8.0);
        CHECK_FALSE(hasIssue(r.profile, "attribution-failed"));
    }
}

TEST_CASE("NVTX ranges are named, and pops close their own") {
    const auto r = guest("nvtx");
    REQUIRE(r.profile.launches.size() == 4);
    const auto range = [&](std::size_t i) {
        const auto index = r.profile.launches[i].range;
        return index ? r.profile.ranges[*index] : std::string();
    };
    CHECK(range(0) == "outer");
    CHECK(range(1) == "outer > registered");
    CHECK(range(2) == "outer");
    CHECK(range(3).empty());
}

TEST_CASE("launches of several threads and streams keep their own counters") {
    const auto r = guest("threads");
    CHECK(recordExitCode(r) == 0);
    REQUIRE(r.profile.launches.size() == 32);
    CHECK(measured(r.profile) == 32);
    checkSectors(r.profile);
}

TEST_CASE("several GPUs in one process: each launch has the counters of its own",
          "[needs-two-gpus]") {
    for (const ReplayChoice replay :
         {ReplayChoice::Kernel, ReplayChoice::Application, ReplayChoice::Multiplex}) {
        const auto r = guest("devices", {.replay = replay, .perKernel = 0});
        if (r.programExit == 77) SKIP_CASE("there is only one GPU here");
        const Profile& p = r.profile;
        INFO("strategy " << p.capture.strategy);
        for (const Issue& issue : p.issues) UNSCOPED_INFO(issue.code << ": " << issue.message);
        CHECK(recordExitCode(r) == 0);
        REQUIRE(p.devices.size() >= 2);
        CHECK(p.devices[0].uuid != p.devices[1].uuid);
        // Three rounds of 1, 2 and 3 launches, and 8 more from a separate thread.
        REQUIRE(p.launches.size() == p.devices.size() * (1 + 2 + 3 + 8));
        std::vector<std::size_t> launches(p.devices.size());
        for (std::size_t i = 0; i < p.launches.size(); ++i) {
            const Launch& launch = p.launches[i];
            INFO("launch " << i);
            ++launches[launch.device];
            CHECK(launch.grid.total() * 256 == (launch.device + 1) * kN);
            CHECK(launch.duration);
            const auto sectors = p.counters.value(kLoadSectors, i);
            if (replay != ReplayChoice::Multiplex) {
                CHECK(sectors);
                CHECK(p.counters.value(kDuration, i));
            }
            if (sectors) CHECK(*sectors == static_cast<double>((launch.device + 1) * kN / 8));
        }
        for (const std::size_t n : launches) CHECK(n == 14);
    }
    const auto one = guest(
        "devices", {.replay = ReplayChoice::Kernel, .selection = {.devices = {1}}, .perKernel = 0});
    CHECK(one.profile.launches.size() == 14);
    CHECK(measured(one.profile) == 14);
    for (const Launch& launch : one.profile.launches) CHECK(launch.grid.total() * 256 == 2 * kN);
}

TEST_CASE("MPI: a recorded mpirun runs several times, a recorded rank once", "[needs-mpi]") {
    test::Environment environment;
    environment.set("OMPI_ALLOW_RUN_AS_ROOT", "1");
    environment.set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    const std::string mpirun = "mpirun -n 1 ", program = ROOFSCOPE_GUEST_PROGRAM " mpi";
    if (const int rc = std::system((mpirun + program).c_str()); rc != 0)
        SKIP_CASE("no MPI here, or none that works: mpirun ended with " + std::to_string(rc));
    const auto checkAll = [](const Profile& p) {
        for (const Issue& issue : p.issues) UNSCOPED_INFO(issue.code << ": " << issue.message);
        REQUIRE(p.launches.size() == 3);
        CHECK(measured(p) == 3);
        checkSectors(p);
        // mpirun may load CUDA itself to count devices: a process without launches.
        const auto launching = [&](const Launch& l) { return p.processes[l.process].rank == 0U; };
        CHECK(std::ranges::all_of(p.launches, launching));
    };
    RecordOptions options{.replay = ReplayChoice::Application, .perKernel = 0};
    options.command = {"sh", "-c", mpirun + program};
    options.library = ROOFSCOPE_BINARY_DIR "/lib/libroofscope_inject.so";
    const auto whole = record(options);
    REQUIRE(whole);
    CHECK(recordExitCode(*whole) == 0);
    CHECK(whole->profile.capture.timingRuns == 1);
    CHECK(whole->profile.capture.strategy == "application");
    checkAll(whole->profile);

    const test::TemporaryFolder folder;
    const std::string out = folder.file("rank%r.roofscope.json").string();
    CHECK(std::system((mpirun + ROOFSCOPE_BINARY_DIR "/bin/roofscope record -q --out '" + out +
                       "' -- " + program)
                          .c_str()) == 0);
    const auto rank = readProfile(folder.file("rank0.roofscope.json"));
    REQUIRE(rank);
    CHECK(rank->capture.timingRuns == 0);
    CHECK(hasIssue(*rank, "one-run-under-mpi"));
    checkAll(*rank);
}

TEST_CASE("cooperative launches, device resets, refused launches, forks, many launches") {
    CHECK(measured(guest("cooperative").profile) == 1);
    for (const auto& [mode, launches] : std::map<std::string, std::size_t>{
             {"reset", 4}, {"bad-launch", 4}, {"fork", 2}, {"many", 203}}) {
        INFO(mode);
        const auto r = guest(mode);
        CHECK(recordExitCode(r) == 0);
        CHECK(r.profile.launches.size() == launches);
        CHECK(measured(r.profile) == launches);
        checkSectors(r.profile);
    }
}

TEST_CASE("durations come from a timing run, without counters") {
    for (const char* mode : {"plain", "graph", "threads", "cooperative", "reset", "fork", "many"}) {
        INFO(mode);
        const Profile p = guest(mode, {.timingOnly = true}).profile;
        CHECK(p.capture.strategy == "timing");
        CHECK(p.counters.names().empty());
        CHECK_FALSE(p.launches.empty());
        for (const Launch& launch : p.launches) {
            REQUIRE(launch.duration);
            REQUIRE(launch.start);
            CHECK(launch.duration->value > 0.5e-6);
            CHECK(launch.duration->value < 1e-3);
        }
    }
}

TEST_CASE("the libraries that count are loaded by runs that count only") {
    constexpr int kLoaded = 3, kNotLoaded = 4;
    CHECK(guest("loaded", {.timingOnly = true}).programExit == kNotLoaded);
    CHECK(guest("loaded", {.replay = ReplayChoice::Kernel, .timingRuns = 0}).programExit ==
          kLoaded);
}

TEST_CASE("application replay: the same exact counters, one run per group") {
    for (const auto& [mode, launches] : std::map<std::string, std::size_t>{{"plain", 3},
                                                                           {"threads", 32},
                                                                           {"cooperative", 1},
                                                                           {"reset", 4},
                                                                           {"bad-launch", 4},
                                                                           {"many", 203}}) {
        INFO(mode);
        const auto r = guest(mode, {.replay = ReplayChoice::Application});
        CHECK(recordExitCode(r) == 0);
        CHECK(r.profile.capture.strategy == "application");
        CHECK(r.profile.launches.size() == launches);
        CHECK(measured(r.profile) == launches);
        checkSectors(r.profile);
    }
    // Graphs rule out application replay: each launch is measured in one pass of kernel replay per
    // run.
    const auto graph = guest("graph", {.replay = ReplayChoice::Application, .perKernel = 0});
    CHECK(recordExitCode(graph) == 0);
    CHECK(graph.profile.capture.strategy == "application");
    REQUIRE(graph.profile.launches.size() == 10);
    CHECK(measured(graph.profile) == 10);
    checkSectors(graph.profile);
}

TEST_CASE("multiplexing: one run, and every kernel meets every group of counters") {
    const auto r = guest("many", {.replay = ReplayChoice::Multiplex});
    const Profile& p = r.profile;
    for (const Issue& issue : p.issues) UNSCOPED_INFO(issue.code << ": " << issue.message);
    CHECK(recordExitCode(r) == 0);
    CHECK(p.capture.strategy == "multiplex");
    CHECK(p.launches.size() == 203);
    std::map<std::uint64_t, std::pair<int, int>> met;  // hardware counters, instrumented ones
    for (std::size_t i = 0; i < p.launches.size(); ++i) {
        const bool hardware = p.counters.value(kDuration, i).has_value();
        const auto sectors = p.counters.value(kLoadSectors, i);
        INFO("launch " << i);
        CHECK_FALSE((hardware && sectors));
        if (sectors) CHECK(*sectors == static_cast<double>(p.launches[i].grid.total() * 256 / 8));
        auto& [h, s] = met[launchSignature(p, p.launches[i])];
        h += hardware;
        s += sectors.has_value();
        for (const auto& name : p.counters.names())
            if (const auto v = p.counters.value(name, i)) CHECK(*v >= 0);
    }
    REQUIRE(met.size() == 1);
    const auto& [hardware, instrumented] = met.begin()->second;
    CHECK(hardware >= 3);
    CHECK(instrumented >= 3);
    CHECK(hardware + instrumented < 60);  // the others ran at full speed
    CHECK_FALSE(hasIssue(p, "multiplex-incomplete"));
    const auto once = guest("cooperative", {.replay = ReplayChoice::Multiplex});
    CHECK(hasIssue(once.profile, "multiplex-incomplete"));

    const auto graph = guest("graph", {.replay = ReplayChoice::Multiplex, .perKernel = 0});
    CHECK(graph.profile.capture.strategy == "kernel");
    CHECK(measured(graph.profile) == 10);
}

TEST_CASE("a few launches stand for many, and the others keep their durations") {
    const auto r = guest("many", {.replay = ReplayChoice::Kernel, .perKernel = 2});
    CHECK(recordExitCode(r) == 0);
    CHECK(r.profile.launches.size() == 203);
    CHECK(measured(r.profile) == 2);
    for (const Launch& launch : r.profile.launches) CHECK(launch.duration);
    // A graph made while nothing is measured can be measured later.
    const auto graph = guest("graph", {.replay = ReplayChoice::Kernel, .perKernel = 20});
    CHECK(measured(graph.profile) == 10);
    for (std::size_t i = 0; i < r.profile.launches.size(); ++i)
        if (const auto v = r.profile.counters.value(kLoadSectors, i))
            CHECK(*v == static_cast<double>(r.profile.launches[i].grid.total() * 256 / 8));
}

TEST_CASE("a program that starts slowly is counted and timed in one run") {
    RecordOptions options;
    // Long enough to count, to rest for the program's own pace, and to time the rest.
    options.command = {"sh", "-c", "sleep 6; exec " ROOFSCOPE_GUEST_PROGRAM " many 600000"};
    options.library = ROOFSCOPE_BINARY_DIR "/lib/libroofscope_inject.so";
    const auto r = record(options);
    REQUIRE(r.ok());
    CHECK(recordExitCode(*r) == 0);
    CHECK(hasIssue(r->profile, "counted-first"));
    CHECK(r->profile.capture.timingRuns == 1);
    CHECK(measured(r->profile) >= 1);
    std::size_t timed = 0;
    for (std::size_t i = 0; i < r->profile.launches.size(); ++i) {
        const Launch& launch = r->profile.launches[i];
        timed += launch.start.has_value();
        if (const auto sectors = r->profile.counters.value(kLoadSectors, i);
            sectors && r->profile.kernels[launch.kernel].name.find("work") != std::string::npos)
            CHECK(*sectors == static_cast<double>(launch.grid.total() * 256 / 8));
    }
    CHECK(timed > 2000);
}

TEST_CASE("only what was chosen is in the profile") {
    const auto named =
        guest("nvtx", {.replay = ReplayChoice::Kernel, .selection = {.ranges = {"outer"}}});
    CHECK(named.profile.launches.size() == 3);
    CHECK(named.profile.capture.filters == std::vector<std::string>{"--nvtx outer"});
    checkSectors(named.profile);
    const auto counted = guest("many", {.replay = ReplayChoice::Kernel,
                                        .selection = {.kernel = "work", .skip = 5, .count = 7},
                                        .perKernel = 0});
    CHECK(counted.profile.launches.size() == 7);
    CHECK(measured(counted.profile) == 7);
    for (const ReplayChoice replay : {ReplayChoice::Kernel, ReplayChoice::Application}) {
        const auto switched =
            guest("profiler-switches",
                  {.replay = replay, .selection = {.fromStart = false}, .perKernel = 0});
        CHECK(recordExitCode(switched) == 0);
        REQUIRE(switched.profile.launches.size() == 3);
        CHECK(measured(switched.profile) == 3);
        checkSectors(switched.profile);
        for (const Launch& launch : switched.profile.launches) CHECK(launch.duration);
    }
    const auto none = guest("plain", {.selection = {.kernel = "no such kernel"}});
    CHECK(recordExitCode(none) == kExitNothing);
    CHECK(hasIssue(none.profile, "no-launch"));
}

TEST_CASE("CUDA that comes late, contexts that go early, junk on stdout: nothing is lost") {
    for (const char* mode : {"late", "reset-pending", "junk"}) {
        INFO(mode);
        const auto r = guest(mode);
        CHECK(recordExitCode(r) == 0);
        CHECK(r.profile.launches.size() == 3);
        CHECK(measured(r.profile) == 3);
        for (const Launch& launch : r.profile.launches) CHECK(launch.duration);
        checkSectors(r.profile);
    }
}

TEST_CASE("a program that execs another: both are measured, and the break is told") {
    const auto r = guest("exec");
    CHECK(r.programExit == 0);
    CHECK(r.profile.launches.size() == 6);
    CHECK(measured(r.profile) == 6);
    CHECK(r.profile.processes.size() == 2);
    CHECK(hasIssue(r.profile, "process-ended-early"));
    CHECK(recordExitCode(r) == kExitPartial);
    checkSectors(r.profile);
}

TEST_CASE("a program that hangs is ended and keeps what it measured") {
    const auto r = guest("hang", {.timingRuns = 0, .timeoutSeconds = 15.0});
    CHECK(hasIssue(r.profile, "timeout"));
    CHECK(r.profile.launches.size() == 3);
    CHECK(measured(r.profile) == 3);
    CHECK(recordExitCode(r) == 128 + 15);
}

TEST_CASE("hardly any device memory is left: the program's results stay right") {
    for (const ReplayChoice replay : {ReplayChoice::Kernel, ReplayChoice::Application}) {
        const auto r = guest("full-memory", {.replay = replay, .perKernel = 0});
        CHECK(r.programExit == 0);
        CHECK(r.profile.launches.size() == 3);
        // Counters may need memory that is not free (kernel replay on an H200 does). Then the
        // profile says so and has no counters.
        if (measured(r.profile) < 3)
            CHECK(recordExitCode(r) == kExitPartial);
        else
            checkSectors(r.profile);
    }
    const auto flushed = guest(
        "full-memory", {.replay = ReplayChoice::Application, .cacheControl = CacheControl::Flush});
    CHECK(flushed.programExit == 0);
    CHECK(hasIssue(flushed.profile, "caches-not-flushed"));
    CHECK(flushed.profile.capture.cacheControl == "mixed");
}

TEST_CASE("a program that holds most of the memory is measured without saving it",
          "[needs-free-memory]") {
    // 70 % of the GPU: kernel replay would copy gigabytes to the host per launch.
    const auto total = guest("plain", {.timingOnly = true}).profile.devices.at(0).memoryBytes;
    REQUIRE(total);
    RecordOptions options;
    options.command = {ROOFSCOPE_GUEST_PROGRAM, "beside",
                       std::to_string(0.7e-9 * static_cast<double>(*total))};
    options.library = ROOFSCOPE_BINARY_DIR "/lib/libroofscope_inject.so";
    const auto r = record(options);
    REQUIRE(r.ok());
    if (r->programExit == 77) SKIP_CASE("other programs hold memory of this GPU");
    CHECK(recordExitCode(*r) == 0);
    CHECK(r->profile.launches.size() == 4);
    CHECK(r->profile.capture.strategy == "application");
    CHECK(measured(r->profile) == 4);
    checkSectors(r->profile);
}

TEST_CASE("page-locked memory is counted, and not saved for each launch") {
    const auto r = guest("pinned", {});
    CHECK(recordExitCode(r) == 0);
    REQUIRE(r.profile.processes.size() == 1);
    CHECK(r.profile.processes[0].pinnedBytes == std::uint64_t{1} << 30);
    CHECK(r.profile.capture.strategy == "application");
    CHECK(measured(r.profile) == r.profile.launches.size());
    checkSectors(r.profile);
}

TEST_CASE("copies of the same contents are counted, whatever memory they come from") {
    for (const ReplayChoice replay : {ReplayChoice::Kernel, ReplayChoice::Application}) {
        const auto r = guest("repeated-copies", {.replay = replay, .perKernel = 0});
        CHECK(recordExitCode(r) == 0);
        CHECK(measured(r.profile) == r.profile.launches.size());
        checkSectors(r.profile);
        std::map<std::uint64_t, HostCopies> bySize;
        for (const CallSite& site : r.profile.callSites)
            for (const HostCopies& copies : site.hostCopies) {
                INFO(site.call << ' ' << site.function << ' ' << copies.bytes << ": "
                               << copies.copies << " copies, " << copies.read << " read, "
                               << copies.repeated << " repeated, " << copies.distinct
                               << " different");
                CHECK(bySize.emplace(copies.bytes, copies).second);
                CHECK(copies.copies == 6);
            }
        constexpr std::uint64_t kMiB = 1 << 20;
        REQUIRE(bySize.size() >= 4);  // the driver may count managed memory as the GPU's
        const HostCopies &same = bySize[8 * kMiB], &other = bySize[4 * kMiB],
                         &pinned = bySize[2 * kMiB], &written = bySize[kMiB];
        CHECK(same.read == 6);
        CHECK(same.repeated == 5);
        CHECK(same.distinct == 1);
        CHECK(other.read == 6);
        CHECK(other.repeated == 0);
        // Some kinds of page-locked memory cannot be read by process_vm_readv.
        CHECK((pinned.read == 0 || pinned.repeated == pinned.read - 1));
        CHECK(pinned.distinct <= 1);
        if (pinned.read == 0) WARN("page-locked memory could not be read");
        // When the copy is requested the GPU has not yet written the memory, so its contents are
        // unknown.
        CHECK(written.repeated == 0);
        CHECK(written.distinct == written.read);
        CHECK(bySize[kMiB / 2].read == 0);
    }
}

TEST_CASE("flushed caches: launches find nothing of theirs in the L2, and keep their labels") {
    // 4 MB are read repeatedly: from the L2, unless it is flushed.
    constexpr const char* kDramRead = "dram__bytes_read.sum";
    const auto reads = [&](CacheControl control) {
        const auto r =
            guest("plain", {.replay = ReplayChoice::Application, .cacheControl = control});
        CHECK(recordExitCode(r) == 0);
        CHECK(measured(r.profile) == 3);
        CHECK_FALSE(hasIssue(r.profile, "attribution-failed"));  // see kFlushMakesRange
        checkSectors(r.profile);
        CHECK(r.profile.capture.cacheControl ==
              (control == CacheControl::Flush ? "flush" : "none"));
        return r.profile.counters.value(kDramRead, 2).value_or(-1);
    };
    CHECK(reads(CacheControl::None) < 0.5 * 4 * kN);
    CHECK(reads(CacheControl::Flush) > 0.95 * 4 * kN);
    for (const char* mode : {"threads", "reset", "bad-launch", "many"}) {
        INFO(mode);
        const auto r =
            guest(mode, {.replay = ReplayChoice::Application, .cacheControl = CacheControl::Flush});
        CHECK(recordExitCode(r) == 0);
        CHECK(measured(r.profile) == r.profile.launches.size());
        checkSectors(r.profile);
    }
    const auto graph = guest("graph", {.timingOnly = true, .cacheControl = CacheControl::Flush});
    CHECK(hasIssue(graph.profile, "caches-not-flushed"));
    CHECK(graph.programExit == 0);
}

TEST_CASE("the clocks of a timing run are seen, without an alarm for an idle GPU") {
    RecordOptions options{.timingOnly = true};
    options.command = {ROOFSCOPE_GUEST_PROGRAM, "many", "200000"};
    options.library = ROOFSCOPE_BINARY_DIR "/lib/libroofscope_inject.so";
    const auto r = record(options);
    REQUIRE(r.ok());
    REQUIRE(r->profile.devices.size() == 1);
    const auto& observed = r->profile.devices[0].observed;
    REQUIRE(observed);
    CHECK(observed->samples > 0);
    REQUIRE(observed->smLowest);
    CHECK(observed->smLowest->value > 1e8);
    CHECK(*observed->smHighest >= *observed->smLowest);
    CHECK(recordExitCode(*r) == 0);
}

namespace {

const std::string kStalled = "smsp__pcsamp_warps_issue_stalled_";

/// The stall state with most samples, of a row or (SIZE_MAX) the kernel; states that issue are left
/// out.
std::string mostSampledState(const SourcePass& pass, std::size_t row = SIZE_MAX) {
    std::string most;
    double samples = 0;
    for (const auto& name : pass.counters.names()) {
        if (!name.starts_with(kStalled) || name.ends_with("_not_issued")) continue;
        const std::string reason = name.substr(kStalled.size());
        if (reason == "selected" || reason == "not_selected") continue;
        const std::vector<double> column = pass.counters.column(name).all();
        double here = row == SIZE_MAX ? 0 : column[row];
        if (row == SIZE_MAX)
            for (const double v : column) here += v;
        if (here <= samples) continue;
        samples = here;
        most = reason;
    }
    return most;
}

/// The row with most samples of a state.
std::size_t worstRow(const SourcePass& pass, const std::string& reason) {
    const std::vector<double> column = pass.counters.column(kStalled + reason).all();
    REQUIRE_FALSE(column.empty());
    return static_cast<std::size_t>(std::max_element(column.begin(), column.end()) -
                                    column.begin());
}

}  // namespace

TEST_CASE("stall samples: what warps wait for, at the instruction where they do") {
    const auto r = guest("waits", {.replay = ReplayChoice::Kernel, .source = {.top = 3}});
    const Profile& p = r.profile;
    for (const Issue& issue : p.issues) UNSCOPED_INFO(issue.code << ": " << issue.message);
    CHECK(recordExitCode(r) == 0);
    CHECK_FALSE(hasIssue(p, "stall-samples-unavailable"));
    REQUIRE(p.sources.size() == 3);
    for (const SourcePass& pass : p.sources) {
        const std::string& kernel = p.kernels[pass.kernel].name;
        CAPTURE(kernel);
        double total = 0;
        for (std::size_t row = 0; row < pass.instructions.size(); ++row) {
            double states = 0;
            for (const auto& name : pass.counters.names())
                if (name.starts_with(kStalled) && !name.ends_with("_not_issued"))
                    states += pass.counters.value(name, row).value_or(0);
            CHECK(pass.counters.value("smsp__pcsamp_sample_count", row) == states);
            // Sampled instructions were executed, where that was counted: samples belong to the
            // same code.
            const auto executed = pass.counters.value("smsp__sass_inst_executed", row);
            if (states > 0 && executed) CHECK(*executed > 0);
            total += states;
        }
        CHECK(total > 10'000);
        if (kernel.find("chase") != kernel.npos) {
            CHECK(mostSampledState(pass) == "long_scoreboard");
            const std::size_t row = worstRow(pass, "long_scoreboard");
            CHECK(mostSampledState(pass, row) == "long_scoreboard");
            // The instruction reads a register written by a load.
            const std::string& user = pass.instructions[row].sass;
            bool reads = user.empty();  // no nvdisasm available
            for (const Instruction& i : pass.instructions) {
                const auto at = i.sass.find("LDG");
                if (at == i.sass.npos) continue;
                const auto from = i.sass.find(" R", at) + 1, to = i.sass.find(',', from);
                const auto comma = user.find(',');
                const std::string target = i.sass.substr(from, to - from);
                const auto found = user.find(target, comma == user.npos ? 0 : comma);
                reads = reads || (found != user.npos && !std::isdigit(user[found + target.size()]));
            }
            CAPTURE(user);
            CHECK(reads);
        } else if (kernel.find("meet") != kernel.npos) {
            CHECK(mostSampledState(pass) == "barrier");
            const std::size_t row = worstRow(pass, "barrier");
            const auto isBarrier = [&](std::size_t i) {
                return pass.instructions[i].sass.find("BAR") != std::string::npos;
            };
            CAPTURE(pass.instructions[row].sass);
            CHECK((pass.instructions[row].sass.empty() || isBarrier(row) ||
                   (row > 0 && isBarrier(row - 1))));
        } else {
            const std::string most = mostSampledState(pass);
            CHECK((most == "wait" || most == "math_pipe_throttle"));
        }
    }
    const auto without = guest(
        "waits", {.replay = ReplayChoice::Kernel, .source = {.top = 1}, .stallSamples = false});
    REQUIRE(without.profile.sources.size() == 1);
    CHECK_FALSE(without.profile.sources[0].counters.has("smsp__pcsamp_sample_count"));
}

TEST_CASE("stall samples survive resets, ends and crashes of the program") {
    for (const char* mode : {"reset", "_exit", "many", "bad-launch"}) {
        CAPTURE(mode);
        const auto r = guest(mode, {.replay = ReplayChoice::Kernel, .source = {.top = 1}});
        CHECK(r.programExit == (std::string(mode) == "_exit" ? 7 : 0));
        REQUIRE(r.profile.sources.size() == 1);
    }
}

TEST_CASE("PyTorch and Triton: every launch measured, under its NVTX range", "[needs-pytorch]") {
    const char* python = std::getenv("ROOFSCOPE_PYTHON");
    auto r = record({.command = {python ? python : "python3",
                                 ROOFSCOPE_SOURCE_DIR "/tests/gpu/torch_triton.py"},
                     .perKernel = 0,
                     .library = std::string(ROOFSCOPE_BINARY_DIR "/lib/libroofscope_inject.so")});
    REQUIRE(r.ok());
    if (r->programExit == 77) SKIP_CASE("this python3 has no PyTorch with Triton");
    for (const Issue& issue : r->profile.issues) UNSCOPED_INFO(issue.code << ": " << issue.message);
    CHECK(recordExitCode(*r) == 0);
    CHECK(measured(r->profile) == r->profile.launches.size());
    std::map<std::string, int> inRange;
    for (const auto& launch : r->profile.launches)
        if (launch.range) ++inRange[r->profile.ranges[*launch.range]];
    for (const char* range : {"matmul", "gelu", "softmax", "triton-add"}) {
        INFO(range);
        CHECK(inRange[range] >= 3);
    }
    for (std::size_t i = 0; i < r->profile.launches.size(); ++i)
        if (r->profile.kernels[r->profile.launches[i].kernel].name == "add_kernel")
            CHECK(r->profile.counters.value(kLoadSectors, i) == 2.0 * (1 << 22) / 8);
}

TEST_CASE("PyTorch and Triton: what their autotuners try is left out, or named",
          "[needs-pytorch]") {
    const char* python = std::getenv("ROOFSCOPE_PYTHON");
    const auto tuned = [&](bool keep) {
        auto r =
            record({.command = {python ? python : "python3",
                                ROOFSCOPE_SOURCE_DIR "/tests/gpu/torch_autotune.py"},
                    .timingOnly = true,
                    .selection = {.kernel = "scale_kernel|softmax|mm", .autotuning = keep},
                    .library = std::string(ROOFSCOPE_BINARY_DIR "/lib/libroofscope_inject.so")});
        if (!r) FAIL(r.error().message());
        return std::move(*r);
    };
    const auto r = tuned(false);
    if (r.programExit == 77) SKIP_CASE("this python3 has no PyTorch with Triton");
    for (const Issue& issue : r.profile.issues) UNSCOPED_INFO(issue.code << ": " << issue.message);
    CHECK(recordExitCode(r) == 0);
    // One launch of each before the loop and five in it; the product may use two kernels.
    std::map<std::string, int> launches;
    for (const Launch& launch : r.profile.launches)
        ++launches[r.profile.kernels[launch.kernel].name];
    for (const auto& [name, n] : launches) {
        INFO(name);
        CHECK(n == 6);
    }
    CHECK(launches.size() >= 3);
    CHECK(launches.size() <= 4);
    CHECK(hasIssue(r.profile, "autotuning-left-out"));

    const auto all = tuned(true);
    CHECK_FALSE(hasIssue(all.profile, "autotuning-left-out"));
    int marked = 0, scales = 0;
    for (const Launch& launch : all.profile.launches) {
        const bool tuning =
            launch.range && all.profile.ranges[*launch.range].starts_with(kAutotuningRange);
        marked += tuning;
        scales += tuning && all.profile.kernels[launch.kernel].name == "scale_kernel";
    }
    CHECK(marked > 100);
    CHECK(scales > 30);
}
