// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/kernel_table_model.h"

#include "gui/models/kernels/counter_values.h"
#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/kernels/shown_quantity.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/compare/words.h"
#include "reports/findings/kernel_facts.h"
#include "reports/language/number_format.h"

namespace roofscope::gui {
namespace {

/// The columns that show quantities of the catalogue.
const KernelWord* wordOf(KernelColumn column) {
    switch (column) {
        case KernelColumn::DramBandwidth:
            return &dramBandwidth();
        case KernelColumn::Coalescing:
            return &coalescing();
        case KernelColumn::Conflict:
            return &bankConflicts();
        case KernelColumn::Occupancy:
            return &occupancy();
        default:
            return nullptr;
    }
}

template <class T>
QVariant number(const std::optional<T>& value) {
    return value ? QVariant(value->value) : QVariant();
}
QVariant number(const std::optional<double>& value) {
    return value ? QVariant(*value) : QVariant();
}

template <class T>
QVariant number(const Derived<T>& derived) {
    return number(std::optional<T>(derived.value));
}
/// A number as it is shown, or as it is sorted by.
template <class T>
QVariant textOrKey(const T& value, bool sort) {
    return sort ? number(value) : QVariant(text(value));
}
QVariant shownOf(const KernelAnalysis& kernel, KernelColumn column, bool sort) {
    const Quantities& q = kernel.quantities;
    if (const KernelWord* word = wordOf(column))
        return sort ? number(word->value(q)) : QVariant(word->of(q).text(q));
    switch (column) {
        case KernelColumn::Name:
            return shownText(kernel.name);
        case KernelColumn::Launches:
            return textOrKey(double(kernel.group.launches.size()), sort);
        case KernelColumn::TotalTime:
            return textOrKey(totalTime(kernel), sort);
        case KernelColumn::Share:
            return textOrKey(kernel.timeShare, sort);
        case KernelColumn::Verdict:
            return verdictText(kernel.verdict);
        case KernelColumn::Intensity: {
            const auto point = dramPoint(kernel);
            if (sort) return number(dramIntensity(kernel));
            return point ? text(point->intensity, point->precision) : missingText();
        }
        default:
            return {};
    }
}
QVariant share(const KernelAnalysis& kernel, KernelColumn column) {
    if (const KernelWord* word = wordOf(column)) return number(word->shareOf(kernel.quantities));
    return column == KernelColumn::Share ? number(kernel.timeShare) : QVariant();
}

/// "label: value" and behind it how the value was obtained.
QString line(const QString& label, const QString& value, const QString& how) {
    return how.isEmpty() ? KernelTableModel::tr("%1: %2").arg(label, value)
                         : KernelTableModel::tr("%1: %2 — %3").arg(label, value, how);
}

/// A line for each quantity that a column stands for.
QString linesOf(const KernelWord& word, const Quantities& q) {
    QStringList lines;
    for (const auto* list : {&word.shown, &word.beside})
        for (const ShownQuantity& one : *list) lines << line(one.label(), one.text(q), one.how(q));
    if (word.share)
        lines << line(KernelTableModel::tr("Share of the theoretical roof"), word.share->text(q),
                      word.share->how(q));
    return lines.join(QLatin1Char('\n'));
}

QString tooltip(const KernelAnalysis& kernel, KernelColumn column) {
    const Quantities& q = kernel.quantities;
    switch (column) {
        case KernelColumn::Name: {
            QString tip =
                shownText(kernel.fullName) + QLatin1Char('\n') + launchShapeText(kernel.group);
            if (!kernel.range.empty())
                tip += QLatin1Char('\n') +
                       KernelTableModel::tr("NVTX range: %1").arg(shownText(kernel.range));
            return tip;
        }
        case KernelColumn::Launches:
            return KernelTableModel::tr(
                "Launches with this kernel, device, launch shape and NVTX range");
        case KernelColumn::TotalTime:
            if (q.duration.count == 0) return KernelTableModel::tr("No duration was measured");
            return KernelTableModel::tr("%1 per launch (median of %2, %3 to %4), %5")
                .arg(text(q.duration.median), text(double(q.duration.count)), text(q.duration.min),
                     text(q.duration.max),
                     q.duration.unprofiled ? KernelTableModel::tr("from the timing run")
                                           : KernelTableModel::tr("from the counter run"));
        case KernelColumn::Share:
            return line(KernelTableModel::tr("Share of all measured GPU time"),
                        text(kernel.timeShare), howText(kernel.timeShare));
        case KernelColumn::Verdict:
            return shownText(verdictReason(kernel, shownLanguage()));
        case KernelColumn::Intensity:
            return KernelTableModel::tr(
                "Operations per byte moved to and from DRAM, in the precision with the most "
                "operations");
        case KernelColumn::Coalescing:
            return linesOf(coalescing(), q) + QLatin1Char('\n') +
                   KernelTableModel::tr(
                       "Bytes requested per byte moved; the lower one is shown. Low is no fault "
                       "when all threads of a warp read the same address.");
        default:
            break;
    }
    const KernelWord* word = wordOf(column);
    return word ? linesOf(*word, q) : QString();
}

QString labelText(const KernelGroup& group) { return shownText(group.label.in(shownLanguage())); }

}  // namespace

KernelTableModel::KernelTableModel(QObject* parent)
    : CellModel(
          {{tr("Kernel"), tr("Kernels with one name, launch shape and NVTX range are one row"),
            Texts},
           {tr("Time"), tr("Sum over all launches")},
           {tr("Change"), tr("Duration per launch against the baseline; grey is not beyond noise")},
           {tr("Share"), tr("Share of all measured GPU time")},
           {tr("Verdict"), tr("What limits the kernel; the tooltip of a cell says why"), Texts},
           {tr("DRAM"),
            tr("Achieved DRAM bandwidth; the bar is its share of the theoretical roof")},
           {tr("Conflict"), tr("Shared-memory wavefronts that are certainly excess")},
           {tr("Coalescing"),
            tr("Bytes requested per byte moved, of global loads or stores: the lower")},
           {tr("Occupancy"),
            tr("Achieved occupancy: warps that are resident, of all that could be")},
           {tr("Intensity"), tr("Operations per byte moved to and from DRAM")},
           {tr("Launches"), tr("How often it was launched")},
           {tr("Counters that moved"), tr("Counters that changed beyond noise since the baseline"),
            Texts}},
          parent) {}

void KernelTableModel::setAnalysis(std::shared_ptr<const Analysis> analysis) {
    beginResetModel();
    m_analysis = std::move(analysis);
    m_baseline.reset();
    m_changes.clear();
    regroup();
    endResetModel();
}

void KernelTableModel::setBaseline(std::shared_ptr<const ReportBaseline> baseline) {
    if (!baseline && !m_baseline) return;  // a change of thousands of rows is filtered anew
    m_baseline = std::move(baseline);
    m_changes.assign(m_baseline ? kernelCount() : 0, nullptr);
    if (m_baseline)
        for (const KernelComparison& change : m_baseline->comparison.kernels)
            if (change.match.candidate < m_changes.size())
                m_changes[change.match.candidate] = &change;
    const auto changed = [this](const QModelIndex& parent) {
        const int rows = rowCount(parent);
        if (rows > 0)
            Q_EMIT dataChanged(index(0, 0, parent), index(rows - 1, columnCount() - 1, parent));
    };
    changed({});
    for (std::size_t i = 0; i < m_groups.size(); ++i) changed(index(int(i), 0));
}

void KernelTableModel::setCounters(const std::vector<std::string>& counters) {
    if (counters == m_counters) return;
    beginResetModel();
    m_counters = counters;
    m_headings.resize(kKernelColumns);
    for (const std::string& counter : counters) {
        const QString name = shownText(counter);
        m_headings.push_back({name, tr("%1: the median over a kernel's launches").arg(name)});
    }
    endResetModel();
}

void KernelTableModel::setGrouping(KernelGrouping grouping) {
    if (grouping == m_grouping) return;
    beginResetModel();
    m_grouping = grouping;
    regroup();
    endResetModel();
}

void KernelTableModel::regroup() {
    m_groups = m_analysis ? groupKernels(*m_analysis, m_grouping) : std::vector<KernelGroup>{};
    m_places.assign(m_groups.empty() ? 0 : kernelCount(), {0, 0});
    for (std::size_t group = 0; group < m_groups.size(); ++group)
        for (std::size_t row = 0; row < m_groups[group].kernels.size(); ++row)
            m_places[m_groups[group].kernels[row]] = {int(group), int(row)};
}

std::size_t KernelTableModel::kernelCount() const {
    return m_analysis ? m_analysis->kernels.size() : 0;
}

std::optional<std::size_t> KernelTableModel::kernelAt(const At& at) const {
    const auto row = static_cast<std::size_t>(at.row);
    if (at.child) return m_groups[row].kernels[static_cast<std::size_t>(*at.child)];
    return m_groups.empty() ? std::optional(row) : std::nullopt;
}

std::optional<std::size_t> KernelTableModel::kernelOf(const QModelIndex& index) const {
    return index.isValid() ? kernelAt(at(index)) : std::nullopt;
}

QModelIndex KernelTableModel::indexOf(std::size_t kernel) const {
    if (kernel >= kernelCount()) return {};
    if (m_groups.empty()) return indexAt({.row = int(kernel)});
    const auto [group, row] = m_places[kernel];
    return indexAt({.row = group, .child = row});
}

int KernelTableModel::rows() const {
    return int(m_groups.empty() ? kernelCount() : m_groups.size());
}

int KernelTableModel::children(int row) const {
    return m_groups.empty() ? 0 : int(m_groups[static_cast<std::size_t>(row)].kernels.size());
}

QVariant KernelTableModel::groupData(const KernelGroup& group, KernelColumn column,
                                     int role) const {
    const bool sort = role == SortRole;
    if (role == Qt::ToolTipRole) {
        if (column == KernelColumn::Name) return labelText(group);
        if (column == KernelColumn::TotalTime) return howText(group.total);
        if (column == KernelColumn::Share) return howText(group.timeShare);
        return {};
    }
    if (role == ShareRole)
        return column == KernelColumn::Share ? number(group.timeShare) : QVariant();
    if (role != Qt::DisplayRole && !sort) return {};
    switch (column) {
        case KernelColumn::Name: {
            const QString label = group.label.empty() ? tr("(no NVTX range)") : labelText(group);
            return sort ? label
                        : QStringLiteral("%1  (%2)")
                              .arg(label, QString::number(group.kernels.size()));
        }
        case KernelColumn::TotalTime:
            return textOrKey(group.total, sort);
        case KernelColumn::Share:
            return textOrKey(group.timeShare, sort);
        case KernelColumn::Launches:
            return textOrKey(double(group.launches), sort);
        default:
            return {};
    }
}

QVariant KernelTableModel::changeData(std::size_t kernel, KernelColumn column, int role) const {
    const auto tone = [](Tone value) { return QVariant(int(value)); };
    if (!m_baseline) return {};
    const KernelComparison* change = m_changes[kernel];
    if (!change) {
        if (role == ToneRole) return tone(Tone::Muted);
        if (role == Qt::ToolTipRole) return tr("The baseline has no such kernel");
        return role == Qt::DisplayRole && column == KernelColumn::Change ? QVariant(tr("new"))
                                                                         : QVariant();
    }
    using State = DurationChange::State;
    const DurationChange& duration = change->duration;
    if (column == KernelColumn::Moved) {
        const std::string words = compare_words::movedWords(*change, shownLanguage());
        if (role == ToneRole && words.empty()) return tone(Tone::Muted);
        if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != SortRole) return {};
        return words.empty()
                   ? QVariant(role == Qt::DisplayRole ? tr("nothing beyond noise") : QString())
                   : QVariant(shownText(words));
    }
    switch (role) {
        case Qt::DisplayRole:
            return shownText(compare_words::shortOutcome(duration, shownLanguage()));
        case SortRole:
            return duration.changed() || duration.state == State::WithinNoise ||
                           duration.state == State::NoiseUnknown
                       ? QVariant(duration.speedup())
                       : QVariant();
        case ToneRole:
            return tone(duration.state == State::Faster   ? Tone::Better
                        : duration.state == State::Slower ? Tone::Worse
                                                          : Tone::Muted);
        case Qt::ToolTipRole: {
            const compare_words::View view{m_baseline->comparison, *m_baseline->analysis,
                                           *m_analysis, shownLanguage()};
            QStringList lines{shownText(compare_words::outcomeInFull(duration, view.language)),
                              tr("from %1\nto %2")
                                  .arg(shownText(compare_words::side(
                                           duration.from, duration.fromBand, view.language)),
                                       shownText(compare_words::side(duration.to, duration.toBand,
                                                                     view.language)))};
            if (const std::string why = compare_words::cause(change->cause, view.language);
                !why.empty())
                lines << shownText(why);
            lines << tr("Compared with %1 (%2)")
                         .arg(shownText(view.from(*change).name),
                              shownText(change->match.how.in(shownLanguage())));
            return lines.join(QLatin1Char('\n'));
        }
        default:
            return {};
    }
}

