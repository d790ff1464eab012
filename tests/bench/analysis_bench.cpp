// SPDX-License-Identifier: Apache-2.0
// Time and memory to read, analyse and report profiles of many launches:
//   build/bin/bench_analysis [--distinct] [LAUNCHES…]     (default: both kinds, 1000 to 1000000)
// Each profile is first written to a file and then measured in a separate process, for its own
// memory peak. Nothing fails; 100,000 launches of few kernels should take 1.5 s and 500 MB.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "profile/codec/codec.h"
#include "reports/report.h"
#include "tests/reports/profiles.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFewKernels = 50;
constexpr std::uint32_t kBuffers = 64;
constexpr std::size_t kTop = 10;

/// CPU time, so that other programs do not count.
double seconds(const std::function<void()>& work) {
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// The memory peak of this process since its fork.
double peakMegabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
    return 0;
}

/// `launches` launches of `kernels` alternating kernels, with the counters of the showcase's five
/// kernels and varying durations. Each reads what the previous one wrote.
Profile manyLaunches(std::size_t launches, std::size_t kernels) {
    const Profile pattern = test::showcase().build();
    const std::size_t kinds = pattern.launches.size();
    Profile profile = pattern;
    profile.kernels.clear();
    profile.launches.clear();
    for (std::size_t k = 0; k < kernels; ++k) {
        Kernel kernel = pattern.kernels[pattern.launches[k % kinds].kernel];
        kernel.symbol = "_ZN5model5layer" + std::to_string(k);
        kernel.name = "void model::layer" + std::to_string(k) +
                      "::apply<float, model::Tile<128, 64>>(float const*, float*, unsigned long)";
        profile.kernels.push_back(std::move(kernel));
    }
    for (std::uint32_t b = 0; b < kBuffers; ++b)
        profile.buffers.push_back({.allocation = b, .offsetBytes = 0, .bytes = 256U << 20});
    for (std::uint32_t b = 0; b < kBuffers; ++b) {
        const BufferArgument list[] = {{.buffer = b, .parameter = 0},
                                       {.buffer = (b + 1) % kBuffers, .parameter = 1}};
        profile.argumentLists.add(list);
    }
    double now = 0;
    std::vector<std::vector<double>> columns(pattern.counters.names().size());
    for (std::size_t i = 0; i < launches; ++i) {
        const std::size_t k = i % kernels, kind = k % kinds;
        const double jitter = 1 + 0.001 * static_cast<double>(i % 7);
        Launch launch = pattern.launches[kind];
        launch.kernel = static_cast<std::uint32_t>(k);
        launch.duration = Seconds{100e-6 * static_cast<double>(kind + 1) * jitter};
        launch.start = Seconds{now};
        launch.arguments = static_cast<std::uint32_t>(i % kBuffers);
        now += launch.duration->value + 2e-6;
        profile.launches.push_back(launch);
        for (std::size_t c = 0; c < columns.size(); ++c)
            columns[c].push_back(pattern.counters.column(pattern.counters.names()[c])[kind]);
    }
    profile.counters = CounterTable(launches);
    for (std::size_t c = 0; c < columns.size(); ++c)
        profile.counters.addColumn(pattern.counters.names()[c], std::move(columns[c]));
    return profile;
}

/// Runs `work` in a child process; false if it failed.
bool apart(const std::function<void()>& work) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        work();
        std::fflush(stdout);
        _exit(0);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

void measure(const fs::path& path, std::size_t launches, std::size_t kernels) {
    std::shared_ptr<const Profile> profile;
    const double read = seconds([&] {
        auto result = readProfile(path);
        if (result.ok()) profile = std::make_shared<const Profile>(std::move(*result));
    });
    if (!profile || profile->launches.size() != launches) std::exit(1);
    Analysis analysis;
    const double analysed = seconds([&] { analysis = analyze(profile); });
    std::string report;
    const double written = seconds(
        [&] { report = renderReport(analysis, ReportFormat::Markdown, {.top = kTop}).value(); });
    const double all = read + analysed + written;
    std::printf("| %8zu | %7zu | %6.1f | %7.3f | %7.3f | %7.3f | %7.3f | %6.0f | %6.2f |\n",
                launches, kernels, static_cast<double>(fs::file_size(path)) / 1e6, read, analysed,
                written, all, peakMegabytes(), 1e6 * all / static_cast<double>(launches));
}

void bench(const fs::path& folder, std::size_t launches, bool distinct) {
    const std::size_t kernels = distinct ? launches : std::min(kFewKernels, launches);
    const fs::path path = folder / "many.roofscope.json";
    const bool done = apart([&] {
                          if (!writeProfile(manyLaunches(launches, kernels), path).ok())
                              std::exit(1);
                      }) &&
                      apart([&] { measure(path, launches, kernels); });
    if (!done) std::printf("| %8zu | %7zu | failed |\n", launches, kernels);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::size_t> few, distinct;
    bool onlyDistinct = false;
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "--distinct")
            onlyDistinct = true;
        else
            (onlyDistinct ? distinct : few).push_back(std::strtoull(argv[i], nullptr, 10));
    }
    if (few.empty() && distinct.empty()) {
        if (!onlyDistinct) few = {1'000, 10'000, 100'000, 1'000'000};
        distinct = {1'000, 10'000, 100'000};
    }
    const test::TemporaryFolder folder;
    std::puts("Synthetic profiles; markdown of the 10 longest kernels.\n");
    std::puts(
        "| launches | kernels |     MB | read, s | analyse |   write |     all | peak MB | µs each "
        "|");
    std::puts("|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (const std::size_t launches : few) bench(folder.path(), launches, false);
    for (const std::size_t launches : distinct) bench(folder.path(), launches, true);
    return 0;
}
