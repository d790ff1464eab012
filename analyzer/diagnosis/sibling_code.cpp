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

/// Whether the template's arguments are numbers and plain types. A functor or a lambda brings code
/// of its own, as in libraries whose kernels are all instantiations of one template.
bool hasPlainArguments(const KernelAnalysis& kernel) {
    const std::string_view name = kernel.wholeName;
    const std::size_t open = name.find('<');
    if (open == name.npos) return true;
    constexpr std::array<std::string_view, 14> kPlain{
        "float",  "double", "int",  "unsigned", "long",   "short",         "char",
        "signed", "bool",   "half", "__half",   "size_t", "__nv_bfloat16", "const"};
    std::string_view arguments = name.substr(open + 1);
    while (!arguments.empty()) {
        const std::size_t begin = arguments.find_first_not_of(" ,<>*&()-+");
        if (begin == arguments.npos) break;
        arguments.remove_prefix(begin);
        const std::size_t end = std::min(arguments.find_first_of(" ,<>*&()"), arguments.size());
        const std::string_view word = arguments.substr(0, end);
        arguments.remove_prefix(end);
        const bool number = word.front() >= '0' && word.front() <= '9';
        if (!number && word != "true" && word != "false" &&
            std::ranges::find(kPlain, word) == kPlain.end())
            return false;
    }
    return true;
}

bool loadsAlike(const Resources& ofA, const Resources& ofB) {
    constexpr std::array kCompared{
        ResourceId::Issue,   ResourceId::Fp32,   ResourceId::Fp64, ResourceId::Fp16,
        ResourceId::Integer, ResourceId::Tensor, ResourceId::L1,   ResourceId::SpecialFunction};
    constexpr double kAlike = 0.03;
    return std::ranges::all_of(kCompared, [&](ResourceId id) {
        return (ofA.find(id) != nullptr) == (ofB.find(id) != nullptr) &&
               std::abs(ofA.busy(id) - ofB.busy(id)) <= kAlike;
    });
}

}  // namespace

void lendCode(std::vector<KernelAnalysis>& kernels) {
    struct Lender {
        const KernelAnalysis* kernel;
        Resources resources;
    };
    std::multimap<std::string_view, Lender> lenders;
    for (const KernelAnalysis& kernel : kernels)
        if (kernel.source && kernel.source->issuedTotal > 0 && hasPlainArguments(kernel))
            lenders.emplace(templateName(kernel), Lender{&kernel, resourcesOf(kernel.quantities)});
    if (lenders.empty()) return;
    for (KernelAnalysis& kernel : kernels) {
        const auto [first, last] = lenders.equal_range(templateName(kernel));
        if (kernel.source || first == last || !hasPlainArguments(kernel)) continue;
        const Resources resources = resourcesOf(kernel.quantities);
        // Without the load of its pipes, nothing shows that a kernel does the same.
        if (!resources.find(ResourceId::SpecialFunction)) continue;
        const auto alike = std::find_if(first, last, [&resources](const auto& lender) {
            return loadsAlike(lender.second.resources, resources);
        });
        if (alike != last) kernel.siblingCode = alike->second.kernel->source;
    }
}

const SourceAnalysis* ownOrSiblingCode(const KernelAnalysis& kernel) {
    return kernel.source ? kernel.source.get() : kernel.siblingCode.get();
}

}  // namespace roofscope
