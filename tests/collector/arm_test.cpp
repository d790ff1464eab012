// SPDX-License-Identifier: Apache-2.0
// An armed process, as the commands see it: with a fake driver and CUPTI, in a child process.
#include <cupti_activity.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "collector/arm/arm_folder.h"
#include "collector/inject/arm/armed_process.h"
#include "collector/inject/injector.h"
#include "collector/inject/subscription.h"
#include "collector/run/arm/armed_processes.h"
#include "collector/run/arm/snap_process.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace std::chrono_literals;
using arm::Connection;
using arm::News;
using arm::Request;
using test::FakeProgram;
namespace fs = std::filesystem;

namespace {

/// Orders that the test sends to the program, one byte each.
enum Order : char {
    kExit = 'x',
    kFork = 'f',
    kIsFree = 's',
    kTakeCupti = 't',
    kThreads = 'h',
    kGraphs = 'g',
    kWait = 'w'
};

/// A program that launches three kernels in each step of 2 ms, until it is told to end.
class ArmedProgram {
public:
    explicit ArmedProgram(const fs::path& folder, const char* value = nullptr) : m_folder(folder) {
        int fds[2];
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
        m_pid = fork();
        if (m_pid == 0) {
            close(fds[0]);
            setenv(arm::kVariable, value ? value : folder.c_str(), 1);
            run(fds[1]);
        }
        close(fds[1]);
        m_orders = fds[0];
        REQUIRE(ask(kIsFree) == 1);  // the program is ready
    }
    ~ArmedProgram() {
        kill(m_pid, SIGKILL);
        waitpid(m_pid, nullptr, 0);
        close(m_orders);
    }
    ArmedProgram(const ArmedProgram&) = delete;
    ArmedProgram& operator=(const ArmedProgram&) = delete;

    [[nodiscard]] pid_t pid() const { return m_pid; }
    void tell(Order order) const { REQUIRE(write(m_orders, &order, 1) == 1); }
    /// Sends an order and returns the program's answer.
    [[nodiscard]] int ask(Order order) const {
        tell(order);
        int answer = -1;
        REQUIRE(read(m_orders, &answer, sizeof answer) == sizeof answer);
        return answer;
    }
    /// Whether nobody holds CUPTI in the program.
    [[nodiscard]] bool isFree() const { return ask(kIsFree) == 1; }
    [[nodiscard]] Result<ArmedProcess> process() const {
        return armedProcess(m_pid, m_folder.string());
    }
    /// Waits until the program ends; returns its exit code.
    int ended() const {
        int status = 0;
        waitpid(m_pid, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    [[noreturn]] static void run(int orders);
    static void obey(char order, int orders);

    fs::path m_folder;
    pid_t m_pid = 0;
    int m_orders = -1;
};

std::uint64_t nowNs() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
}

CUpti_CallbackFunc& subscriber() { return FakeProgram::subscriber(); }

/// Only used in the child process.
FakeProgram* g_program = nullptr;
bool g_graphs = false, g_waits = false;

void ArmedProgram::obey(char order, int orders) {
    int answer = 0;
    switch (order) {
        case kExit:
            std::exit(3);
        case kFork:
            answer = fork();
            if (answer == 0)
                for (;;) pause();
            break;
        case kThreads:
            for (int t = 0; t < 3; ++t)
                std::thread([] {
                    for (;;) {
                        g_program->launch({.kernel = "delta"});
                        std::this_thread::sleep_for(50us);
                    }
                }).detach();
            break;
        case kGraphs:
            g_graphs = true;
            break;
        case kWait:
            g_waits = true;
            break;
        case kTakeCupti:
            subscriber() = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
            break;
        default:
            answer = subscriber() == nullptr ? 1 : 0;
    }
    (void)!write(orders, &answer, sizeof answer);
}

void ArmedProgram::run(int orders) {
    FakeProgram program;
    g_program = &program;
    inject::armProcess();
    for (;;) {
        for (const char* kernel : {"alpha", "beta", "gamma"}) {
            program.at(nowNs());
            program.launch({.kernel = kernel});
            if (FakeProgram::timesKernels()) test::kernelRan(program, nowNs(), nowNs() + 5000);
        }
        static const test::FakeGraph graph({"alpha", "beta"});
        if (g_graphs) program.launch(graph);
        if (g_waits) program.call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
        char order = 0;
        if (recv(orders, &order, 1, MSG_DONTWAIT) == 1) obey(order, orders);
        std::this_thread::sleep_for(2ms);
    }
}

SnapOptions shortly(double seconds) {
    return {.seconds = seconds, .around = 0.1, .timeline = TimelineDetail::Full};
}

Result<Recording> snapped(const ArmedProgram& program, const SnapOptions& options) {
    const auto process = program.process();
    if (!process) return process.error();
    return snapProcess(*process, options);
}

/// A conversation with a process, as a badly behaved caller may lead it.
struct Caller {
    explicit Caller(const ArmedProgram& program)
        : connection(std::move(*connectTo(*program.process()))) {}
    void say(const std::string& line) { connection.send(line); }
    /// "" if it hangs up, "…" if it says nothing.
    std::string hears(std::chrono::milliseconds patience = 3s) {
        std::string line;
        const auto heard =
            connection.receive(line, arm::kMostAnswer, Connection::Clock::now() + patience);
        return heard == Connection::Heard::Line   ? line
               : heard == Connection::Heard::Gone ? ""
                                                  : "…";
    }
    Connection connection;
};

/// A folder with a run configuration, as `snap` passes it to a process.
struct ToRecord {
    ToRecord() { REQUIRE(writeRunConfiguration({.mode = TimingMode{}}, folder.path())); }
    [[nodiscard]] std::string request(double seconds) const {
        return toLine(Request{.what = Request::What::Snap,
                              .folder = folder.path().string(),
                              .seconds = seconds,
                              .bytes = 1 << 30,
                              .around = 0.05});
    }
    test::TemporaryFolder folder;
};

bool eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 100; ++i) {
        if (holds()) return true;
        std::this_thread::sleep_for(50ms);
    }
    return false;
}

}  // namespace

