// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/sample_signal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <thread>

#include "collector/inject/sampling/own_memory.h"

namespace roofscope::inject {
namespace {

constexpr int kSignal = SIGURG;
constexpr std::size_t kCopies = 96;

/// Never freed: a handler may run late. Null until the first install().
std::atomic<ThreadCopy*> g_copies{nullptr};
/// The process that installed the handler.
std::atomic<pid_t> g_installedIn{0};

#if defined(__x86_64__)
constexpr bool kSupported = true;

void copyRegisters(const ucontext_t& context, ThreadRegisters& registers) {
    constexpr std::array<int, kRegisters> kOrder{
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
        REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (std::size_t i = 0; i < kRegisters; ++i)
        registers.values[i] = static_cast<std::uint64_t>(context.uc_mcontext.gregs[kOrder[i]]);
    registers.known.set();
}
#else
constexpr bool kSupported = false;

void copyRegisters(const ucontext_t&, ThreadRegisters&) {}
#endif

/// Runs in the program's threads, on whatever stack they have. It only makes system calls, and
/// needs less than 1 KB.
void answer(int, siginfo_t* info, void* context) {
    const int before = errno;
    ThreadCopy* const copies = g_copies.load(std::memory_order_acquire);
    auto* const copy = static_cast<ThreadCopy*>(info->si_value.sival_ptr);
    std::uint32_t asked = ThreadCopy::Asked;
    // Signals from other senders carry a different value.
    if (info->si_code == SI_TIMER && copies && copy >= copies && copy < copies + kCopies &&
        copy->thread == static_cast<pid_t>(syscall(SYS_gettid)) &&
        copy->state.compare_exchange_strong(asked, ThreadCopy::Writing)) {
        // The thread may have entered a sandbox since it was asked.
        if (copy->sandbox->addedHere(copy->stack)) {
            copy->state.store(ThreadCopy::Idle, std::memory_order_release);
            errno = before;
            return;
        }
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        constexpr std::uint64_t kBillion = 1'000'000'000;
        copy->when = static_cast<std::uint64_t>(now.tv_sec) * kBillion +
                     static_cast<std::uint64_t>(now.tv_nsec);
        copyRegisters(*static_cast<const ucontext_t*>(context), copy->registers);
        copy->stackBytes =
            own_memory::copy(copy->registers.values[kRsp], copy->stack.data(), copy->stack.size());
        copy->pythonFrames = copy->threadState == 0
                                 ? 0
                                 : copyPythonFrames(*copy->layout, copy->threadState, copy->python);
        copy->state.store(ThreadCopy::Done, std::memory_order_release);
    }
    errno = before;
}

}  // namespace

std::unique_ptr<SampleSignal> SampleSignal::install() {
    if (!kSupported) return nullptr;
    struct sigaction action {};
    if (sigaction(kSignal, nullptr, &action) != 0) return nullptr;
    const bool free = (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
    const bool inherited = ours() && g_installedIn != getpid();  // by fork()
    if (!free && !inherited) return nullptr;
    if (!g_copies) {
        void* const memory = mmap(nullptr, kCopies * sizeof(ThreadCopy), PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return nullptr;
        auto* const copies = static_cast<ThreadCopy*>(memory);
        for (std::size_t i = 0; i < kCopies; ++i) new (copies + i) ThreadCopy;
        g_copies.store(copies, std::memory_order_release);
    }
    action = {};
    action.sa_sigaction = answer;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    if (sigaction(kSignal, &action, nullptr) != 0) return nullptr;
    g_installedIn = getpid();
    return std::unique_ptr<SampleSignal>(new SampleSignal);
}

SampleSignal::~SampleSignal() {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    if (ours()) sigaction(kSignal, &action, nullptr);
}

bool SampleSignal::ours() {
    struct sigaction action {};
    return sigaction(kSignal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) != 0 &&
           action.sa_sigaction == answer;
}

RunningThread::RunningThread(pid_t thread, const SandboxWatch& sandbox) {
    ThreadCopy* const copies = g_copies;
    ThreadCopy* const end = copies + (copies ? kCopies : 0);
    ThreadCopy* const free =
        std::find_if(copies, end, [](const ThreadCopy& copy) { return !copy.taken; });
    if (free == end) return;
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = kSignal;
    event.sigev_value.sival_ptr = free;
    event._sigev_un._tid = thread;
    // The id of the clock that counts another thread's CPU time, as the kernel encodes it.
    constexpr clockid_t kPerThread = 4, kScheduled = 2;
    const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) |
                                              static_cast<unsigned>(kPerThread | kScheduled));
    free->thread = thread;
    free->sandbox = &sandbox;
    free->state = ThreadCopy::Idle;
    if (timer_create(clock, &event, &m_timer) != 0) return;
    free->taken = true;
    m_copy = free;
}

RunningThread::~RunningThread() {
    if (!m_copy) return;
    timer_delete(m_timer);
    std::uint32_t asked = ThreadCopy::Asked;
    m_copy->state.compare_exchange_strong(asked, ThreadCopy::Idle);
    // A thread that is answering right now needs a few microseconds.
    for (int i = 0; i < 1000 && m_copy->state == ThreadCopy::Writing; ++i)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (m_copy->state != ThreadCopy::Writing) m_copy->taken = false;
}

bool RunningThread::ask(const PythonLayout* layout, std::uintptr_t threadState) {
    if (!m_copy || m_asked) return false;
    m_copy->layout = layout;
    m_copy->threadState = layout ? threadState : 0;
    m_copy->state.store(ThreadCopy::Asked, std::memory_order_release);
    itimerspec soon{};
    soon.it_value.tv_nsec = 1;
    m_asked = timer_settime(m_timer, 0, &soon, nullptr) == 0;
    if (!m_asked) m_copy->state = ThreadCopy::Idle;
    return m_asked;
}

const ThreadCopy* RunningThread::answer() const {
    const bool done = m_asked && m_copy->state.load(std::memory_order_acquire) == ThreadCopy::Done;
    return done ? m_copy : nullptr;
}

void RunningThread::done() {
    m_asked = false;
    m_copy->state.store(ThreadCopy::Idle, std::memory_order_release);
}

bool blocksSampleSignal(pid_t thread) {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/proc/self/task/%d/status", static_cast<int>(thread));
    const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return true;
    std::array<char, 4096> text{};
    const ssize_t length = read(file, text.data(), text.size() - 1);
    close(file);
    const char* const line = length > 0 ? std::strstr(text.data(), "SigBlk:") : nullptr;
    if (!line) return true;
    const std::uint64_t mask = std::strtoull(line + std::strlen("SigBlk:"), nullptr, 16);
    return ((mask >> (kSignal - 1)) & 1U) != 0;
}

}  // namespace roofscope::inject
