// SPDX-License-Identifier: Apache-2.0
// What can go wrong around a recording, without a GPU: a shell script acts as the program and
// writes the spool that the injected library would. In each case the program runs on undisturbed,
// measurements are kept, the profile states the gap, and the exit code is the documented one.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include "collector/run/recording/record.h"
#include "profile/codec/codec.h"
#include "profile/files/file_size_guard.h"
#include "tests/support/catch.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

/// `timing` and `counting` are shell commands for each kind of run. They follow after the head of
/// the spool $f was written.
std::string faultsProgram(const std::string& timing, const std::string& counting) {
    return R"(f="$ROOFSCOPE_SPOOL_DIR/7-1.spool"
say() { printf '%s\n' "$@" >> "$f"; }
l='"k":0,"d":0,"s":0,"g":[1,1,1],"b":[32,1,1]'
say '{"t":"process","pid":7}' '{"t":"device","id":0,"name":"GPU","chip":"GH100","major":9,"minor":0,"uuid":"GPU-fake-0"}' '{"t":"kernel","id":0,"name":"k","symbol":"k"}'
if grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$ROOFSCOPE_SPOOL_DIR/configuration.json"; then )" +
           timing + "\nelse\n:; " + counting + "\nfi\n";
}
const std::string kTimed =
    R"(say '{"t":"launch","n":0,'"$l"',"corr":5}' '{"t":"time","c":5,"b":1000,"e":3000}'; )";
const std::string kCounted =
    R"(say '{"t":"counters","d":0,"passes":2,"names":["a.sum"]}' '{"t":"launch","n":0,'"$l"'}' '{"t":"values","n":0,"d":0,"v":[5]}'; )";
const std::string kFaultsEnd = R"(say '{"t":"end"}'; )";

std::string issue(const std::string& severity, const std::string& code) {
    return R"(say '{"t":"issue","severity":")" + severity + R"(","source":"inject","code":")" +
           code + R"(","message":"no","advice":"do"}'; )";
}

Recording run(const std::string& script, RecordOptions options = {}) {
    options.command = {"sh", "-c", script};
    options.library = "/none";
    options.nvml = "/none";
    auto recording = record(options);
    REQUIRE(recording.ok());
    return std::move(*recording);
}
Recording runKernelReplay(const std::string& script, RecordOptions options = {}) {
    options.replay = ReplayChoice::Kernel;
    return run(script, std::move(options));
}

std::size_t count(const Profile& profile, const std::string& code) {
    std::size_t n = 0;
    for (const Issue& one : profile.issues) n += one.code == code;
    return n;
}

}  // namespace

TEST_CASE("a program that execs another one keeps what both measured") {
    // The first program never reports its end; the second has the same process id but its own
    // spool.
    const std::string second = R"(exec sh -c 'f="$ROOFSCOPE_SPOOL_DIR/7-2.spool"
printf "%s\n" "{\"t\":\"process\",\"pid\":7}" "{\"t\":\"device\",\"id\":0,\"name\":\"GPU\"}" \
 "{\"t\":\"kernel\",\"id\":0,\"name\":\"other\",\"symbol\":\"other\"}" \
 "{\"t\":\"launch\",\"n\":0,\"k\":0,\"d\":0,\"s\":0,\"g\":[2,1,1],\"b\":[32,1,1],\"corr\":5}" \
 "{\"t\":\"time\",\"c\":5,\"b\":4000,\"e\":4500}" "{\"t\":\"end\"}" > "$f"; exit 4')";
    const auto r = run(faultsProgram(kTimed + second, ""), {.timingOnly = true});
    REQUIRE(r.profile.launches.size() == 2);
    CHECK(r.profile.launches[0].duration == Seconds{2000 / 1e9});
    CHECK(r.profile.launches[1].duration == Seconds{500 / 1e9});
    CHECK(r.profile.kernels[r.profile.launches[1].kernel].name == "other");
    CHECK(r.profile.processes.size() == 2);
    CHECK(count(r.profile, "process-ended-early") == 1);
    CHECK(recordExitCode(r) == 4);
}

