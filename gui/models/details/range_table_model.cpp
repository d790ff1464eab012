// SPDX-License-Identifier: Apache-2.0
#include "gui/models/details/range_table_model.h"

#include "analyzer/ranges/ranges.h"
#include "gui/models/kernels/shown_quantity.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/language/term_words.h"

namespace roofscope::gui {
namespace {

/// The data of a cell: display text, sort key (invalid when missing) and tooltip.
struct Cell {
    QString shown;
    QVariant sort;
    QString tip;
};

/// The catalogue quantity that a column shows; for the columns from DramBytes on.
const ShownQuantity& quantityOf(RangeColumn column) {
    static const ShownQuantity kQuantities[] = {ShownQuantity("dram_bytes"),
                                                ShownQuantity("dram_bytes_per_s"),
                                                ShownQuantity("dram_utilisation_ratio"),
                                                ShownQuantity("l2_bytes_per_s"),
                                                ShownQuantity("l2_utilisation_ratio"),
                                                ShownQuantity("fp32_flops_per_s"),
                                                ShownQuantity("fp64_flops_per_s"),
                                                ShownQuantity("tensor_pipe_utilisation_ratio")};
    constexpr int kFirst = static_cast<int>(RangeColumn::DramBytes);
    static_assert(kRangeColumns - kFirst == std::size(kQuantities));
    return kQuantities[static_cast<int>(column) - kFirst];
}

}  // namespace

RangeTableModel::RangeTableModel(QObject* parent)
    : CellModel({{tr("Range"), tr("NVTX ranges, outermost first"), Texts},
                 {tr("GPU"), tr("Number of the GPU that it ran on")},
                 {tr("Occurrences"), tr("How often the range was pushed and measured")},
                 {tr("Launches each"), tr("Kernels launched by any thread during one occurrence")},
                 {tr("Time each"), tr("Mean time from the start of the first kernel to the end of "
                                      "the last, over the same occurrences as rates and shares")},
                 {tr("Total time"), tr("Over all occurrences")},
                 {tr("GPU busy"), tr("Share of the time in which a kernel of the range ran. "
                                     "Tracing the launches lengthens each gap by 10 to 40 µs")}},
                parent) {
    for (int i = int(RangeColumn::DramBytes); i < kRangeColumns; ++i) {
        const auto column = static_cast<RangeColumn>(i);
        const QString label = quantityOf(column).label();
        if (column == RangeColumn::DramShare || column == RangeColumn::L2Share)
            m_headings.push_back({tr("%1 share").arg(label), tr("Of the theoretical roof")});
        else if (column == RangeColumn::Tensor)
            m_headings.push_back({label, tr("Share of the time that the tensor pipe is busy")});
        else if (column == RangeColumn::DramBytes)
            m_headings.push_back({label, tr("Per occurrence")});
        else
            m_headings.push_back({label, tr("Per time of the range")});
    }
}

void RangeTableModel::setAnalysis(std::shared_ptr<const Analysis> analysis) {
    beginResetModel();
    m_analysis = std::move(analysis);
    endResetModel();
}

int RangeTableModel::rows() const {
    return m_analysis ? static_cast<int>(m_analysis->ranges.size()) : 0;
}

QVariant RangeTableModel::cell(const At& at, int index, int role) const {
    const RangeAnalysis& range = m_analysis->ranges[static_cast<std::size_t>(at.row)];
    const Quantities& q = range.quantities;
    const auto column = static_cast<RangeColumn>(index);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != SortRole) return {};

    const auto time = [&](const DurationStats& d, Seconds seconds) -> Cell {
        if (d.count == 0) return {missingText(), {}, tr("no duration was measured")};
        return {text(seconds), seconds.value,
                tr("%1 to %2 over %3; %4")
                    .arg(text(d.min), text(d.max),
                         counted(d.count, tr("%1 occurrence"), tr("%1 occurrences")),
                         shownText(durationSourceWords(d.source, shownLanguage())))};
    };
    // Without any counters, say so instead of naming the counters this quantity lacks.
    const auto counter = [&](const ShownQuantity& quantity) -> Cell {
        if (range.counted == 0)
            return {missingText(), {}, tr("no occurrence of this range has counters")};
        return {quantity.text(q), sortKey(quantity.of(q).value), quantity.how(q)};
    };
    const auto value = [&]() -> Cell {
        switch (column) {
            case RangeColumn::Name: {
                const QString name = shownText(range.name);
                return {name, name, name};
            }
            case RangeColumn::Device: {
                const auto& devices = m_analysis->profile->devices;
                return {QString::number(range.device), range.device,
                        range.device < devices.size() ? shownText(devices[range.device].name)
                                                      : QString()};
            }
            case RangeColumn::Occurrences: {
                const QString all = text(double(range.occurrences));
                const auto sort = QVariant::fromValue<qulonglong>(range.occurrences);
                QString tip = range.counted == range.occurrences
                                  ? tr("all with counters")
                                  : tr("%1 of them with counters").arg(text(double(range.counted)));
                if (range.slow > 0)
                    tip += tr("; %1 outliers (more than twice the median of the others) are left "
                              "out of \"Time each\", rates and shares")
                               .arg(text(double(range.slow)));
                return {all, sort, tip};
            }
            case RangeColumn::Launches: {
                if (!range.mostLaunches || !range.fewestLaunches)
                    return {missingText(), {}, tr("the launches could not be counted")};
                const QString most = text(double(*range.mostLaunches));
                const auto sort = QVariant::fromValue<qulonglong>(*range.mostLaunches);
                if (range.fewestLaunches == range.mostLaunches) return {most, sort, {}};
                return {QStringLiteral("%1–%2").arg(text(double(*range.fewestLaunches)), most),
                        sort, tr("fewest and most launches in one occurrence")};
            }
            case RangeColumn::Duration:
                return time(q.duration, meanTime(range).value.value_or(Seconds{}));
            case RangeColumn::Total:
                return time(range.duration, range.duration.total);
            case RangeColumn::Busy:
                return {text(range.busy),
                        range.busy.has() ? QVariant(range.busy->value) : QVariant(),
                        howText(range.busy)};
            default:
                return counter(quantityOf(column));
        }
    }();
    if (role == SortRole) return value.sort;
    if (role == Qt::ToolTipRole) return value.tip;
    return value.shown;
}

}  // namespace roofscope::gui
