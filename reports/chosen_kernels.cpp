// SPDX-License-Identifier: Apache-2.0
#include "reports/chosen_kernels.h"

#include "profile/names/name_pattern.h"
#include "reports/kernels/kernel_id.h"

namespace roofscope {

Result<std::vector<std::size_t>> matchingKernels(const Analysis& analysis,
                                                 const std::string& kernelFilter) {
    std::vector<std::size_t> matching = kernelsOfId(analysis, kernelFilter);
    if (!matching.empty()) return matching;
    const bool filtered = !kernelFilter.empty();
    const auto pattern = NamePattern::compile(kernelFilter);
    if (!pattern) {
        Error error = pattern.error();
        error.where = "--kernel";
        error.advice = "for example \"^gemm|softmax\"";
        return error;
    }
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const KernelAnalysis& kernel = analysis.kernels[i];
        // A kernel outside of all ranges must not match an empty range.
        if (!filtered || pattern->matchesKernel(kernel.fullName) || pattern->matches(kernel.name) ||
            (!kernel.range.empty() && pattern->matches(kernel.range)))
            matching.push_back(i);
    }
    return matching;
}

Result<ChosenKernels> selectKernels(const Analysis& analysis, const ReportOptions& options) {
    ChosenKernels selection;
    selection.filtered = !options.kernelFilter.empty();
    if (options.kernels) {
        for (const std::size_t index : *options.kernels)
            if (index < analysis.kernels.size()) selection.kernels.push_back(index);
    } else {
        Result<std::vector<std::size_t>> matching = matchingKernels(analysis, options.kernelFilter);
        if (!matching) return matching.error();
        selection.kernels = std::move(*matching);
    }
    selection.matching = selection.kernels.size();
    if (options.top && selection.kernels.size() > *options.top)
        selection.kernels.resize(*options.top);
    return selection;
}

}  // namespace roofscope
