// SPDX-License-Identifier: Apache-2.0
#include "reports/source_window.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "analyzer/rule.h"
#include "analyzer/source/source_analysis.h"
#include "reports/escape.h"
#include "reports/kernel_facts.h"
#include "reports/markdown_parts.h"
#include "reports/number_format.h"

namespace roofscope {

namespace {

constexpr std::uint32_t kContext = 10;     // lines before and after
constexpr std::size_t kMostLines = 63;     // three windows
constexpr std::size_t kMostSass = 15;      // beyond, nobody reads
constexpr std::size_t kLongestLine = 120;  // characters

const SourcePass& passOf(const Analysis& analysis, const KernelAnalysis& kernel) {
    return analysis.profile->sources[kernel.source->pass];
}

/// A reason is named where at least so many samples were taken, and such a share of the kernel's.
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

/// Lines that the top findings point at, worst first. Where they name none, the one on which most
/// instructions are executed.
std::vector<FileLine> hotLines(const KernelAnalysis& kernel) {
    std::vector<FileLine> hot;
    const auto major = majorFindings(kernel);
    for (std::size_t i = 0; i < std::min(major.size(), markdown::kMaxFindings); ++i)
        for (const Place& place : major[i]->places) {
            const FileLine line{place.file.value_or(0), place.line};
            if (place.file && place.line > 0 &&
                std::find(hot.begin(), hot.end(), line) == hot.end())
                hot.push_back(line);
        }
    if (!hot.empty() || major.empty()) return hot;
    const SourceLine* most = nullptr;
    for (const SourceLine& line : kernel.source->lines)
        if (line.file && line.line > 0 && line.sums.executed &&
            (!most || *line.sums.executed > *most->sums.executed))
            most = &line;
    if (most && *most->sums.executed > 0) hot.emplace_back(*most->file, most->line);
    return hot;
}

std::vector<WindowPiece> piecesAround(const SourcePass& pass, const SourceAnalysis& source,
                                      const std::vector<FileLine>& hot) {
    std::map<FileLine, const SourceLine*> counted;
    for (const SourceLine& line : source.lines)
        if (line.file && line.line > 0) counted[{*line.file, line.line}] = &line;
    std::map<FileLine, const std::string*> texts;
    for (const SourceText& text : pass.texts)
        for (std::size_t i = 0; i < text.lines.size(); ++i)
            texts.emplace(FileLine{text.file, text.firstLine + static_cast<std::uint32_t>(i)},
                          &text.lines[i]);
    // Lines of all windows, so that windows which overlap become one.
    std::map<FileLine, bool> shown;
    for (const FileLine& center : hot) {
        const auto [file, line] = center;
        if (!texts.contains(center)) continue;
        const std::uint32_t first = line > kContext ? line - kContext : 1;
        std::map<FileLine, bool> more = shown;
        for (std::uint32_t at = first; at - first <= 2 * kContext && at <= line + kContext; ++at)
            if (texts.contains({file, at})) more.try_emplace({file, at}, false);
        more[center] = true;
        if (more.size() > kMostLines) break;
        shown = std::move(more);
    }
    std::vector<WindowPiece> pieces;
    const FileLine* before = nullptr;
    for (const auto& [at, isHot] : shown) {
        if (!before || before->first != at.first || before->second + 1 != at.second)
            pieces.push_back({.path = pass.files[at.first], .lines = {}});
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
                                                 const SourceAnalysis& source, bool byStalls) {
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
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) { return badness(a) > badness(b); });
    if (rows.size() > kMostSass) rows.resize(kMostSass);
    std::sort(rows.begin(), rows.end());
    std::vector<WindowInstruction> worst;
    for (const std::size_t row : rows)
        worst.push_back({.offset = pass.instructions[row].offset,
                         .sass = pass.instructions[row].sass,
                         .margin = marginOf(source, source.perRow[row], std::span(&row, 1))});
    return worst;
}

/// Rows of numbers beside code, in columns of equal width.
class CodeTable {
public:
    CodeTable(const Label& first, const Wording& w)
        : m_titles{first.str(),
                   w.source.excessSectors.str(),
                   w.source.excessWavefronts.str(),
                   w.source.localSectors.str(),
                   w.source.executed.str(),
                   w.source.samples.str(),
                   w.source.stalled.str()} {}

