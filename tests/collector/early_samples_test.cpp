// SPDX-License-Identifier: Apache-2.0
// Samples of the CPU before CUDA is initialised: `record` runs a program that is linked to a fake
// CUDA.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "analyzer/program/program.h"
#include "collector/inject/sampling/early_sampler.h"
#include "collector/run/recording/record.h"
#include "collector/run/tools/cuda_program.h"
#include "tests/support/catch.h"
#include "tests/support/environment.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
namespace fs = std::filesystem;

// A program with a sanitizer is not preloaded.
#ifdef __SANITIZE_ADDRESS__
#define SKIP_WITH_SANITIZER SKIP_CASE("the program has AddressSanitizer")
#else
#define SKIP_WITH_SANITIZER static_cast<void>(0)
#endif

namespace {

roofscope::Recording recordEarly(const std::string& mode, bool samples = true) {
    test::Environment environment;
    environment.set("ROOFSCOPE_CUPTI", ROOFSCOPE_FAKE_CUPTI);
    auto recording = roofscope::record({.command = {ROOFSCOPE_EARLY_PROGRAM, mode},
                                        .timingOnly = true,
                                        .cpuSamples = samples,
                                        .library = ROOFSCOPE_INJECT_LIBRARY});
    REQUIRE(recording.ok());
    return std::move(*recording);
}

const CpuSamples* samplesOf(const roofscope::Recording& recording) {
    for (const Process& process : recording.profile.processes)
        if (process.cpuSamples) return &*process.cpuSamples;
    return nullptr;
}

/// Samples with this function on the stack.
std::size_t samplesIn(const CpuSamples& samples, std::string_view function) {
    return static_cast<std::size_t>(
        std::ranges::count_if(samples.samples, [&](const CpuSample& sample) {
            return std::ranges::any_of(samples.stacks[sample.stack], [&](std::uint32_t frame) {
                return samples.frames[frame].function.find(function) != std::string::npos;
            });
        }));
}

}  // namespace

TEST_CASE("what a program does before it uses CUDA is named", "[needs-no-sanitizer]") {
    SKIP_WITH_SANITIZER;
    const roofscope::Recording recording = recordEarly("");
    REQUIRE(recordExitCode(recording) == 0);
    const CpuSamples* const samples = samplesOf(recording);
    REQUIRE(samples);
    CHECK(samplesIn(*samples, "readInput") > 40);  // of 80
    CHECK(samplesIn(*samples, "useCuda") > 10);    // they go on, by the same clock and thread
    const auto& times = samples->samples;
    const auto byTime = [](const CpuSample& a, const CpuSample& b) { return a.time < b.time; };
    const auto [first, last] = std::ranges::minmax_element(times, byTime);
    CHECK(last->time - first->time > 500'000'000);
    CHECK(last->time - first->time < 5'000'000'000);
    CHECK(std::ranges::all_of(times,
                              [&](const CpuSample& s) { return s.thread == times[0].thread; }));
    const Analysis analysis = analyze(std::make_shared<Profile>(recording.profile));
    const Program program = analyzeProgram(analysis);
    const auto action =
        std::ranges::find(program.actions, std::string("work-before-gpu"), &Action::rule);
    REQUIRE(action != program.actions.end());
    REQUIRE(!action->hostFunctions.empty());
    CHECK(action->hostFunctions[0].function == "readInput");
    CHECK(action->hostFunctions[0].share.value > 0.8);
}

TEST_CASE("a program is not preloaded if its CPU is not to be sampled", "[needs-no-sanitizer]") {
    SKIP_WITH_SANITIZER;
    const roofscope::Recording recording = recordEarly("", false);
    CHECK(recordExitCode(recording) == 0);
    CHECK(!samplesOf(recording));
}

TEST_CASE("programs that fork, start others or never use CUDA run as they do alone",
          "[needs-no-sanitizer]") {
    SKIP_WITH_SANITIZER;
    const roofscope::Recording forked = recordEarly("fork");
    CHECK(forked.profile.capture.exitCode == 0);
    const CpuSamples* const samples = samplesOf(forked);
    REQUIRE(samples);
    CHECK(samplesIn(*samples, "readInput") == 0);
    CHECK(samplesIn(*samples, "useCuda") > 10);

    CHECK(recordEarly("children").profile.capture.exitCode == 0);
    CHECK(recordEarly("without-cuda").profile.capture.exitCode == 3);
}

TEST_CASE("only a CUDA program of the system's own kind is preloaded", "[needs-no-sanitizer]") {
    SKIP_WITH_SANITIZER;
    CHECK(isPreloadableCudaProgram(ROOFSCOPE_EARLY_PROGRAM));
    CHECK(!isPreloadableCudaProgram("/bin/sh"));  // no CUDA
    CHECK(!isPreloadableCudaProgram("/none"));
    CHECK(!isPreloadableCudaProgram("/"));
    const test::TemporaryFolder folder;
    const fs::path copy = folder.path() / "program";
    fs::copy_file(ROOFSCOPE_EARLY_PROGRAM, copy);
    CHECK(isPreloadableCudaProgram(copy));
    fs::permissions(copy, fs::perms::set_uid, fs::perm_options::add);
    CHECK(!isPreloadableCudaProgram(copy));
    fs::permissions(copy, fs::perms::set_uid, fs::perm_options::remove);
    // Cut anywhere, it is no program, or its tables are missing: never a crash.
    const auto size = fs::file_size(copy);
    for (std::uintmax_t length = 0; length < size; length += size / 50 + 1) {
        fs::resize_file(copy, size);
        fs::copy_file(ROOFSCOPE_EARLY_PROGRAM, copy, fs::copy_options::overwrite_existing);
        fs::resize_file(copy, length);
        CHECK(!isPreloadableCudaProgram(copy));
    }
}

TEST_CASE("LD_PRELOAD keeps what others want in it") {
    using inject::early::withoutLibrary;
    CHECK(withoutLibrary("/a/r.so", "/a/r.so") == "");
    CHECK(withoutLibrary("/x.so:/a/r.so", "/a/r.so") == "/x.so");
    CHECK(withoutLibrary("/a/r.so /x.so  y.so", "/a/r.so") == "/x.so:y.so");
    CHECK(!withoutLibrary("/x.so:/a/r.so.2", "/a/r.so"));
    CHECK(!withoutLibrary("", "/a/r.so"));
}