TEST_CASE("an armed process says who it is, and does nothing else") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    const auto all = armedProcesses(folder.path().string());
    REQUIRE(all.size() == 1);
    CHECK(all[0].pid == program.pid());
    REQUIRE(all[0].state);
    CHECK(all[0].state->pid == program.pid());
    CHECK(!all[0].state->command.empty());
    CHECK(!all[0].state->snapped);
    CHECK(all[0].state->snaps == 0);
    CHECK(program.isFree());
}

TEST_CASE("a process is armed only if its environment says where") {
    const test::TemporaryFolder folder;
    const ArmedProgram off(folder.path(), "off"), relative(folder.path(), "here");
    CHECK(armedProcesses(folder.path().string()).empty());
    CHECK(off.process().error().code == ErrorCode::NoInput);
    // A folder that others can write to is no place for sockets.
    REQUIRE(chmod(folder.path().c_str(), 0777) == 0);
    const ArmedProgram open(folder.path());
    CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a snap records a while, and leaves the process as it was") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    for (int turn = 0; turn < 2; ++turn) {
        const auto recording = snapped(program, shortly(0.3));
        REQUIRE(recording);
        const Profile& profile = recording->profile;
        CHECK(profile.launches.size() > 20);
        CHECK(profile.kernels.size() == 3);
        CHECK(!profile.capture.command.empty());
        CHECK(!profile.capture.exitCode);
        REQUIRE(profile.capture.snap);
        CHECK(!profile.capture.snap->steps);
        CHECK(profile.capture.snap->endedEarly.empty());
        CHECK(profile.capture.snap->recorded->value >= 0.3);
        CHECK(profile.capture.snap->recorded->value < 2);
        REQUIRE(profile.processes.size() == 1);
        CHECK(profile.processes[0].pid == program.pid());
        CHECK(profile.processes[0].endedCleanly);
        CHECK(recordExitCode(*recording) == 0);
        CHECK(program.isFree());
    }
    CHECK(program.process()->state->snaps == 2);
}

TEST_CASE("steps are waited for, or it is said that they did not come") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    SnapOptions options = shortly(20);
    options.steps = 10;
    options.around = 0.3;
    REQUIRE(program.ask(kWait) == 0);
    std::size_t looks = 0;
    options.stepsIn = [&](const Profile& profile) -> std::optional<StepsSeen> {
        ++looks;
        if (profile.launches.size() < 6) return std::nullopt;
        return StepsSeen{.count = profile.launches.size() / 3, .each = Seconds{0.002}};
    };
    const auto recording = snapped(program, options);
    REQUIRE(recording);
    CHECK(recording->profile.launches.size() >= 30);
    CHECK(recording->profile.capture.snap->steps == 10);
    CHECK(recording->profile.capture.snap->endedEarly.empty());
    CHECK(recording->profile.capture.snap->recorded->value < 10);
    CHECK(looks >= 1);
    // After "enough", marks of the pace are still collected.
    REQUIRE(recording->profile.processes[0].pace);
    CHECK(recording->profile.processes[0].pace->after.size() > 10);

    options.seconds = 0.6;
    options.stepsIn = [](const Profile&) { return std::optional<StepsSeen>(); };
    const auto none = snapped(program, options);
    REQUIRE(none);
    CHECK(none->profile.capture.snap->endedEarly.find("no step was found") != std::string::npos);
    CHECK(program.isFree());
}

