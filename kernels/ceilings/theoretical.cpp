// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/theoretical.h"

#include "profile/boards/board.h"
#include "profile/chips/chip.h"

namespace roofscope::kernels {
namespace {

/// The table of the GPU's own family: a similar family's rates may differ.
std::optional<ChipTable> familyOf(const ProbeGpu& gpu) {
    const int major = gpu.computeCapability / 10, minor = gpu.computeCapability % 10;
    const auto table = chipTable({}, major, minor);
    if (!table || table->family != "sm_" + std::to_string(gpu.computeCapability)) return {};
    return *table;
}

std::optional<bool> knownToHave(const ProbeGpu& gpu, ChipFeature feature) {
    Device device;
    device.computeMajor = gpu.computeCapability / 10;
    device.computeMinor = gpu.computeCapability % 10;
    return chipHas(device, feature);
}

}  // namespace

bool hasWgmma(const ProbeGpu& gpu) { return knownToHave(gpu, ChipFeature::Wgmma).value_or(false); }

std::optional<bool> hasTensorMemory(const ProbeGpu& gpu) {
    return knownToHave(gpu, ChipFeature::TensorMemory);
}

std::optional<double> perSm(const ProbeGpu& gpu, std::optional<double> perClock) {
    if (!perClock || !gpu.smClockMax || gpu.smCount <= 0) return std::nullopt;
    return *perClock * gpu.smCount * gpu.smClockMax->value;
}

std::optional<double> perClock(const ProbeGpu& gpu, const std::string& rate) {
    const auto family = familyOf(gpu);
    if (!family) return {};
    if (rate.starts_with("tensor_") && isCutDown(gpu.name)) return {};
    if (const auto found = family->perSmClock.find(rate); found != family->perSmClock.end())
        return found->second;
    if (const auto peak = family->peaks.find(rate);
        peak != family->peaks.end() && peak->second.perSm > 0)
        return peak->second.perSm;
    return {};
}

std::optional<double> dramBytesPerSecond(const ProbeGpu& gpu) {
    if (!gpu.memoryClockMax || !gpu.memoryBusBits) return std::nullopt;
    constexpr double kTransfersPerClock = 2, kBitsPerByte = 8;
    return gpu.memoryClockMax->value * kTransfersPerClock * *gpu.memoryBusBits / kBitsPerByte;
}

}  // namespace roofscope::kernels