QVariant KernelTableModel::counterData(std::size_t kernel, std::size_t counter, int role) const {
    const std::string& name = m_counters[counter];
    if (role != Qt::DisplayRole && role != SortRole && role != Qt::ToolTipRole) return {};
    const LaunchGroup& group = m_analysis->kernels[kernel].group;
    const CounterValues values = counterValues(*m_analysis->profile, group, name);
    if (role == SortRole) return sortKey(values.median);
    if (role == Qt::DisplayRole) return countText(values.median);
    return values.median ? tr("%1: %2, median of %3 of %4 launches")
                               .arg(shownText(name), text(*values.median))
                               .arg(values.measured)
                               .arg(group.launches.size())
                         : tr("%1 was not measured for this kernel").arg(shownText(name));
}

QVariant KernelTableModel::cell(const At& at, int index, int role) const {
    const auto column = static_cast<KernelColumn>(index);
    const std::optional<std::size_t> kernel = kernelAt(at);
    if (kernel && role != KernelIndexRole && index >= kKernelColumns)
        return counterData(*kernel, std::size_t(index - kKernelColumns), role);
    if (!kernel) return groupData(m_groups[static_cast<std::size_t>(at.row)], column, role);
    if (role == KernelIndexRole) return QVariant::fromValue(*kernel);
    if (needsBaseline(column)) return changeData(*kernel, column, role);
    const KernelAnalysis& row = m_analysis->kernels[*kernel];
    switch (role) {
        case Qt::DisplayRole:
        case SortRole:
            return shownOf(row, column, role == SortRole);
        case Qt::ToolTipRole:
            return tooltip(row, column);
        case ShareRole:
            return share(row, column);
        default:
            return {};
    }
}

}  // namespace roofscope::gui
