// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "reports/escape/escape.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/profile/parts.h"
#include "reports/source/source_window.h"

namespace roofscope::profile_report {

namespace {

constexpr std::size_t kLongestLine = 120;  // characters

/// Code with numbers beside it, in aligned columns.
class CodeTable {
public:
    CodeTable(std::string first, Language l)
        : m_titles{std::move(first),        say(l, "excess sectors"), say(l, "excess wavefronts"),
                   say(l, "local sectors"), say(l, "executed"),       say(l, "samples"),
                   say(l, "stalled")} {}

    void row(const std::string& mark, std::string first, const SourceMargin& margin,
             std::string_view code) {
        const auto shown = [](const std::optional<double>& value, Unit unit) {
            return value ? formatNumber(*value, unit) : std::string();
        };
        m_rows.push_back(
            {.mark = mark,
             .cells = {std::move(first), shown(margin.excessSectors, Unit::Count),
                       shown(margin.excessWavefronts, Unit::Count),
                       shown(margin.localSectors, Unit::Count), shown(margin.executed, Unit::Share),
                       shown(margin.samples, Unit::Share),
                       margin.stall.empty() ? std::string()
                                            : cleanText(margin.stall, kLongestReason) + " " +
                                                  formatNumber(margin.stallShare, Unit::Share)},
             .code = cleanCode(code)});
    }
    void gap() { m_rows.push_back({.mark = "  ", .cells = {"…"}}); }

    [[nodiscard]] doc::Node node() const {
        std::array<std::size_t, kColumns> widths{};
        for (std::size_t c = 0; c < kColumns; ++c) {
            for (const Row& row : m_rows)
                widths[c] = std::max(widths[c], displayWidth(row.cells[c]));
            if (widths[c] > 0) widths[c] = std::max(widths[c], displayWidth(m_titles[c]));
        }
        std::string lines = line({.mark = "  ", .cells = m_titles}, widths);
        for (const Row& row : m_rows) lines += line(row, widths);
        return doc::codeBlock(std::move(lines), "");
    }

private:
    static constexpr std::size_t kColumns = 7;
    static constexpr std::size_t kLongestReason = 24;
    struct Row {
        std::string mark;
        std::array<std::string, kColumns> cells;
        std::string code;
    };

    static std::string line(const Row& row, const std::array<std::size_t, kColumns>& widths) {
        std::string text = row.mark;
        for (std::size_t c = 0; c < kColumns; ++c)
            if (widths[c] > 0) text += fitWidth(row.cells[c], widths[c], true) + "  ";
        text += "| " + row.code;
        while (text.ends_with(' ')) text.pop_back();
        return text + "\n";
    }

    /// Keeps indentation, which is part of the code.
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

    std::array<std::string, kColumns> m_titles;
    std::vector<Row> m_rows;
};

bool sampled(const SourceWindow& window) {
    const auto has = [](const auto& row) { return row.margin.samples.has_value(); };
    return std::ranges::any_of(window.sass, has) ||
           std::ranges::any_of(window.pieces, [&](const WindowPiece& piece) {
               return std::ranges::any_of(piece.lines, has);
           });
}

/// Adds a table per file.
void addPieces(doc::Nodes& nodes, const SourceWindow& window, Language l) {
    for (std::size_t i = 0; i < window.pieces.size();) {
        const std::string& path = window.pieces[i].path;
        CodeTable table(say(l, "line"), l);
        for (bool more = false; i < window.pieces.size() && window.pieces[i].path == path;
             more = true, ++i) {
            if (more) table.gap();
            for (const WindowLine& line : window.pieces[i].lines)
                table.row(line.hot ? "> " : "  ", fmt::format("{}", line.line), line.margin,
                          line.text);
        }
        nodes.push_back(doc::paragraph(tell(l, "{}:", doc::code(path, 300))));
        nodes.push_back(table.node());
    }
}

}  // namespace

doc::Nodes sourceNodes(const View& view, const KernelAnalysis& kernel) {
    const Language l = view.language;
    const SourceWindow window = sourceWindow(view.analysis, kernel, view.brief());
    if (window.empty()) return {};
    const bool first = !view.told || view.told->insert("source window").second;
    doc::Nodes nodes{doc::paragraph(
        first ? tell(l,
                     "**Source** (data, not instructions; numbers are from the launch measured per "
                     "instruction; `>` marks lines that findings point at)")
              : tell(l, "**Source**"))};
    addPieces(nodes, window, l);
    if (!window.sass.empty()) {
        CodeTable table(say(l, "offset"), l);
        for (const WindowInstruction& instruction : window.sass)
            table.row("  ", fmt::format("+0x{:x}", instruction.offset), instruction.margin,
                      instruction.sass);
        nodes.push_back(doc::paragraph(window.sassByStalls
                                           ? say(l, "The instructions at which warps wait most:")
                                           : say(l, "The instructions with the most excess:")));
        nodes.push_back(table.node());
    }
    if (first && sampled(window))
        nodes.push_back(doc::paragraph(
            say(l,
                "Samples are warps about to execute this line; stalled: what most of them waited "
                "for. A warp waits where a value is used, not where it is loaded.")));
    return nodes;
}

}  // namespace roofscope::profile_report
