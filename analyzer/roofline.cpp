// SPDX-License-Identifier: Apache-2.0
#include "analyzer/roofline.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/chip_sums.h"
#include "analyzer/counter_names.h"

namespace roofscope {

namespace {

struct Clock {
    double hertz = 0;
    bool measured = false;
};

Clock highestClock(const Profile& profile, std::uint32_t device, std::string_view name) {
    Clock best{.hertz = 0, .measured = true};
    const auto column = profile.counters.column(name);
    for (std::size_t i = 0; i < std::min(column.size(), profile.launches.size()); ++i)
        if (profile.launches[i].device == device && std::isfinite(column[i]))
            best.hertz = std::max(best.hertz, column[i]);
    if (best.hertz > 0) return best;
    const Device& gpu = profile.devices[device];
    best.measured = false;
    if (name == counter::kSmClock && gpu.smClockMax) best.hertz = gpu.smClockMax->value;
    if (name == counter::kDramClock && gpu.memoryClockMax) best.hertz = gpu.memoryClockMax->value;
    return best;
}

void addRoof(std::vector<Roof>& roofs, Roof roof, const PeakRate& peak, const Profile& profile,
             std::uint32_t device, const char* unit) {
    if (!peak.ok()) return;
    const Clock clock = highestClock(profile, device, peak.clock);
    if (!(clock.hertz > 0)) return;
    roof.device = device;
    roof.rate = peak.perCycle * clock.hertz;
    roof.how = fmt::format(
        "{:g} {}/cycle × {:.3g} GHz ({})", peak.perCycle, unit, clock.hertz * 1e-9,
        clock.measured ? "highest clock measured in this profile" : "highest clock by the driver");
    roofs.push_back(std::move(roof));
}

}  // namespace

std::vector<Roof> theoreticalRoofs(const Profile& profile, std::uint32_t device,
                                   const ChipTable* chip) {
    std::vector<Roof> roofs;
    const Device& gpu = profile.devices[device];
    for (const Level level : kLevels)
        addRoof(roofs, {.kind = Roof::Kind::Bandwidth, .level = level, .how = {}},
                peakRate(chip, gpu, peakKey(level)), profile, device, "B");
    for (const Precision precision : kPrecisions)
        addRoof(roofs, {.kind = Roof::Kind::Compute, .precision = precision, .how = {}},
                peakRate(chip, gpu, peakKey(precision)), profile, device, "FLOP");
    return roofs;
}

std::optional<Precision> leadingPrecision(const Quantities& q) {
    const auto amount = [&](Precision precision) {
        return q.flops[precision].has() ? q.flops[precision]->value : 0.0;
    };
    const double fp64 = amount(Precision::Fp64), fp32 = amount(Precision::Fp32),
                 fp16 = amount(Precision::Fp16);
    // Conversions count two FP16 operations per value and constants four; a kernel that really
    // calculates in FP16 does more of them than of all others and keeps the pipe busy.
    constexpr double kConversions = 2.0, kRealUse = 0.01;
    const auto& use = q.computeUtilisation[Precision::Fp16];
    if (fp16 > kConversions * (fp32 + fp64) && use.has() && use->value >= kRealUse)
        return Precision::Fp16;
    if (fp32 <= 0 && fp64 <= 0) return std::nullopt;
    return fp64 > fp32 ? Precision::Fp64 : Precision::Fp32;
}

bool usesTensorCores(const Quantities& q) {
    return q.tensorInstructions.has() && q.tensorInstructions->value >= kTensorInUse;
}

std::vector<RooflinePoint> rooflinePoints(const Quantities& q) {
    std::vector<RooflinePoint> points;
    if (usesTensorCores(q)) return points;
    const auto precision = leadingPrecision(q);
    if (!precision || !q.flopRate[*precision].has()) return points;
    for (const Level level : kLevels) {
        const auto& intensity = q.intensity[*precision][level];
        if (!intensity.has() || !(intensity->value > 0)) continue;
        points.push_back({.level = level,
                          .precision = *precision,
                          .intensity = *intensity,
                          .rate = *q.flopRate[*precision]});
    }
    return points;
}

}  // namespace roofscope
