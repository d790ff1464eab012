// SPDX-License-Identifier: Apache-2.0
// What the injected library's own code costs per launch, without CUPTI and a GPU. Fakes of both
// answer at once, and counters come from a session that costs nothing. `bench_inject [LAUNCHES]`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/fake_gpu/fake_program.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

constexpr int kKernels = 40;
constexpr int kRounds = 7;

/// Launches kernels with names as long as PyTorch's in a range; takes the best of several rounds.
void measure(test::FakeProgram& program, int launches) {
    std::vector<std::string> kernels;
    for (int i = 0; i < kKernels; ++i)
        kernels.push_back("_ZN2at6native29vectorized_elementwise_kernel" + std::string(400, 'x') +
                          std::to_string(i));
    program.pushRange("step");
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < launches; ++i)
            program.launch({.kernel = kernels[i % kKernels].c_str()});
        const std::chrono::duration<double, std::nano> took =
            std::chrono::steady_clock::now() - begin;
        best = std::min(best, took.count() / launches);
    }
    std::printf("%8.0f ns per launch\n", best);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const int launches = argc > 1 ? std::max(1, std::atoi(argv[1])) : 50'000;
    const LaunchSelection notNow{.fromStart = false};
    const LaunchSelection noKernel{.kernel = "no such kernel"};
    const std::pair<const char*, RunConfiguration> ways[] = {
        {"counters, --profile-from-start off",
         {.mode = CountersMode{.perKernel = 3}, .selection = notNow}},
        {"counters, --kernel that matches none",
         {.mode = CountersMode{.perKernel = 3}, .selection = noKernel}},
        {"timing, --profile-from-start off", {.mode = TimingMode{}, .selection = notNow}},
        {"timing of all launches", {.mode = TimingMode{}}},
    };
    for (const auto& [name, configuration] : ways) {
        std::printf("%-40s", name);
        std::fflush(stdout);
        const test::TemporaryFolder spool;
        if (!test::runFakeProgram(configuration, spool.path(),
                                  [&](test::FakeProgram& program) { measure(program, launches); },
                                  {.readable = true}))
            return 1;
    }
    return 0;
}
