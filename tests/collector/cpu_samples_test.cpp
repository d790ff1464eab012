// SPDX-License-Identifier: Apache-2.0
// Samples of the CPU, from the threads of a program on a fake GPU to the functions that an action
// names. Everything runs in real time, so that shares are compared with room.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "analyzer/program/program.h"
#include "collector/inject/sampling/cpu_sampler.h"
#include "collector/run/tools/native_lines.h"
#include "collector/spool/reader/spool_reader.h"
#include "tests/collector/spin_functions.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using test::FakeProgram;

namespace {

using SteadyClock = std::chrono::steady_clock;

std::uint64_t realTime() {
    return static_cast<std::uint64_t>(SteadyClock::now().time_since_epoch().count());
}

/// The fake CUPTI's clock follows the real one as long as this lives.
class RealClock {
public:
    explicit RealClock(FakeProgram& program)
        : m_thread([this, &program] {
              while (!m_ended) {
                  program.at(realTime());
                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
              }
          }) {}
    ~RealClock() {
        m_ended = true;
        m_thread.join();
    }
    RealClock(const RealClock&) = delete;
    RealClock& operator=(const RealClock&) = delete;

private:
    std::atomic<bool> m_ended{false};
    std::thread m_thread;
};

/// A kernel of 100 µs that begins at once.
void launchNow(FakeProgram& program) {
    program.at(realTime());
    program.launch({.kernel = "step"});
    const std::uint64_t now = realTime();
    test::kernelRan(program, now, now + 100'000);
    std::this_thread::sleep_for(std::chrono::microseconds(150));
}

/// Enough for 900 samples. Their shares are rarely off by more than 0.05, or 0.09 on a busy
/// machine, where all samples of one wait for the CPU are alike.
constexpr int kRounds = 250;
constexpr std::uint64_t kRound = 17'300'000;  // ns, on average

/// The profile of a program that launches a kernel before each round of work.
Profile sampled(const std::function<void()>& work, bool samples = true,
                const std::function<void()>& first = {}) {
    const test::TemporaryFolder folder;
    const RunConfiguration configuration{.mode = TimingMode{.cpuSamples = samples}};
    REQUIRE(test::runFakeProgram(
        configuration, folder.path(),
        [&](FakeProgram& program) {
            if (first) first();
            const RealClock clock(program);
            for (int i = 0; i < kRounds; ++i) {
                launchNow(program);
                work();
            }
            launchNow(program);
        },
        {}, realTime()));
    auto profile = readSpools(folder.path());
    REQUIRE(profile);
    for (Process& process : profile->processes)
        if (process.cpuSamples) addNativeLines(*process.cpuSamples, profile->kernels);
    return *profile;
}

/// The functions of the action about work on the CPU.
std::vector<HostFunction> functionsOf(const Profile& profile) {
    const Analysis analysis = analyze(std::make_shared<Profile>(profile));
    const Program program = analyzeProgram(analysis);
    const auto action =
        std::ranges::find(program.actions, std::string("host-bound"), &Action::rule);
    return action == program.actions.end() ? std::vector<HostFunction>() : action->hostFunctions;
}

/// Puts this thread, or all of them, into a sandbox that ends the process for the system calls that
/// samples need.
bool enterSandbox(bool allThreads) {
    std::vector<sock_filter> code = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
    for (const unsigned call :
         {unsigned(SYS_process_vm_readv), unsigned(SYS_tgkill), unsigned(SYS_rt_tgsigqueueinfo)}) {
        code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
        code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    }
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, allThreads ? SECCOMP_FILTER_FLAG_TSYNC : 0,
                   &program) == 0;
}

/// Memory shared with a child process, for the times that its functions took.
SpinTimes& sharedTimes() {
    void* const memory =
        mmap(nullptr, sizeof(SpinTimes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    return *new (memory) SpinTimes;
}

/// Checks the shares of the three functions. Together they are at least `least`.
void checkShares(const std::vector<HostFunction>& functions, const SpinTimes& took, double least) {
    const std::map<std::string, std::uint64_t> times = {{"fiftyPercent", took.fifty},
                                                        {"thirtyPercent", took.thirty},
                                                        {"twentyPercent", took.twenty}};
    double sum = 0, all = 0;
    for (const HostFunction& f : functions) {
        UNSCOPED_INFO(f.function << " " << f.place << " " << f.callee << " " << f.share.value);
        if (!times.contains(f.function)) continue;
        sum += f.share.value;
        all += static_cast<double>(times.at(f.function));
    }
    CHECK(sum > least);
    for (const HostFunction& f : functions)
        if (times.contains(f.function))
            CHECK(std::abs(f.share.value / sum - static_cast<double>(times.at(f.function)) / all) <
                  0.09);
    REQUIRE(functions.size() == 3);
    CHECK(times.contains(functions[0].function));
    CHECK(times.contains(functions[1].function));
}

}  // namespace

TEST_CASE("samples name the three functions of a program, with lines", "[sampling][cpu]") {
    SpinTimes& took = sharedTimes();
    const auto functions = functionsOf(sampled([&] { spin_with_lines::round(kRound, took); }));
    checkShares(functions, took, 0.9);
    CHECK(functions[2].function == "twentyPercent");
    for (const HostFunction& function : functions)
        CHECK(function.place.starts_with("spin_functions.inc:"));
}

TEST_CASE("samples name the three functions of a program, without lines", "[sampling][cpu]") {
    SpinTimes& took = sharedTimes();
    const auto functions = functionsOf(sampled([&] { spin_without_lines::round(kRound, took); }));
    checkShares(functions, took, 0.9);
    CHECK(functions[2].function == "twentyPercent");
    CHECK(functions[0].place.empty());
}

TEST_CASE("where a thread waits for others, their functions are named", "[sampling][cpu]") {
    struct Pool {
        std::mutex mutex;
        std::condition_variable changed;
        int wanted = 0, done = 0;
    };
    static Pool pool;  // its threads end with the process
    static SpinTimes& took = sharedTimes();
    const auto functions = functionsOf(sampled(
        [] {
            std::unique_lock lock(pool.mutex);
            ++pool.wanted;
            pool.changed.notify_all();
            pool.changed.wait(lock, [] { return pool.done == pool.wanted; });
        },
        true,
        [] {
            std::thread([] {
                std::unique_lock lock(pool.mutex);
                while (true) {
                    pool.changed.wait(lock, [] { return pool.done < pool.wanted; });
                    lock.unlock();
                    spin_with_lines::round(kRound, took);
                    lock.lock();
                    ++pool.done;
                    pool.changed.notify_all();
                }
            }).detach();
        }));
    // Reading this test's clock takes a part of the time. On a busy machine, the third function may
    // be a wait for the CPU.
    checkShares(functions, took, 0.5);
}

TEST_CASE("a thread that waits for another process is said to wait", "[sampling][cpu]") {
    const auto functions = functionsOf(sampled([] {
        int ends[2] = {};
        if (pipe(ends) != 0) _exit(3);
        if (fork() == 0) {
            usleep(15'000);
            _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
        }
        char byte = 0;
        if (read(ends[0], &byte, 1) != 1) _exit(4);
        close(ends[0]);
        close(ends[1]);
        wait(nullptr);
    }));
    REQUIRE(!functions.empty());
    CHECK(functions[0].wait == CpuWait::Read);
    CHECK(functions[0].callee == "read");
    CHECK(functions[0].share.value > 0.5);
}

TEST_CASE("no samples are taken if they are not asked for", "[sampling][cpu]") {
    const Profile profile = sampled([] { usleep(1000); }, false);
    CHECK_FALSE(profile.processes.at(0).cpuSamples);
}

TEST_CASE("a program that uses the signal itself keeps it", "[sampling][cpu]") {
    static std::atomic<int> received{0};
    const auto handler = [](int) { ++received; };
    // The program handles the signal before the sampler starts: nothing is sampled, and an issue
    // says so.
    Profile profile = sampled(
        [] {
            raise(SIGURG);
            usleep(1000);
        },
        true, [=] { signal(SIGURG, handler); });
    // The program's handler stays, even if it is installed while the sampler runs.
    CHECK(std::ranges::any_of(
        profile.issues, [](const Issue& issue) { return issue.code == "cpu-samples-limited"; }));
    const test::TemporaryFolder folder;
    REQUIRE(test::runFakeProgram({.mode = TimingMode{}}, folder.path(), [=](FakeProgram& program) {
        const RealClock clock(program);
        launchNow(program);
        signal(SIGURG, handler);
        const auto until = realTime() + 200'000'000;
        SpinTimes took;
        while (realTime() < until) spin_with_lines::round(1'000'000, took);
        if (received > 1) _exit(1);  // one signal of the sampler may have been on its way
        received = 0;
        raise(SIGURG);
        if (received != 1) _exit(2);
    }));
}

TEST_CASE("samples work with a clock that stands still and with a thread that is followed late",
          "[sampling][cpu]") {
    // Answers come after the question. With a clock that stands still, both have the same time.
    constexpr std::uint64_t kNow = 1000;
    std::atomic<unsigned> rounds{0};
    inject::CpuSampler sampler([&] {
        ++rounds;
        return kNow;
    });
    REQUIRE(sampler.start());
    SpinTimes took;
    while (rounds < 20) spin_with_lines::round(1'000'000, took);
    constexpr std::uint32_t kNumber = 5;
    sampler.follow(kNumber, getpid());
    REQUIRE(sampler.stop());
    const auto result = sampler.result([](pid_t, bool) { return kNumber + 1; });
    REQUIRE(!result.samples.empty());
    for (const auto& sample : result.samples) {
        CHECK(sample.atNs == kNow);
        CHECK(sample.thread == kNumber);
    }
}

TEST_CASE("forked children of a sampled program are not sampled and run on", "[sampling][cpu]") {
    const test::TemporaryFolder folder;
    REQUIRE(test::runFakeProgram({.mode = TimingMode{}}, folder.path(), [](FakeProgram& program) {
        const RealClock clock(program);
        for (int i = 0; i < 50; ++i) {
            launchNow(program);
            const pid_t child = fork();
            if (child == 0) {
                SpinTimes took;
                spin_with_lines::round(2'000'000, took);
                if (i % 2 == 0) _exit(0);
                execl("/bin/true", "true", nullptr);
                _exit(1);
            }
            int status = 0;
            if (waitpid(child, &status, 0) != child || status != 0) _exit(1);
        }
    }));
}

TEST_CASE("a program that goes into a sandbox is not ended by samples", "[sampling][cpu]") {
    for (const bool allThreads : {true, false}) {
        CAPTURE(allThreads);
        const auto survives = [&] {
            const test::TemporaryFolder folder;
            return test::runFakeProgram({.mode = TimingMode{}}, folder.path(),
                                        [&](FakeProgram& program) {
                                            const RealClock clock(program);
                                            SpinTimes took;
                                            const auto work = [&] {
                                                launchNow(program);
                                                spin_with_lines::round(2'000'000, took);
                                            };
                                            for (int i = 0; i < 50; ++i) work();
                                            if (!enterSandbox(allThreads)) _exit(1);
                                            for (int i = 0; i < 100; ++i) work();
                                        });
        };
        // A sample may have begun in the moment before.
        int survived = 0;
        for (int i = 0; i < 5; ++i) survived += survives();
        CHECK(survived >= 2);
    }
}

TEST_CASE("a program that is in a sandbox before the first look is not ended", "[sampling][cpu]") {
    int survived = 0;
    for (int i = 0; i < 5; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            inject::CpuSampler sampler(realTime);
            if (!sampler.start() || !enterSandbox(true)) _exit(3);
            const auto until = SteadyClock::now() + std::chrono::milliseconds(200);
            while (SteadyClock::now() < until) {
            }
            _exit(0);
        }
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        survived += status == 0;
    }
    CHECK(survived >= 2);
}

TEST_CASE("a program that is in a sandbox of its own is not sampled", "[sampling][cpu]") {
    const pid_t child = fork();
    if (child == 0) {
        if (!enterSandbox(true)) _exit(3);
        inject::CpuSampler sampler(realTime);
        const bool refused = !sampler.start() && !sampler.problem().empty();
        _exit(refused ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

TEST_CASE("calls that wait are not interrupted by samples", "[sampling][cpu]") {
    const test::TemporaryFolder folder;
    REQUIRE(test::runFakeProgram({.mode = TimingMode{}}, folder.path(), [](FakeProgram& program) {
        const RealClock clock(program);
        launchNow(program);
        for (int i = 0; i < 100; ++i)
            if (usleep(5000) != 0) _exit(1);
    }));
}

TEST_CASE("a thread that blocks all signals is not asked for its stack", "[sampling][cpu]") {
    SpinTimes took;
    const Profile profile = sampled([&] { spin_with_lines::round(kRound, took); }, true,
                                    [] {
                                        sigset_t all;
                                        sigfillset(&all);
                                        pthread_sigmask(SIG_SETMASK, &all, nullptr);
                                    });
    REQUIRE(profile.processes.at(0).cpuSamples);
    const auto functions = functionsOf(profile);
    for (const HostFunction& function : functions) CHECK(function.share.value < 0.2);
}

TEST_CASE("a thread that blocks all signals for a moment is soon asked again", "[sampling][cpu]") {
    static SpinTimes& took = sharedTimes();
    static sigset_t before;
    const auto functions = functionsOf(sampled(
        [round = 0]() mutable {
            if (++round == 10) pthread_sigmask(SIG_SETMASK, &before, nullptr);
            spin_with_lines::round(kRound, took);
        },
        true,
        [] {
            sigset_t all;
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &before);
        }));
    checkShares(functions, took, 0.85);  // the rest is the moment: 10 of 250 rounds
}

TEST_CASE("if counters are read first, the time before the first launch is sampled, too",
          "[sampling][cpu]") {
    constexpr int kBefore = 30, kBetween = 10;  // rounds of work
    SpinTimes& took = sharedTimes();
    const test::TemporaryFolder folder;
    const CountFirstMode mode{.counting = {.perKernel = 1}, .leastStart = 0, .rests = false};
    REQUIRE(test::runFakeProgram(
        {.mode = mode}, folder.path(),
        [&](FakeProgram& program) {
            const RealClock clock(program);
            for (int i = 0; i < kBefore; ++i) spin_with_lines::round(kRound, took);
            launchNow(program);
            for (int i = 0; i < kBetween; ++i) spin_without_lines::round(kRound, took);
            for (int i = 0; i < 300; ++i) {
                launchNow(program);
                program.call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
            }
        },
        {.readable = true, .passes = 2}, realTime()));
    SpoolDetails details;
    auto profile = readSpools(folder.path(), &details);
    REQUIRE(profile);
    REQUIRE(details.countedFirst.size() == 1);
    REQUIRE(profile->processes.at(0).cpuSamples);
    CpuSamples& samples = *profile->processes[0].cpuSamples;
    addNativeLines(samples, profile->kernels);
    std::size_t before = 0, between = 0;
    for (const CpuSample& sample : samples.samples)
        for (const std::uint32_t frame : samples.stacks[sample.stack]) {
            const std::string& function = samples.frames[frame].function;
            before += function.find("spin_with_lines::round") != function.npos ? 1 : 0;
            between += function.find("spin_without_lines::round") != function.npos ? 1 : 0;
        }
    CHECK(before > 40);   // of 100
    CHECK(between == 0);  // the program is being counted
}
