// SPDX-License-Identifier: Apache-2.0
#include "gui/models/source/source_sheet.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>

#include "analyzer/counters/counter_names.h"

namespace roofscope::gui {
namespace {

constexpr std::size_t kNoLine = std::numeric_limits<std::size_t>::max();

/// The stall reason in a counter name: "long_scoreboard" for
/// "smsp__pcsamp_warps_issue_stalled_long_scoreboard". nullopt for names that end in "_not_issued":
/// they count a part of the same samples again.
std::optional<std::string> sampledReason(std::string_view counter) {
    constexpr std::string_view kPrefix = "smsp__pcsamp_", kMark = "issue_stalled_";
    if (!counter.starts_with(kPrefix) || counter.ends_with("_not_issued")) return std::nullopt;
    const auto at = counter.find(kMark, kPrefix.size());
    if (at == counter.npos || at + kMark.size() == counter.size()) return std::nullopt;
    return std::string(counter.substr(at + kMark.size()));
}

/// NaN and negative values count as missing; a damaged file may have those.
std::optional<double> valueAt(std::span<const double> column, std::size_t row) {
    if (row >= column.size() || !(column[row] >= 0)) return std::nullopt;
    return column[row];
}

std::optional<double> sum(std::span<const double> column, std::span<const std::size_t> rows) {
    std::optional<double> all;
    for (const std::size_t row : rows)
        if (const auto value = valueAt(column, row)) all = all.value_or(0) + *value;
    return all;
}

/// Also missing if an instruction has a count but no ideal: a partial sum would be too small.
std::optional<double> idealSum(std::span<const double> ideal, std::span<const double> counts,
                               std::span<const std::size_t> rows) {
    for (const std::size_t row : rows)
        if (valueAt(counts, row).value_or(0) > 0 && !valueAt(ideal, row)) return std::nullopt;
    return sum(ideal, rows);
}

bool couldIssue(std::string_view reason) {
    return reason == "selected" || reason == "not_selected";
}

/// The places with at least kHotShare of the total; if there are none, those with the largest
/// value.
template <class ValueAt>
std::vector<std::size_t> hottest(std::size_t count, double total, const ValueAt& value) {
    std::vector<std::size_t> hot;
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, value(i));
    const double least = std::min(most, SourceSheet::kHotShare * total);
    for (std::size_t i = 0; i < count; ++i)
        if (value(i) > 0 && value(i) >= least) hot.push_back(i);
    std::ranges::stable_sort(hot,
                             [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
    return hot;
}

}  // namespace

std::shared_ptr<const SourceSheet> SourceSheet::make(std::shared_ptr<const Analysis> analysis,
                                                     std::optional<std::size_t> kernel) {
    if (!analysis || !analysis->profile || !kernel || *kernel >= analysis->kernels.size())
        return nullptr;
    const SourceAnalysis* source = analysis->kernels[*kernel].source.get();
    if (!source || source->pass >= analysis->profile->sources.size()) return nullptr;
    std::shared_ptr<SourceSheet> sheet(new SourceSheet);
    sheet->m_analysis = std::move(analysis);
    sheet->m_source = source;
    sheet->m_pass = &sheet->m_analysis->profile->sources[source->pass];
    sheet->readColumns();
    sheet->addInstructions();
    sheet->addLines();
    return sheet;
}

void SourceSheet::readColumns() {
    const auto column = [this](std::string_view name) {
        return m_pass->counters.column(name).all();
    };
    m_sectors = column(counter::kSassGlobalSectors);
    m_idealSectors = column(counter::kSassGlobalSectorsIdeal);
    m_wavefronts = column(counter::kSassSharedWavefronts);
    m_idealWavefronts = column(counter::kSassSharedWavefrontsIdeal);
    for (const std::string& name : m_pass->counters.names())
        if (auto reason = sampledReason(name)) {
            m_reasons.push_back(*std::move(reason));
            m_samples.push_back(column(name));
        }
}

SourceEntry SourceSheet::entryOf(const SourceSums& sums, std::span<const std::size_t> rows) const {
    SourceEntry entry;
    entry.numbers[SourceNumber::Executed] = sums.executed;
    entry.numbers[SourceNumber::Sectors] = sums.sectors;
    entry.numbers[SourceNumber::IdealSectors] = idealSum(m_idealSectors, m_sectors, rows);
    entry.numbers[SourceNumber::ExcessSectors] = sums.excessSectors;
    entry.numbers[SourceNumber::Wavefronts] = sums.wavefronts;
    entry.numbers[SourceNumber::IdealWavefronts] = idealSum(m_idealWavefronts, m_wavefronts, rows);
    entry.numbers[SourceNumber::ExcessWavefronts] = sums.excessWavefronts;
    entry.numbers[SourceNumber::LocalSectors] = sums.localSectors;
    std::optional<double>& samples = entry.numbers[SourceNumber::Samples];
    double most = 0;
    for (std::size_t i = 0; i < m_samples.size(); ++i) {
        const auto of = sum(m_samples[i], rows);
        if (!of) continue;
        samples = samples.value_or(0) + *of;
        if (couldIssue(m_reasons[i]) || !(*of > most)) continue;
        most = *of;
        entry.stall = static_cast<std::uint32_t>(i);
    }
    if (entry.stall) entry.stallShare = most / *samples;
    return entry;
}

void SourceSheet::addInstructions() {
    const std::size_t count = m_pass->instructions.size();
    m_instructions.reserve(count);
    for (std::size_t row = 0; row < count; ++row)
        m_instructions.push_back(entryOf(m_source->perRow[row], std::span(&row, 1)));
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    m_total = entryOf(m_source->total, all);
}

void SourceSheet::addLines() {
    m_lineOf.assign(m_pass->instructions.size(), kNoLine);
    for (const SourceLine& line : m_source->lines) {
        if (!line.file || line.line == 0 || *line.file >= m_pass->files.size()) continue;
        for (const std::size_t row : line.rows) m_lineOf[row] = m_lines.size();
        m_lines.push_back({.file = *line.file,
                           .line = line.line,
                           .rows = line.rows,
                           .entry = entryOf(line.sums, line.rows)});
    }
}

std::optional<std::size_t> SourceSheet::lineOf(std::size_t instruction) const {
    if (instruction >= m_lineOf.size() || m_lineOf[instruction] == kNoLine) return std::nullopt;
    return m_lineOf[instruction];
}

std::vector<SourceNumber> SourceSheet::heats() const {
    std::vector<SourceNumber> found;
    for (const SourceNumber number :
         {SourceNumber::Samples, SourceNumber::ExcessSectors, SourceNumber::ExcessWavefronts,
          SourceNumber::LocalSectors, SourceNumber::Sectors, SourceNumber::Wavefronts,
          SourceNumber::Executed})
        if (m_total.numbers[number].value_or(0) > 0) found.push_back(number);
    return found;
}

std::optional<double> SourceSheet::share(const SourceEntry& entry, SourceNumber number) const {
    const std::optional<double>&part = entry.numbers[number], &all = m_total.numbers[number];
    if (!part || !all || !(*all > 0) || !std::isfinite(*all)) return std::nullopt;
    return *part / *all;
}

std::vector<std::size_t> SourceSheet::hotLines(SourceNumber heat) const {
    return hottest(m_lines.size(), m_total.numbers[heat].value_or(0),
                   [&](std::size_t i) { return m_lines[i].entry.numbers[heat].value_or(0); });
}

std::vector<std::size_t> SourceSheet::hotInstructions(SourceNumber heat) const {
    return hottest(m_instructions.size(), m_total.numbers[heat].value_or(0),
                   [&](std::size_t i) { return m_instructions[i].numbers[heat].value_or(0); });
}

std::vector<SourceSheet::Reason> SourceSheet::samplesByReason(
    std::span<const std::size_t> rows) const {
    std::vector<Reason> found;
    for (std::size_t i = 0; i < m_samples.size(); ++i)
        if (const double samples = sum(m_samples[i], rows).value_or(0); samples > 0)
            found.push_back({.name = m_reasons[i], .samples = samples});
    std::ranges::stable_sort(found, std::greater(), &Reason::samples);
    return found;
}

}  // namespace roofscope::gui
