// SPDX-License-Identifier: Apache-2.0
#include "gui/models/details/property_model.h"

#include "analyzer/launches/grouping.h"
#include "analyzer/roofline/roofline.h"
#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/kernels/shown_quantity.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/language/term_words.h"
#include "reports/profile/measurement_words.h"
#include "reports/verdict/verdict_words.h"

namespace roofscope::gui {

PropertyModel::PropertyModel(QObject* parent)
    : CellModel({{tr("Property"), tr("What is known of the kernel and its launches"), Texts},
                 {tr("Value"), tr("For one launch, unless stated otherwise; – means not measured"),
                  Texts},
                 {tr("How it was obtained"), tr("Counters and formula, or why there is no value"),
                  Texts}},
                parent) {}

void PropertyModel::setKernel(std::shared_ptr<const Analysis> analysis,
                              std::optional<std::size_t> kernel) {
    beginResetModel();
    m_rows.clear();
    if (analysis && analysis->profile && kernel && *kernel < analysis->kernels.size()) {
        const KernelAnalysis& shown = analysis->kernels[*kernel];
        addIdentity(*analysis->profile, shown);
        addTime(shown);
        addLaunch(*analysis->profile, shown.group);
        addOccupancy(shown.quantities);
        addMemory(shown.quantities);
        addArithmetic(shown.quantities);
        addClocks(shown.quantities);
    }
    endResetModel();
}

template <class T>
void PropertyModel::derived(const QString& name, const Derived<T>& value) {
    row(name, text(value), howText(value));
}

void PropertyModel::quantity(const Quantities& q, const std::string& key) {
    const ShownQuantity shown(key);
    row(shown.label(), shown.text(q), shown.how(q));
}

void PropertyModel::quantities(const Quantities& q, std::initializer_list<const char*> keys) {
    for (const char* key : keys) quantity(q, key);
}

void PropertyModel::rate(const Quantities& q, const std::string& key, const std::string& shareKey) {
    quantity(q, key);
    const ShownQuantity share(shareKey);
    row(tr("%1, of the roof").arg(ShownQuantity(key).label()), share.text(q), share.how(q));
}

void PropertyModel::addIdentity(const Profile& profile, const KernelAnalysis& kernel) {
    const LaunchGroup& group = kernel.group;
    section(tr("Kernel"));
    row(tr("Name"), shownText(kernel.fullName));
    if (!kernel.range.empty()) row(tr("NVTX range"), shownText(kernel.range));
    if (group.device < profile.devices.size()) {
        const Device& device = profile.devices[group.device];
        QString name = shownText(device.name);
        if (profile.devices.size() > 1) {
            const auto devices = devicesOf(profile, group);
            const QString numbers = QString::fromStdString(deviceNumbers(devices));
            name = (devices.size() > 1 ? tr("%1 (GPUs %2)") : tr("%1 (GPU %2)")).arg(name, numbers);
        }
        row(tr("Device"), name,
            tr("%1, %2 SMs").arg(shownText(device.chip), QString::number(device.smCount)));
    }
    row(tr("Launches"), text(double(group.launches.size())));
    row(tr("Verdict"), verdictText(kernel.verdict),
        shownText(verdictReason(kernel, shownLanguage())));
}

void PropertyModel::addTime(const KernelAnalysis& kernel) {
    const Quantities& q = kernel.quantities;
    section(tr("Time"));
    if (q.duration.count > 0) {
        const QString source = shownText(durationSourceWords(q.duration.source, shownLanguage()));
        row(tr("Per launch, median"), text(q.duration.median), source);
        row(tr("Per launch, shortest to longest"),
            tr("%1 to %2").arg(text(q.duration.min), text(q.duration.max)), source);
        row(tr("Total"), text(q.duration.total), source);
    } else {
        row(tr("Per launch, median"), missingText(), tr("no duration was measured"));
    }
    derived(tr("Share of GPU time"), kernel.timeShare);
    derived(kernel.verdict.headroomFrom.empty() ? tr("Headroom for the same work")
                                                : tr("Headroom if the first finding is fixed"),
            kernel.verdict.headroom);
}

void PropertyModel::addLaunch(const Profile& profile, const LaunchGroup& group) {
    section(tr("Launch and resources"));
    row(tr("Grid"), text(group.grid), counted(group.grid.total(), tr("%1 block"), tr("%1 blocks")));
    row(tr("Block"), text(group.block),
        counted(group.block.total(), tr("%1 thread"), tr("%1 threads")));
    if (group.cluster) row(tr("Cluster"), text(*group.cluster));
    if (group.kernel < profile.kernels.size()) {
        const Kernel& function = profile.kernels[group.kernel];
        const auto size = [](const std::optional<std::uint32_t>& bytes) {
            return bytes ? sizeText(*bytes) : missingText();
        };
        row(tr("Registers per thread"), function.registersPerThread
                                            ? text(double(*function.registersPerThread))
                                            : missingText());
        row(tr("Static shared memory per block"), size(function.staticSharedBytes));
        row(tr("Dynamic shared memory per block"), sizeText(group.dynamicSharedBytes));
        row(tr("Local memory per thread"), size(function.localBytesPerThread));
    }
}

void PropertyModel::addOccupancy(const Quantities& q) {
    section(tr("Occupancy"));
    quantities(
        q, {"resident_blocks_per_sm", "occupancy_theoretical_ratio", "occupancy_achieved_ratio"});
    const std::string limiter = limiterWords(q.occupancy.limiter, shownLanguage());
    row(tr("Limited by"), limiter.empty() ? missingText() : shownText(limiter),
        shownText(q.occupancy.nextStep.in(shownLanguage())));
    quantities(q, {"waves", "wave_efficiency_ratio"});
}

void PropertyModel::addMemory(const Quantities& q) {
    section(tr("Memory, per launch"));
    for (const std::string level : {"dram", "l2", "l1", "shared"}) {
        quantity(q, level + "_bytes");
        rate(q, level + "_bytes_per_s", level + "_utilisation_ratio");
    }
    quantities(q, {"global_load_efficiency_ratio", "global_store_efficiency_ratio",
                   "shared_excess_certain_ratio", "shared_excess_possible_ratio"});
}

void PropertyModel::addArithmetic(const Quantities& q) {
    section(tr("Arithmetic, per launch"));
    for (const std::string precision : {"fp64", "fp32"}) {
        quantity(q, precision + "_flops");
        rate(q, precision + "_flops_per_s", precision + "_utilisation_ratio");
    }
    quantity(q, "fp16_flops_upper_bound");
    rate(q, "fp16_flops_per_s_upper_bound", "fp16_utilisation_ratio");
    for (const TensorWork* work : tensorWork(q)) {
        const QString name = arithmeticText(work->type);
        row(tr("%1 operations").arg(name), text(*work->operations, work->type),
            howText(work->operations));
        const QString rateName = tr("%1 rate").arg(name);
        row(rateName, work->rate.has() ? text(*work->rate, work->type) : missingText(),
            howText(work->rate));
        derived(tr("%1, of the roof").arg(rateName), work->utilisation);
    }
    quantities(q,
               {"tensor_pipe_utilisation_ratio", "issue_utilisation_ratio", "active_lanes_ratio"});
}

void PropertyModel::addClocks(const Quantities& q) {
    section(tr("Clocks"));
    quantities(q, {"sm_clock_hz", "dram_clock_hz"});
}

QVariant PropertyModel::cell(const At& at, int column, int role) const {
    const Row& row = m_rows[static_cast<std::size_t>(at.row)];
    if (role == SectionRole) return row.section;
    const bool text = role == Qt::DisplayRole || role == Qt::ToolTipRole;
    return text ? row.cells[column] : QVariant();
}

bool PropertyModel::isSelectable(const At& at) const {
    return !m_rows[static_cast<std::size_t>(at.row)].section;
}

}  // namespace roofscope::gui