    void row(const std::string& mark, std::string first, const SourceMargin& margin,
             std::string_view code) {
        const auto count = [](const std::optional<double>& value) {
            return value ? formatNumber(*value, Unit::Count) : std::string();
        };
        const auto share = [](const std::optional<double>& value) {
            return value ? formatNumber(*value, Unit::Share) : std::string();
        };
        m_rows.push_back(
            {.mark = mark,
             .cells = {std::move(first), count(margin.excessSectors),
                       count(margin.excessWavefronts), count(margin.localSectors),
                       share(margin.executed), share(margin.samples),
                       margin.stall.empty() ? std::string()
                                            : cleanText(margin.stall, kLongestReason) + " " +
                                                  formatNumber(margin.stallShare, Unit::Share)},
             .code = cleanCode(code)});
    }
    void gap() { m_rows.push_back({.mark = "  ", .cells = {"…"}, .code = {}}); }

    /// In a fence that no line closes.
    [[nodiscard]] std::string markdown() const {
        std::array<std::size_t, kColumns> widths{};
        for (std::size_t c = 0; c < kColumns; ++c) {
            for (const Row& row : m_rows)
                widths[c] = std::max(widths[c], displayWidth(row.cells[c]));
            if (widths[c] > 0) widths[c] = std::max(widths[c], displayWidth(m_titles[c]));
        }
        const auto line = [&](const std::string& mark, const Cells& cells,
                              const std::string& code) {
            std::string text = mark;
            for (std::size_t c = 0; c < kColumns; ++c)
                if (widths[c] > 0) text += fitWidth(cells[c], widths[c], true) + "  ";
            text += "| " + code;
            while (text.ends_with(' ')) text.pop_back();
            return text + "\n";
        };
        std::size_t run = 0, longest = 0;
        std::string body = line("  ", m_titles, {});
        for (const Row& row : m_rows) body += line(row.mark, row.cells, row.code);
        for (const char c : body) {
            run = c == '`' ? run + 1 : 0;
            longest = std::max(longest, run);
        }
        const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
        return fence + "\n" + body + fence + "\n";
    }

private:
    static constexpr std::size_t kColumns = 7;
    static constexpr std::size_t kLongestReason = 24;
    using Cells = std::array<std::string, kColumns>;
    struct Row {
        std::string mark;
        Cells cells;
        std::string code;
    };

    /// Indentation stays: it is part of what code says.
    static std::string cleanCode(std::string_view code) {
        std::string spaces;
        for (const char c : code.substr(0, 4 * kLongestLine)) {
            if (c == '\t')
                spaces.append(4 - spaces.size() % 4, ' ');
            else
                spaces.push_back(c);
        }
        return cleanText(spaces, kLongestLine);
    }

