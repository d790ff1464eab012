// SPDX-License-Identifier: Apache-2.0
#include "reports/source/source_window.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/source/source_analysis.h"
#include "reports/verdict/major_findings.h"

namespace roofscope {

namespace {

/// How much code to show: at most three windows of lines, and as many instructions as people read.
struct Size {
    std::uint32_t context;  ///< lines before and after
    std::size_t lines, sass;
};
constexpr Size kWide{.context = 10, .lines = 63, .sass = 15};
constexpr Size kNarrow{.context = 3, .lines = 18, .sass = 6};

const SourcePass& passOf(const Analysis& analysis, const KernelAnalysis& kernel) {
    return analysis.profile->sources[kernel.source->pass];
}

/// Name a stall reason only with this many samples here and this share of the kernel's samples.
constexpr double kNamedSamples = 50, kNamedShare = 0.02;

SourceMargin marginOf(const SourceAnalysis& source, const SourceSums& sums,
                      std::span<const std::size_t> rows) {
    const SourceSums& total = source.total;
    SourceMargin margin;
    if (sums.sectors && *sums.sectors > 0) margin.excessSectors = sums.excessSectors;
    if (sums.wavefronts && *sums.wavefronts > 0) margin.excessWavefronts = sums.excessWavefronts;
    if (sums.localSectors && *sums.localSectors > 0) margin.localSectors = sums.localSectors;
    if (sums.executed && total.executed && *total.executed > 0)
        margin.executed = *sums.executed / *total.executed;
    const SampledStalls& stalls = source.stalls;
    double samples = 0;
    for (const std::size_t row : rows) samples += stalls.perRow[row];
    if (!stalls.enough() || !(samples > 0)) return margin;
    margin.samples = samples / stalls.total;
    if (samples < kNamedSamples || *margin.samples < kNamedShare) return margin;
    if (const auto most = dominantStall(stalls, rows)) {
        margin.stall = most->reason;
        margin.stallShare = most->share;
    }
    return margin;
}

using FileLine = std::pair<std::uint32_t, std::uint32_t>;

/// Lines that the top findings point at, worst first. If there are none, the line with the most
/// stall samples, or without samples the one with the most executed instructions.
std::vector<FileLine> hotLines(const KernelAnalysis& kernel) {
    std::vector<FileLine> hot;
    const auto major = majorFindings(kernel);
    for (std::size_t i = 0; i < std::min(major.size(), kMostFindings); ++i)
        for (const Place& place : major[i]->places) {
            const FileLine line{place.file.value_or(0), place.line};
            if (place.file && place.line > 0 && std::ranges::find(hot, line) == hot.end())
                hot.push_back(line);
        }
    if (!hot.empty()) return hot;
    const SourceAnalysis& source = *kernel.source;
    const auto weight = [&](const SourceLine& line) {
        if (!source.stalls.enough()) return line.sums.executed.value_or(0);
        double samples = 0;
        for (const std::size_t row : line.rows) samples += source.stalls.perRow[row];
        return samples;
    };
    double most = 0;
    for (const SourceLine& line : source.lines)
        if (line.file && line.line > 0 && weight(line) > most) {
            most = weight(line);
            hot = {{*line.file, line.line}};
        }
    return hot;
}

std::vector<WindowPiece> piecesAround(const SourcePass& pass, const SourceAnalysis& source,
                                      const std::vector<FileLine>& hot, const Size& size) {
    std::map<FileLine, const SourceLine*> counted;
    for (const SourceLine& line : source.lines)
        if (line.file && line.line > 0) counted[{*line.file, line.line}] = &line;
    std::map<FileLine, const std::string*> texts;
    for (const SourceText& text : pass.texts)
        for (std::size_t i = 0; i < text.lines.size(); ++i)
            texts.emplace(FileLine{text.file, text.firstLine + static_cast<std::uint32_t>(i)},
                          &text.lines[i]);
    // Collect the lines of all windows, so that overlapping windows merge.
    std::map<FileLine, bool> shown;
    for (const FileLine& center : hot) {
        const auto [file, line] = center;
        if (!texts.contains(center)) continue;
        const std::uint32_t first = line > size.context ? line - size.context : 1;
        std::map<FileLine, bool> more = shown;
        for (std::uint32_t at = first; at - first <= 2 * size.context && at <= line + size.context;
             ++at)
            if (texts.contains({file, at})) more.try_emplace({file, at}, false);
        more[center] = true;
        if (more.size() > size.lines) break;
        shown = std::move(more);
    }
    std::vector<WindowPiece> pieces;
    const FileLine* before = nullptr;
    for (const auto& [at, isHot] : shown) {
        if (!before || before->first != at.first || before->second + 1 != at.second)
            pieces.push_back({.path = pass.files[at.first]});
        before = &shown.find(at)->first;
        const auto found = counted.find(at);
        pieces.back().lines.push_back(
            {.line = at.second,
             .text = *texts.at(at),
             .margin = found == counted.end()
                           ? SourceMargin{}
                           : marginOf(source, found->second->sums, found->second->rows),
             .hot = isHot});
    }
    return pieces;
}

std::vector<WindowInstruction> worstInstructions(const SourcePass& pass,
                                                 const SourceAnalysis& source, bool byStalls,
                                                 const Size& size) {
    const auto badness = [&](std::size_t row) {
        if (byStalls) {
            double waiting = 0;
            for (const SampledStalls::State& state : source.stalls.states)
                if (isWaiting(state.reason)) waiting += state.perRow[row];
            return waiting;
        }
        const SourceSums& sums = source.perRow[row];
        return sums.excessSectors.value_or(0) + sums.excessWavefronts.value_or(0) +
               sums.localSectors.value_or(0);
    };
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < pass.instructions.size(); ++row)
        if (!pass.instructions[row].sass.empty() && badness(row) > 0) rows.push_back(row);
    std::ranges::stable_sort(rows,
                             [&](std::size_t a, std::size_t b) { return badness(a) > badness(b); });
    if (rows.size() > size.sass) rows.resize(size.sass);
    std::ranges::sort(rows);
    std::vector<WindowInstruction> worst;
    for (const std::size_t row : rows)
        worst.push_back({.offset = pass.instructions[row].offset,
                         .sass = pass.instructions[row].sass,
                         .margin = marginOf(source, source.perRow[row], std::span(&row, 1))});
    return worst;
}

}  // namespace

SourceWindow sourceWindow(const Analysis& analysis, const KernelAnalysis& kernel, bool narrow) {
    const Size& size = narrow ? kNarrow : kWide;
    SourceWindow window;
    if (!kernel.source) return window;
    const SourcePass& pass = passOf(analysis, kernel);
    window.pieces = piecesAround(pass, *kernel.source, hotLines(kernel), size);
    const auto major = majorFindings(kernel);
    const auto first =
        std::ranges::find_if(major, [](const Finding* f) { return !f->places.empty(); });
    if (first == major.end()) return window;
    const Rule* const rule = findRule((*first)->ruleId);
    window.sassByStalls = rule && rule->namesLine == NamesLine::BySamples;
    window.sass = worstInstructions(pass, *kernel.source, window.sassByStalls, size);
    return window;
}

std::string sourceText(const Analysis& analysis, const KernelAnalysis& kernel,
                       std::optional<std::uint32_t> file, std::uint32_t line) {
    if (!kernel.source || !file) return {};
    for (const SourceText& text : passOf(analysis, kernel).texts)
        if (text.file == *file && line >= text.firstLine &&
            line - text.firstLine < text.lines.size())
            return text.lines[line - text.firstLine];
    return {};
}

}  // namespace roofscope
