// SPDX-License-Identifier: Apache-2.0
#include "analyzer/roofline/occupancy.h"

#include "analyzer/language/sentence.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace roofscope {

std::uint64_t warpsOf(const Device& device, std::uint64_t threads) {
    const std::uint64_t warp = std::max<std::uint32_t>(device.warpSize, 1);
    return std::max<std::uint64_t>(1, (threads + warp - 1) / warp);
}

namespace {

// Allocation granularities of all architectures from CC 7.0 (cuda_occupancy.h).
constexpr std::uint64_t kRegisterUnit = 256;  // registers, per warp
constexpr std::uint64_t kSmParts = 4;         // register files per SM
constexpr std::uint64_t kSharedUnit = 128;    // bytes, per block
constexpr std::uint64_t kRegisterStep = 8;    // registers per thread: 256 per warp / 32 threads

std::uint64_t roundUp(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// Resident blocks with one resource changed; absent if a limit is unknown.
std::optional<std::uint64_t> residentWith(const Device& device, BlockResources block) {
    return occupancyTerms(device, block).resident();
}

Words stepFewerRegisters(const Device& device, const BlockResources& block,
                         std::uint64_t resident) {
    for (std::uint64_t registers = roundUp(block.registersPerThread, kRegisterStep);
         registers > kRegisterStep;) {
        registers -= kRegisterStep;
        BlockResources changed = block;
        changed.registersPerThread = static_cast<std::uint32_t>(registers);
        const auto blocks = residentWith(device, changed);
        if (blocks && *blocks > resident)
            return wordsOf(
                "at most {} registers per thread (now {}) would allow {} blocks per SM instead of "
                "{}",
                registers, block.registersPerThread, *blocks, resident);
    }
    return {};
}

Words stepLessShared(const Device& device, const BlockResources& block, std::uint64_t resident) {
    const std::uint64_t perBlock =
        *device.sharedPerSmBytes / (resident + 1) / kSharedUnit * kSharedUnit;
    const std::uint64_t reserved = device.sharedReservedPerBlockBytes.value_or(0);
    if (perBlock <= reserved) return {};
    BlockResources changed = block;
    changed.sharedBytes = perBlock - reserved;
    const auto blocks = residentWith(device, changed);
    if (changed.sharedBytes >= block.sharedBytes || !blocks || *blocks <= resident) return {};
    return wordsOf(
        "at most {} B of shared memory per block (now {}) would allow {} blocks per SM instead of "
        "{}",
        changed.sharedBytes, block.sharedBytes, *blocks, resident);
}

/// Another block size that keeps more warps resident, with all else unchanged. Registers per thread
/// and shared memory per block are kept; the latter is wrong for a kernel whose shared memory grows
/// with the number of threads.
Words stepOtherBlockSize(const Device& device, const BlockResources& block,
                         std::uint64_t resident) {
    const std::uint64_t now = resident * warpsOf(device, block.threads);
    const std::uint64_t largest = device.maxThreadsPerBlock.value_or(1024);
    std::uint64_t best = 0, bestWarps = now;
    for (std::uint64_t threads = 64; threads <= largest; threads *= 2) {
        BlockResources changed = block;
        changed.threads = threads;
        const auto blocks = residentWith(device, changed);
        if (!blocks) continue;
        const std::uint64_t warps = *blocks * warpsOf(device, threads);
        // Among equals, prefer the size nearest to the present one: the smallest edit.
        const auto distance = [&](std::uint64_t size) {
            return std::abs(
                std::log2(static_cast<double>(size) / static_cast<double>(block.threads)));
        };
        if (warps > bestWarps ||
            (warps == bestWarps && best != 0 && distance(threads) < distance(best))) {
            best = threads;
            bestWarps = warps;
        }
    }
    if (best == 0) return {};
    return wordsOf(
        "blocks of {} threads (now {}) would keep {} warps per SM resident instead of {}", best,
        block.threads, bestWarps, now);
}

}  // namespace

std::optional<std::uint64_t> OccupancyTerms::resident() const {
    if (!registers || !sharedMemory || !warps || !blocks) return std::nullopt;
    return std::min({*registers, *sharedMemory, *warps, *blocks});
}

OccupancyTerms occupancyTerms(const Device& device, const BlockResources& block) {
    OccupancyTerms terms;
    const std::uint64_t warps = warpsOf(device, block.threads);
    if (device.registersPerSm) {
        const std::uint64_t perWarp =
            roundUp(std::uint64_t{block.registersPerThread} * device.warpSize, kRegisterUnit);
        if (perWarp > 0)
            terms.registers = *device.registersPerSm / kSmParts / perWarp * kSmParts / warps;
        else if (device.maxBlocksPerSm)
            terms.registers = *device.maxBlocksPerSm;  // uses none: no limit of its own
    }
    if (device.sharedPerSmBytes) {
        const std::uint64_t perBlock = roundUp(
            block.sharedBytes + device.sharedReservedPerBlockBytes.value_or(0), kSharedUnit);
        if (perBlock > 0)
            terms.sharedMemory = *device.sharedPerSmBytes / perBlock;
        else if (device.maxBlocksPerSm)
            terms.sharedMemory = *device.maxBlocksPerSm;
    }
    if (device.maxThreadsPerSm && device.warpSize > 0)
        terms.warps = *device.maxThreadsPerSm / device.warpSize / warps;
    if (device.maxBlocksPerSm) terms.blocks = *device.maxBlocksPerSm;
    return terms;
}

Occupancy launchOccupancy(const Device& device, const Kernel& kernel, const LaunchGroup& group,
                          std::optional<std::uint32_t> driverResidentBlocks) {
    using D = Derived<double>;
    using R = Derived<Ratio>;
    static const SharedText kBlocks = "grid.x × grid.y × grid.z";
    static const SharedText kByDriver = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
    static const SharedText kTheoretical = "resident blocks × warps per block / warps an SM holds";
    static const SharedText kWaves = "blocks / (SMs × resident blocks per SM)";
    static const SharedText kEfficiency = "waves / ⌈waves⌉";
    Occupancy result;
    const auto blocks = static_cast<double>(group.grid.total());
    result.blocks = D::of(blocks, kBlocks);

    const BlockResources block{
        .threads = group.block.total(),
        .registersPerThread = kernel.registersPerThread.value_or(0),
        .sharedBytes = kernel.staticSharedBytes.value_or(0) + group.dynamicSharedBytes};
    OccupancyTerms terms = occupancyTerms(device, block);
    if (!kernel.registersPerThread) terms.registers.reset();
    const auto own = terms.resident();

    if (driverResidentBlocks && *driverResidentBlocks > 0)
        result.residentBlocksPerSm = D::of(*driverResidentBlocks, kByDriver);
    else if (own && *own > 0)
        result.residentBlocksPerSm =
            D::of(static_cast<double>(*own),
                  "own formula: registers, shared memory, threads and blocks per SM");
    else
        result.residentBlocksPerSm = D::absent(
            "resident blocks per SM from the driver, or registers and the device's limits");

    const auto& resident = result.residentBlocksPerSm;
    if (!resident.has()) {
        result.theoretical = R::absent(resident.missing, kTheoretical);
        result.waves = D::absent(resident.missing, kWaves);
        result.waveEfficiency = R::absent(resident.missing, kEfficiency);
        return result;
    }
    if (device.smCount > 0) {
        const double waves = blocks / (device.smCount * *resident);
        result.waves = D::of(waves, kWaves);
        result.waveEfficiency =
            waves > 0 ? R::of({waves / std::ceil(waves)}, kEfficiency) : R::none(kEfficiency);
    } else {
        result.waves = D::absent("number of SMs", kWaves);
        result.waveEfficiency = R::absent("number of SMs", kEfficiency);
    }
    if (device.warpSize == 0 || device.maxThreadsPerSm.value_or(0) < device.warpSize) {
        result.theoretical = R::absent("threads an SM holds", kTheoretical);
        return result;
    }
    const std::uint64_t slots = *device.maxThreadsPerSm / device.warpSize;
    const double warps = *resident * static_cast<double>(warpsOf(device, block.threads));
    result.theoretical = R::of({std::min(1.0, warps / static_cast<double>(slots))}, kTheoretical);

    if (!own || result.theoretical->value >= 1.0) return result;
    // On a tie, name the block's shape first: fewer registers alone would not allow another block.
    if (terms.warps == own)
        result.limiter = OccupancyLimiter::BlockSize;
    else if (terms.blocks == own)
        result.limiter = OccupancyLimiter::BlocksPerSm;
    else if (terms.sharedMemory == own)
        result.limiter = OccupancyLimiter::SharedMemory;
    else
        result.limiter = OccupancyLimiter::Registers;

    // A what-if is only as good as the formula. If the driver disagrees with it (carve-out,
    // clusters), suggest no step.
    if (static_cast<double>(*own) != *resident) return result;
    switch (result.limiter) {
        case OccupancyLimiter::Registers:
            result.nextStep = stepFewerRegisters(device, block, *own);
            break;
        case OccupancyLimiter::SharedMemory:
            result.nextStep = stepLessShared(device, block, *own);
            break;
        case OccupancyLimiter::BlockSize:
        case OccupancyLimiter::BlocksPerSm:
            result.nextStep = stepOtherBlockSize(device, block, *own);
            break;
        case OccupancyLimiter::None:
            break;
    }
    return result;
}

}  // namespace roofscope
