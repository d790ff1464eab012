// SPDX-License-Identifier: Apache-2.0
#include "collector/run/processes/guard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "collector/rank/process_stat.h"
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

    /// `start` is closed when the program may begin.
    [[noreturn]] void run(int start) {
        // The guard must not get a hang-up, a Ctrl-C or signals to our process group.
        setsid();
        prctl(PR_SET_NAME, "roofscope-guard");
        handleSignals();
        tell(m_channel, m_program);
        close(start);
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

/// The guards of this process. While there are any, processes that lose their parent become our
/// children: those of a guard that was killed.
class LiveGuards {
public:
    /// Before a guard is forked.
    void expect() {
        const std::lock_guard lock(m_mutex);
        if (m_count++ > 0) return;
        prctl(PR_GET_CHILD_SUBREAPER, &m_before);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    }
    void add(pid_t guard) {
        const std::lock_guard lock(m_mutex);
        m_guards.push_back(guard);
    }
    /// After it has ended, or failed to begin.
    void remove(pid_t guard) {
        const std::lock_guard lock(m_mutex);
        std::erase(m_guards, guard);
        if (--m_count == 0) prctl(PR_SET_CHILD_SUBREAPER, m_before);
    }
    [[nodiscard]] bool has(pid_t guard) {
        const std::lock_guard lock(m_mutex);
        return std::ranges::find(m_guards, guard) != m_guards.end();
    }

private:
    std::mutex m_mutex;
    std::vector<pid_t> m_guards;
    std::size_t m_count = 0;
    int m_before = 0;
};

LiveGuards& liveGuards() {
    static LiveGuards all;
    return all;
}

/// Kills our children that are no older than this and no guards, with all below them.
void killOrphans(std::uint64_t begun) {
    const auto isOrphan = [begun](const ProcessId& child) {
        return child.started >= begun && !liveGuards().has(child.pid);
    };
    for (;;) {
        const auto orphans = descendants(getpid(), isOrphan);
        const bool killed = signalAll(orphans, SIGKILL) > 0;
        bool reaped = false;
        for (const ProcessId& orphan : orphans)
            reaped |= waitpid(orphan.pid, nullptr, WNOHANG) == orphan.pid;
        if (!killed && !reaped) break;
        if (killed) usleep(2000);
    }
}

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
    liveGuards().expect();
    guard.m_pid = fork();
    if (guard.m_pid == 0) {
        g_roofscope = parent;
        close(ends[0]);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        const pid_t self = getpid();
        int start[2];
        const bool ready = pipe2(start, O_CLOEXEC) == 0;
        const pid_t program = ready ? fork() : -1;
        if (program == 0) {
            // The program may stop or kill its parent at once.
            close(start[1]);
            char nothing = 0;
            while (read(start[0], &nothing, 1) < 0 && errno == EINTR) {
            }
            close(start[0]);
            become(self);
            _exit(127);
        }
        if (program < 0) {
            tell(ends[1], -errno);
            _exit(127);
        }
        for (const int descriptor : own) close(descriptor);
        close(start[0]);
        GuardProcess(ends[1], program).run(start[1]);
    }
    const int number = errno;
    close(ends[1]);
    guard.m_channel = ends[0];
    if (guard.m_pid < 0) {
        liveGuards().remove(guard.m_pid);
        return cannotCreate(number);
    }
    liveGuards().add(guard.m_pid);
    if (const auto stat = statOf(guard.m_pid)) guard.m_begun = stat->started;
    const int program = hear(guard.m_channel).value_or(-ECHILD);
    if (program < 0) return cannotCreate(-program);
    guard.m_program = program;
    return guard;
}

Guard::Guard(Guard&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)),
      m_program(other.m_program),
      m_begun(other.m_begun),
      m_channel(std::exchange(other.m_channel, -1)),
      m_status(other.m_status),
      m_wasKilled(other.m_wasKilled),
      m_leftAlone(other.m_leftAlone) {}

Guard::~Guard() { dismiss(); }

void Guard::dismiss() {
    if (m_channel >= 0) close(std::exchange(m_channel, -1));
    const pid_t guard = std::exchange(m_pid, -1);
    if (guard <= 0) return;
    int end = 0;
    // What it has to kill may stop it.
    for (pid_t ended = 0; ended != guard && (ended == 0 || errno == EINTR);) {
        ended = waitpid(guard, &end, WNOHANG);
        if (ended != 0) continue;
        kill(guard, SIGCONT);
        usleep(1000);
    }
    if (WIFSIGNALED(end) && m_begun > 0) killOrphans(m_begun);
    if (!m_leftAlone) liveGuards().remove(guard);
}

void Guard::readStatus() {
    const auto status = hear(m_channel);
    // No answer: the guard was killed, and the program with it.
    m_wasKilled = !status;
    m_status = status.value_or(SIGKILL);
}

bool Guard::pause(std::optional<Clock::time_point> until) {
    if (m_status) return true;
    auto most = std::chrono::milliseconds(250);
    if (until)
        most = std::min(most, std::chrono::ceil<std::chrono::milliseconds>(*until - Clock::now()));
    pollfd news{.fd = m_channel, .events = POLLIN, .revents = 0};
    const int wait = static_cast<int>(std::max<std::chrono::milliseconds::rep>(most.count(), 0));
    if (poll(&news, 1, wait) <= 0) {
        kill(m_pid, SIGCONT);  // the program may have stopped it
        return false;
    }
    readStatus();
    return true;
}

void Guard::endAll() {
    shutdown(m_channel, SHUT_WR);
    while (!pause(std::nullopt)) {
    }
    dismiss();
}

void Guard::leave() {
    // What goes on has a new parent when the guard ends, and that is not to be us.
    if (!m_wasKilled && m_pid > 0) {
        liveGuards().remove(m_pid);
        m_leftAlone = true;
    }
    [[maybe_unused]] const auto sent = send(m_channel, &kLeave, 1, MSG_NOSIGNAL);
    dismiss();
}

}  // namespace roofscope