TEST_CASE("counters that are busy or refused leave times; without rights they are asked for once") {
    for (const std::string code : {"counters-unavailable", "counters-not-permitted"}) {
        INFO(code);
        const test::TemporaryFolder folder;
        const auto runs = folder.file("runs").string();
        const auto r =
            run(faultsProgram(kTimed + kFaultsEnd, R"(say '{"t":"launch","n":0,'"$l"'}'; )" +
                                                       issue("error", code) + kFaultsEnd) +
                    "echo run >> " + runs,
                {.replay = ReplayChoice::Application});
        REQUIRE(r.profile.launches.size() == 1);
        CHECK(r.profile.launches[0].duration == Seconds{2000 / 1e9});
        CHECK(r.profile.counters.names().empty());
        CHECK(r.profile.capture.strategy == "timing");
        CHECK(count(r.profile, code) == 1);
        CHECK(recordExitCode(r) == kExitPartial);
        if (code == "counters-not-permitted")
            CHECK(test::readText(runs) == "run\nrun\n");  // one run for times, one for counters
    }
}

TEST_CASE("another profiler in the program: nothing measured, the program unharmed") {
    const auto r = run(faultsProgram(issue("error", "subscriber-refused") + kFaultsEnd, ""));
    CHECK(r.programExit == 0);
    CHECK(recordExitCode(r) == kExitNothing);
    CHECK(count(r.profile, "subscriber-refused") == 1);
    const auto failing =
        run(faultsProgram(issue("error", "subscriber-refused") + kFaultsEnd + "exit 3", ""));
    CHECK(recordExitCode(failing) == 3);
}

TEST_CASE("another tool's injected library is replaced, and that is told") {
    setenv("CUDA_INJECTION64_PATH", "/other/tool.so", 1);
    const auto r = run(R"(test "$CUDA_INJECTION64_PATH" = /none)");
    unsetenv("CUDA_INJECTION64_PATH");
    CHECK(r.programExit == 0);
    REQUIRE(count(r.profile, "injection-replaced") == 1);
    CHECK(r.profile.issues.front().message.find("/other/tool.so") != std::string::npos);
}

TEST_CASE("dropped ranges are a partial measurement") {
    const auto r = runKernelReplay(faultsProgram(
        kTimed + kFaultsEnd, R"(say '{"t":"counters","d":0,"passes":2,"names":["a.sum"]}' )"
                             R"('{"t":"launch","n":0,'"$l"'}'; )" +
                                 issue("data-loss", "attribution-failed") + kFaultsEnd));
    REQUIRE(r.profile.launches.size() == 1);
    CHECK(r.profile.launches[0].duration);
    CHECK_FALSE(r.profile.counters.value("a.sum", 0));
    CHECK(count(r.profile, "attribution-failed") == 1);
    CHECK(recordExitCode(r) == kExitPartial);
}

