// SPDX-License-Identifier: Apache-2.0
// What samples of the CPU are made of: stacks, states of threads, tables of lines, bounded memory.
#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>

#include "collector/inject/sampling/forked_workers.h"
#include "collector/inject/sampling/own_memory.h"
#include "collector/inject/sampling/python_frames.h"
#include "collector/inject/sampling/sample_signal.h"
#include "collector/inject/sampling/sample_store.h"
#include "collector/inject/sampling/thread_state.h"
#include "collector/inject/sampling/unwind_expression.h"
#include "collector/inject/sampling/unwinder.h"
#include "collector/inject/sampling/usable_cpus.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::inject;
using namespace std::string_literals;

TEST_CASE("reading unmapped memory fails without a crash", "[sampling]") {
    REQUIRE(own_memory::works());
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    auto* const pages = static_cast<char*>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(pages != MAP_FAILED);
    std::memset(pages, 'x', 2 * page);
    REQUIRE(munmap(pages + page, page) == 0);
    std::array<char, 4096> read{};
    const auto from = reinterpret_cast<std::uintptr_t>(pages) + page - 100;
    CHECK(own_memory::copy(from, read.data(), read.size()) == 100);
    CHECK(read[99] == 'x');
    std::uint64_t word = 0;
    CHECK_FALSE(own_memory::read(from + 96, word));
    CHECK_FALSE(own_memory::read(std::uintptr_t{0}, word));
    CHECK(own_memory::copy(~std::uintptr_t{0} - 8, read.data(), 8) == 0);
    munmap(pages, page);
}

