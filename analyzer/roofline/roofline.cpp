// SPDX-License-Identifier: Apache-2.0
#include "analyzer/roofline/roofline.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/counters/chip_sums.h"
#include "analyzer/counters/counter_names.h"
#include "profile/boards/board.h"

namespace roofscope {

namespace {

struct Clock {
    double hertz = 0;
    bool measured = false;
};

Clock highestClock(const Profile& profile, std::uint32_t device, std::string_view name) {
    Clock best{.hertz = 0, .measured = true};
    profile.counters.column(name).forEach([&](std::size_t row, double hertz) {
        if (row < profile.launches.size() && profile.launches[row].device == device)
            best.hertz = std::max(best.hertz, hertz);
    });
    if (best.hertz > 0) return best;
    // The SMs run at the clock of their GPC, which Nsight Compute calls the SM frequency.
    if (name == counter::kSmClock) {
        const Clock gpc = highestClock(profile, device, counter::kGpcClock);
        if (gpc.hertz > 0) return gpc;
    }
    const Device& gpu = profile.devices[device];
    best.measured = false;
    if (name == counter::kSmClock && gpu.smClockMax) best.hertz = gpu.smClockMax->value;
    if (name == counter::kDramClock && gpu.memoryClockMax) best.hertz = gpu.memoryClockMax->value;
    return best;
}

/// Returns whether the roof is known.
bool addRoof(std::vector<Roof>& roofs, Roof roof, const PeakRate& peak, const Profile& profile,
             std::uint32_t device, const char* unit) {
    if (!peak.ok()) return false;
    const Clock clock = highestClock(profile, device, peak.clock);
    if (!(clock.hertz > 0)) return false;
    roof.device = device;
    roof.rate = peak.perCycle * clock.hertz;
    const std::string perCycle =
        peak.perSm > 0 ? fmt::format("{} SMs × {:g} {}/cycle of dense products by the data sheet",
                                     profile.devices[device].smCount, peak.perSm, unit)
                       : fmt::format("{:g} {}/cycle", peak.perCycle, unit);
    roof.how = fmt::format(
        "{} × {:.3g} GHz ({})", perCycle, clock.hertz * 1e-9,
        clock.measured ? "highest clock measured in this profile" : "highest clock by the driver");
    if (peak.isByBusWidth()) roof.how += ", by the width of the memory bus";
    const std::string& name = profile.devices[device].name;
    const bool maybeLess = peak.perSm > 0 || roof.unverified;
    roof.unverified = maybeLess && !name.empty() && !findBoard(name);
    if (roof.unverified) roof.how += "; unverified for this board";
    roofs.push_back(std::move(roof));
    return true;
}

/// Adds the roof that the board's public figure gives, if the die's rate or the clock is not known,
/// or if the board does less than the die.
void addBoardRoof(std::vector<Roof>& roofs, TensorType type, const Profile& profile,
                  std::uint32_t device) {
    const std::string& name = profile.devices[device].name;
    const Board* const board = findBoard(name);
    if (!board) return;
    const auto rate = board->rates.find(peakKey(type));
    if (rate == board->rates.end()) return;
    roofs.push_back({.kind = Roof::Kind::Compute,
                     .precision = type,
                     .rate = rate->second,
                     .device = device,
                     .how = fmt::format("public figure for dense products of {}", name)});
}

}  // namespace

std::vector<Roof> theoreticalRoofs(const Profile& profile, std::uint32_t device,
                                   const ChipTable* chip, const PerTensorType<bool>& tensor) {
    std::vector<Roof> roofs;
    const Device& gpu = profile.devices[device];
    for (const Level level : kLevels)
        addRoof(roofs, {.kind = Roof::Kind::Bandwidth, .level = level},
                peakRate(chip, gpu, peakKey(level)), profile, device, "B");
    // Boards that are sold with less FP64 than their die has exist only where it has much of it.
    constexpr double kMuchFp64 = 0.25;  // of FP32
    const PeakRate single = peakRate(chip, gpu, peakKey(Precision::Fp32));
    for (const Precision precision : kPrecisions) {
        const PeakRate peak = peakRate(chip, gpu, peakKey(precision));
        const bool mayBeCut = precision == Precision::Fp64 && peak.ok() && single.ok() &&
                              peak.perCycle >= kMuchFp64 * single.perCycle;
        addRoof(roofs,
                {.kind = Roof::Kind::Compute, .precision = precision, .unverified = mayBeCut}, peak,
                profile, device, "FLOP");
    }
    for (const TensorType type : kTensorTypes)
        if (tensor[type] && !addRoof(roofs, {.kind = Roof::Kind::Compute, .precision = type},
                                     peakRate(chip, gpu, peakKey(type)), profile, device,
                                     type == TensorType::Int8 ? "OP" : "FLOP"))
            addBoardRoof(roofs, type, profile, device);
    return roofs;
}

std::optional<Precision> leadingPrecision(const Quantities& q) {
    const auto amount = [&](Precision precision) {
        return q.flops[precision].has() ? q.flops[precision]->value : 0.0;
    };
    const double fp64 = amount(Precision::Fp64), fp32 = amount(Precision::Fp32),
                 fp16 = amount(Precision::Fp16);
    // Conversions count as two FP16 operations per value, constants as four. A kernel that really
    // computes in FP16 has more of them than that, and keeps the pipe busier than constants can
    // (fp16CanMatter()).
    constexpr double kConversions = 2.0, kRealUse = 0.10;
    const auto& use = q.computeUtilisation[Precision::Fp16];
    if (fp16 > kConversions * (fp32 + fp64) && use.has() && use->value >= kRealUse)
        return Precision::Fp16;
    if (fp32 <= 0 && fp64 <= 0) return std::nullopt;
    return fp64 > fp32 ? Precision::Fp64 : Precision::Fp32;
}

bool usesTensorCores(const Quantities& q) {
    return q.tensorInstructions.has() && q.tensorInstructions->value >= kTensorInUse;
}

bool bypassesL1(const Quantities& q) {
    constexpr double kNextToNothing = 0.01;
    const auto& throughL1 = q.bytes[Level::L1];
    double beyond = 0;  // what the levels below the L1 deliver
    for (const Level level : {Level::L2, Level::Dram})
        if (q.bytes[level].has()) beyond = std::max(beyond, q.bytes[level]->value);
    return (usesTensorCores(q) || !tensorWork(q).empty()) && throughL1.has() &&
           throughL1->value < kNextToNothing * beyond;
}

std::vector<const TensorWork*> tensorWork(const Quantities& q) {
    std::vector<const TensorWork*> found;
    for (const TensorWork& work : q.tensor)
        if (work.operations->value > 0) found.push_back(&work);
    const bool allKnown =
        std::ranges::all_of(found, [](const TensorWork* work) { return work->utilisation.has(); });
    std::ranges::stable_sort(found, [&](const TensorWork* a, const TensorWork* b) {
        return allKnown ? *a->utilisation > *b->utilisation : *a->operations > *b->operations;
    });
    return found;
}

namespace {

void addPoints(std::vector<RooflinePoint>& points, Arithmetic arithmetic,
               const Derived<FlopsPerSecond>& rate,
               const PerLevel<Derived<FlopsPerByte>>& intensities) {
    if (!rate.has()) return;
    for (const Level level : kLevels) {
        const auto& intensity = intensities[level];
        if (!intensity.has() || !(intensity->value > 0)) continue;
        points.push_back(
            {.level = level, .precision = arithmetic, .intensity = *intensity, .rate = *rate});
    }
}

/// How busy the pipe of a precision is; judged by its operations if the instructions are unknown.
double vectorShare(const Quantities& q, Precision precision) {
    const auto& pipe = q.pipeUtilisation[precision];
    const auto& share = pipe.has() ? pipe : q.computeUtilisation[precision];
    return share.has() ? share->value : 0.0;
}

double tensorShare(const Quantities& q, const TensorWork& first) {
    const auto& share = q.tensorInstructions.has() ? q.tensorInstructions : first.utilisation;
    return share.has() ? share->value : 0.0;
}

}  // namespace

std::vector<RooflinePoint> rooflinePoints(const Quantities& q) {
    // Below this share, vector arithmetic next to tensor cores is not worth a dot of its own.
    constexpr double kWorthShowing = 0.01;
    std::vector<RooflinePoint> points, beside;
    const auto tensor = tensorWork(q);
    const bool onTensorCores =
        usesTensorCores(q) || (!q.tensorInstructions.has() && !tensor.empty());
    if (onTensorCores && tensor.empty()) return points;
    const auto precision = leadingPrecision(q);
    if (precision && !(onTensorCores && vectorShare(q, *precision) < kWorthShowing))
        addPoints(beside, *precision, q.flopRate[*precision], q.intensity[*precision]);
    for (const TensorWork* work : tensor)
        addPoints(points, work->type, work->rate, work->intensity);
    const bool vectorFirst = precision && (tensor.empty() || vectorShare(q, *precision) >
                                                                 tensorShare(q, *tensor.front()));
    points.insert(vectorFirst ? points.begin() : points.end(), beside.begin(), beside.end());
    // The bytes of shared memory do not include what feeds tensor cores; nor do those of the L1, if
    // bulk copies bring it.
    const bool pastL1 = bypassesL1(q);
    std::erase_if(points, [&](const RooflinePoint& p) {
        return (p.level == Level::Shared && (onTensorCores || p.precision.tensor())) ||
               (p.level == Level::L1 && pastL1);
    });
    return points;
}

}  // namespace roofscope
