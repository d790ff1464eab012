// SPDX-License-Identifier: Apache-2.0
#include "collector/run/processes/guard.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "collector/run/processes/process_tree.h"

namespace roofscope {
namespace {

/// The only message to the guard: processes that still run may go on. If the channel closes without
/// it, the guard ends them all.
constexpr char kLeave = 'l';
/// Signals that a program may send to its parent.
constexpr int kPassedOn[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};

/// In the guard process: the id of the roofscope process that started it.
pid_t g_roofscope = 0;

void passToRoofscope(int signal, siginfo_t* info, void*) {
    // Skip what the kernel reports about the guard itself.
    if (info && info->si_code <= 0) kill(g_roofscope, signal);
}

/// Sends a number, without SIGPIPE if nobody listens any more.
void tell(int channel, int number) {
    while (send(channel, &number, sizeof number, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
}

std::optional<int> hear(int channel) {
    int number = 0;
    ssize_t got = 0;
    do got = recv(channel, &number, sizeof number, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == sizeof number ? std::optional<int>(number) : std::nullopt;
}

/// What runs in the guard process.
class GuardProcess {
public:
    GuardProcess(int channel, pid_t program) : m_channel(channel), m_program(program) {}

    [[noreturn]] void run() {
        // The guard must not get a hang-up, a Ctrl-C or signals to our process group.
        setsid();
        prctl(PR_SET_NAME, "roofscope-guard");
        handleSignals();
        tell(m_channel, m_program);
        for (;;) {
            reap();
            pollfd orders{.fd = m_channel, .events = POLLIN, .revents = 0};
            if (ppoll(&orders, 1, nullptr, &m_whileWaiting) <= 0) continue;
            char order = 0;
            const ssize_t got = read(m_channel, &order, 1);
            if (got < 0 && errno == EINTR) continue;
            if (got != 1 || order != kLeave) killAll();
            _exit(0);
        }
    }

private:
    void handleSignals() {
        struct sigaction action {};
        sigemptyset(&action.sa_mask);
        // The handler only serves to interrupt ppoll().
        action.sa_handler = [](int) {};
        sigaction(SIGCHLD, &action, nullptr);
        action.sa_flags = SA_RESTART | SA_SIGINFO;
        action.sa_sigaction = passToRoofscope;
        sigset_t passedOn;
        sigemptyset(&passedOn);
        for (const int signal : kPassedOn) {
            sigaddset(&passedOn, signal);
            struct sigaction old {};
            sigaction(signal, nullptr, &old);
            if (old.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
        }
        sigset_t children;
        sigemptyset(&children);
        sigaddset(&children, SIGCHLD);
        sigprocmask(SIG_BLOCK, &children, nullptr);
        sigprocmask(SIG_UNBLOCK, &passedOn, &m_whileWaiting);
        for (const int signal : kPassedOn) sigdelset(&m_whileWaiting, signal);
        sigdelset(&m_whileWaiting, SIGCHLD);
    }

    void reap() {
        int status = 0;
        for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
            if (ended == m_program) {
                m_ended = true;
                tell(m_channel, status);
            }
    }

    /// Repeats until nothing is left that we may kill: a process may start
    /// others before it is killed.
    void killAll() {
        for (;;) {
            reap();
            if (!m_ended) kill(m_program, SIGKILL);  // works even without /proc
            if (signalAll(descendants(getpid()), SIGKILL) == 0) break;
            usleep(2000);
        }
        reap();
    }

    int m_channel;
    pid_t m_program;
    bool m_ended = false;
    sigset_t m_whileWaiting{};
};

Error cannotCreate(int number) {
    return {
        .code = ErrorCode::Io,
        .what = std::string("cannot create a process for the program: ") + std::strerror(number)};
}

}  // namespace

Result<Guard> Guard::start(const std::function<void(pid_t)>& become, const std::vector<int>& own) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return cannotCreate(errno);
    const pid_t parent = getpid();
    Guard guard;
    guard.m_pid = fork();
    if (guard.m_pid == 0) {
        g_roofscope = parent;
        close(ends[0]);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        const pid_t self = getpid();
        const pid_t program = fork();
        if (program == 0) {
            become(self);
            _exit(127);
        }
        if (program < 0) {
            tell(ends[1], -errno);
            _exit(127);
        }
        for (const int descriptor : own) close(descriptor);
        GuardProcess(ends[1], program).run();
    }
    const int number = errno;
    close(ends[1]);
    guard.m_channel = ends[0];
    if (guard.m_pid < 0) return cannotCreate(number);
    const int program = hear(guard.m_channel).value_or(-ECHILD);
    if (program < 0) return cannotCreate(-program);
    guard.m_program = program;
    return guard;
}

Guard::Guard(Guard&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)),
      m_program(other.m_program),
      m_channel(std::exchange(other.m_channel, -1)),
      m_status(other.m_status) {}

Guard::~Guard() { dismiss(); }

void Guard::dismiss() {
    if (m_channel >= 0) close(std::exchange(m_channel, -1));
    if (m_pid > 0)
        while (waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
        }
    m_pid = -1;
}

void Guard::readStatus() {
    // No answer: the guard was killed, and the program with it.
    m_status = hear(m_channel).value_or(SIGKILL);
}

bool Guard::pause(std::optional<Clock::time_point> until) {
    if (m_status) return true;
    auto most = std::chrono::milliseconds(250);
    if (until)
        most = std::min(most, std::chrono::ceil<std::chrono::milliseconds>(*until - Clock::now()));
    pollfd news{.fd = m_channel, .events = POLLIN, .revents = 0};
    const int wait = static_cast<int>(std::max<std::chrono::milliseconds::rep>(most.count(), 0));
    if (poll(&news, 1, wait) <= 0) return false;
    readStatus();
    return true;
}

void Guard::endAll() {
    shutdown(m_channel, SHUT_WR);
    if (!m_status) readStatus();
    dismiss();
}

void Guard::leave() {
    [[maybe_unused]] const auto sent = send(m_channel, &kLeave, 1, MSG_NOSIGNAL);
    dismiss();
}

}  // namespace roofscope