TEST_CASE("an interrupt reaches the program, ends the recording, and keeps what was measured") {
    for (const int signal : {SIGINT, SIGTERM}) {
        INFO(signal);
        const test::TemporaryFolder folder;
        const auto runs = folder.file("runs").string();
        std::thread sender([&] {
            // Only once the program runs: before that nothing would handle the signal.
            for (int i = 0; i < 6000 && test::readText(runs).empty(); ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            kill(getpid(), signal);
        });
        const auto r = runKernelReplay(faultsProgram(kTimed, kCounted) + "echo run >> " + runs +
                                       "; exec sleep 30");
        sender.join();
        CHECK(recordExitCode(r) == 128 + signal);
        CHECK(count(r.profile, "interrupted") == 1);
        REQUIRE(r.profile.launches.size() == 1);
        CHECK(r.profile.launches[0].duration == Seconds{2000 / 1e9});
        CHECK(r.profile.capture.termSignal == signal);
        CHECK(test::readText(runs) == "run\n");  // no further run
    }
}

TEST_CASE("a disk that is full cuts the spool: what was written before counts") {
    // A file size limit stands in for the full disk: the write that exceeds it is cut.
    const auto r = runKernelReplay(
        faultsProgram(kTimed + kFaultsEnd, kCounted +
                                               R"(printf '{"t":"launch","n":1,"k":0,"d' >> "$f"
printf '\n{"t":"values","n":1' >> "$f")"));
    REQUIRE(r.profile.launches.size() == 1);
    CHECK(r.profile.counters.value("a.sum", 0) == 5.0);
    CHECK(count(r.profile, "spool-damaged") == 1);
    CHECK(recordExitCode(r) == kExitPartial);
}

TEST_CASE("an empty spool file is an empty measurement, not a crash") {
    const auto r = run(R"(: > "$ROOFSCOPE_SPOOL_DIR/7-1.spool")");
    CHECK(recordExitCode(r) == kExitNothing);
    CHECK(r.profile.launches.empty());
    CHECK_FALSE(r.profile.issues.empty());
}

TEST_CASE("binary junk that the program prints is its own; junk in a spool is skipped") {
    const auto r = runKernelReplay(faultsProgram(
        kTimed + R"(head -c 4096 /dev/urandom >> "$f"; printf '\n' >> "$f"; )" + kFaultsEnd,
        kCounted + kFaultsEnd));
    REQUIRE(r.profile.launches.size() == 1);
    CHECK(r.profile.launches[0].duration);
    CHECK(r.profile.counters.value("a.sum", 0) == 5.0);
    CHECK(count(r.profile, "spool-damaged") == 1);
    CHECK(recordExitCode(r) == kExitPartial);
}

TEST_CASE("writing beyond the limit on file sizes is an error, not the end of the process") {
    const test::TemporaryFolder folder;
    Profile large;
    large.issues.resize(2000, Issue{.source = "s", .code = "c", .message = "a line of text"});
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_DFL);
        const rlimit limit{.rlim_cur = 4096, .rlim_max = 4096};
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto plain = writeProfile(large, folder.file("p.roofscope.json"));
        if (plain.ok() || exitCode(plain.error().code) != 74) _exit(1);
        // Nor is the signal left pending for the process.
        sigset_t pending;
        sigpending(&pending);
        _exit(sigismember(&pending, SIGXFSZ) ? 2 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(std::filesystem::is_empty(folder.path()));  // no partial file remains
}

TEST_CASE("flushed caches: asked of the timing run and of application replay, never of another") {
    for (RecordOptions options :
         {RecordOptions{.replay = ReplayChoice::Kernel}, RecordOptions{.timingRuns = 0}}) {
        options.cacheControl = CacheControl::Flush;
        options.command = {"false"};
        options.library = "/none";
        const auto r = record(options);
        REQUIRE_FALSE(r.ok());
        CHECK(r.error().code == ErrorCode::Usage);
        CHECK(r.error().where == "--cache-control flush");
    }
    const std::string flushing =
        R"(grep -q '"flushCaches":true' "$ROOFSCOPE_SPOOL_DIR/configuration.json" || exit 9; )";
    const auto timed = run(flushing + faultsProgram(kTimed + kFaultsEnd, "exit 8"),
                           {.timingOnly = true, .cacheControl = CacheControl::Flush});
    CHECK(recordExitCode(timed) == 0);
    CHECK(timed.profile.capture.cacheControl == "flush");
    REQUIRE(timed.profile.launches.size() == 1);
    CHECK(timed.profile.launches[0].duration);
    CHECK_FALSE(timed.profile.launches[0].start);  // the gaps include our flushes
    const auto usual = run(faultsProgram(kTimed + kFaultsEnd, "exit 8"), {.timingOnly = true});
    CHECK(usual.profile.capture.cacheControl == "none");
    CHECK(usual.profile.launches.at(0).start);
}

TEST_CASE("flushed caches: what could not be flushed is told, and kernel replay never steps in") {
    const auto mixed =
        run(faultsProgram(kTimed + issue("data-loss", "caches-not-flushed") + kFaultsEnd, ""),
            {.timingOnly = true, .cacheControl = CacheControl::Flush});
    CHECK(mixed.profile.capture.cacheControl == "mixed");
    CHECK(recordExitCode(mixed) == kExitPartial);
    // Application replay cannot measure a graph: it gets no counters instead of wrong ones.
    const std::string graph = R"(say '{"t":"launch","n":0,'"$l"',"corr":5,"graph":true}' )"
                              R"('{"t":"time","c":5,"b":1000,"e":3000,"k":"k","g":[1,1,1]}'; )";
    const auto r =
        run(faultsProgram(graph + kFaultsEnd, "exit 8"), {.cacheControl = CacheControl::Flush});
    CHECK(r.profile.counters.names().empty());
    CHECK(count(r.profile, "flush-needs-application-replay") == 1);
    CHECK(count(r.profile, "runs-differ") == 0);  // there was no second run
    CHECK(recordExitCode(r) == kExitPartial);
}

TEST_CASE("clocks are seen during timing runs, and bytes are stated, without any counters") {
    RecordOptions options{.timingOnly = true, .declaredBytes = {{.kernel = "k", .bytes = 1 << 20}}};
    options.command = {"sh", "-c", faultsProgram(kTimed + kFaultsEnd + "sleep 0.5", "")};
    options.library = "/none";
    options.nvml = ROOFSCOPE_FAKE_NVML;
    const auto r = record(options);
    REQUIRE(r.ok());
    REQUIRE(r->profile.devices.size() == 1);
    REQUIRE(r->profile.devices[0].observed);
    CHECK(r->profile.devices[0].observed->throttledBy == std::vector<std::string>{"power cap"});
    CHECK(r->profile.launches.at(0).declaredBytes == 1U << 20);
    CHECK(recordExitCode(*r) == 0);  // slower clocks are no loss of data
}

TEST_CASE("a program that crashes while its launches are repeated is counted without repeating") {
    const test::TemporaryFolder folder;
    const auto runs = folder.file("runs").string();
    const auto record = [&](const std::string& crash, const std::string& always) {
        std::filesystem::remove(runs);
        // Groups are asked for under kernel replay, single counters in one pass per run.
        const std::string counted =
            R"(if grep -q '"groups":\["default"' "$ROOFSCOPE_SPOOL_DIR/configuration.json"; then
  echo repeated >> )" +
            runs + R"(; )" + crash + R"(
fi
echo once >> )" +
            runs + "; " + always + R"(
say '{"t":"counters","d":0,"passes":1,"names":["dram__bytes_read.sum"]}' '{"t":"launch","n":0,'"$l"'}' '{"t":"values","n":0,"d":0,"v":[5]}'; )";
        RecordOptions options{.timingRuns = 1};
        options.command = {"sh", "-c", faultsProgram(kTimed + kFaultsEnd, counted + kFaultsEnd)};
        options.library = "/none";
        auto recording = roofscope::record(options);
        REQUIRE(recording.ok());
        return std::pair(std::move(recording->profile), test::readText(runs));
    };
    const auto [profile, said] = record("kill -SEGV $$", "");
    CHECK(said.starts_with("repeated\nonce\nonce\n"));
    CHECK(profile.counters.value("dram__bytes_read.sum", 0) == 5.0);
    CHECK(profile.capture.strategy == "application");
    CHECK(count(profile, "replay-crashed") == 1);
    CHECK(count(profile, "runs-differ") == 0);
    CHECK(count(profile, "process-ended-early") == 0);
    // One that ends by itself is not run again, and one that always crashes is told.
    CHECK(record("exit 3", "").second == "repeated\n");
    const auto [crashed, twice] = record("kill -SEGV $$", "kill -SEGV $$");
    CHECK(count(crashed, "runs-differ") > 0);
    CHECK(count(crashed, "replay-crashed") == 0);
    CHECK(twice.starts_with("repeated\nonce\n"));
}

