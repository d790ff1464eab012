// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/kernel_table_model.h"

#include <QCoreApplication>
#include <algorithm>

#include "gui/models/kernels/counter_unit.h"
#include "gui/models/kernels/counter_values.h"
#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/compare/words.h"

namespace roofscope::gui {
namespace {

QString translated(const char* text) { return QCoreApplication::translate("KernelColumn", text); }

/// The data of a cell. `subject` is a kernel or a group of kernels; `says` holds the column's
/// functions for it.
template <class Functions, class Subject>
QVariant cellOf(const ColumnRow& column, const Functions& says, const Subject& subject, int role) {
    const auto number = [&](const auto& of) {
        const std::optional<double> value = of ? of(subject) : std::nullopt;
        return value ? QVariant(*value) : QVariant();
    };
    const auto words = [&](const auto& of) { return of ? QVariant(of(subject)) : QVariant(); };
    switch (role) {
        case Qt::DisplayRole:
            return words(says.text);
        case CellModel::SortRole:
            return column.isText ? words(says.text) : number(says.number);
        case Qt::ToolTipRole:
            return words(says.tip);
        case CellModel::ShareRole:
            return number(says.share);
        default:
            return {};
    }
}

}  // namespace

KernelTableModel::KernelTableModel(QObject* parent) : CellModel({}, parent) {
    for (const ColumnRow& column : kernelColumns())
        m_headings.push_back({translated(column.heading), translated(column.meaning),
                              column.isText ? Texts : Numbers});
}

void KernelTableModel::setAnalysis(std::shared_ptr<const Analysis> analysis) {
    beginResetModel();
    m_analysis = std::move(analysis);
    m_baseline.reset();
    m_changes.clear();
    regroup();
    endResetModel();
}

void KernelTableModel::setBaseline(std::shared_ptr<const ReportBaseline> baseline) {
    if (!baseline && !m_baseline) return;  // dataChanged() would filter thousands of rows again
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
    m_heaviest.clear();
    for (const KernelGroup& group : m_groups)
        m_heaviest.push_back(*std::ranges::max_element(group.kernels, {}, [this](std::size_t k) {
            return m_analysis->kernels[k].quantities.duration.total;
        }));
    m_places.assign(m_groups.empty() ? 0 : kernelCount(), {0, 0});
    for (std::size_t group = 0; group < m_groups.size(); ++group)
        for (std::size_t row = 0; row < m_groups[group].kernels.size(); ++row)
            m_places[m_groups[group].kernels[row]] = {int(group), int(row)};
}

bool KernelTableModel::isOneRow(const KernelGroup& group) const {
    return m_grouping == KernelGrouping::Name && group.kernels.size() == 1;
}

QStringList KernelTableModel::names(std::size_t most) const {
    QStringList names;
    for (std::size_t i = 0; i < std::min(most, m_groups.size()); ++i)
        if (!isOneRow(m_groups[i])) names << groupName(m_groups[i]);
    for (std::size_t i = 0; i < std::min(most, kernelCount()); ++i)
        if (m_grouping != KernelGrouping::Name ||
            isOneRow(m_groups[std::size_t(m_places[i].first)]))
            names << shownText(m_analysis->kernels[i].wholeName);
    return names;
}

std::size_t KernelTableModel::kernelCount() const {
    return m_analysis ? m_analysis->kernels.size() : 0;
}

std::optional<std::size_t> KernelTableModel::kernelAt(const At& at) const {
    const auto row = static_cast<std::size_t>(at.row);
    if (at.child) return m_groups[row].kernels[static_cast<std::size_t>(*at.child)];
    if (m_groups.empty()) return row;
    return isOneRow(m_groups[row]) ? std::optional(m_groups[row].kernels.front()) : std::nullopt;
}

std::optional<std::size_t> KernelTableModel::kernelOf(const QModelIndex& index) const {
    return index.isValid() ? kernelAt(at(index)) : std::nullopt;
}

QModelIndex KernelTableModel::indexOf(std::size_t kernel) const {
    if (kernel >= kernelCount()) return {};
    if (m_groups.empty()) return indexAt({.row = int(kernel)});
    const auto [group, row] = m_places[kernel];
    if (isOneRow(m_groups[std::size_t(group)])) return indexAt({.row = group});
    return indexAt({.row = group, .child = row});
}

int KernelTableModel::rows() const {
    return int(m_groups.empty() ? kernelCount() : m_groups.size());
}

int KernelTableModel::children(int row) const {
    if (m_groups.empty()) return 0;
    const KernelGroup& group = m_groups[static_cast<std::size_t>(row)];
    return isOneRow(group) ? 0 : int(group.kernels.size());
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
                           duration.state == State::NoiseUnknown ||
                           duration.state == State::NotComparable
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
                         .arg(shownText(view.from(*change).wholeName),
                              shownText(change->match.how.in(shownLanguage())));
            return lines.join(QLatin1Char('\n'));
        }
        default:
            return {};
    }
}

QVariant KernelTableModel::counterData(std::size_t kernel, std::size_t column, int role) const {
    const std::string& name = m_counters[column];
    if (role != Qt::DisplayRole && role != SortRole && role != Qt::ToolTipRole) return {};
    const LaunchGroup& group = m_analysis->kernels[kernel].group;
    const CounterValues values = counterValues(*m_analysis->profile, group, name);
    if (role == SortRole) return sortKey(values.median);
    const QString counter = shownText(name);
    if (role == Qt::DisplayRole)
        return values.median ? counterText(counter, *values.median) : missingText();
    return values.median
               ? tr("%1: %2, median of %3 of %4 launches")
                     .arg(counter, exactCounterText(counter, *values.median))
                     .arg(text(double(values.measured)), text(double(group.launches.size())))
               : tr("%1 was not measured for this kernel").arg(counter);
}

QVariant KernelTableModel::cell(const At& at, int index, int role) const {
    const std::optional<std::size_t> kernel = kernelAt(at);
    if (role == KernelIndexRole) return kernel ? QVariant::fromValue(*kernel) : QVariant();
    if (index >= kKernelColumns)
        return kernel ? counterData(*kernel, std::size_t(index - kKernelColumns), role)
                      : QVariant();
    const ColumnRow& column = rowOf(static_cast<KernelColumn>(index));
    const bool shapeOnly = at.child && m_grouping == KernelGrouping::Name;
    if (role == NameRole) {
        if (column.column != KernelColumn::Name || shapeOnly) return {};
        return kernel ? shownText(m_analysis->kernels[*kernel].wholeName)
                      : groupName(m_groups[static_cast<std::size_t>(at.row)]);
    }
    // A group shows the verdict of its kernel with the most time.
    if (!kernel && column.column == KernelColumn::Verdict)
        return cellOf(column, column,
                      m_analysis->kernels[m_heaviest[static_cast<std::size_t>(at.row)]], role);
    if (!kernel)
        return cellOf(column, column.group, m_groups[static_cast<std::size_t>(at.row)], role);
    if (column.column == KernelColumn::Name && shapeOnly) {
        const KernelAnalysis& one = m_analysis->kernels[*kernel];
        // A group's name is above its kernels, so they show only what distinguishes them.
        if (role == Qt::DisplayRole) return shapeAndRangeText(one);
        if (role == Qt::EditRole) return shownText(one.wholeName);  // used when the row is copied
    }
    if (column.filledByComparison) return changeData(*kernel, column.column, role);
    return cellOf(column, column, m_analysis->kernels[*kernel], role);
}

}  // namespace roofscope::gui
