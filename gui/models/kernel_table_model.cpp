// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernel_table_model.h"

#include "gui/models/kernel_facts.h"
#include "gui/models/number_text.h"
#include "reports/kernel_facts.h"

namespace roofscope::gui {
namespace {

QString display(const KernelAnalysis& kernel, KernelColumn column) {
    switch (column) {
        case KernelColumn::Name:
            return QString::fromStdString(kernel.name);
        case KernelColumn::Launches:
            return text(double(kernel.group.launches.size()));
        case KernelColumn::TotalTime:
            return text(totalTime(kernel));
        case KernelColumn::Share:
            return text(kernel.timeShare);
        case KernelColumn::Verdict:
            return verdictText(kernel.verdict);
        case KernelColumn::DramBandwidth:
            return text(dramBandwidth(kernel));
        case KernelColumn::Intensity:
            return text(dramIntensity(kernel));
        case KernelColumn::Coalescing:
            return text(worseCoalescing(kernel));
        case KernelColumn::Conflict:
            return text(conflictShare(kernel));
        case KernelColumn::Occupancy:
            return text(kernel.quantities.occupancy.achieved);
    }
    return {};
}

template <class T>
QVariant number(const std::optional<T>& value) {
    return value ? QVariant(value->value) : QVariant();
}

QVariant sortKey(const KernelAnalysis& kernel, KernelColumn column) {
    switch (column) {
        case KernelColumn::Name:
            return QString::fromStdString(kernel.name);
        case KernelColumn::Launches:
            return double(kernel.group.launches.size());
        case KernelColumn::TotalTime:
            return number(totalTime(kernel));
        case KernelColumn::Share:
            return number(kernel.timeShare.value);
        case KernelColumn::Verdict:
            return verdictText(kernel.verdict);
        case KernelColumn::DramBandwidth:
            return number(dramBandwidth(kernel).value);
        case KernelColumn::Intensity:
            return number(dramIntensity(kernel));
        case KernelColumn::Coalescing:
            return number(worseCoalescing(kernel).value);
        case KernelColumn::Conflict:
            return number(conflictShare(kernel).value);
        case KernelColumn::Occupancy:
            return number(kernel.quantities.occupancy.achieved.value);
    }
    return {};
}

QVariant share(const KernelAnalysis& kernel, KernelColumn column) {
    switch (column) {
        case KernelColumn::Share:
            return number(kernel.timeShare.value);
        case KernelColumn::DramBandwidth:
            return number(dramUtilisation(kernel).value);
        case KernelColumn::Coalescing:
            return number(worseCoalescing(kernel).value);
        case KernelColumn::Conflict:
            return number(conflictShare(kernel).value);
        case KernelColumn::Occupancy:
            return number(kernel.quantities.occupancy.achieved.value);
        default:
            return {};
    }
}

/// "label: value" and below it how the value was obtained.
template <class T>
QString line(const QString& label, const Derived<T>& derived) {
    const QString how = howText(derived);
    return how.isEmpty() ? QStringLiteral("%1: %2").arg(label, text(derived))
                         : QStringLiteral("%1: %2 — %3").arg(label, text(derived), how);
}

QString tooltip(const KernelAnalysis& kernel, KernelColumn column) {
    const Quantities& q = kernel.quantities;
    const auto tr = [](const char* source) { return KernelTableModel::tr(source); };
    switch (column) {
        case KernelColumn::Name: {
            QString tip = QString::fromStdString(kernel.fullName) + QLatin1Char('\n') +
                          launchShapeText(kernel.group);
            if (!kernel.range.empty())
                tip += QLatin1Char('\n') +
                       tr("NVTX range: %1").arg(QString::fromStdString(kernel.range));
            return tip;
        }
        case KernelColumn::Launches:
            return tr("Launches with this kernel, device, launch shape and NVTX range");
        case KernelColumn::TotalTime:
            if (q.duration.count == 0) return tr("No duration was measured");
            return tr("%1 per launch (median of %2, %3 to %4), %5")
                .arg(
                    text(q.duration.median), text(double(q.duration.count)), text(q.duration.min),
                    text(q.duration.max),
                    q.duration.unprofiled ? tr("from the timing run") : tr("from the counter run"));
        case KernelColumn::Share:
            return line(tr("Share of all measured GPU time"), kernel.timeShare);
        case KernelColumn::Verdict:
            return QString::fromStdString(verdictReason(kernel.verdict, Language::En));
        case KernelColumn::DramBandwidth:
            return line(tr("Achieved DRAM bandwidth"), dramBandwidth(kernel)) + QLatin1Char('\n') +
                   line(tr("Share of the theoretical roof"), dramUtilisation(kernel));
        case KernelColumn::Intensity:
            return tr(
                "Operations per byte moved to and from DRAM, in the precision with the most "
                "operations");
        case KernelColumn::Coalescing:
            return line(tr("Global loads"), q.loads.efficiency) + QLatin1Char('\n') +
                   line(tr("Global stores"), q.stores.efficiency) + QLatin1Char('\n') +
                   tr("Bytes requested per byte moved; the lower one is shown. Low is no fault "
                      "when "
                      "all threads of a warp read the same address.");
        case KernelColumn::Conflict:
            return line(tr("Shared-memory wavefronts beyond the ideal, certain"),
                        q.shared.excessCertain) +
                   QLatin1Char('\n') + line(tr("At most"), q.shared.excessPossible);
        case KernelColumn::Occupancy:
            return line(tr("Achieved occupancy"), q.occupancy.achieved) + QLatin1Char('\n') +
                   line(tr("Theoretical occupancy"), q.occupancy.theoretical);
    }
    return {};
}

}  // namespace

void KernelTableModel::setAnalysis(std::shared_ptr<const Analysis> analysis) {
    beginResetModel();
    m_analysis = std::move(analysis);
    endResetModel();
}

const KernelAnalysis& KernelTableModel::kernel(int row) const {
    return m_analysis->kernels.at(static_cast<std::size_t>(row));
}

int KernelTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !m_analysis ? 0 : static_cast<int>(m_analysis->kernels.size());
}

int KernelTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kKernelColumns;
}

QVariant KernelTableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const KernelAnalysis& row = kernel(index.row());
    const auto column = static_cast<KernelColumn>(index.column());
    switch (role) {
        case Qt::DisplayRole:
            return display(row, column);
        case Qt::ToolTipRole:
            return tooltip(row, column);
        case Qt::TextAlignmentRole:
            return column == KernelColumn::Name || column == KernelColumn::Verdict
                       ? int(Qt::AlignLeft | Qt::AlignVCenter)
                       : int(Qt::AlignRight | Qt::AlignVCenter);
        case SortRole:
            return sortKey(row, column);
        case ShareRole:
            return share(row, column);
        case KernelIndexRole:
            return index.row();
        default:
            return {};
    }
}

QVariant KernelTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kKernelColumns) return {};
    const auto column = static_cast<KernelColumn>(section);
    if (role == Qt::TextAlignmentRole)
        return column == KernelColumn::Name || column == KernelColumn::Verdict
                   ? int(Qt::AlignLeft | Qt::AlignVCenter)
                   : int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (column) {
        case KernelColumn::Name:
            return tr("Kernel");
        case KernelColumn::Launches:
            return tr("Launches");
        case KernelColumn::TotalTime:
            return tr("Total time");
        case KernelColumn::Share:
            return tr("Share");
        case KernelColumn::Verdict:
            return tr("Verdict");
        case KernelColumn::DramBandwidth:
            return tr("DRAM");
        case KernelColumn::Intensity:
            return tr("Intensity");
        case KernelColumn::Coalescing:
            return tr("Coalescing");
        case KernelColumn::Conflict:
            return tr("Conflict");
        case KernelColumn::Occupancy:
            return tr("Occupancy");
    }
    return {};
}

}  // namespace roofscope::gui