TEST_CASE("what XLA reserves of the GPU's memory is not saved for each launch") {
    const test::TemporaryFolder folder;
    const auto runs = folder.file("runs").string();
    // The fake NVML says that the program holds 60 of 80 GB.
    const std::string range =
        R"(say '{"t":"range","id":0,"name":"XlaModule:#hlo_module=jit_f#"}'; )";
    const std::string timed = R"(say '{"t":"launch","n":0,'"$l"',"r":0,"corr":5}' )"
                              R"('{"t":"time","c":5,"b":1000,"e":3000}'; sleep 0.5; )";
    const auto yes = [](bool holds) { return std::string(holds ? "yes" : "no"); };
    bool fails = false;
    // `asked`: whether the counters of a question fit into memory; absent: no question is asked.
    const auto record = [&](bool fits, std::optional<bool> asked = {}) {
        std::filesystem::remove(runs);
        const std::string counted =
            R"(c="$ROOFSCOPE_SPOOL_DIR/configuration.json"
grows=no; grep -q '"growMemory":true' "$c" && grows=yes
fits=)" + yes(fits) +
            R"(; asked=; names=dram__bytes_read.sum
if grep -q '"onlyPicks":true' "$c"; then fits=)" +
            yes(asked.value_or(false)) + R"(; asked=' pipes'; names=b.sum; fi
