// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/hidden_kernels.h"

#include <QCoreApplication>
#include <algorithm>

#include "analyzer/roofline/roofline.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct HiddenText {
    Q_DECLARE_TR_FUNCTIONS(HiddenKernels)
};

void explain(UnplottedKernel& hidden, const KernelAnalysis& kernel) {
    const Quantities& q = kernel.quantities;
    const auto none = [&](Precision precision) {
        return q.flops[precision].has() && q.flops[precision]->value <= 0;
    };
    const bool counted = !tensorWork(q).empty();
    if (usesTensorCores(q) && !counted) {
        hidden.reason = HiddenText::tr("its tensor operations were not counted");
        hidden.group = QStringLiteral("tensor");
    } else if (none(Precision::Fp32) && none(Precision::Fp64) && !counted) {
        hidden.reason = HiddenText::tr("it does no floating-point operations");
    } else {
        hidden.reason = HiddenText::tr("its counters or its duration were not measured");
        hidden.group = QStringLiteral("default");
    }
}

}  // namespace

std::vector<UnplottedKernel> unplottedKernels(const Analysis& analysis,
                                              const std::vector<std::size_t>& kernels) {
    std::vector<UnplottedKernel> hidden;
    for (const std::size_t index : kernels) {
        if (index >= analysis.kernels.size() || !analysis.kernels[index].points.empty()) continue;
        const KernelAnalysis& kernel = analysis.kernels[index];
        UnplottedKernel one{.kernel = index};
        if (kernel.timeShare.has()) one.share = kernel.timeShare->value;
        explain(one, kernel);
        hidden.push_back(std::move(one));
    }
    std::ranges::stable_sort(hidden, std::ranges::greater{},
                             [](const UnplottedKernel& one) { return one.share.value_or(-1); });
    return hidden;
}

QStringList groupsFor(const std::vector<UnplottedKernel>& kernels) {
    QStringList groups;
    for (const UnplottedKernel& one : kernels)
        if (!one.group.isEmpty() && !groups.contains(one.group)) groups << one.group;
    return groups;
}

}  // namespace roofscope::gui
