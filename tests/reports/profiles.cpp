// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/profiles.h"

#include <cmath>
#include <memory>
#include <string>

#include "analyzer/counters/counter_names.h"
#include "profile/chips/chip.h"

namespace roofscope::test {

using namespace counter;
using LaunchRef = SyntheticProfile::LaunchRef;

namespace {

constexpr double kKernelElements = 1 << 26;

/// Reads and writes `elements` floats once, `width` bytes per thread, with `fma` fused
/// multiply-adds per element.
LaunchRef elementwise(SyntheticProfile& p, std::string_view name, double elements, int width,
                      double fma, double microseconds) {
    const double bytes = elements * 4, threads = bytes / width, requests = threads / 32;
    auto launch = idleLaunch(p, name, {static_cast<std::uint32_t>(threads / 256), 1, 1},
                             {256, 1, 1}, microseconds);
    launch.set("dram__bytes_read.sum", bytes).set("dram__bytes_write.sum", bytes);
    launch.set("lts__lts2xbar_cycles_active.sum", bytes / 32);
    launch.set("lts__xbar2lts_cycles_active.sum", bytes / 32);
    launch.set(kGlobalLoadBytes, bytes).set(kGlobalStoreBytes, bytes);
    launch.set(kGlobalLoadSectors, bytes / 32).set(kGlobalStoreSectors, bytes / 32);
    launch.set(kGlobalSectors, bytes / 16);
    launch.set(kGlobalLoads, requests).set(kGlobalStores, requests);
    launch.set(width == 16 ? kWidth128 : kWidth32, 2 * requests);
    launch.set(kFp32Fma, fma * elements).set(kIssueActive, 21.0);
    return launch.set(kLsuPipe, 12.0).set(kLsuWavefronts, bytes / 64);
}

}  // namespace

LaunchRef idleLaunch(SyntheticProfile& p, std::string_view name, Dim3 grid, Dim3 block,
                     double microseconds) {
    static const ChipTable chip = chipTable("GH100").value();
    auto launch = p.launch(p.kernel(name, 32), grid, block);
    launch.setAll(chip.groups.at("default").counters, 0.0).counterDurationUs(microseconds);
    const double cycles = microseconds * 1e-6 * SyntheticProfile::kSmClockHz;
    launch.set(kSmCyclesActiveAvg, cycles).set(kSmCyclesActiveMax, cycles);
    launch.set(kSmCyclesActiveMin, cycles).residentBlocksPerSm(8);
    return launch.set(kWarpInstructions, 1e6).set(kThreadInstructions, 32e6).set(kWarpsActive, 48);
}

SyntheticProfile showcase() {
    Device device = SyntheticProfile::h200();
    device.peaks["lts__lts2xbar_cycles_active.sum.peak_sustained"] = 188.0;
    SyntheticProfile p(device);
    p.profile().capture.command = {"./operators", "--size", "8192", "--name", "two words"};

    constexpr double kBytes = 8192.0 * 8192 * 4, kWarps = kBytes / 128;
    p.profile().kernels.clear();
    auto transpose = idleLaunch(p, "void ops::transpose<float, 32>(float const*, float*, int)",
                                {256, 256, 1}, {32, 8, 1}, 329.2);
    transpose.set("dram__bytes_read.sum", kBytes).set("dram__bytes_write.sum", 0.92 * kBytes);
    transpose.set("lts__lts2xbar_cycles_active.sum", kBytes / 32);
    transpose.set("lts__xbar2lts_cycles_active.sum", kBytes / 32);
    transpose.set(kGlobalLoadBytes, kBytes).set(kGlobalStoreBytes, kBytes);
    transpose.set(kGlobalLoadSectors, kBytes / 32).set(kGlobalStoreSectors, kBytes / 32);
    transpose.set(kGlobalSectors, kBytes / 16).set(kGlobalLoads, kWarps).set(kGlobalStores, kWarps);
    transpose.set(kSharedLoads, kWarps).set(kSharedStores, kWarps);
    transpose.set(kSharedLoadBytes, kBytes).set(kSharedStoreBytes, kBytes);
    transpose.set(kSharedLoadWavefronts, 32 * kWarps).set(kSharedStoreWavefronts, kWarps);
    transpose.set("smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", 33 * kWarps);
    transpose.set(kWidth32, 4 * kWarps).set(kFp32Mul, kBytes / 4);
    transpose.set(kLsuPipe, 87.9).set(kLsuWavefronts, 571213.04 * 132);

    elementwise(p, "void ops::gelu_vec4<float4>(float4 const*, float4*, unsigned long)",
                kKernelElements, 16, 11, 127.0);
    elementwise(p, "void ops::gelu_scalar<float>(float const*, float*, unsigned long)",
                kKernelElements, 4, 11, 197.0);
    auto chains = idleLaunch(p, "fma_chains(float*, int)", {1056, 1, 1}, {256, 1, 1}, 240.0);
    chains.set("dram__bytes_read.sum", 1e6).set("dram__bytes_write.sum", 2.2e6);
    chains.set("lts__lts2xbar_cycles_active.sum", 4e4).set("lts__xbar2lts_cycles_active.sum", 5e4);
    chains.set(kGlobalSectors, 33792).set(kGlobalStoreSectors, 33792).set(kGlobalStores, 8448);
    chains.set(kGlobalStoreBytes, 1081344).set(kWidth32, 8448);
    // 97 % of 132 SMs × 128 lanes × 1.755 GHz × 240 µs.
    chains.set(kFp32Fma, 0.97 * 132 * 128 * SyntheticProfile::kSmClockHz * 240e-6);
    chains.set(kIssueActive, 97.0);
    elementwise(p, "copy(float4 const*, float4*)", kKernelElements, 16, 0, 126.1);
    return p;
}

SyntheticProfile sourceShowcase() {
    Device device = SyntheticProfile::h200();
    device.peaks["lts__lts2xbar_cycles_active.sum.peak_sustained"] = 188.0;
    SyntheticProfile p(device);
    p.profile().capture.command = {"./transpose", "4096"};
    constexpr double kElements = 4096.0 * 4096, kBytes = 4 * kElements, kWarps = kElements / 32;
    const std::string name = "void ops::gather_columns<float>(float const*, float*, int)";
    const auto launch = [&](Dim3 grid, double microseconds) {
        auto l = idleLaunch(p, name, grid, {256, 1, 1}, microseconds);
        // Each lane loads along its own row; the stores are coalesced.
        l.set("dram__bytes_read.sum", 8 * kBytes).set("dram__bytes_write.sum", kBytes);
        l.set("lts__lts2xbar_cycles_active.sum", kElements);
        l.set("lts__xbar2lts_cycles_active.sum", kBytes / 32);
        l.set(kGlobalLoadBytes, kBytes).set(kGlobalStoreBytes, kBytes);
        l.set(kGlobalLoadSectors, kElements).set(kGlobalStoreSectors, kBytes / 32);
        l.set(kGlobalSectors, kElements + kBytes / 32);
        l.set(kGlobalLoads, kWarps).set(kGlobalStores, kWarps);
        l.set(kSharedLoads, kWarps).set(kSharedStores, kWarps);
        l.set(kSharedLoadBytes, kBytes).set(kSharedStoreBytes, kBytes);
        l.set(kSharedLoadWavefronts, 32 * kWarps).set(kSharedStoreWavefronts, kWarps);
        l.set("smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", 33 * kWarps);
        l.set(kWidth32, 4 * kWarps).set(kIssueActive, 11.0);
        return l.set(kLsuPipe, 62.0).set(kLsuWavefronts, 99 * kWarps);
    };
    auto first = launch({2048, 1, 1}, 310);
    const std::string file = "/build/ops/gather_columns.cu";
    p.sourcePass(first)
        .instruction("IMAD.WIDE R2, R3, R4, c[0x0][0x210]", file, 14)
        .executed(kWarps)
        .instruction("LDG.E.CONSTANT R5, desc[UR4][R2.64]", file, 15)
        .executed(kWarps)
        .sectors(32 * kWarps, 4 * kWarps)
        .instruction("STS [R6], R5", file, 15)
        .executed(kWarps)
        .wavefronts(kWarps, kWarps)
        .instruction("BAR.SYNC.DEFER_BLOCKING 0x0", file, 16)
        .executed(kWarps)
        .instruction("LDS R7, [R8]", file, 18)
        .executed(kWarps)
        .wavefronts(32 * kWarps, kWarps)
        .instruction("FMUL R7, R7, R9", file, 18)
        .executed(2 * kWarps)
        .instruction("STG.E desc[UR4][R10.64], R7", file, 19)
        .executed(kWarps)
        .sectors(4 * kWarps, 4 * kWarps)
        .text(file, 5,
              {"/// Columns of a row-major matrix, scaled.", "template <class T>",
               "__global__ void gather_columns(const T* __restrict__ x, T* y, int n) {",
               "    __shared__ T tile[32][32];", "    const int lane = threadIdx.x % 32;",
               "    const int row = blockIdx.x * 8 + threadIdx.x / 32;", "",
               "    // ``` a fence of code in a comment ends nothing",
               "    for (int column = 0; column < n; column += 32) {",
               "\t\tconst T* from = x + static_cast<long>(lane) * n + column;",
               "        tile[row % 32][lane] = from[row];", "        __syncthreads();",
               "        const T scale = T(1) / n;",
               "        const T value = tile[lane][row % 32] * scale;",
               "        y[static_cast<long>(row) * n + column + lane] = value;",
               "        __syncthreads();", "    }", "}"});
    auto second = launch({1024, 1, 1}, 160);
    second.launch().kernel = first.launch().kernel;
    p.profile().kernels.pop_back();
    return p;
}

SyntheticProfile manyKernels(std::size_t count) {
    Device device = SyntheticProfile::h200();
    device.peaks["lts__lts2xbar_cycles_active.sum.peak_sustained"] = 188.0;
    SyntheticProfile p(device);
    std::uint32_t state = 12345;  // a fixed sequence, so that the picture is always the same
    const auto random = [&state] {
        state = state * 1664525u + 1013904223u;
        return (state >> 8) / double(1 << 24);
    };
    for (std::size_t i = 0; i < count; ++i) {
        const double intensity = std::pow(10.0, -1.3 + 3.3 * random());
        const double roof = std::min(59e12, intensity * 4.8e12);
        const double rate = roof * std::pow(10.0, -1.6 * random() * random());
        const double microseconds = 3 * std::pow(10.0, 2.2 * random());
        const double flops = rate * microseconds * 1e-6, dram = flops / intensity;
        const double l2 = dram * (1 + 2 * random()), l1 = l2 * (1 + 3 * random());
        auto launch = idleLaunch(p, "layer" + std::to_string(i) + "_attention_forward(float*)",
                                 {2112, 1, 1}, {256, 1, 1}, microseconds);
        launch.set("dram__bytes_read.sum", dram * 0.6).set("dram__bytes_write.sum", dram * 0.4);
        launch.set("lts__lts2xbar_cycles_active.sum", l2 / 32);
        launch.set(kGlobalSectors, l1 / 32).set(kFp32Fma, flops / 2);
    }
    return p;
}

Analysis analysisOf(const SyntheticProfile& p) {
    return analyze(std::make_shared<const Profile>(p.build()));
}

}  // namespace roofscope::test
