// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>

#include "kernels/app/commands.h"
#include "profile/files/file_size_guard.h"
#include "profile/text/clean_text.h"

namespace {

constexpr const char* kExamples = R"(Examples:
  roofscope-kernels list
  roofscope-kernels run lightning_attention_decode
  roofscope-kernels run '*/copy_*' --repeat 50
  roofscope-kernels run naive coalesced --shape B=4 --dtype f32
  roofscope-kernels verify --all
  roofscope-kernels expect transpose_unpadded --json
  roofscope-kernels ceilings --only 'dram_*'

Exit codes: 0 done; 1 verify found a mismatch; 64 unknown kernel, option or unsupported shape;
69 no usable GPU or driver; 70 a defect; 74 stdout cannot be written.)";

int fail(const roofscope::Error& error) {
    const std::string line = roofscope::cleanText(error.message(), roofscope::kMaxMessage);
    std::fprintf(stderr, "roofscope-kernels: %s\n", line.c_str());
    return roofscope::exitCode(error.code);
}

/// A full disk shows only when the buffers are written: lost output must not look like success.
bool stdoutWritten() {
    errno = 0;
    return (std::cout << std::flush) && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

int failLostOutput(int number) {
    return fail({.code = roofscope::ErrorCode::Io,
                 .what = std::string("cannot write") +
                         (number != 0 ? std::string(": ") + std::strerror(number) : ""),
                 .where = "stdout"});
}

int run(int argc, char** argv) {
    using namespace roofscope;
    CLI::App app(
        "The bundled kernels of roofscope: lists, runs and verifies them, and measures roofs.",
        "roofscope-kernels");
    app.footer(kExamples);
    app.set_version_flag("--version", "roofscope-kernels " ROOFSCOPE_VERSION);
    app.require_subcommand(1);
    kernels::app::Action action;
    kernels::app::addListCommand(app, action);
    kernels::app::addRunCommand(app, action);
    kernels::app::addVerifyCommand(app, action);
    kernels::app::addExpectCommand(app, action);
    kernels::app::addCeilingsCommand(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0) return app.exit(problem);  // --help and --version
        return fail({.code = ErrorCode::Usage,
                     .what = problem.what(),
                     .advice = "see \"roofscope-kernels --help\""});
    }
    const Result<int> code = action();
    return code ? *code : fail(code.error());
}

}  // namespace

int main(int argc, char** argv) try {
    roofscope::ignoreFileSizeSignal();
    const int code = run(argc, argv);
    return stdoutWritten() ? code : failLostOutput(errno);
} catch (const std::exception& problem) {
    // fmt::print throws if the buffer fills up before the end.
    const auto* system = dynamic_cast<const std::system_error*>(&problem);
    if (!stdoutWritten()) return failLostOutput(system ? system->code().value() : errno);
    return fail({.code = roofscope::ErrorCode::Internal, .what = problem.what()});
}
