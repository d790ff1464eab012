// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/sibling_code.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "analyzer/roofline/resources.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope {

namespace {

/// "bilateralFilter" of "bilateralFilter<9>".
std::string_view templateName(const KernelAnalysis& kernel) {
    return std::string_view(kernel.wholeName).substr(0, kernel.wholeName.find('<'));
}

bool loadsAlike(const KernelAnalysis& a, const KernelAnalysis& b) {
    constexpr std::array kCompared{
        ResourceId::Issue,   ResourceId::Fp32,   ResourceId::Fp64, ResourceId::Fp16,
        ResourceId::Integer, ResourceId::Tensor, ResourceId::L1,   ResourceId::SpecialFunction};
    constexpr double kAlike = 0.03;
    const Resources ofA = resourcesOf(a.quantities), ofB = resourcesOf(b.quantities);
    return std::ranges::all_of(kCompared, [&](ResourceId id) {
        return (ofA.find(id) != nullptr) == (ofB.find(id) != nullptr) &&
               std::abs(ofA.busy(id) - ofB.busy(id)) <= kAlike;
    });
}

}  // namespace

void lendCode(std::vector<KernelAnalysis>& kernels) {
    std::multimap<std::string_view, const KernelAnalysis*> lenders;
    for (const KernelAnalysis& kernel : kernels)
        if (kernel.source && kernel.source->issuedTotal > 0)
            lenders.emplace(templateName(kernel), &kernel);
    for (KernelAnalysis& kernel : kernels) {
        // Without the load of its pipes, nothing shows that a kernel does the same.
        if (kernel.source || !resourcesOf(kernel.quantities).find(ResourceId::SpecialFunction))
            continue;
        const auto [first, last] = lenders.equal_range(templateName(kernel));
        const auto alike = std::find_if(first, last, [&kernel](const auto& lender) {
            return loadsAlike(*lender.second, kernel);
        });
        if (alike != last) kernel.siblingCode = alike->second->source;
    }
}

const SourceAnalysis* ownOrSiblingCode(const KernelAnalysis& kernel) {
    return kernel.source ? kernel.source.get() : kernel.siblingCode.get();
}

}  // namespace roofscope
