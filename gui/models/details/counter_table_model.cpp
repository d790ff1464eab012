// SPDX-License-Identifier: Apache-2.0
#include "gui/models/details/counter_table_model.h"

#include <algorithm>

#include "analyzer/counters/peak_share.h"
#include "gui/models/kernels/counter_unit.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_text.h"

namespace roofscope::gui {
CounterTableModel::CounterTableModel(QObject* parent)
    : CellModel({{tr("Counter"), tr("The counter as CUPTI names it"), Texts},
                 {tr("Median"), tr("Median over the launches of this kernel")},
                 {tr("Baseline"), tr("Median over the launches of this kernel in the baseline")},
                 {tr("Change"), tr("Median compared with the baseline; grey: the ranges of both "
                                   "overlap, or there is nothing to compare")},
                 {tr("Min"), tr("Smallest value of a launch")},
                 {tr("Max"), tr("Largest value of a launch")},
                 {tr("Unit"), tr("What the value counts"), Texts},
                 {tr("Of peak"), tr("Share of the unit's peak at its clock, over all launches; "
                                    "empty if the peak is unknown")},
                 {tr("Launches measured"),
                  tr("Launches with a value, of all launches of this kernel"), Texts}},
                parent) {}

std::optional<double> CounterTableModel::Row::change() const {
    if (!values.median || !before.median || *before.median == 0) return std::nullopt;
    return *values.median / *before.median - 1;
}

bool CounterTableModel::Row::valueRangesOverlap() const {
    return values.min && before.min && *values.min <= *before.max && *before.min <= *values.max;
}

void CounterTableModel::setKernel(std::shared_ptr<const Analysis> analysis,
                                  std::optional<std::size_t> kernel,
                                  const CounterpartKernel& before) {
    beginResetModel();
    m_rows.clear();
    if (analysis && analysis->profile && kernel && *kernel < analysis->kernels.size()) {
        const LaunchGroup& group = analysis->kernels[*kernel].group;
        const Device& gpu = analysis->profile->devices[group.device];
        if (!m_chip || m_chipName != gpu.chip) {
            auto table = chipTable(gpu);
            m_chip = table.ok() ? std::optional(std::move(*table)) : std::nullopt;
            m_chipName = gpu.chip;
        }
        for (const std::string& name : analysis->profile->counters.names()) {
            Row row{.counter = name,
                    .name = shownText(name),
                    .unit = counterUnit(shownText(name)),
                    .values = counterValues(*analysis->profile, group, name),
                    .launches = group.launches.size(),
                    .sameGpu = before.sameGpu};
            if (row.values.measured > 0)
                row.peak = peakShare(*analysis->profile, m_chip ? &*m_chip : nullptr, group.device,
                                     group.launches, name);
            if (before.analysis)
                row.before = counterValues(*before.analysis->profile,
                                           before.analysis->kernels[before.kernel].group, name);
            m_rows.push_back(std::move(row));
        }
    }
    endResetModel();
}

/// "+12.3 %". No good or bad colour: a larger counter value is not better or worse by itself.
QVariant CounterTableModel::changeCell(const Row& row, int role) const {
    const std::optional<double> change = row.change();
    switch (role) {
        case Qt::DisplayRole:
            if (!change) return missingText();
            return *change > 0 ? QStringLiteral("+") + text(Ratio{*change}) : text(Ratio{*change});
        case SortRole:
            return sortKey(change);
        case ToneRole:
            return int(!change || !row.sameGpu || row.valueRangesOverlap() ? Tone::Muted
                                                                           : Tone::Plain);
        case Qt::ToolTipRole:
            if (!change)
                return row.before.measured == 0 ? tr("Not measured in the baseline")
                                                : tr("Nothing was counted in the baseline");
            if (!row.sameGpu) return tr("%1: measured on different GPUs").arg(row.name);
            return row.valueRangesOverlap()
                       ? tr("%1: the ranges of both overlap").arg(row.name)
                       : tr("%1: outside the range of the baseline's launches").arg(row.name);
        default:
            return {};
    }
}

QVariant CounterTableModel::cell(const At& at, int index, int role) const {
    const Row& row = m_rows[static_cast<std::size_t>(at.row)];
    const auto column = static_cast<CounterTableColumn>(index);
    if (role == CounterRole) return QString::fromStdString(row.counter);
    if (column == CounterTableColumn::Change) return changeCell(row, role);
    if (role == ToneRole && column == CounterTableColumn::Baseline && !row.sameGpu)
        return int(Tone::Muted);
    if (role == Qt::ToolTipRole) {
        if (column == CounterTableColumn::Peak && row.peak.has())
            return shownText(row.peak.how.str());
        return row.values.measured == 0 ? tr("%1 was not measured for this kernel").arg(row.name)
                                        : row.name;
    }
    const bool sort = role == SortRole;
    if (role != Qt::DisplayRole && !sort) return {};
    const auto number = [&](const std::optional<double>& value) {
        return sort ? sortKey(value) : QVariant(text(value));
    };
    switch (column) {
        case CounterTableColumn::Name:
            return row.name;
        case CounterTableColumn::Median:
            return number(row.values.median);
        case CounterTableColumn::Baseline:
            return number(row.before.median);
        case CounterTableColumn::Min:
            return number(row.values.min);
        case CounterTableColumn::Max:
            return number(row.values.max);
        case CounterTableColumn::Unit:
            return row.unit;
        case CounterTableColumn::Peak:
            if (!row.peak.has()) return sort ? QVariant() : QVariant(QString());
            return sort ? QVariant(row.peak->value) : QVariant(text(*row.peak));
        case CounterTableColumn::Measured:
            return sort ? QVariant(double(row.values.measured))
                        : QVariant(tr("%1 of %2")
                                       .arg(text(double(row.values.measured)),
                                            text(double(row.launches))));
        case CounterTableColumn::Change:
            break;
    }
    return {};
}

void CounterFilterModel::setSearch(const QString& words) {
    m_words = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

bool CounterFilterModel::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const auto cell = [&](CounterTableColumn column) {
        return sourceModel()->index(row, int(column), parent).data(Qt::DisplayRole).toString();
    };
    const QString haystack =
        cell(CounterTableColumn::Name) + QLatin1Char(' ') + cell(CounterTableColumn::Unit);
    return std::ranges::all_of(
        m_words, [&](const QString& word) { return haystack.contains(word, Qt::CaseInsensitive); });
}

}  // namespace roofscope::gui
