// SPDX-License-Identifier: Apache-2.0
#include "gui/models/counter_table_model.h"

#include <algorithm>
#include <cmath>

#include "analyzer/peak_share.h"
#include "gui/models/counter_unit.h"
#include "gui/models/number_text.h"
#include "gui/models/shown_text.h"

namespace roofscope::gui {
namespace {

double medianOf(std::vector<double>& values) {
    const std::size_t middle = values.size() / 2;
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(middle), values.end());
    if (values.size() % 2 == 1) return values[middle];
    const double below = *std::max_element(values.begin(), values.begin() + std::ptrdiff_t(middle));
    return (below + values[middle]) / 2;
}

QVariant number(const std::optional<double>& value) {
    return value ? QVariant(*value) : QVariant();
}

}  // namespace

void CounterTableModel::setKernel(std::shared_ptr<const Analysis> analysis,
                                  std::optional<std::size_t> kernel) {
    beginResetModel();
    m_rows.clear();
    if (analysis && analysis->profile && kernel && *kernel < analysis->kernels.size()) {
        const CounterTable& counters = analysis->profile->counters;
        const std::vector<std::uint32_t>& launches = analysis->kernels[*kernel].group.launches;
        const std::uint32_t device = analysis->kernels[*kernel].group.device;
        const Device& gpu = analysis->profile->devices[device];
        if (!m_chip || m_chipName != gpu.chip) {
            auto table = chipTable(gpu.chip, gpu.computeMajor, gpu.computeMinor);
            m_chip = table.ok() ? std::optional(std::move(*table)) : std::nullopt;
            m_chipName = gpu.chip;
        }
        std::vector<double> values;
        for (const std::string& name : counters.names()) {
            values = counters.column(name).at(launches);
            std::erase_if(values, [](double value) { return !std::isfinite(value); });
            Row row{.name = shownText(name),
                    .unit = counterUnit(shownText(name)),
                    .median = {},
                    .min = {},
                    .max = {},
                    .peak = {},
                    .measured = values.size(),
                    .launches = launches.size()};
            if (!values.empty()) {
                const auto [min, max] = std::minmax_element(values.begin(), values.end());
                row.min = *min;
                row.max = *max;
                row.median = medianOf(values);
                row.peak = peakShare(*analysis->profile, m_chip ? &*m_chip : nullptr, device,
                                     launches, name);
            }
            m_rows.push_back(std::move(row));
        }
    }
    endResetModel();
}

int CounterTableModel::rows() const { return static_cast<int>(m_rows.size()); }

int CounterTableModel::columns() const { return kCounterColumns; }

QVariant CounterTableModel::cell(const At& at, int index, int role) const {
    const Row& row = m_rows[static_cast<std::size_t>(at.row)];
    const auto column = static_cast<CounterTableColumn>(index);
    switch (role) {
        case Qt::DisplayRole:
            switch (column) {
                case CounterTableColumn::Name:
                    return row.name;
                case CounterTableColumn::Median:
                    return text(row.median);
                case CounterTableColumn::Min:
                    return text(row.min);
                case CounterTableColumn::Max:
                    return text(row.max);
                case CounterTableColumn::Unit:
                    return row.unit;
                case CounterTableColumn::Peak:
                    return row.peak.has() ? text(*row.peak) : QString();
                case CounterTableColumn::Measured:
                    return tr("%1 of %2").arg(row.measured).arg(row.launches);
            }
            return {};
        case SortRole:
            switch (column) {
                case CounterTableColumn::Name:
                    return row.name;
                case CounterTableColumn::Median:
                    return number(row.median);
                case CounterTableColumn::Min:
                    return number(row.min);
                case CounterTableColumn::Max:
                    return number(row.max);
                case CounterTableColumn::Unit:
                    return row.unit;
                case CounterTableColumn::Peak:
                    return row.peak.has() ? QVariant(row.peak->value) : QVariant();
                case CounterTableColumn::Measured:
                    return double(row.measured);
            }
            return {};
        case Qt::ToolTipRole:
            if (column == CounterTableColumn::Peak && row.peak.has())
                return shownText(row.peak.how.str());
            return row.measured == 0 ? tr("%1 was not measured for this kernel").arg(row.name)
                                     : row.name;
        default:
            return {};
    }
}

bool CounterTableModel::isText(int column) const {
    return column == int(CounterTableColumn::Name) || column == int(CounterTableColumn::Unit) ||
           column == int(CounterTableColumn::Measured);
}

QVariant CounterTableModel::header(int section, int role) const {
    const bool tip = role == Qt::ToolTipRole;
    switch (static_cast<CounterTableColumn>(section)) {
        case CounterTableColumn::Name:
            return tip ? tr("The counter as CUPTI names it") : tr("Counter");
        case CounterTableColumn::Median:
            return tip ? tr("Median over the launches of this kernel") : tr("Median");
        case CounterTableColumn::Min:
            return tip ? tr("Smallest value of a launch") : tr("Min");
        case CounterTableColumn::Max:
            return tip ? tr("Largest value of a launch") : tr("Max");
        case CounterTableColumn::Unit:
            return tip ? tr("What the value counts") : tr("Unit");
        case CounterTableColumn::Peak:
            return tip ? tr("Share of what the unit can do at its clock, over all launches; empty "
                            "where the peak is not known")
                       : tr("Of peak");
        case CounterTableColumn::Measured:
            return tip ? tr("How many launches have a value, of all that this kernel has")
                       : tr("Launches measured");
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
    return std::all_of(m_words.begin(), m_words.end(), [&](const QString& word) {
        return haystack.contains(word, Qt::CaseInsensitive);
    });
}

}  // namespace roofscope::gui
