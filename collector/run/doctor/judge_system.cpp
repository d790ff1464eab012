// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "collector/run/doctor/judge_parts.h"

namespace roofscope::doctor {
namespace {

/// Doctor warns if less space is free: the spool of a long recording needs room.
constexpr std::uint64_t kLittleSpace = std::uint64_t{64} << 20;

Check judgeLibrary(const SystemFacts& s) {
    if (!s.library.empty())
        return {.id = "inject-library",
                .title = "Collector library",
                .status = CheckStatus::Ok,
                .detail = s.library};
    return {.id = "inject-library",
            .title = "Collector library",
            .status = CheckStatus::Failed,
            .detail = s.libraryError.empty() ? "not checked" : s.libraryError,
            .advice = s.libraryAdvice.empty() ? "reinstall roofscope" : s.libraryAdvice,
            .cause = "no-library",
            .commands = {"export ROOFSCOPE_INJECT=/path/to/libroofscope_inject.so"}};
}

Check judgeToolkit(const SystemFacts& s) {
    Check check{.id = "toolkit", .title = "CUDA toolkit", .status = CheckStatus::Ok};
    // Recording needs only libcupti: a missing toolkit is not a fault.
    check.detail =
        s.nvcc.empty() ? "nvcc is not in PATH; it is only needed to build kernels" : s.nvcc;
    return check;
}

void judgeTemporaryFolder(const SystemFacts& s, Checks& checks) {
    if (!s.temporaryChecked) return;
    Check check{.id = "temporary-folder",
                .title = "Temporary folder",
                .status = CheckStatus::Ok,
                .detail = s.temporaryFolder};
    if (!s.temporaryError.empty()) {
        check.status = CheckStatus::Failed;
        check.detail = fmt::format("{}: {}", s.temporaryFolder, s.temporaryError);
        check.advice =
            "measurements are kept there while the program runs: choose a writable folder";
        check.cause = "temporary-folder";
        check.commands = {"mkdir -p \"$HOME/tmp\"", "export TMPDIR=\"$HOME/tmp\""};
    } else if (s.temporaryFreeBytes < kLittleSpace) {
        check.status = CheckStatus::Warning;
        check.detail =
            fmt::format("{}: {} MiB are free", s.temporaryFolder, s.temporaryFreeBytes >> 20);
        check.advice = "a recording of many launches needs more: choose a folder with more space";
        check.cause = "little-space";
        check.commands = {"mkdir -p \"$HOME/tmp\"", "export TMPDIR=\"$HOME/tmp\""};
    }
    checks.push_back(std::move(check));
}

void judgeInjection(const SystemFacts& s, Checks& checks) {
    const auto judgeVariable = [&](const char* name, const char* id, const std::string& value) {
        if (value.empty() || value == s.library) return;
        checks.push_back({.id = id,
                          .title = "Other injected tool",
                          .status = CheckStatus::Warning,
                          .detail = fmt::format("{}={}", name, value),
                          .advice = "a recording replaces it while the program runs, so the other "
                                    "tool sees nothing; unset it if you do not use that tool",
                          .cause = "injection-set",
                          .commands = {fmt::format("unset {}", name)}});
    };
    judgeVariable("CUDA_INJECTION64_PATH", "cuda-injection", s.cudaInjection);
    judgeVariable("NVTX_INJECTION64_PATH", "nvtx-injection", s.nvtxInjection);
}

void judgeProgram(const SystemFacts& s, Checks& checks) {
    const ProgramFile& p = s.program;
    if (!p.asked) return;
    Check check{.id = "program", .title = "Program", .status = CheckStatus::Ok, .detail = p.path};
    const auto warn = [&](const char* cause, std::string detail, std::string advice,
                          std::string command) {
        check.status = CheckStatus::Warning;
        check.cause = cause;
        check.detail = std::move(detail);
        check.advice = std::move(advice);
        check.commands = {std::move(command)};
    };
    if (p.kind == "folder") {
        warn("program-is-folder", fmt::format("{} is a folder", p.name), "name a program inside it",
             fmt::format("ls -l '{}'", p.name));
    } else if (p.path.empty()) {
        warn("program-not-found", fmt::format("{} was not found", p.name),
             "check the name; a program in this folder needs \"./\" in front",
             fmt::format("ls -l '{}'", p.name));
    } else if (p.privileged) {
        warn("program-privileged",
             fmt::format("{} runs with another user's rights or with capabilities", p.path),
             "such a program may ignore CUDA_INJECTION64_PATH: record a plain copy of it",
             fmt::format("cp '{}' ./plain-copy && roofscope record -- ./plain-copy", p.path));
    } else if (p.kind == "elf" && !p.is64Bit) {
        warn("program-32-bit", fmt::format("{} is a 32-bit program", p.path),
             "CUDA profiles 64-bit programs only: build it for 64 bits",
             fmt::format("file '{}'", p.path));
    } else if (p.kind == "elf" && !p.isDynamic) {
        warn("program-static", fmt::format("{} is linked statically", p.path),
             "it cannot load the driver itself, so only programs that it starts can be profiled; "
             "if it uses CUDA, link it dynamically (-cudart static is fine, -static is not)",
             fmt::format("file '{}'", p.path));
    } else if (p.kind == "script") {
        check.detail = fmt::format("{}, a script for {}", p.path, p.interpreter);
    } else if (p.kind == "other") {
        warn("program-not-executable",
             fmt::format("{} is neither a program nor a script with \"#!\"", p.path),
             "name its interpreter", fmt::format("roofscope record -- bash '{}'", p.path));
    }
    checks.push_back(std::move(check));
}

void judgeContainer(const SystemFacts& s, Checks& checks) {
    if (s.container.empty()) return;
    checks.push_back({.id = "container",
                      .title = "Container",
                      .status = CheckStatus::Ok,
                      .detail = fmt::format("{}, {} the capability SYS_ADMIN{}", s.container,
                                            s.hasSysAdmin ? "with" : "without",
                                            s.inUserNamespace ? " (in a user namespace)" : "")});
}

}  // namespace

void judgeSystem(const SystemFacts& system, Checks& checks) {
    checks.push_back(judgeLibrary(system));
    judgeTemporaryFolder(system, checks);
    judgeInjection(system, checks);
    judgeProgram(system, checks);
    checks.push_back(judgeToolkit(system));
    judgeContainer(system, checks);
}

}  // namespace roofscope::doctor
