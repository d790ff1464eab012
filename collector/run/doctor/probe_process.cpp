// SPDX-License-Identifier: Apache-2.0
#include "collector/run/doctor/probe_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace roofscope::doctor {
namespace {

using Json = nlohmann::json;
using Steady = std::chrono::steady_clock;

constexpr int kReapTries = 200;  ///< with a pause of 10 ms after each
/// A child that floods the pipe is as broken as one that hangs.
constexpr std::size_t kMostOutput = std::size_t{64} << 20;

void take(const std::string& line, ProbeResult& result) {
    const Json message = Json::parse(line, nullptr, false);
    if (!message.is_object()) return;
    if (const auto step = message.find("step"); step != message.end() && step->is_string())
        result.ending.step = step->get<std::string>();
    if (const auto facts = message.find("facts"); facts != message.end()) result.facts = *facts;
}

}  // namespace

void Reporter::send(const Json& message) const {
    const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    for (std::size_t done = 0; done < line.size();) {
        const ssize_t n = write(m_file, line.data() + done, line.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        done += static_cast<std::size_t>(n);
    }
}

ProbeResult runProbe(const std::function<void(const Reporter&)>& work, int limit) {
    ProbeResult result;
    int channel[2];
    if (pipe2(channel, O_CLOEXEC) != 0) {
        result.ending.started = false;
        return result;
    }
    const pid_t child = fork();
    if (child == 0) {
        close(channel[0]);
        try {
            work(Reporter(channel[1]));
        } catch (...) {
            _exit(1);
        }
        _exit(0);
    }
    close(channel[1]);
    if (child < 0) {
        close(channel[0]);
        result.ending.started = false;
        return result;
    }
    std::string text;
    std::size_t total = 0;
    auto heard = Steady::now();
    for (char buffer[4096]; total < kMostOutput;) {
        const auto waited =
            std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - heard).count();
        const auto left = limit * 1000LL - waited;
        pollfd wait{.fd = channel[0], .events = POLLIN, .revents = 0};
        const int ready = left <= 0 ? 0 : poll(&wait, 1, static_cast<int>(left));
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) result.ending.timedOut = true;
        if (ready <= 0) break;
        const ssize_t n = read(channel[0], buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        heard = Steady::now();
        total += static_cast<std::size_t>(n);
        text.append(buffer, static_cast<std::size_t>(n));
        for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
            take(text.substr(0, end), result);
    }
    if (total >= kMostOutput) result.ending.timedOut = true;
    result.ending.seconds = limit;
    close(channel[0]);
    if (result.ending.timedOut) kill(child, SIGKILL);
    int status = 0;
    for (int wait = 0; wait < kReapTries; ++wait) {
        const pid_t reaped = waitpid(child, &status, WNOHANG);
        if (reaped != 0 && !(reaped < 0 && errno == EINTR)) break;
        usleep(10'000);
    }
    // After a time-out, the child was killed by our own SIGKILL.
    if (!result.ending.timedOut && WIFSIGNALED(status)) result.ending.signal = WTERMSIG(status);
    return result;
}

}  // namespace roofscope::doctor
