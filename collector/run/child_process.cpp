// SPDX-License-Identifier: Apache-2.0
#include "collector/run/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "collector/run/process_tree.h"
#include "profile/file_size_guard.h"

extern char** environ;

namespace roofscope {
namespace {

/// The child that signals are passed on to; a handler can reach nothing else.
volatile sig_atomic_t g_child = 0;
volatile sig_atomic_t g_interrupted = 0;

/// SIGTERM and SIGHUP always go on to the child. Ctrl-C and Ctrl-\ reach it from the terminal
/// already; only when somebody sends them to us alone do they go on.
void passOn(int signal, siginfo_t* info, void*) {
    g_interrupted = 1;
    const bool fromTerminal = (signal == SIGINT || signal == SIGQUIT) && info && info->si_code > 0;
    if (g_child > 0 && !fromTerminal) kill(static_cast<pid_t>(g_child), signal);
}

/// What means something to the program alone goes on to it, and the recording with it: Slurm and
/// others say by these that the time is nearly over. Not what the system tells us of our own time.
void passOnOnly(int signal, siginfo_t* info, void*) {
    if (g_child > 0 && info && info->si_code <= 0) kill(static_cast<pid_t>(g_child), signal);
}

/// Passes a signal on while it lives, and restores the old handling. What is ignored (nohup, a
/// shell's background jobs) stays ignored, by us as by the program.
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
    /// In the child: as it was before. Async-signal-safe.
    void restore() const { sigaction(m_signal, &m_old, nullptr); }

private:
    int m_signal;
    struct sigaction m_old {};
};

/// Where our parent ignores the ends of its children we inherit that, and the system keeps no end
/// of ours: it is as usual while this lives.
class ChildrenAreKept {
public:
    ChildrenAreKept() {
        struct sigaction action {};
        action.sa_handler = SIG_DFL;
        sigemptyset(&action.sa_mask);
        sigaction(SIGCHLD, &action, &m_old);
    }
    ~ChildrenAreKept() { restore(); }
    ChildrenAreKept(const ChildrenAreKept&) = delete;
    ChildrenAreKept& operator=(const ChildrenAreKept&) = delete;
    /// In the child: as it was before. Async-signal-safe.
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

/// Waits for the end of a child, and sees to it when its time is over.
int waitFor(pid_t child, std::optional<double> timeout, bool& timedOut) {
    using Clock = std::chrono::steady_clock;
    int status = 0;
    const auto wait = [&](int flags) {
        pid_t got = 0;
        do got = waitpid(child, &status, flags);
        while (got < 0 && errno == EINTR);
        return got != 0;
    };
    const auto waitUntil = [&](double seconds) {
        const auto until = Clock::now() + std::chrono::duration<double>(seconds);
        while (Clock::now() < until) {
            if (wait(WNOHANG)) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return wait(WNOHANG);
    };
    if (!timeout) {
        wait(0);
        return status;
    }
    if (waitUntil(*timeout)) return status;
    timedOut = true;
    // A shell or a launcher does not always take what it started along.
    const auto started = descendants(child);
    kill(child, SIGTERM);
    signalAll(started, SIGTERM);
    const auto until = Clock::now() + std::chrono::duration<double>(kGraceSeconds);
    const bool ended = waitUntil(kGraceSeconds);
    while (ended && signalAll(started, 0) > 0 && Clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (!ended) {
        signalAll(descendants(child), SIGKILL);
        kill(child, SIGKILL);
        wait(0);
    }
    signalAll(started, SIGKILL);
    return status;
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

/// By the errno of exec, which calls a folder "Permission denied".
Error cannotStart(const std::string& program, int number) {
    std::error_code ignored;
    const bool folder =
        program.find('/') != std::string::npos && std::filesystem::is_directory(program, ignored);
    return {.code = number == EACCES ? ErrorCode::NoPermission : ErrorCode::NoInput,
            .what = fmt::format("cannot be started: {}",
                                folder ? "is a folder" : std::strerror(number)),
            .where = program,
            .advice = folder || number == ENOENT ? "check the name and the path after --" : ""};
}

}  // namespace

Result<ChildEnd> runChild(const std::vector<std::string>& command, const ChildOptions& options) {
    if (command.empty())
        return Error{
            .code = ErrorCode::Usage, .what = "no program to run", .where = {}, .advice = {}};
    auto arguments = command;
    auto variables = mergedEnvironment(options.environment);
    auto argv = pointers(arguments);
    auto envp = pointers(variables);

    // The child reports a failed exec through this pipe; a successful exec closes it.
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return Error{.code = ErrorCode::Internal,
                     .what = fmt::format("pipe failed: {}", std::strerror(errno)),
                     .where = {},
                     .advice = {}};

    const Descriptor input(options.noInput ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1);
    const Descriptor output(options.output ? open(options.output->c_str(),
                                                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                                           : -1);
    const auto started = std::chrono::steady_clock::now();
    g_interrupted = 0;
    const SignalGuard guards[] = {SignalGuard(SIGINT),
                                  SignalGuard(SIGQUIT),
                                  SignalGuard(SIGTERM),
                                  SignalGuard(SIGHUP),
                                  SignalGuard(SIGUSR1, passOnOnly),
                                  SignalGuard(SIGUSR2, passOnOnly),
                                  SignalGuard(SIGXCPU, passOnOnly)};
    const ChildrenAreKept children;
    // A signal between fork and the note of whose it is would be lost: it waits that long.
    sigset_t held, before;
    sigemptyset(&held);
    for (const SignalGuard& guard : guards) sigaddset(&held, guard.signal());
    sigprocmask(SIG_BLOCK, &held, &before);
    const pid_t child = fork();
    if (child < 0) {
        const int error = errno;
        sigprocmask(SIG_SETMASK, &before, nullptr);
        close(report[0]);
        close(report[1]);
        return Error{.code = ErrorCode::Internal,
                     .what = fmt::format("fork failed: {}", std::strerror(error)),
                     .where = {},
                     .advice = {}};
    }
    if (child == 0) {
        for (const SignalGuard& guard : guards) guard.restore();
        children.restore();
        restoreFileSizeSignal();
        sigprocmask(SIG_SETMASK, &before, nullptr);
        if (input.number >= 0) dup2(input.number, STDIN_FILENO);
        if (output.number >= 0) {
            dup2(output.number, STDOUT_FILENO);
            dup2(output.number, STDERR_FILENO);
        }
        execvpe(argv[0], argv.data(), envp.data());
        const int error = errno;
        [[maybe_unused]] const auto n = write(report[1], &error, sizeof error);
        _exit(127);
    }
    g_child = child;
    sigprocmask(SIG_SETMASK, &before, nullptr);
    close(report[1]);
    int startError = 0;
    ssize_t got = 0;
    do got = read(report[0], &startError, sizeof startError);
    while (got < 0 && errno == EINTR);
    close(report[0]);

    ChildEnd end;
    const int status = waitFor(child, options.timeoutSeconds, end.timedOut);
    g_child = 0;
    if (got == sizeof startError) return cannotStart(command.front(), startError);
    end.interrupted = g_interrupted != 0;
    end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    if (WIFSIGNALED(status))
        end.status.signal = WTERMSIG(status);
    else
        end.status.code = WEXITSTATUS(status);
    return end;
}

namespace {

/// What one of our own programs meant by its exit code; Unavailable for any other.
ErrorCode errorCodeOf(int status) {
    for (const ErrorCode code :
         {ErrorCode::Usage, ErrorCode::BadData, ErrorCode::NoInput, ErrorCode::Internal,
          ErrorCode::CannotCreate, ErrorCode::Io, ErrorCode::NoPermission})
        if (exitCode(code) == status) return code;
    return ErrorCode::Unavailable;
}

}  // namespace

Result<std::string> captureChild(const std::vector<std::string>& command, bool quiet) {
    const Descriptor nowhere(quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1);
    int channel[2];
    if (command.empty() || pipe2(channel, O_CLOEXEC) != 0)
        return Error{.code = ErrorCode::Internal,
                     .what = "no pipe or no command",
                     .where = {},
                     .advice = {}};
    auto arguments = command;
    auto argv = pointers(arguments);
    const ChildrenAreKept children;
    const pid_t child = fork();
    if (child == 0) {
        children.restore();
        restoreFileSizeSignal();
        dup2(channel[1], STDOUT_FILENO);
        if (nowhere.number >= 0) dup2(nowhere.number, STDERR_FILENO);
        execvp(argv[0], argv.data());
        _exit(127);
    }
    close(channel[1]);
    std::string text;
    for (char buffer[8192];;) {
        const ssize_t n = read(channel[0], buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        text.append(buffer, static_cast<std::size_t>(n));
    }
    close(channel[0]);
    int status = 0;
    if (child > 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return Error{.code = child >= 0 && WIFEXITED(status) ? errorCodeOf(WEXITSTATUS(status))
                                                             : ErrorCode::Unavailable,
                     .what = child >= 0 && WIFEXITED(status)
                                 ? fmt::format("failed with exit code {}", WEXITSTATUS(status))
                                 : std::string("did not run to its end"),
                     .where = command.front(),
                     .advice = {}};
    return text;
}

}  // namespace roofscope