TEST_CASE("a snap that takes too much space ends early") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    SnapOptions options = shortly(20);
    options.mostBytes = 1;
    const auto recording = snapped(program, options);
    REQUIRE(recording);
    CHECK(recording->profile.capture.snap->endedEarly.find("--most-bytes") != std::string::npos);
    CHECK(recording->profile.capture.snap->recorded->value < 5);
}

TEST_CASE("of two snaps at once the second is refused in one sentence") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    const ToRecord wanted, other;
    Caller first(program);
    first.say(wanted.request(20));
    CHECK(first.hears().find("recording") != std::string::npos);
    CHECK(program.process()->state->snapped);
    const auto second = snapped(program, shortly(0.1));
    REQUIRE(!second);
    CHECK(second.error().what == "another snap of this process is going on");
    first.say(toLine(Request{.what = Request::What::End}));
    CHECK(first.hears().find("ended") != std::string::npos);
    CHECK(snapped(program, shortly(0.1)));
}

TEST_CASE("if whoever snaps is killed, the process goes on untraced") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    const ToRecord wanted;
    {
        Caller caller(program);
        caller.say(wanted.request(60));
        CHECK(caller.hears().find("recording") != std::string::npos);
        CHECK(!program.isFree());
    }
    CHECK(eventually([&] { return program.isFree(); }));
    // The folder is gone as well.
    {
        const ToRecord gone;
        Caller(program).say(gone.request(60));
    }
    CHECK(eventually([&] { return program.isFree() && snapped(program, shortly(0.1)).ok(); }));
}

TEST_CASE("a program that ends during a snap ends as always, and what was recorded is kept") {
    const test::TemporaryFolder folder;
    for (const bool killed : {false, true}) {
        const ArmedProgram program(folder.path());
        std::thread end([&] {
            std::this_thread::sleep_for(700ms);
            if (killed)
                kill(program.pid(), SIGKILL);
            else
                program.tell(kExit);
        });
        const auto recording = snapped(program, shortly(30));
        end.join();
        CHECK(program.ended() == (killed ? -1 : 3));
        REQUIRE(recording);
        CHECK(recording->profile.launches.size() > 20);
        CHECK(recording->profile.capture.snap->endedEarly == "the program ended");
        REQUIRE(recording->profile.processes.size() == 1);
        CHECK(recording->profile.processes[0].endedCleanly == !killed);
        CHECK(armedProcesses(folder.path().string()).empty());
        CHECK(fs::is_empty(folder.path()));
    }
}

TEST_CASE("a forked child does not answer for its parent") {
    const test::TemporaryFolder folder;
    pid_t child = 0;
    {
        const ArmedProgram program(folder.path());
        child = program.ask(kFork);
        REQUIRE(child > 0);
        REQUIRE(armedProcesses(folder.path().string()).size() == 1);
        CHECK(snapped(program, shortly(0.1)));
    }
    // The parent was killed; its child lives on.
    REQUIRE(kill(child, 0) == 0);
    CHECK(armedProcesses(folder.path().string()).empty());
    CHECK(fs::is_empty(folder.path()));
    kill(child, SIGKILL);
}

TEST_CASE("while another tool holds CUPTI, the process goes on and says so") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    REQUIRE(program.ask(kTakeCupti) == 0);
    const auto refused = snapped(program, shortly(0.1));
    REQUIRE(!refused);
    CHECK(refused.error().what.find("CUPTI refused the subscription") != std::string::npos);
    CHECK(program.process()->state);
}

