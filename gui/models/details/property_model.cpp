// SPDX-License-Identifier: Apache-2.0
#include "gui/models/details/property_model.h"

#include "analyzer/launches/grouping.h"
#include "analyzer/roofline/roofline.h"
#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/kernels/shown_quantity.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/findings/kernel_facts.h"

namespace roofscope::gui {

PropertyModel::PropertyModel(QObject* parent)
    : CellModel(
          {{tr("Property"), tr("What is known of the kernel and its launches"), Texts},
           {tr("Value"), tr("Of one launch, unless it says otherwise; – is not measured"), Texts},
           {tr("How it was obtained"), tr("Counters and formula, or why there is no value"),
            Texts}},
          parent) {}

void PropertyModel::setKernel(std::shared_ptr<const Analysis> analysis,
                              std::optional<std::size_t> kernel) {
    beginResetModel();
    m_rows.clear();
    if (analysis && analysis->profile && kernel && *kernel < analysis->kernels.size())
        addKernel(*analysis->profile, analysis->kernels[*kernel]);
    endResetModel();
}

void PropertyModel::addKernel(const Profile& profile, const KernelAnalysis& kernel) {
    const LaunchGroup& group = kernel.group;
    const Quantities& q = kernel.quantities;
    const Occupancy& occupancy = q.occupancy;
    const auto string = [](const std::string& s) { return shownText(s); };
    const auto derived = [this](const QString& name, const auto& value) {
        row(name, text(value), howText(value));
    };
    const auto quantity = [&](const std::string& key) {
        const ShownQuantity one(key);
        row(one.label(), one.text(q), one.how(q));
    };
    // A rate, and its share of the roof.
    const auto rate = [&](const std::string& key, const std::string& shareKey) {
        quantity(key);
        const ShownQuantity share(shareKey);
        row(tr("%1, of the roof").arg(ShownQuantity(key).label()), share.text(q), share.how(q));
    };

    section(tr("Kernel"));
    row(tr("Name"), string(kernel.fullName));
    if (!kernel.range.empty()) row(tr("NVTX range"), string(kernel.range));
    if (group.device < profile.devices.size()) {
        const Device& device = profile.devices[group.device];
        QString name = string(device.name);
        if (profile.devices.size() > 1) {
            const auto devices = devicesOf(profile, group);
            const QString numbers = QString::fromStdString(deviceNumbers(devices));
            name = (devices.size() > 1 ? tr("%1 (GPUs %2)") : tr("%1 (GPU %2)")).arg(name, numbers);
        }
        row(tr("Device"), name,
            tr("%1, %2 SMs").arg(string(device.chip), QString::number(device.smCount)));
    }
    row(tr("Launches"), text(double(group.launches.size())));
    row(tr("Verdict"), verdictText(kernel.verdict), string(verdictReason(kernel, shownLanguage())));

    section(tr("Time"));
    if (q.duration.count > 0) {
        const QString source =
            q.duration.unprofiled ? tr("timing run, without counters") : tr("counter run");
        row(tr("Per launch, median"), text(q.duration.median), source);
        row(tr("Per launch, shortest to longest"),
            tr("%1 to %2").arg(text(q.duration.min), text(q.duration.max)), source);
        row(tr("Total"), text(q.duration.total), source);
    } else {
        row(tr("Per launch, median"), missingText(), tr("no duration was measured"));
    }
    derived(tr("Share of GPU time"), kernel.timeShare);
    derived(kernel.verdict.headroomFrom.empty() ? tr("Headroom, with the same work")
                                                : tr("Headroom, by the first finding"),
            kernel.verdict.headroom);

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

    section(tr("Occupancy"));
    quantity("resident_blocks_per_sm");
    quantity("occupancy_theoretical_ratio");
    quantity("occupancy_achieved_ratio");
    const std::string limiter = limiterWords(occupancy.limiter, shownLanguage());
    row(tr("Limited by"), limiter.empty() ? missingText() : string(limiter),
        string(occupancy.nextStep.in(shownLanguage())));
    quantity("waves");
    quantity("wave_efficiency_ratio");

    section(tr("Memory, per launch"));
    for (const std::string level : {"dram", "l2", "l1", "shared"}) {
        quantity(level + "_bytes");
        rate(level + "_bytes_per_s", level + "_utilisation_ratio");
    }
    for (const char* key : {"global_load_efficiency_ratio", "global_store_efficiency_ratio",
                            "shared_excess_certain_ratio", "shared_excess_possible_ratio"})
        quantity(key);

    section(tr("Arithmetic, per launch"));
    for (const std::string precision : {"fp64", "fp32"}) {
        quantity(precision + "_flops");
        rate(precision + "_flops_per_s", precision + "_utilisation_ratio");
    }
    quantity("fp16_flops_upper_bound");
    rate("fp16_flops_per_s_upper_bound", "fp16_utilisation_ratio");
    for (const TensorWork* work : tensorWork(q)) {
        const QString name = arithmeticText(work->type);
        row(tr("%1 operations").arg(name), text(*work->operations, work->type),
            howText(work->operations));
        const QString rateName = tr("%1 rate").arg(name);
        row(rateName, work->rate.has() ? text(*work->rate, work->type) : missingText(),
            howText(work->rate));
        derived(tr("%1, of the roof").arg(rateName), work->utilisation);
    }
    for (const char* key :
         {"tensor_pipe_utilisation_ratio", "issue_utilisation_ratio", "active_lanes_ratio"})
        quantity(key);

    section(tr("Clocks"));
    quantity("sm_clock_hz");
    quantity("dram_clock_hz");
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
