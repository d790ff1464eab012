// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/joint_gain.h"

#include <algorithm>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/roofline/resources.h"

namespace roofscope {

namespace {

bool isArithmetic(ResourceId id) {
    return id == ResourceId::Fp64 || id == ResourceId::Fp32 || id == ResourceId::Fp16 ||
           id == ResourceId::Tensor;
}

/// Share of the load on a resource that remains after the edits of all findings, at best. Includes
/// the edits of rules that cannot tell.
double leftOf(const KernelAnalysis& kernel, ResourceId id) {
    double left = 1;
    const auto take = [&](const auto& results) {
        for (const auto& result : results)
            for (const Relief& relief : result.relief)
                if (relief.resource == ownerOf(id)) left *= relief.left;
    };
    take(kernel.findings);
    take(kernel.cannotTell);
    return left;
}

/// What is saved if only the DRAM and the arithmetic pipes limit the kernel, and `left(id)` of the
/// load on each remains.
template <class Left>
double gainWith(const KernelAnalysis& kernel, const Left& left) {
    double floor = 0;
    for (const Resource& resource : resourcesOf(kernel.quantities).items) {
        if (resource.memory ? resource.id != ResourceId::Dram : !isArithmetic(resource.id))
            continue;
        floor = std::max(floor, resource.busy * left(resource.id));
    }
    const double time = kernel.quantities.duration.judged().value;
    return time - std::min(time, std::max(time * floor, kEmptyLaunch.value));
}

template <bool Rule::*Property>
bool anyFinding(const KernelAnalysis& kernel) {
    return std::ranges::any_of(kernel.findings, [](const Finding& finding) {
        const Rule* rule = findRule(finding.ruleId);
        return rule && rule->*Property;
    });
}

}  // namespace

const char* toString(BeyondJoint beyond) {
    switch (beyond) {
        case BeyondJoint::Fusing:
            return "fusing";
        case BeyondJoint::MoreFusing:
            return "more-fusing";
        case BeyondJoint::DataTypes:
            break;
    }
    return "data-types";
}

std::vector<BeyondJoint> beyondJoint(const KernelAnalysis& kernel) {
    std::vector<BeyondJoint> beyond{
        anyFinding<&Rule::removesLaunch>(kernel) ? BeyondJoint::MoreFusing : BeyondJoint::Fusing};
    if (!anyFinding<&Rule::changesDataTypes>(kernel)) beyond.push_back(BeyondJoint::DataTypes);
    return beyond;
}

Derived<Seconds> jointGainOf(const KernelAnalysis& kernel) {
    constexpr const char* kHow =
        "duration − duration × busiest of DRAM and arithmetic pipes after the edits of all "
        "findings, not below an empty launch";
    if (!kernel.verdict.headroom.has()) return Derived<Seconds>::absent("headroom", kHow);
    double gain = gainWith(kernel, [&](ResourceId id) { return leftOf(kernel, id); });
    for (const Finding& finding : kernel.findings)
        if (finding.gain.has()) gain = std::max(gain, finding.gain->value);
    return Derived<Seconds>::of({gain}, kHow);
}

Derived<Seconds> gainByWorkAlone(const KernelAnalysis& kernel) {
    constexpr const char* kHow =
        "duration − duration × busiest of DRAM and arithmetic pipes, not below an empty launch";
    if (!kernel.verdict.headroom.has()) return Derived<Seconds>::absent("headroom", kHow);
    return Derived<Seconds>::of({gainWith(kernel, [](ResourceId) { return 1.0; })}, kHow);
}

void ArithmeticLeft::add(const ArithmeticLeft& other, double launches) {
    fp64 += other.fp64 * launches;
    fp32 += other.fp32 * launches;
    fp16 += other.fp16 * launches;
    tensor += other.tensor * launches;
}

Seconds ArithmeticLeft::busiest() const { return std::max({fp64, fp32, fp16, tensor}); }

ArithmeticLeft arithmeticLeft(const KernelAnalysis& kernel) {
    const Resources resources = resourcesOf(kernel.quantities);
    const auto left = [&](ResourceId id) {
        const double busy = std::min(1.0, resources.busy(id) * leftOf(kernel, id));
        return kernel.quantities.duration.judged() * busy;
    };
    return {.fp64 = left(ResourceId::Fp64),
            .fp32 = left(ResourceId::Fp32),
            .fp16 = left(ResourceId::Fp16),
            .tensor = left(ResourceId::Tensor)};
}

}  // namespace roofscope