TEST_CASE("hostile callers are hung up on, and others answered") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    for (const std::string& line :
         {std::string("nonsense"), std::string("{\"do\":\"run\"}"), std::string(7000, '{'),
          ToRecord().request(1)}) {  // a folder that is gone
        Caller caller(program);
        caller.say(line);
        CHECK(caller.hears().find("refused") != std::string::npos);
        CHECK(caller.hears() == "");
    }
    Caller endless(program);
    endless.say(std::string(arm::kMostRequest + 1, 'x'));
    CHECK(endless.hears() == "");
    Caller silent(program);
    CHECK(silent.hears(5s) == "");
    // A link to a folder, and a folder without a run configuration.
    const ToRecord wanted;
    const test::TemporaryFolder empty;
    fs::create_directory_symlink(wanted.folder.path(), empty.file("link"));
    for (const fs::path& bad : {empty.file("link"), empty.path()}) {
        Caller caller(program);
        caller.say(toLine(Request{
            .what = Request::What::Snap, .folder = bad.string(), .seconds = 1, .bytes = 1000}));
        CHECK(caller.hears().find("refused") != std::string::npos);
    }
    CHECK(program.isFree());
    CHECK(snapped(program, shortly(0.1)));
}

TEST_CASE("counters are not read of a running process") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    const ToRecord wanted;
    REQUIRE(writeRunConfiguration({.mode = CountersMode{}}, wanted.folder.path()));
    Caller caller(program);
    caller.say(wanted.request(1));
    CHECK(caller.hears().find("can only be timed") != std::string::npos);
    CHECK(program.isFree());
}

TEST_CASE("a disarmed process answers no more") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    const auto process = program.process();
    REQUIRE(process);
    CHECK(disarm(*process));
    CHECK(fs::is_empty(folder.path()));
    CHECK(armedProcesses(folder.path().string()).empty());
    CHECK(!snapProcess(*process, shortly(0.1)));
    CHECK(program.isFree());
}

TEST_CASE("only sockets of dead processes are removed") {
    const test::TemporaryFolder folder;
    { REQUIRE(arm::listenIn(folder.file("12.sock"))); }
    REQUIRE(fs::exists(folder.file("12.sock")));
    std::ofstream(folder.file("13.sock")) << "a file";
    CHECK(armedProcesses(folder.path().string()).empty());
    CHECK(!fs::exists(folder.file("12.sock")));
    CHECK(fs::exists(folder.file("13.sock")));
}

TEST_CASE("threads that launch meanwhile are recorded, and left alone afterwards") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    REQUIRE(program.ask(kThreads) == 0);
    for (int turn = 0; turn < 3; ++turn) {
        const auto recording = snapped(program, shortly(0.1));
        REQUIRE(recording);
        CHECK(recording->profile.kernels.size() == 4);
        CHECK(program.isFree());
    }
}

TEST_CASE("CUPTI stays where there are CUDA graphs, and serves the next snap") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    REQUIRE(program.ask(kGraphs) == 0);
    for (int turn = 0; turn < 2; ++turn) {
        const auto recording = snapped(program, shortly(0.1));
        REQUIRE(recording);
        CHECK(std::ranges::any_of(recording->profile.issues,
                                  [](const Issue& issue) { return issue.code == "cupti-stays"; }));
        CHECK_FALSE(program.isFree());
    }
}

TEST_CASE("before and after a snap, launches are counted") {
    const test::TemporaryFolder folder;
    const ArmedProgram program(folder.path());
    SnapOptions options = shortly(0.2);
    options.around = 0.4;
    for (int turn = 0; turn < 2; ++turn) {
        const auto recording = snapped(program, options);
        REQUIRE(recording);
        const auto& pace = recording->profile.processes.at(0).pace;
        REQUIRE(pace);
        CHECK(pace->traced.size() > 10);
        // The program waits in its second turn, so that marks begin.
        CHECK((turn == 0 || !pace->alone.empty()));
        CHECK((turn == 0 || !pace->after.empty()));
        REQUIRE(program.ask(kWait) == 0);
    }
}

TEST_CASE("a subscription that CUPTI delays is given up, and so is what comes of it later") {
    const pid_t child = fork();
    if (child == 0) {
        FakeProgram program;
        std::string why;
        const CuptiApi& cupti = *CuptiApi::load(&why, CuptiUse::Tracing);
        const auto ignore = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
        FakeProgram::keepBusy(300);
        const auto take = [&] { return inject::Subscription::takeWithin(50ms, cupti, ignore); };
        const auto late = take(), again = take();
        bool right = !late && !again && late.error().what.starts_with("CUPTI could not begin");
        std::this_thread::sleep_for(600ms);
        right = right && FakeProgram::subscriber() == nullptr;
        FakeProgram::keepBusy(0);
        right = right && take() && FakeProgram::subscriber() != nullptr;
        _exit(right ? 0 : 1);
    }
    int status = 1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}