    Cells m_titles;
    std::vector<Row> m_rows;
};

std::string baseName(const std::string& path) {
    const auto slash = path.find_last_of("/\\");
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

SourceWindow sourceWindow(const Analysis& analysis, const KernelAnalysis& kernel) {
    SourceWindow window;
    if (!kernel.source) return window;
    const SourcePass& pass = passOf(analysis, kernel);
    window.pieces = piecesAround(pass, *kernel.source, hotLines(kernel));
    const auto major = majorFindings(kernel);
    const auto first = std::find_if(major.begin(), major.end(),
                                    [](const Finding* f) { return !f->places.empty(); });
    if (first == major.end()) return window;
    const Rule* const rule = findRule((*first)->ruleId);
    window.sassByStalls = rule && rule->namesLine == NamesLine::BySamples;
    window.sass = worstInstructions(pass, *kernel.source, window.sassByStalls);
    return window;
}

std::string sourceWindowMarkdown(const SourceWindow& window, const Wording& w) {
    if (window.empty()) return {};
    std::string text = "**" + w.source.heading + "**" + w.source.headingNote + "\n";
    for (std::size_t i = 0; i < window.pieces.size();) {
        const std::string& path = window.pieces[i].path;
        CodeTable table(w.source.line, w);
        for (bool more = false; i < window.pieces.size() && window.pieces[i].path == path;
             more = true, ++i) {
            if (more) table.gap();
            for (const WindowLine& line : window.pieces[i].lines)
                table.row(line.hot ? "> " : "  ", fmt::format("{}", line.line), line.margin,
                          line.text);
        }
        std::string title = markdownCode(path, 300) + w.common.colon;
        while (title.ends_with(' ')) title.pop_back();
        text += "\n" + title + "\n\n" + table.markdown();
    }
    if (!window.sass.empty()) {
        CodeTable table(w.source.offset, w);
        for (const WindowInstruction& instruction : window.sass)
            table.row("  ", fmt::format("+0x{:x}", instruction.offset), instruction.margin,
                      instruction.sass);
        text += "\n" + (window.sassByStalls ? w.source.sassByStalls : w.source.sass).str() +
                "\n\n" + table.markdown();
    }
    const auto sampled = [](const auto& row) { return row.margin.samples.has_value(); };
    if (std::any_of(window.sass.begin(), window.sass.end(), sampled) ||
        std::any_of(window.pieces.begin(), window.pieces.end(), [&](const WindowPiece& piece) {
            return std::any_of(piece.lines.begin(), piece.lines.end(), sampled);
        }))
        text += "\n" + w.source.samplesNote + "\n";
    return text;
}

std::string placeWords(const Place& place, EscapeText code, EscapeText words, const Wording& w) {
    const std::string offset = fmt::format("+0x{:x}", place.offset);
    const std::string instruction =
        place.opcode.empty() ? offset : code(place.opcode) + w.common.comma + offset;
    std::string text =
        place.line > 0 && !place.path.empty()
            ? w.common.bracketed(code(fmt::format("{}:{}", baseName(place.path), place.line)),
                                 instruction)
            : instruction;
    text += w.common.colon + w.source.amount(formatNumber(place.amount, Unit::Count),
                                             words(place.what.in(w.language)),
                                             formatNumber(place.share, Unit::Share));
    if (place.perRequest && place.idealRequest)
        text +=
            w.common.comma + w.source.perRequest(formatNumber(*place.perRequest, Unit::Count),
                                                 formatNumber(*place.idealRequest, Unit::Count));
    if (!place.pattern.empty()) text += w.common.comma + words(place.pattern.in(w.language));
    return text;
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

std::vector<std::string> missingSource(const Analysis& analysis, const KernelAnalysis& kernel,
                                       const Wording& w) {
    const SourceAnalysis* source = kernel.source.get();
    if (!source) {
        std::vector<std::string> missing{w.source.none.str()};
        const auto major = majorFindings(kernel);
        if (std::ranges::any_of(major, [](const Finding* finding) {
                const Rule* const rule = findRule(finding->ruleId);
                return rule && rule->namesLine != NamesLine::No;
            }))
            missing.front() += w.common.comma.str() + w.source.record.str();
        return missing;
    }
    std::vector<std::string> missing;
    if (!source->agrees) missing.push_back(w.source.differs.str());
    if (!source->hasSass) missing.push_back(w.source.noSass.str());
    if (!source->hasLines)
        missing.push_back(w.source.noLines.str());
    else if (passOf(analysis, kernel).texts.empty())
        missing.push_back(w.source.noTexts.str());
    return missing;
}

}  // namespace roofscope
