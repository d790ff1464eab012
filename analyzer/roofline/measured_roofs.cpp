// SPDX-License-Identifier: Apache-2.0
#include "analyzer/roofline/measured_roofs.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "analyzer/counters/chip_sums.h"

namespace roofscope {

namespace {

/// The highest of several ceilings; null when none was measured.
const Ceiling* highestOf(const Device& device, std::initializer_list<std::string_view> names) {
    const Ceiling* best = nullptr;
    for (const auto name : names)
        if (const Ceiling* ceiling = findCeiling(device, name))
            if (!best || ceiling->burst > best->burst) best = ceiling;
    return best;
}

std::string howOf(const Ceiling& ceiling) {
    std::string how = fmt::format("{}: best of short runs on this GPU", ceiling.name);
    if (!ceiling.measuredUtc.empty()) how += ", " + ceiling.measuredUtc;
    if (!ceiling.method.empty()) how += "; " + ceiling.method;
    return how;
}

}  // namespace

const Ceiling* findCeiling(const Device& device, std::string_view name) {
    for (const Ceiling& ceiling : device.ceilings)
        if (ceiling.name == name) return &ceiling;
    return nullptr;
}

std::vector<Roof> measuredRoofs(const Profile& profile, std::uint32_t device,
                                const PerTensorType<bool>& tensor) {
    std::vector<Roof> roofs;
    const Device& gpu = profile.devices[device];
    const auto add = [&](Roof roof, const Ceiling* ceiling) {
        const bool bandwidth = roof.kind == Roof::Kind::Bandwidth;
        if (!ceiling || (ceiling->kind == Ceiling::Kind::Bandwidth) != bandwidth) return;
        roof.device = device;
        roof.rate = ceiling->burst;
        roof.measured = true;
        roof.how = howOf(*ceiling);
        roofs.push_back(std::move(roof));
    };
    const auto slope = [&](Level level, const Ceiling* ceiling) {
        add({.kind = Roof::Kind::Bandwidth, .level = level}, ceiling);
    };
    const auto flat = [&](Arithmetic precision, const Ceiling* ceiling) {
        add({.kind = Roof::Kind::Compute, .precision = precision}, ceiling);
    };
    slope(Level::Dram, highestOf(gpu, {"dram_read", "dram_write", "dram_copy", "dram_triad"}));
    slope(Level::L2, findCeiling(gpu, "l2_read"));
    slope(Level::L1, findCeiling(gpu, "l1_read"));
    slope(Level::Shared, findCeiling(gpu, "shared_read"));
    flat(Precision::Fp64, findCeiling(gpu, "fp64"));
    flat(Precision::Fp32, findCeiling(gpu, "fp32"));
    flat(Precision::Fp16, findCeiling(gpu, "fp16"));
    for (const TensorType type : kTensorTypes)
        if (tensor[type]) flat(type, findCeiling(gpu, peakKey(type)));
    return roofs;
}

double DramMix::at(double readShare) const {
    constexpr double kCopyShare = 1.0 / 2, kTriadShare = 2.0 / 3;
    const double share = std::clamp(readShare, 0.0, 1.0);
    const auto between = [share](double from, double low, double to, double high) {
        return low + (high - low) * ((share - from) / (to - from));
    };
    if (share <= kCopyShare) return between(0, write, kCopyShare, copy);
    if (!triad) return between(kCopyShare, copy, 1, read);
    return share <= kTriadShare ? between(kCopyShare, copy, kTriadShare, *triad)
                                : between(kTriadShare, *triad, 1, read);
}

DramMix DramMix::operator/(double divisor) const {
    DramMix mix{.write = write / divisor, .copy = copy / divisor, .read = read / divisor};
    if (triad) mix.triad = *triad / divisor;
    return mix;
}

std::optional<DramMix> measuredDramMix(const Device& device) {
    const auto rate = [&device](std::string_view name) -> std::optional<double> {
        const Ceiling* const ceiling = findCeiling(device, name);
        if (!ceiling || ceiling->kind != Ceiling::Kind::Bandwidth) return std::nullopt;
        return ceiling->burst;
    };
    const auto write = rate("dram_write"), copy = rate("dram_copy"), read = rate("dram_read");
    if (!write || !copy || !read) return std::nullopt;
    return DramMix{.write = *write, .copy = *copy, .read = *read, .triad = rate("dram_triad")};
}

}  // namespace roofscope