#if defined(__x86_64__)
namespace {

/// The stack of the caller, by the unwinder and by the C library.
struct TwoStacks {
    std::vector<NativeCodeFrame> walked;
    std::vector<void*> expected;
};

[[gnu::noinline]] TwoStacks bothStacks() {
    TwoStacks both;
    Modules modules;
    modules.refresh();
    Unwinder unwinder(modules);
    ucontext_t context{};
    getcontext(&context);
    constexpr std::array kOrder{REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    ThreadRegisters registers;
    for (std::size_t i = 0; i < kRegisters; ++i)
        registers.set(i, static_cast<std::uint64_t>(context.uc_mcontext.gregs[kOrder[i]]));
    unwinder.walk(registers, StackMemory(), both.walked);
    both.expected.resize(Unwinder::kMostFrames);
    both.expected.resize(static_cast<std::size_t>(
        backtrace(both.expected.data(), static_cast<int>(both.expected.size()))));
    return both;
}

}  // namespace

TEST_CASE("the unwinder finds the same stack as the C library", "[sampling]") {
    // With frames of std::sort in between, and a callback.
    TwoStacks both;
    std::array order{3, 1, 2};
    std::ranges::sort(order, [&](int a, int b) {
        if (both.walked.empty()) both = bothStacks();
        return a < b;
    });
    const std::size_t depth = std::min(both.walked.size(), both.expected.size());
    REQUIRE(depth > 5);
    // The innermost frame is at another instruction of the same function.
    for (std::size_t i = 1; i < depth; ++i)
        CHECK(both.walked[i].address + 1 == reinterpret_cast<std::uintptr_t>(both.expected[i]));
}

TEST_CASE("unwinding a stack of random data ends", "[sampling]") {
    Modules modules;
    modules.refresh();
    Unwinder unwinder(modules);
    std::vector<NativeCodeFrame> frames;
    std::array<std::byte, 4096> garbage;
    for (std::size_t i = 0; i < garbage.size(); ++i) garbage[i] = std::byte((i * 37 + 11) & 0xff);
    for (std::uint64_t seed = 1; seed < 2000; ++seed) {
        ThreadRegisters registers;
        for (std::size_t r = 0; r < kRegisters; ++r) registers.set(r, seed * 0x9E3779B97F4A7C15ULL);
        // Any address in this program's code, with a stack of arbitrary contents.
        registers.set(kReturn, reinterpret_cast<std::uintptr_t>(&bothStacks) + seed * 13);
        registers.set(kRsp, reinterpret_cast<std::uintptr_t>(garbage.data()) + seed);
        unwinder.walk(registers, StackMemory(registers.values[kRsp], garbage), frames);
        REQUIRE(frames.size() <= Unwinder::kMostFrames);
    }
}

TEST_CASE("expressions of unwind tables are computed", "[sampling]") {
    ThreadRegisters registers;
    registers.set(kRsp, 1000);
    registers.set(kReturn, 0x1b);
    // The linker's stubs: rsp + 8 + ((rip & 15) >= 11) * 8.
    const std::array<std::uint8_t, 11> stub{0x77, 8,    0x80, 0,    0x3f, 0x1a,
                                            0x3b, 0x2a, 0x33, 0x24, 0x22};
    const auto at = reinterpret_cast<std::uintptr_t>(stub.data());
    CHECK(evaluate(at, stub.size(), registers, StackMemory()) == 1016U);
    registers.set(kReturn, 0x1a);
    CHECK(evaluate(at, stub.size(), registers, StackMemory()) == 1008U);
    CHECK_FALSE(evaluate(at, stub.size() - 10, registers, StackMemory()));  // cut
    ThreadRegisters unknown;
    CHECK_FALSE(evaluate(at, stub.size(), unknown, StackMemory()));
    CHECK_FALSE(evaluate(at, 100'000, registers, StackMemory()));
}
#endif

TEST_CASE("the state of a thread is parsed from /proc", "[sampling]") {
    CHECK(parseThreadNow("running\n")->running);
    const auto waits =
        parseThreadNow("202 0x7f 0x189 0x0 0x0 0x0 0xffffffff 0x7ffdd0 0x7f7810d6c\n");
    REQUIRE(waits);
    CHECK_FALSE(waits->running);
    CHECK(waits->call == 202);
    CHECK(waits->stack == 0x7ffdd0);
    CHECK(waits->code == 0x7f7810d6c);
    const auto fault = parseThreadNow("-1 0x7ffdd0 0x401000\n");
    REQUIRE(fault);
    CHECK(fault->call == -1);
    CHECK(fault->code == 0x401000);
    for (const char* bad : {"", "7", "202 0x1 0x2", "x", "99999999999 0 0 0 0 0 0 1 2"})
        CHECK_FALSE(parseThreadNow(bad));
    CHECK(waitOf(SYS_futex) == CpuWait::Lock);
    CHECK(waitOf(SYS_ppoll) == CpuWait::Poll);
    CHECK(waitOf(SYS_clock_nanosleep) == CpuWait::Sleep);
    CHECK(waitOf(-1) == CpuWait::Other);
    const auto own = ThreadWatch(static_cast<pid_t>(syscall(SYS_gettid))).now();
    REQUIRE(own);
    CHECK((own->running || own->call == SYS_pread64));  // it looks at itself
    CHECK_FALSE(ThreadWatch(-5).now());
}

TEST_CASE("a forked copy of a program is told from another program", "[sampling]") {
    const std::string own =
        "7 (a) b) S 3 7 7 0 -1 4194560 101 0 0 0 1 2 0 0 20 0 1 0 5011 8192 77 "
        "18446744073709551615 "
        "4198400 4271837 140725 0 0 0\n";
    const auto image = parseProcessImage(own);
    REQUIRE(image);
    CHECK(image->state == 'S');
    CHECK(image->parent == 3);
    CHECK(image->codeBegin == 4198400);
    CHECK(image->codeEnd == 4271837);
    CHECK(image->stackBegin == 140725);
    CHECK(image->sameProgram(*image));
    std::string other = own;
    other.replace(other.find("140725"), 6, "140726");
    CHECK_FALSE(image->sameProgram(*parseProcessImage(other)));
    for (const std::string& bad : {""s, "7 (a"s, "7 (a) "s, "7 (a) S"s, "7 (a) S 3 7 7 0"s,
                                   own.substr(0, own.find(" 4271837")), "7 (a) S x 7 7 0 -1 1 1"s})
        CHECK_FALSE(parseProcessImage(bad));
}

TEST_CASE("of two looks at a running stack the outer frames count that both saw", "[sampling]") {
    const RawPythonFrame main{.code = 1}, work{.code = 2}, decode{.code = 3}, augment{.code = 4};
    const auto common = [](std::vector<RawPythonFrame> first, std::vector<RawPythonFrame> second) {
        return commonFrames(first, second);
    };
    CHECK(common({decode, work, main}, {decode, work, main}) == 3);
    CHECK(common({decode, work, main}, {augment, work, main}) == 2);
    CHECK(common({work, main}, {decode, work, main}) == 2);
    CHECK(common({decode, work, main}, {decode, augment, main}) == 1);
    CHECK(common({}, {main}) == 0);
    CHECK(common({main}, {work}) == 0);
}

TEST_CASE("the memory of a forked process is read, and that of a process that is gone is not",
          "[sampling]") {
    volatile std::uint64_t word = 5;
    std::array<int, 2> ready{};
    REQUIRE(pipe(ready.data()) == 0);
    const pid_t child = fork();
    if (child == 0) {
        word = 6;
        const char told = 1;
        if (write(ready[1], &told, 1) != 1) _exit(1);
        pause();
        _exit(0);
    }
    char told = 0;
    REQUIRE(read(ready[0], &told, 1) == 1);
    const ProcessMemory memory(child);
    const auto address = reinterpret_cast<std::uintptr_t>(&word);
    std::uint64_t seen = 0;
    CHECK(memory.read(address, seen));
    CHECK(seen == 6);
    CHECK(ProcessMemory().read(address, seen));
    CHECK(seen == 5);
    CHECK_FALSE(memory.read(std::uintptr_t{8}, seen));
    const ThreadWatch watch = ThreadWatch::ofProcess(child);
    CHECK(watch.now());
    REQUIRE(kill(child, SIGKILL) == 0);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    CHECK_FALSE(memory.read(address, seen));
    CHECK_FALSE(watch.now());
    close(ready[0]);
    close(ready[1]);
}

TEST_CASE("a container's share of the CPUs is rounded up", "[sampling]") {
    CHECK(cpuLimit("150000 100000") == 2U);
    CHECK(cpuLimit("800000 100000\n") == 8U);
    CHECK(cpuLimit("50000 100000") == 1U);
    for (const char* none : {"max 100000", "", "5", "0 100000", "100000 0", "-1 100000"})
        CHECK_FALSE(cpuLimit(none));
    CHECK(usableCpus() >= 1);
}

TEST_CASE("lines of Python are read from code objects' line tables", "[sampling]") {
    // Two units without columns at +1; one unit on one line with columns (+0); two units at -3,
    // with columns in the long form; one unit without a line.
    const std::string table = "\xe9\x02"s + "\xd0\x01\x02"s + "\xf1\x07\x00\x01\x01"s + "\xf8"s;
    CHECK(lineOf(table, 10, 0) == 11);
    CHECK(lineOf(table, 10, 3) == 11);
    CHECK(lineOf(table, 10, 4) == 11);
    CHECK(lineOf(table, 10, 6) == 8);
    CHECK(lineOf(table, 10, 9) == 8);
    CHECK(lineOf(table, 10, 10) == 0);
    CHECK(lineOf(table, 10, 100) == 0);
    CHECK(lineOf("", 10, 0) == 0);
    CHECK(lineOf("\xf1", 10, 0) == 10);  // cut off: the complete part is used
    CHECK(lineOf("\xf1\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f", 10, 0) == 0);
}

TEST_CASE("samples take bounded memory and keep their proportions", "[sampling]") {
    SampleStore store({.samples = 1000, .stacks = 100, .frames = 200});
    std::size_t most = 0, halvings = 0;
    for (std::uint64_t i = 0; i < 40'000; ++i) {
        // Three of four samples have one stack; the others differ.
        const std::string file = i % 4 != 0 ? "hot.py" : "cold" + std::to_string(i) + ".py";
        store.add({.thread = 0,
                   .stack = store.stack({{.module = "/lib/a", .offset = 16},
                                         {.python = {.file = file, .function = "f", .line = 1}}}),
                   .atNs = i});
        if (store.thinOut()) ++halvings;
        most = std::max(most, store.samples().size());
    }
    CHECK(halvings > 3);
    CHECK(most <= 1000);
    const auto record = store.stacks(7);
    CHECK(record.period == 7);
    CHECK(record.stacks.size() <= 100);
    CHECK(record.native.size() == 1);
    for (const auto& stack : record.stacks) {
        REQUIRE(stack.size() == 2);
        CHECK(stack[0] == 0);
        CHECK(stack[1] < record.native.size() + record.python.size());
    }
    std::size_t hot = 0;
    for (const auto& sample : store.samples()) {
        hot += sample.atNs % 4 != 0;
        REQUIRE(sample.stack < record.stacks.size());
        const auto& frame = record.python[record.stacks[sample.stack][1] - 1];
        const std::uint64_t i = sample.atNs;
        CHECK(frame.file == (i % 4 != 0 ? "hot.py" : "cold" + std::to_string(i) + ".py"));
    }
    const double share = static_cast<double>(hot) / static_cast<double>(store.samples().size());
    CHECK(share == Approx(0.75).margin(0.15));
}

TEST_CASE("after sampling the program has its signal back", "[sampling]") {
    struct sigaction before {
    }, after{};
    sigaction(SIGURG, nullptr, &before);
    {
        const auto signal = SampleSignal::install();
        if (!signal) return;  // another CPU
        CHECK(SampleSignal::ours());
        CHECK(SampleSignal::install() == nullptr);
        raise(SIGURG);  // from somebody else: nothing happens
        const auto id = static_cast<pid_t>(syscall(SYS_gettid));
        const SandboxWatch sandbox(id, seccompFilters());
        RunningThread self(id, sandbox);
        REQUIRE(self.works());
        CHECK_FALSE(self.asked());
        REQUIRE(self.ask(nullptr, 0));
        CHECK_FALSE(self.ask(nullptr, 0));
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!self.answer() && std::chrono::steady_clock::now() < until) {
        }  // it has to run
        REQUIRE(self.answer());
        CHECK(self.answer()->stackBytes > 0);
        CHECK(self.answer()->registers.known.all());
        self.done();
        CHECK_FALSE(self.asked());
        CHECK_FALSE(RunningThread(-7, sandbox).works());  // no such thread
    }
    CHECK_FALSE(SampleSignal::ours());
    sigaction(SIGURG, nullptr, &after);
    CHECK(after.sa_handler == before.sa_handler);
}
