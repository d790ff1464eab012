// SPDX-License-Identifier: Apache-2.0
#include "collector/run/processes/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "collector/run/processes/guard.h"
#include "collector/run/processes/process_tree.h"
#include "profile/files/file_size_guard.h"
#include "profile/files/find_program.h"

extern char** environ;

namespace roofscope {
namespace {

using Clock = std::chrono::steady_clock;

/// The child that gets our signals. A global, because signal handlers can use only globals.
volatile sig_atomic_t g_child = 0;
volatile sig_atomic_t g_interrupted = 0;  ///< how many signals came
/// SIGTERM or SIGHUP came. Unlike Ctrl-C, these are sent only once.
volatile sig_atomic_t g_endRequested = 0;

/// A SIGINT or SIGQUIT that was sent to us alone. We send it to the program's process group, as a
/// terminal would.
volatile sig_atomic_t g_forGroup = 0;

/// waitFor() kills the program after this many signals.
constexpr int kTimesUntilKilled = 3;

/// Always passes SIGTERM and SIGHUP on to the child. Ctrl-C and Ctrl-\ reach it from the terminal
/// already, so they are passed on only if somebody sent them to us alone.
void passOn(int signal, siginfo_t* info, void*) {
    if (g_interrupted < kTimesUntilKilled) g_interrupted = g_interrupted + 1;
    if (signal == SIGTERM || signal == SIGHUP) g_endRequested = 1;
    const bool fromTerminal = (signal == SIGINT || signal == SIGQUIT) && info && info->si_code > 0;
    if (g_child <= 0 || fromTerminal) return;
    kill(static_cast<pid_t>(g_child), signal);
    if (signal == SIGINT || signal == SIGQUIT) g_forGroup = signal;
}

/// Passes on a signal that concerns only the program; the recording goes on. Slurm and others send
/// such signals shortly before the time limit. Signals from the kernel about our own CPU time are
/// not passed on.
void passOnWithoutInterrupting(int signal, siginfo_t* info, void*) {
    if (g_child > 0 && info && info->si_code <= 0) kill(static_cast<pid_t>(g_child), signal);
}

/// Passes a signal on while this object lives, then restores the old handler. Signals that are
/// ignored (nohup, a shell's background jobs) stay ignored, by us and by the program.
class SignalGuard {
public:
    explicit SignalGuard(int signal, void (*handler)(int, siginfo_t*, void*) = passOn)
        : m_signal(signal) {
        sigaction(signal, nullptr, &m_old);
        if (m_old.sa_handler == SIG_IGN) return;
        struct sigaction action {};
        action.sa_sigaction = handler;
        sigemptyset(&action.sa_mask);
        action.sa_flags = SA_RESTART | SA_SIGINFO;
        sigaction(signal, &action, nullptr);
    }
    ~SignalGuard() { sigaction(m_signal, &m_old, nullptr); }
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;
    [[nodiscard]] int signal() const { return m_signal; }
    /// For the child: restores the old handler. Async-signal-safe.
    void restore() const { sigaction(m_signal, &m_old, nullptr); }

private:
    int m_signal;
    struct sigaction m_old {};
};

/// If our parent ignores SIGCHLD, we inherit that and cannot wait for our own children. So SIGCHLD
/// has its default handling while this object lives.
class DefaultChildSignal {
public:
    DefaultChildSignal() {
        struct sigaction action {};
        action.sa_handler = SIG_DFL;
        sigemptyset(&action.sa_mask);
        sigaction(SIGCHLD, &action, &m_old);
    }
    ~DefaultChildSignal() { restore(); }
    DefaultChildSignal(const DefaultChildSignal&) = delete;
    DefaultChildSignal& operator=(const DefaultChildSignal&) = delete;
    /// For the child: restores the old handling. Async-signal-safe.
    void restore() const { sigaction(SIGCHLD, &m_old, nullptr); }

private:
    struct sigaction m_old {};
};

struct Descriptor {
    explicit Descriptor(int n) : number(n) {}
    ~Descriptor() {
        if (number >= 0) close(number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number;
};

/// For the child: makes it end with us, even if we are killed. `parent` is the process that forked
/// it, which may already be gone. Async-signal-safe.
void endWithParent(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
}

/// Signals the rest of the program's process group, as a terminal does: a shell that alone gets a
/// Ctrl-C waits for its command.
void signalGroup(const Guard& guard, int signal) {
    auto group = descendants(guard.pid());
    const pid_t wanted = getpgid(guard.program());
    std::erase_if(group, [&](const ProcessId& process) {
        return process.pid == guard.program() || getpgid(process.pid) != wanted;
    });
    signalAll(group, signal);
}

/// Whether our stdin has ended. What is in it is dropped.
bool inputEnded() {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (poll(&input, 1, 0) <= 0) return false;
    if (!(input.revents & POLLIN)) return true;
    char dropped[4096];
    return read(STDIN_FILENO, dropped, sizeof dropped) == 0;
}

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Waits for the program to end, and ends it after its time limit, the end of our input or an
/// interrupt. In these cases, and if `leftovers` says so, everything that it has started ends, too.
int waitFor(Guard& guard, const ChildOptions& options, Clock::time_point started, ChildEnd& end) {
    const auto in = [](double seconds) {
        return Clock::now() +
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    };
    constexpr double kForever = 1e9;  // larger values overflow the clock
    std::optional<Clock::time_point> timeIsOver, killAt;
    if (options.timeoutSeconds && *options.timeoutSeconds < kForever)
        timeIsOver = in(*options.timeoutSeconds);
    while (!guard.pause(killAt ? killAt : timeIsOver)) {
        if (const int signal = g_forGroup) {
            g_forGroup = 0;
            signalGroup(guard, signal);
        }
        const bool late = timeIsOver && Clock::now() >= *timeIsOver;
        if (!killAt && (late || (options.endWithInput && inputEnded()))) {
            end.timedOut = late;
            kill(guard.program(), SIGTERM);  // works even without /proc
            signalAll(descendants(guard.pid()), SIGTERM);
            killAt = in(kGraceSeconds);
        }
        if (!killAt && g_endRequested) killAt = in(kGraceSeconds);
        if ((killAt && Clock::now() >= *killAt) || g_interrupted >= kTimesUntilKilled) {
            guard.endAll();
            end.seconds = secondsSince(started);
            return guard.status();
        }
    }
    end.seconds = secondsSince(started);
    g_child = 0;
    if (!killAt && g_interrupted == 0 && options.leftovers == Leftovers::Stay) {
        guard.leave();
        return guard.status();
    }
    // A shell or a launcher does not always end what it started.
    const auto left = descendants(guard.pid());
    signalAll(left, SIGTERM);
    if (!killAt) killAt = in(kGraceSeconds);
    while (signalAll(left, 0) > 0 && Clock::now() < *killAt && g_interrupted < kTimesUntilKilled)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    guard.endAll();
    return guard.status();
}

std::vector<std::string> mergedEnvironment(const std::map<std::string, std::string>& extra) {
    std::vector<std::string> merged;
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        if (!extra.contains(text.substr(0, text.find('=')))) merged.push_back(text);
    }
    for (const auto& [name, value] : extra) merged.push_back(name + "=" + value);
    return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

/// The error for an errno of exec. Folders are recognised here, because exec only reports
/// "Permission denied" for them.
Error cannotStart(const std::string& program, int number) {
    std::error_code ignored;
    const bool folder =
        program.find('/') != std::string::npos && std::filesystem::is_directory(program, ignored);
    return {.code = number == EACCES ? ErrorCode::NoPermission : ErrorCode::NoInput,
            .what = fmt::format("cannot be started: {}",
                                folder ? "is a folder" : std::strerror(number)),
            .where = program,
            .advice = folder || number == ENOENT ? "check its name and path" : ""};
}

/// In a child whose exec failed: writes errno to the pipe and ends.
[[noreturn]] void sayError(int pipe) {
    const int error = errno;
    [[maybe_unused]] const auto n = write(pipe, &error, sizeof error);
    _exit(127);
}

/// Reads the errno that sayError() wrote; 0 if there is none. The writing end must be closed by
/// now. Closes this end.
int readError(int pipe) {
    int error = 0;
    ssize_t got = 0;
    do got = read(pipe, &error, sizeof error);
    while (got < 0 && errno == EINTR);
    close(pipe);
    return got == sizeof error ? error : 0;
}

}  // namespace

Result<ChildEnd> runChild(const std::vector<std::string>& command, const ChildOptions& options) {
    if (command.empty()) return Error{.code = ErrorCode::Usage, .what = "no program to run"};
    auto arguments = command;
    auto variables = mergedEnvironment(options.environment);
    auto argv = pointers(arguments);
    auto envp = pointers(variables);

    // The child reports a failed exec through this pipe; a successful exec closes it.
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return Error{
            .code = ErrorCode::Io,
            .what = fmt::format("cannot create a pipe for the program: {}", std::strerror(errno))};

    const bool empty = options.noInput || options.endWithInput;
    const Descriptor input(empty ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1);
    const Descriptor output(options.output ? open(options.output->c_str(),
                                                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                                           : -1);
    const auto started = Clock::now();
    g_interrupted = 0;
    g_endRequested = 0;
    g_forGroup = 0;
    const SignalGuard guards[] = {SignalGuard(SIGINT),
                                  SignalGuard(SIGQUIT),
                                  SignalGuard(SIGTERM),
                                  SignalGuard(SIGHUP),
                                  SignalGuard(SIGUSR1, passOnWithoutInterrupting),
                                  SignalGuard(SIGUSR2, passOnWithoutInterrupting),
                                  SignalGuard(SIGXCPU, passOnWithoutInterrupting)};
    const DefaultChildSignal children;
    // A signal between fork and storing the child's id would be lost, so
    // signals are blocked until then.
    sigset_t held, before;
    sigemptyset(&held);
    for (const SignalGuard& guard : guards) sigaddset(&held, guard.signal());
    sigprocmask(SIG_BLOCK, &held, &before);
    const auto become = [&](pid_t guard) {
        for (const SignalGuard& each : guards) each.restore();
        children.restore();
        restoreFileSizeSignal();
        endWithParent(guard);
        sigprocmask(SIG_SETMASK, &before, nullptr);
        if (input.number >= 0) dup2(input.number, STDIN_FILENO);
        if (output.number >= 0) {
            dup2(output.number, STDOUT_FILENO);
            dup2(output.number, STDERR_FILENO);
        }
        execvpe(argv[0], argv.data(), envp.data());
        sayError(report[1]);
    };
    auto guard = Guard::start(become, {report[0], report[1]});
    if (guard) g_child = guard->program();
    sigprocmask(SIG_SETMASK, &before, nullptr);
    close(report[1]);
    if (!guard) {
        close(report[0]);
        return guard.error();
    }
    const int startError = readError(report[0]);

    ChildEnd end;
    const int status = waitFor(*guard, options, started, end);
    g_child = 0;
    if (startError != 0) return cannotStart(command.front(), startError);
    end.interrupted = g_interrupted != 0;
    if (WIFSIGNALED(status))
        end.status.signal = WTERMSIG(status);
    else
        end.status.code = WEXITSTATUS(status);
    return end;
}

namespace {

/// The kind of error that an exit code of our own programs stands for; Unavailable for other codes.
ErrorCode errorCodeOf(int status) {
    for (const ErrorCode code :
         {ErrorCode::Usage, ErrorCode::BadData, ErrorCode::NoInput, ErrorCode::Internal,
          ErrorCode::CannotCreate, ErrorCode::Io, ErrorCode::NoPermission})
        if (exitCode(code) == status) return code;
    return ErrorCode::Unavailable;
}

/// Reads what a captured program prints, until it ends.
class Captured {
public:
    enum class Why { Ended, TooMuch, Silent };

    Captured(int channel, Guard& guard, std::uint64_t most, double patience)
        : m_channel(channel), m_guard(guard), m_most(most), m_patience(patience) {}

    Why read() {
        auto heard = Clock::now();
        for (char buffer[8192];;) {
            pollfd more{.fd = m_channel, .events = POLLIN, .revents = 0};
            const int ready = poll(&more, 1, kLookMs);
            if (ready < 0 && errno == EINTR) continue;
            if (ready == 0) {
                const double silent = std::chrono::duration<double>(Clock::now() - heard).count();
                // Processes that the program left running may keep its stdout open forever.
                if (m_guard.pause(Clock::now()) && silent >= kAfterEnd) return Why::Ended;
                if (silent >= m_patience) return Why::Silent;
                continue;
            }
            const ssize_t n = ::read(m_channel, buffer, sizeof buffer);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return waitForEnd();
            if (m_text.size() + static_cast<std::size_t>(n) > m_most) return Why::TooMuch;
            m_text.append(buffer, static_cast<std::size_t>(n));
            heard = Clock::now();
        }
    }
    std::string takeText() { return std::move(m_text); }

private:
    /// The program has closed its stdout, so it will print nothing more.
    Why waitForEnd() {
        const auto closed = Clock::now();
        while (!m_guard.pause(std::nullopt))
            if (std::chrono::duration<double>(Clock::now() - closed).count() >= m_patience)
                return Why::Silent;
        return Why::Ended;
    }

    static constexpr int kLookMs = 50;
    static constexpr double kAfterEnd = 1;  ///< seconds

    int m_channel;
    Guard& m_guard;
    std::uint64_t m_most;
    double m_patience;
    std::string m_text;
};

/// Blocks the signals that a Guard passes on, while this object lives.
class BlockedSignals {
public:
    BlockedSignals() {
        sigset_t held;
        sigemptyset(&held);
        for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU})
            sigaddset(&held, signal);
        pthread_sigmask(SIG_BLOCK, &held, &m_before);
    }
    ~BlockedSignals() { restore(); }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    /// Async-signal-safe, so the child may call it as well.
    void restore() const { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }

private:
    sigset_t m_before{};
};

}  // namespace

Result<std::string> captureChild(const std::vector<std::string>& command, bool quiet,
                                 std::uint64_t most, ExitStatus* status, double patience) {
    const Descriptor nowhere(quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1);
    int channel[2];
    if (command.empty() || pipe2(channel, O_CLOEXEC) != 0)
        return Error{.code = ErrorCode::Internal, .what = "no pipe or no command"};
    const Descriptor out(channel[0]);
    auto arguments = command;
    auto argv = pointers(arguments);
    // This is one of our tools, not the user's program. execvp() would also run a program from the
    // current folder.
    const std::string& name = command.front();
    const std::string program =
        name.find('/') != std::string::npos ? name : findProgram(name).string();
    const DefaultChildSignal children;
    auto guard = [&] {
        const BlockedSignals blocked;
        return Guard::start(
            [&](pid_t parent) {
                children.restore();
                restoreFileSizeSignal();
                endWithParent(parent);
                blocked.restore();
                dup2(channel[1], STDOUT_FILENO);
                if (nowhere.number >= 0) dup2(nowhere.number, STDERR_FILENO);
                execv(program.c_str(), argv.data());
                _exit(127);
            },
            {channel[0], channel[1]});
    }();
    close(channel[1]);
    if (!guard) return guard.error();
    Captured captured(channel[0], *guard, most, patience);
    const auto why = captured.read();
    // Also ends everything that it left running.
    guard->endAll();
    const int end = guard->status();
    if (why == Captured::Why::TooMuch)
        return Error{.code = ErrorCode::BadData,
                     .what = fmt::format("printed more than {} bytes", most),
                     .where = command.front()};
    if (why == Captured::Why::Silent)
        return Error{.code = ErrorCode::Unavailable,
                     .what = fmt::format("printed nothing for {:g} s and was ended", patience),
                     .where = command.front()};
    const bool exited = WIFEXITED(end);
    if (status && exited) status->code = WEXITSTATUS(end);
    if (status && WIFSIGNALED(end)) status->signal = WTERMSIG(end);
    if (!exited || WEXITSTATUS(end) != 0)
        return Error{.code = exited ? errorCodeOf(WEXITSTATUS(end)) : ErrorCode::Unavailable,
                     .what = exited ? fmt::format("failed with exit code {}", WEXITSTATUS(end))
                                    : std::string("did not finish"),
                     .where = command.front()};
    return captured.takeText();
}

}  // namespace roofscope