echo "$grows ${XLA_PYTHON_CLIENT_PREALLOCATE-unset}$asked" >> )" +
            runs + R"(
if [ $grows = no ] || [ $fits = yes ]; then
  say '{"t":"counters","d":0,"passes":2,"names":["'$names'"]}' '{"t":"launch","n":0,'"$l"',"r":0}' '{"t":"values","n":0,"d":0,"v":[5]}'
else
  say '{"t":"launch","n":0,'"$l"',"r":0,"counted":false}'
fi; )";
        RecordOptions options{.timingRuns = 1};
        options.command = {"sh", "-c",
                           faultsProgram(range + timed + kFaultsEnd,
                                         range + counted + kFaultsEnd +
                                             (fails ? "[ $grows = no ] || exit 1" : ""))};
        options.library = "/none";
        options.nvml = ROOFSCOPE_FAKE_NVML;
        if (asked)
            options.followUp = [](const RecordingInProgress& recording) {
                CHECK(recording.ask({.groups = {"pipes"}, .launches = {0}}));
            };
        auto recording = roofscope::record(options);
        REQUIRE(recording.ok());
        CHECK(recording->profile.counters.value("dram__bytes_read.sum", 0) == 5.0);
        CHECK(count(recording->profile, "runs-differ") == 0);
        return std::pair(recording->profile.capture.strategy, test::readText(runs));
    };
    CHECK(record(true) == std::pair<std::string, std::string>("kernel", "yes false\n"));
    // If XLA needs that much, counters are read one pass at a time, as without XLA.
    const auto [strategy, said] = record(false);
    CHECK(strategy == "application");
    CHECK(said.starts_with("yes false\nno unset\n"));
    // Questions are answered the same way, whether or not the first counters needed that much.
    for (const bool first : {false, true}) {
        const std::string asked = record(first, false).second;
        CAPTURE(asked);
        CHECK(asked.ends_with("no unset pipes\n"));
    }
    // A program that fails with growing memory is counted as before.
    fails = true;
    CHECK(record(false).first == "application");
    CHECK(record(true).second.starts_with("yes false\nno unset\n"));
    fails = false;
    // The user's own choice of how XLA allocates is kept.
    test::Environment environment;
    environment.set("XLA_PYTHON_CLIENT_MEM_FRACTION", ".9");
    CHECK(record(true).second.starts_with("no unset\n"));
}
