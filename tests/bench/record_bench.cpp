// SPDX-License-Identifier: Apache-2.0
// What `record` itself needs for a program with many launches, beside the program's own runs:
// reading the spools of a timing run and of a run with counters, joining them, writing the profile.
// The spools come from a fake program, driver and CUPTI, or from a folder with those of a real run.
// `bench_record [LAUNCHES | FOLDER]`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "collector/run/join/join_runs.h"
#include "collector/spool/reader/spool_reader.h"
#include "profile/codec/codec.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

constexpr int kKernels = 40;
constexpr std::uint64_t kKernelNs = 2000, kGapNs = 1000;

/// Launches kernels one after the other, with a wait after each thousand.
void launchAll(test::FakeProgram& program, int launches, bool timed) {
    constexpr int kStep = 1000;
    std::vector<std::string> kernels;
    for (int i = 0; i < kKernels; ++i) kernels.push_back("_Z6kernel" + std::to_string(i) + "Pf");
    std::uint64_t now = 1'000'000;
    for (int i = 0; i < launches; ++i, now += kKernelNs + kGapNs) {
        program.at(now);
        program.launch({.kernel = kernels[i % kKernels].c_str(), .grid = 64});
        if (timed) test::kernelRan(program, now + kGapNs, now + kGapNs + kKernelNs);
        if (i % kStep == kStep - 1) program.call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
    }
}

template <class Work>
auto timed(const char* what, Work work) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%-32s%8.2f s\n", what, took.count());
    std::fflush(stdout);
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::filesystem::is_directory(argv[1])) {
        const test::TemporaryFolder written;
        auto read = timed("reading", [&] { return readSpools(argv[1]); });
        if (!read) return std::puts(read.error().message().c_str()), 1;
        const auto ok = timed("writing the profile", [&] {
            return writeProfile(*read, written.path() / "p.roofscope.json.gz");
        });
        std::printf("%zu launches, %zu calls\n", read->launches.size(),
                    read->timeline.calls.size());
        return ok ? 0 : 1;
    }
    const int launches = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1'000'000;
    const test::TemporaryFolder timingSpool, countingSpool, out;
    const auto program = [&](bool timed) {
        return [=](test::FakeProgram& p) { launchAll(p, launches, timed); };
    };
    const bool ran = timed("timing run (fake)", [&] {
        return test::runFakeProgram({.mode = TimingMode{.timeline = TimelineDetail::Full}},
                                    timingSpool.path(), program(true), {}, 1);
    });
    const bool counted = timed("run with counters (fake)", [&] {
        return test::runFakeProgram({.mode = CountersMode{.perKernel = 3}}, countingSpool.path(),
                                    program(false), {.readable = true}, 1);
    });
    if (!ran || !counted) return std::puts("the fake program failed"), 1;
    SpoolDetails first, second;
    auto base =
        timed("reading the timing run", [&] { return readSpools(timingSpool.path(), &first); });
    auto counters = timed("reading the run with counters",
                          [&] { return readSpools(countingSpool.path(), &second); });
    if (!base || !counters) return std::puts("a spool cannot be read"), 1;
    const auto report = timed("joining", [&] {
        return joinCounters(*base, *counters, first.positions, second.positions);
    });
    const auto written = timed("writing the profile", [&] {
        return writeProfile(*base, out.path() / "p.roofscope.json.gz");
    });
    std::printf("%zu of %zu launches matched, %zu calls\n", report.matched, base->launches.size(),
                base->timeline.calls.size());
    return written ? 0 : 1;
}
