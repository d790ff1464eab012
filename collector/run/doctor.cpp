// SPDX-License-Identifier: Apache-2.0
#include "collector/run/doctor.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "collector/run/gpu_checks.h"
#include "collector/run/record.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Creating a context takes a second or two; a hung driver must not hang doctor.
constexpr int kGpuTimeoutMs = 60'000;
constexpr int kReapTries = 200;  ///< of 10 ms

std::string findInPath(const char* program) {
    const char* path = std::getenv("PATH");
    std::string rest = path ? path : "";
    while (!rest.empty()) {
        const auto colon = rest.find(':');
        const fs::path candidate = fs::path(rest.substr(0, colon)) / program;
        std::error_code error;
        if (access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, error))
            return candidate.string();
        if (colon == std::string::npos) break;
        rest.erase(0, colon + 1);
    }
    return {};
}

Check checkToolkit() {
    Check check{"toolkit", "CUDA toolkit", CheckStatus::Warning, "", ""};
    std::string nvcc = findInPath("nvcc");
    if (nvcc.empty() && access("/usr/local/cuda/bin/nvcc", X_OK) == 0)
        nvcc = "/usr/local/cuda/bin/nvcc";
    if (nvcc.empty()) {
        check.detail = "nvcc is not in PATH";
        check.advice = "only needed to build kernels; recording needs libcupti alone";
        return check;
    }
    check.status = CheckStatus::Ok;
    check.detail = nvcc;
    return check;
}

Check checkLibrary() {
    const auto library = findInjectLibrary();
    if (library)
        return {"inject-library", "Collector library", CheckStatus::Ok, library->string(), ""};
    return {"inject-library", "Collector library", CheckStatus::Failed, library.error().what,
            library.error().advice};
}

/// Runs the driver's and CUPTI's checks in a child; what it reported before a crash counts.
std::vector<Check> gpuChecksInChild() {
    std::vector<Check> checks;
    int channel[2];
    if (pipe(channel) != 0) return checks;
    const pid_t child = fork();
    if (child == 0) {
        close(channel[0]);
        runGpuChecks([&](const Check& c) {
            const std::string line =
                Json{c.id, c.title, static_cast<int>(c.status), c.detail, c.advice}.dump(
                    -1, ' ', false, Json::error_handler_t::replace) +
                "\n";
            [[maybe_unused]] const auto n = write(channel[1], line.data(), line.size());
        });
        _exit(0);
    }
    close(channel[1]);
    std::string text;
    bool timedOut = false;
    for (char buffer[4096];;) {
        pollfd wait{.fd = channel[0], .events = POLLIN, .revents = 0};
        const int ready = poll(&wait, 1, kGpuTimeoutMs);
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) timedOut = true;
        if (ready <= 0) break;
        const ssize_t n = read(channel[0], buffer, sizeof buffer);
        if (n <= 0) break;
        text.append(buffer, static_cast<std::size_t>(n));
    }
    close(channel[0]);
    if (timedOut && child > 0) kill(child, SIGKILL);
    int status = 0;
    // A child that is stuck inside the driver cannot even be killed: it is left behind.
    for (int wait = 0; child > 0 && wait < kReapTries; ++wait) {
        if (waitpid(child, &status, WNOHANG) != 0) break;
        usleep(10'000);
    }

    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        const Json line = Json::parse(text.substr(at, end - at), nullptr, false);
        if (line.is_array() && line.size() == 5)
            checks.push_back(
                {line[0], line[1], static_cast<CheckStatus>(line[2].get<int>()), line[3], line[4]});
        at = end + 1;
    }
    if (timedOut)
        checks.push_back({"driver-answer", "Driver", CheckStatus::Failed,
                          fmt::format("no answer within {} s", kGpuTimeoutMs / 1000),
                          "check nvidia-smi and dmesg: the GPU may have fallen off the bus"});
    else if (child < 0 || WIFSIGNALED(status))
        checks.push_back({"driver-answer", "Driver and CUPTI", CheckStatus::Failed,
                          child < 0 ? "the check could not be started"
                                    : fmt::format("crashed with signal {} ({})", WTERMSIG(status),
                                                  strsignal(WTERMSIG(status))),
                          "driver and CUPTI do not fit together: reinstall both from one CUDA "
                          "version"});
    return checks;
}

}  // namespace

Diagnosis diagnose() {
    Diagnosis diagnosis;
    diagnosis.checks.push_back(checkLibrary());
    diagnosis.checks.push_back(checkToolkit());
    for (auto& check : gpuChecksInChild()) diagnosis.checks.push_back(std::move(check));
    for (const Check& check : diagnosis.checks) {
        if (check.status != CheckStatus::Failed) continue;
        const bool permission = check.id.starts_with("counter-permission");
        if (diagnosis.exitCode == 0) diagnosis.exitCode = permission ? 77 : 69;
    }
    // Saying yes takes a check that said yes.
    const bool allowed =
        std::any_of(diagnosis.checks.begin(), diagnosis.checks.end(), [](const Check& check) {
            return check.id.starts_with("counter-permission") && check.status == CheckStatus::Ok;
        });
    if (!allowed && diagnosis.exitCode == 0) diagnosis.exitCode = 69;
    return diagnosis;
}

}  // namespace roofscope
