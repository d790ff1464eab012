// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/quantities/derivation.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/roofline/roofline.h"

namespace roofscope {

void Derivation::arithmetic() {
    for (const Precision precision : kPrecisions) {
        const RoofFormula& flops = m_formulas.flops[precision];
        m_out.flops[precision] = amountOf<Flops>(flops);
        m_out.computeUtilisation[precision] = shareOfPeak(flops);
        pipe(precision);
        m_out.flopRate[precision] = rateOf<FlopsPerSecond>(flops);
        for (const Level level : kLevels)
            m_out.intensity[precision][level] = intensity(flops.sum, m_formulas.levels[level].sum,
                                                          m_formulas.intensity[precision][level]);
    }
    for (const std::string_view name :
         {"sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed",
          "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed"})
        pipeUpperBound(Precision::Fp64, name);
    for (const std::string_view name :
         {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed",
          "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed"})
        pipeUpperBound(Precision::Fp32, name);
}

void Derivation::pipeUpperBound(Precision precision, std::string_view name) {
    constexpr double kPercent = 0.01;
    R& share = m_out.pipeUtilisation[precision];
    if (share.has()) return;
    const R pipe = weighted(name, counter::kDuration, kPercent,
                            std::string(name) + ", which integers use too: an upper bound");
    if (!pipe.has() || pipe->value >= kBusyShare) return;
    share = pipe;
    m_out.substitutes.push_back(
        {.wanted = fmt::format("use of the {} pipe, an upper bound", toString(precision)),
         .formula = std::string(name)});
}

void Derivation::tensorCores() {
    for (const TensorType type : kTensorTypes) {
        const RoofFormula& formula = m_formulas.tensor[type];
        // Few profiles have tensor counters: do not search this kernel's launches for what none
        // has.
        if (const SharedText absent = m_formulas.tensorNotRecorded[type]; !absent.empty()) {
            m_out.tensorMissing[type] = absent;
            continue;
        }
        TensorWork work{.type = type};
        work.operations = amountOf<Flops>(formula);
        if (!work.operations.has()) {
            m_out.tensorMissing[type] = work.operations.missing;
            continue;
        }
        work.rate = rateOf<FlopsPerSecond>(formula);
        work.utilisation = shareOfPeak(formula);
        for (const Level level : kLevels)
            work.intensity[level] = intensity(formula.sum, m_formulas.levels[level].sum,
                                              m_formulas.tensorIntensity[type][level]);
        work.intensity[Level::Shared] = sharedOperandsNotCounted(type);
        m_out.tensor.push_back(std::move(work));
    }
}

void Derivation::tensorCoresByBusyCycles() {
    // Conversions count as FP16 instructions, but do not run in the pipe. Where they are few, they
    // are not taken off; where they are many, packed FP16 arithmetic may be among them.
    constexpr double kFewPacked = 0.15;
    const R &busy = m_out.tensorUtilisation, &packed = m_out.pipeUtilisation[Precision::Fp16];
    if (!m_formulas.chip || !m_out.tensor.empty() || !usesTensorCores(m_out) || !busy.has() ||
        (packed.has() && packed->value > kFewPacked * busy->value))
        return;
    if (!m_formulas.products || m_group.kernel >= m_formulas.products->size()) return;
    const auto& found = (*m_formulas.products)[m_group.kernel];
    if (!found) return;
    const auto& rates = m_formulas.chip->tensorPerBusyCycle;
    const auto rate = rates.find(std::string(found->form));
    const PeakRate& peak = m_formulas.tensor[found->type].peak;
    if (rate == rates.end() || !peak.ok()) return;
    const GroupSums::Extra extras[] = {{peak.clock, cycles(peak.clock)}, countedTime()};
    const auto joint = m_sums.joint({counter::kTensorPipe}, extras);
    if (!joint.ok()) return;

    const double share = busy->value * rate->second;
    const double operations = share * peak.perCycle * joint.mean(1);
    const SharedText how = fmt::format("cycles in which the tensor pipe is busy × {} × {:.3g} ({})",
                                       peak.counter, rate->second, found->form);
    TensorWork work{
        .type = found->type,
        .operations = Derived<Flops>::of({operations}, how),
        .rate = Derived<FlopsPerSecond>::of({operations / joint.mean(2)},
                                            how + std::string_view(" / duration")),
        .utilisation = R::of({share}, busy.how + fmt::format(" × {:.3g}", rate->second)),
        .byBusyCycles = true};
    for (const Level level : kLevels) {
        const auto& bytes = m_out.bytes[level];
        work.intensity[level] =
            !bytes.has() ? Derived<FlopsPerByte>::absent(bytes.missing)
            : bytes->value > 0
                ? Derived<FlopsPerByte>::of({operations / bytes->value}, how + " / bytes")
                : Derived<FlopsPerByte>::none(how);
    }
    work.intensity[Level::Shared] = sharedOperandsNotCounted(work.type);
    m_out.tensorMissing[work.type] = {};
    m_out.tensor.push_back(std::move(work));
}

Derived<FlopsPerByte> Derivation::sharedOperandsNotCounted(TensorType type) const {
    // Most operands come by matrix loads (ldmatrix), or tensor cores read them directly
    // (wgmma). Neither is counted among the bytes of ordinary accesses.
    return Derived<FlopsPerByte>::absent(
        "shared bytes of matrix loads and of operands that tensor cores read themselves",
        m_formulas.tensorIntensity[type][Level::Shared].how);
}

Derived<FlopsPerByte> Derivation::intensity(const ChipSum& operations, const ChipSum& bytes,
                                            const IntensityFormula& formula) const {
    using I = Derived<FlopsPerByte>;
    if (!operations.ok()) return I::absent(operations.missing);
    if (!bytes.ok()) return I::absent(bytes.missing);
    const auto joint = m_sums.joint(formula.counters);
    if (!joint.ok()) return I::absent(joint.missing, formula.how);
    const double moved = bytes.apply(joint.sums, operations.counters.size());
    return moved > 0 ? I::of({operations.apply(joint.sums) / moved}, named(formula.how))
                     : I::none(formula.how);
}

void Derivation::pipe(Precision precision) {
    using Names = std::array<std::string_view, 3>;
    const Names names = precision == Precision::Fp64
                            ? Names{counter::kFp64Add, counter::kFp64Mul, counter::kFp64Fma}
                        : precision == Precision::Fp32
                            ? Names{counter::kFp32Add, counter::kFp32Mul, counter::kFp32Fma}
                            : Names{counter::kFp16Add, counter::kFp16Mul, counter::kFp16Fma};
    const PeakRate& peak = m_formulas.flops[precision].peak;
    const SharedText how = m_formulas.pipe[precision];
    static const SharedText kFused = "fma / (add + mul + fma)";
    static const SharedText kFusable = "min(add, mul) / (add + mul + fma)";
    const auto plain = m_sums.joint(names);
    if (!plain.ok()) {
        m_out.fusedShare[precision] = R::absent(plain.missing, kFused);
        m_out.fusableShare[precision] = R::absent(plain.missing, kFusable);
        m_out.pipeUtilisation[precision] = R::absent(plain.missing, how);
        return;
    }
    const double all = plain[0] + plain[1] + plain[2];
    m_out.fusedShare[precision] = all > 0 ? R::of({plain[2] / all}, kFused) : R::none(kFused);
    m_out.fusableShare[precision] =
        all > 0 ? R::of({std::min(plain[0], plain[1]) / all}, kFusable) : R::none(kFusable);
    if (!peak.ok()) {
        m_out.pipeUtilisation[precision] = all > 0 ? R::absent(peak.missing, how) : R::of({0}, how);
        return;
    }
    const GroupSums::Extra extras[] = {{peak.clock, cycles(peak.clock)}};
    const auto joint = m_sums.joint(names, extras);
    m_out.pipeUtilisation[precision] =
        joint.ok()
            ? R::of({(joint[0] + joint[1] + joint[2]) / (peak.countPerCycle * joint[3])}, how)
            : R::absent(joint.missing, how);
}

}  // namespace roofscope
