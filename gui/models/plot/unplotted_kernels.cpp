// SPDX-License-Identifier: Apache-2.0
#include "gui/models/plot/unplotted_kernels.h"

#include <QCoreApplication>
#include <algorithm>

#include "analyzer/roofline/roofline.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct UnplottedText {
    Q_DECLARE_TR_FUNCTIONS(UnplottedKernels)
};

void explain(UnplottedKernel& unplotted, const KernelAnalysis& kernel) {
    const Quantities& q = kernel.quantities;
    const auto none = [&](Precision precision) {
        return q.flops[precision].has() && q.flops[precision]->value <= 0;
    };
    const bool counted = !tensorWork(q).empty();
    if (usesTensorCores(q) && !counted) {
        unplotted.reason = UnplottedText::tr("its tensor operations were not counted");
        unplotted.group = QStringLiteral("tensor");
    } else if (none(Precision::Fp32) && none(Precision::Fp64) && !counted) {
        unplotted.reason = UnplottedText::tr("it does no floating-point operations");
    } else {
        unplotted.reason = UnplottedText::tr("its counters or its duration were not measured");
        unplotted.group = QStringLiteral("default");
    }
}

}  // namespace

std::vector<UnplottedKernel> unplottedKernels(const Analysis& analysis,
                                              const std::vector<std::size_t>& kernels) {
    std::vector<UnplottedKernel> unplotted;
    for (const std::size_t index : kernels) {
        if (index >= analysis.kernels.size() || !analysis.kernels[index].points.empty()) continue;
        const KernelAnalysis& kernel = analysis.kernels[index];
        UnplottedKernel one{.kernel = index};
        if (kernel.timeShare.has()) one.share = kernel.timeShare->value;
        explain(one, kernel);
        unplotted.push_back(std::move(one));
    }
    std::ranges::stable_sort(unplotted, std::ranges::greater{},
                             [](const UnplottedKernel& one) { return one.share.value_or(-1); });
    return unplotted;
}

QStringList groupsFor(const std::vector<UnplottedKernel>& kernels) {
    QStringList groups;
    for (const UnplottedKernel& one : kernels)
        if (!one.group.isEmpty() && !groups.contains(one.group)) groups << one.group;
    return groups;
}

}  // namespace roofscope::gui
