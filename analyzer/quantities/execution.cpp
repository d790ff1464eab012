// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/quantities/derivation.h"
#include "analyzer/roofline/occupancy.h"

namespace roofscope {

namespace {

constexpr double kWarpLanes = 32.0;
constexpr double kPercent = 0.01;  // CUPTI's pct counters run from 0 to 100

}  // namespace

void Derivation::occupancy() {
    // The driver's figure depends only on the launch shape, so any launch that has it will do.
    std::optional<std::uint32_t> resident;
    for (const auto i : m_group.launches) {
        resident = m_profile.launches[i].residentBlocksPerSm;
        if (resident) break;
    }
    m_out.occupancy =
        launchOccupancy(m_device, m_profile.kernels[m_group.kernel], m_group, resident);
    if (resident && m_profile.capture.origin == "imported")
        m_out.occupancy.residentBlocksPerSm.how = "smallest of launch__occupancy_limit_*";
    static const SharedText kHow =
        "sm__warps_active.avg.per_cycle_active, weighted with sm__cycles_active.avg, / warps "
        "an "
        "SM holds";
    if (m_device.warpSize == 0 || m_device.maxThreadsPerSm.value_or(0) < m_device.warpSize) {
        m_out.occupancy.achieved = R::absent("threads an SM holds", kHow);
        return;
    }
    const double slots = *m_device.maxThreadsPerSm / m_device.warpSize;
    m_out.occupancy.achieved =
        weighted(counter::kWarpsActive, counter::kSmCyclesActiveAvg, 1.0 / slots, kHow);
}

void Derivation::issue() {
    using namespace counter;
    static const SharedText kHow =
        fmt::format("{} × {} / {}", kIssueActive, kSmCyclesActiveAvg, kSmCyclesElapsed);
    std::vector<double> busy = m_sums.perLaunch(kIssueActive);
    const std::vector<double> active = m_sums.perLaunch(kSmCyclesActiveAvg);
    for (std::size_t i = 0; i < busy.size(); ++i) busy[i] *= active[i] * kPercent;
    if (std::ranges::none_of(busy, [](double v) { return std::isfinite(v); })) {
        // No launch has all of them, because counter groups took turns.
        const auto alone = m_sums.joint({kIssueActive, kSmCyclesActiveAvg, kSmCyclesElapsed});
        if (alone.ok() && alone.mean(2) > 0) {
            m_out.issueUtilisation =
                R::of({alone.mean(0) * kPercent * alone.mean(1) / alone.mean(2)},
                      kHow + std::string_view(", means of launches"));
            return;
        }
    }
    const GroupSums::Extra extras[] = {{kIssueActive, busy}};
    const auto joint = m_sums.joint({kIssueActive, kSmCyclesActiveAvg, kSmCyclesElapsed}, extras);
    m_out.issueUtilisation = !joint.ok()      ? R::absent(joint.missing, kHow)
                             : joint[2] > 0.0 ? R::of({joint[3] / joint[2]}, named(kHow))
                                              : R::none(kHow);
}

void Derivation::atomicReach() {
    const Derived<Ratio>&busiest = m_out.atomicUnitBusiest, &average = m_out.atomicUnitAverage;
    if (!busiest.has() || !average.has()) return;
    m_out.atomicUnitReach = R::of({1.0}, "every cycle");
    const auto cycles = m_formulas.chip ? m_formulas.chip->floatAtomicCycles : std::nullopt;
    // Measured: 33.3 % of the cycles at one address, for float, double and half2 alike, and 32.1 %
    // in a kernel of 60 µs. Integers are accepted in every cycle, and rarely show just this share.
    constexpr double kNear = 0.06, kFewAddresses = 4;
    if (!cycles || std::abs(busiest->value * *cycles - 1) > kNear ||
        busiest->value < kFewAddresses * average->value)
        return;
    m_out.atomicUnitReach =
        R::of({std::max(1 / *cycles, busiest->value)},
              fmt::format("one addition of floating-point numbers in {:.0f} cycles of the "
                          "L2, which is what it has",
                          *cycles));
}

void Derivation::blockStarts() {
    const auto most = m_formulas.chip ? m_formulas.chip->blockStartsPerSecond : std::nullopt;
    const DurationStats& duration = m_out.duration;
    if (!most || duration.whileCounted || !(duration.total.value > 0)) return;
    const double mean = duration.total.value / static_cast<double>(duration.count);
    m_out.blockStartUtilisation =
        R::of({static_cast<double>(m_group.grid.total()) / mean / *most},
              fmt::format("blocks / mean duration / {:.3g} G/s", *most / 1e9));
}

/// Cycles of the L2's slices as a share of all; Nsight Compute has it as a percentage.
Derived<Ratio> Derivation::ofL2Cycles(std::string_view cycles) const {
    const SharedText how = fmt::format("{} / {}", cycles, counter::kL2CyclesMax);
    const auto joint = m_sums.joint({cycles, counter::kL2CyclesMax});
    if (joint.ok()) return joint[1] > 0 ? R::of({joint[0] / joint[1]}, how) : R::none(how);
    R given = weighted(std::string(cycles) + ".pct_of_peak_sustained_elapsed", kPercent);
    return given.has() ? given : R::absent(joint.missing, how);
}

void Derivation::integerProducts() {
    constexpr double kFewFloats = 0.25;  // of the pipe's time
    const R heavy = weighted(counter::kFmaHeavyPipe, kPercent);
    const R& floats = m_out.pipeUtilisation[Precision::Fp32];
    if (heavy.has() && floats.has() && floats->value <= kFewFloats * heavy->value)
        m_out.integerProductUtilisation = heavy;
}

void Derivation::furtherPipes() {
    using namespace counter;
    m_out.tensorInstructions = m_out.tensorUtilisation;
    const auto& packed = m_out.pipeUtilisation[Precision::Fp16];
    if (m_formulas.chip && m_formulas.chip->fp16InTensorPipe && m_out.tensorUtilisation.has() &&
        packed.has())
        m_out.tensorInstructions =
            R::of({std::max(0.0, m_out.tensorUtilisation->value - packed->value)},
                  m_out.tensorUtilisation.how +
                      std::string_view(" − FP16 instructions of the pipe's peak"));
    m_out.integerUtilisation = weighted(kIntegerPipe, kPercent);
    integerProducts();
    m_out.specialFunctionUtilisation = weighted(kSpecialFunctionPipe, kPercent);
    m_out.l2TagUtilisation = weighted(kL2TagUse, kPercent);
    m_out.atomicUnitBusiest = ofL2Cycles(kAtomicCyclesMax);
    m_out.atomicUnitAverage = ofL2Cycles(kAtomicCyclesAvg);
    atomicReach();
    const auto wavefronts = m_sums.joint({kLsuWavefronts});
    m_out.lsuWavefronts = wavefronts.ok() ? D::of(wavefronts.mean(0), named(kLsuWavefronts))
                                          : D::absent(wavefronts.missing);
    static const SharedText kFactor = "max / avg of sm__cycles_active";
    const auto busiest = m_sums.joint({kSmCyclesActiveMax, kSmCyclesActiveAvg});
    m_out.busiestSmFactor = !busiest.ok() ? D::absent(busiest.missing, kFactor)
                            : busiest[1] > 0.0
                                ? D::of(std::max(1.0, busiest[0] / busiest[1]), kFactor)
                                : D::none(kFactor);
}

void Derivation::pipes() {
    using namespace counter;
    m_out.sharedPipeUtilisation = weighted(kLsuPipe, kPercent);
    m_out.tensorUtilisation = weighted(kTensorPipe, kPercent);
    issue();
    furtherPipes();
    blockStarts();

    static const SharedText kImbalance = "(max − min) / max of sm__cycles_active";
    const auto spread = m_sums.joint({kSmCyclesActiveMax, kSmCyclesActiveMin});
    // Both are from one pass; a minimum above the maximum is invalid.
    m_out.smImbalance = !spread.ok()            ? R::absent(spread.missing, kImbalance)
                        : spread[1] > spread[0] ? R::absent(kSmCyclesActiveMin, kImbalance)
                        : spread[0] > 0.0 ? R::of({(spread[0] - spread[1]) / spread[0]}, kImbalance)
                                          : R::none(kImbalance);
    static const SharedText kLanes =
        "smsp__sass_thread_inst_executed.sum / (32 × smsp__sass_inst_executed.sum)";
    const auto lanes = m_sums.joint({kThreadInstructions, kWarpInstructions});
    m_out.activeLanes = !lanes.ok() ? R::absent(lanes.missing, kLanes)
                        : lanes[1] > 0.0
                            ? R::of({lanes[0] / (kWarpLanes * lanes[1])}, named(kLanes))
                            : R::none(kLanes);
    const auto warps = m_sums.joint({kWarpInstructions});
    m_out.warpInstructions =
        warps.ok() ? D::of(warps.mean(0), named(kWarpInstructions)) : D::absent(warps.missing);
    static const SharedText kOn =
        "smsp__sass_thread_inst_executed_pred_on.sum / smsp__sass_thread_inst_executed.sum";
    const auto on = m_sums.joint({kThreadInstructionsOn, kThreadInstructions});
    m_out.predicatedOn = !on.ok()      ? R::absent(on.missing, kOn)
                         : on[1] > 0.0 ? R::of({on[0] / on[1]}, named(kOn))
                                       : R::none(kOn);
}

}  // namespace roofscope
