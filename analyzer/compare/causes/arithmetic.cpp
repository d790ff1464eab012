// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/compare/causes/causes.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/roofline/roofline.h"

namespace roofscope::compare::causes {

namespace {

FoundCause fewerOperations(const Measured& m, Precision precision, ResourceId pipe) {
    return whereLess(m, "operations", m.operationsOf(precision), m.busy(pipe), Unit::Count,
                     Words("{precision} operations {fell} from {from} to {to} on a pipe that "
                           "limited the slower kernel"),
                     {word("precision", std::string(toString(precision)))});
}

}  // namespace

FoundCause tensorCores(const Measured& m) {
    if (!m.slow.tensorInstructions.has() || usesTensorCores(m.slow) || !usesTensorCores(m.fast))
        return std::nullopt;
    // Moving the multiply-adds to tensor cores also frees their issue slots, and the shared-memory
    // time of loading their operands one by one.
    double weight = std::max(m.busy(ResourceId::Fp32), m.busy(ResourceId::Issue));
    if (m.wavefronts && m.wavefronts->slow > 2 * m.wavefronts->fast)
        weight = std::max(weight, m.busy(ResourceId::SharedPipe));
    return whereLess(m, "tensor-cores", m.operationsOf(Precision::Fp32), weight, Unit::Count,
                     m.faster
                         ? Words("the arithmetic moved to the tensor cores: FP32 operations {fell} "
                                 "from {from} to {to}")
                         : Words("the arithmetic left the tensor cores: FP32 operations {fell} "
                                 "from {from} to {to}"));
}

FoundCause wgmma(const Measured& m) {
    if (!usesTensorCores(m.slow) || !usesTensorCores(m.fast)) return std::nullopt;
    const auto groups = m.counted(counter::kSharedGmma);
    if (!groups || groups->slow > 0 || !(groups->fast > 0)) return std::nullopt;
    const auto cycles = m.both([](const Quantities& q) -> std::optional<double> {
        if (!q.smClock.has() || q.duration.count == 0) return std::nullopt;
        return q.tensorInstructions->value * q.duration.median.value * q.smClock->value;
    });
    // If the tensor pipe is the busiest resource, the kernel is a loop of products, and all its
    // waiting is for them.
    const Resource* busiest = m.resources.busiest();
    const bool loop = busiest && busiest->id == ResourceId::Tensor;
    return whereLess(
        m, "wgmma", cycles, loop ? 1.0 : m.busy(ResourceId::Tensor), Unit::Count,
        m.faster ? Words("the products moved from mma.sync (single warps) to wgmma (four warps): "
                         "the tensor pipe is busy for {to} instead of {from} cycles")
                 : Words("the products moved from wgmma (four warps) to mma.sync (single warps): "
                         "the tensor pipe is busy for {to} instead of {from} cycles"));
}

FoundCause fp64Operations(const Measured& m) {
    return fewerOperations(m, Precision::Fp64, ResourceId::Fp64);
}

FoundCause fp32Operations(const Measured& m) {
    return fewerOperations(m, Precision::Fp32, ResourceId::Fp32);
}

FoundCause fp16Operations(const Measured& m) {
    return fewerOperations(m, Precision::Fp16, ResourceId::Fp16);
}

FoundCause instructions(const Measured& m) {
    // Issue slots that are far from being the busiest resource cost next to nothing.
    constexpr double kNearBusiest = 0.6;
    const double issue = m.busy(ResourceId::Issue);
    if (issue < kNearBusiest * m.busiest()) return std::nullopt;
    return whereLess(m, "instructions", m.counted(counter::kWarpInstructions), issue, Unit::Count,
                     Words("warp instructions {fell} from {from} to {to}, and issuing them took "
                           "{busy} of the slower kernel's time"),
                     {number("busy", issue, Unit::Share)});
}

FoundCause activeLanes(const Measured& m) {
    return whereMore(m, "active-lanes", m.both([](auto& q) { return known(q.activeLanes); }),
                     m.busy(ResourceId::Issue), Unit::Share,
                     Words("active lanes per warp {fell} from {from} to {to}"));
}

bool sameArithmetic(const Measured& m) {
    const auto stored = m.both([](auto& q) { return known(q.stores.requested); });
    if (!stored || !stored->within(kSameWork)) return false;
    if (usesTensorCores(m.slow) || usesTensorCores(m.fast)) return false;
    double all = 0;
    for (const Precision precision : kPrecisions) {
        // Constants and conversions count as FP16, too.
        if (precision == Precision::Fp16 && !fp16CanMatter(m.slow) && !fp16CanMatter(m.fast))
            continue;
        const auto flops = m.operationsOf(precision);
        if (!flops || !flops->within(kSameWork)) return false;
        all += flops->slow;
    }
    return all > 0;
}

}  // namespace roofscope::compare::causes
