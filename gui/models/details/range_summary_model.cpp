// SPDX-License-Identifier: Apache-2.0
#include "gui/models/details/range_summary_model.h"

#include <unordered_set>

#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_text.h"

namespace roofscope::gui {

RangeSummaryModel::RangeSummaryModel(QObject* parent)
    : CellModel({{tr("Range"), tr("NVTX ranges, outermost first"), Texts},
                 {tr("Occurrences"), tr("How often it was pushed, in all threads")},
                 {tr("Total"), tr("On the CPU, from push to pop, over all occurrences")},
                 {tr("Mean"), tr("Of one occurrence on the CPU")},
                 {tr("Median"), tr("Of one occurrence on the CPU")},
                 {tr("Shortest"), tr("Occurrence on the CPU")},
                 {tr("Longest"), tr("Occurrence on the CPU; a double click on the row shows it in "
                                    "the timeline")},
                 {tr("GPU time"), tr("How long the GPU worked, from the first to the last work "
                                     "issued in an occurrence, over all occurrences")},
                 {tr("GPU idle"), tr("How long the GPU was idle in the same time")},
                 {tr("Idle share"), tr("Idle time as a share of both")}},
                parent) {}

std::size_t RangeSummaryModel::countOf(const Analysis& analysis) {
    std::unordered_set<std::uint32_t> ranges;
    for (const RangeSpan& span : analysis.profile->timeline.ranges) ranges.insert(span.range);
    return ranges.size();
}

void RangeSummaryModel::setAnalysis(const std::shared_ptr<const Analysis>& analysis) {
    beginResetModel();
    m_analysis = analysis;
    m_ranges = analysis ? summarizeRanges(*analysis->profile) : std::vector<RangeSummary>();
    endResetModel();
}

QVariant RangeSummaryModel::cell(const At& at, int index, int role) const {
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != SortRole) return {};
    const RangeSummary& range = m_ranges[static_cast<std::size_t>(at.row)];
    const auto column = static_cast<SummaryColumn>(index);
    const auto time = [role](Seconds seconds, const QString& tip = {}) {
        return role == SortRole          ? QVariant(seconds.value)
               : role == Qt::ToolTipRole ? QVariant(tip)
                                         : QVariant(text(seconds));
    };
    const auto onGpu = [&](auto shown, double sort) -> QVariant {
        if (range.onGpu == 0)
            return role == SortRole          ? QVariant()
                   : role == Qt::ToolTipRole ? QVariant(tr("It gave the GPU no work"))
                                             : QVariant(missingText());
        if (role == SortRole) return sort;
        if (role == Qt::ToolTipRole)
            return range.onGpu == range.count
                       ? QString()
                       : tr("%1 of %2 occurrences gave the GPU work")
                             .arg(text(double(range.onGpu)), text(double(range.count)));
        return text(shown);
    };
    switch (column) {
        case SummaryColumn::Name:
            return shownText(m_analysis->profile->ranges[range.range]);
        case SummaryColumn::Count:
            if (role == Qt::ToolTipRole) return {};
            return role == SortRole ? QVariant::fromValue<qulonglong>(range.count)
                                    : QVariant(text(double(range.count)));
        case SummaryColumn::Total:
            return time(range.total);
        case SummaryColumn::Mean:
            return time(range.mean());
        case SummaryColumn::Median:
            return time(range.median);
        case SummaryColumn::Shortest:
            return time(range.shortest);
        case SummaryColumn::Longest:
            return time(range.longest, tr("Double click: show it in the timeline"));
        case SummaryColumn::Gpu:
            return onGpu(range.gpu, range.gpu.value);
        case SummaryColumn::Idle:
            return onGpu(range.idle, range.idle.value);
        case SummaryColumn::IdleShare: {
            const Seconds both = range.gpu + range.idle;
            const Ratio share{both.value > 0 ? range.idle / both : 0.0};
            return onGpu(share, share.value);
        }
    }
    return {};
}

}  // namespace roofscope::gui
