// SPDX-License-Identifier: Apache-2.0
#include "gui/models/files/tool_output.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QString>
#include <algorithm>
#include <cerrno>
#include <thread>

#include "profile/files/file_size_guard.h"

namespace roofscope::gui {
namespace {

using Clock = std::chrono::steady_clock;

/// A program in its own process group, with a pipe for its output.
class RunningTool {
public:
    explicit RunningTool(std::vector<std::string> command) {
        std::vector<char*> arguments;
        for (std::string& each : command) arguments.push_back(each.data());
        arguments.push_back(nullptr);
        int channel[2];
        if (pipe2(channel, O_CLOEXEC) != 0) return;
        const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        const pid_t parent = getpid();
        m_id = fork();
        if (m_id == 0) become(arguments, nothing, channel[1], parent);
        // The child does this, too, but the group must exist before killAll().
        if (m_id > 0) setpgid(m_id, m_id);
        if (nothing >= 0) close(nothing);
        close(channel[1]);
        m_output = channel[0];
    }
    ~RunningTool() {
        if (m_output >= 0) close(m_output);
        if (m_id > 0) static_cast<void>(collect());
    }
    RunningTool(const RunningTool&) = delete;
    RunningTool& operator=(const RunningTool&) = delete;

    [[nodiscard]] bool started() const { return m_id > 0; }
    [[nodiscard]] int output() const { return m_output; }
    void killAll() const { kill(-m_id, SIGKILL); }
    /// Whether it has ended. Its process id stays reserved until collect().
    [[nodiscard]] bool hasEnded() const {
        siginfo_t info{};
        return waitid(P_PID, id_t(m_id), &info, WEXITED | WNOWAIT | WNOHANG) != 0 ||
               info.si_pid != 0;
    }
    /// Waits for the program to end and returns its waitpid() status.
    int collect() {
        int status = 0;
        while (waitpid(m_id, &status, 0) < 0 && errno == EINTR) {
        }
        m_id = -1;
        return status;
    }

private:
    /// Runs in the child. Other threads may hold locks, so only async-signal-safe calls are
    /// allowed.
    [[noreturn]] static void become(const std::vector<char*>& arguments, int input, int output,
                                    pid_t parent) {
        setpgid(0, 0);
        // Kills the child when the thread that started it ends. That thread waits for the child, so
        // it ends first only if the whole program does.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(127);
        restoreFileSizeSignal();
        if (input >= 0) dup2(input, STDIN_FILENO);
        dup2(output, STDOUT_FILENO);
        execv(arguments.front(), arguments.data());
        _exit(127);
    }

    pid_t m_id = -1;
    int m_output = -1;
};

/// Waits until there is something to read; false if `until` passed or `stop` was requested.
bool waitToRead(int descriptor, Clock::time_point until, const std::stop_token& stop) {
    // A process that left the group can keep the pipe open, so check `stop` regularly.
    constexpr std::chrono::milliseconds kLook{100};
    while (!stop.stop_requested() && Clock::now() < until) {
        pollfd more{.fd = descriptor, .events = POLLIN, .revents = 0};
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
        if (poll(&more, 1, static_cast<int>(std::clamp(left, {}, kLook).count()) + 1) > 0)
            return true;
    }
    return false;
}

/// Waits for a program that has closed its output to end; false as in waitToRead().
bool waitForEnd(const RunningTool& tool, Clock::time_point until, const std::stop_token& stop) {
    while (!tool.hasEnded()) {
        if (stop.stop_requested() || Clock::now() >= until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

/// Appends the program's output to `text` until the program ends.
Result<void> readAll(const RunningTool& tool, std::string& text, std::uint64_t most,
                     std::chrono::milliseconds patience, const std::stop_token& stop) {
    std::string block(std::size_t{1} << 16, '\0');
    const auto ended = [&] {
        return stop.stop_requested()
                   ? Error{.code = ErrorCode::Io, .what = "was cancelled"}
                   : Error{.code = ErrorCode::Unavailable,
                           .what = "printed nothing for " +
                                   QString::number(double(patience.count()) / 1000).toStdString() +
                                   " s and was ended"};
    };
    for (;;) {
        if (!waitToRead(tool.output(), Clock::now() + patience, stop)) return ended();
        const ssize_t read = ::read(tool.output(), block.data(), block.size());
        if (read < 0 && errno == EINTR) continue;
        if (read <= 0) break;
        text.append(block, 0, std::size_t(read));
        if (text.size() > most)
            return Error{.code = ErrorCode::BadData, .what = "its output is too large"};
    }
    // The output may be incomplete because the program was killed.
    if (!waitForEnd(tool, Clock::now() + patience, stop) || stop.stop_requested()) return ended();
    return {};
}

}  // namespace

Result<std::string> toolOutput(const std::vector<std::string>& command, std::uint64_t most,
                               std::chrono::milliseconds patience, const std::stop_token& stop) {
    RunningTool tool(command);
    if (!tool.started()) return Error{.code = ErrorCode::Unavailable, .what = "cannot be started"};
    std::string text;
    {
        // Kills the tool at once, in the thread that requests the stop: this thread might get to it
        // too late, after the program ends.
        const std::stop_callback stopNow(stop, [&tool] { tool.killAll(); });
        if (const Result<void> read = readAll(tool, text, most, patience, stop); !read) {
            tool.killAll();
            return read.error();
        }
    }
    if (tool.collect() != 0) {
        // ncu prints errors to stdout: "==ERROR== …".
        constexpr std::size_t kMost = 300;
        return Error{.code = ErrorCode::BadData,
                     .what = text.empty() ? "it fails" : text.substr(0, kMost)};
    }
    return text;
}

}  // namespace roofscope::gui
