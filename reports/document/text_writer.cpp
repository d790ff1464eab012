// SPDX-License-Identifier: Apache-2.0
#include "reports/document/text_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/document/clean_lines.h"
#include "reports/escape/escape.h"
#include "reports/escape/line_break.h"

namespace roofscope::doc {

namespace {

/// The SGR code for a span's style, or empty.
std::string_view lookOf(const Span& span) {
    switch (span.tone) {
        case Tone::Good:
            return "32";
        case Tone::Warning:
            return "33";
        case Tone::Bad:
            return "31";
        case Tone::Muted:
            return "2";
        case Tone::Plain:
            break;
    }
    return span.strong ? "1" : std::string_view();
}

/// A line with a style per character.
class Line {
public:
    void append(std::string_view text, std::string_view look) {
        m_text += text;
        m_looks.resize(m_text.size(), look);
    }
    [[nodiscard]] std::size_t width() const { return displayWidth(m_text); }
    [[nodiscard]] std::string painted(bool colour) const {
        std::string out;
        std::string_view look;
        for (std::size_t i = 0; colour && i < m_text.size(); ++i) {
            if (m_looks[i] != look) {
                if (!look.empty()) out += "\033[0m";
                look = m_looks[i];
                if (!look.empty()) out += fmt::format("\033[{}m", look);
            }
            out += m_text[i];
        }
        return colour ? out + (look.empty() ? "" : "\033[0m") : m_text;
    }

private:
    std::string m_text;
    std::vector<std::string_view> m_looks;
};

class TextWriter {
public:
    explicit TextWriter(const TerminalOptions& options) : m_options(options) {}

    std::string take() { return std::move(m_out); }

    void title(const Text& text) {
        if (!text.empty()) wrapped("", strong(text), 0, 0);
    }

    void nodes(const Nodes& nodes, std::size_t depth, std::size_t indent) {
        for (const Node& node : nodes)
            std::visit([&](const auto& body) { write(body, depth, indent); }, node.body);
    }

private:
    void blank() {
        if (!m_out.empty() && !m_out.ends_with("\n\n")) m_out += "\n";
    }

    /// Writes `first` and the text, wrapped; continuation lines are indented by `hang` more.
    void wrapped(const std::string& first, const Text& text, std::size_t indent, std::size_t hang) {
        const std::string words = text.plain();
        std::vector<std::string_view> looks;
        for (const Span& span : text.spans())
            looks.resize(looks.size() + span.text.size(), lookOf(span));
        Line line;
        line.append(std::string(indent, ' ') + first, {});
        bool empty = true;
        std::size_t at = 0;
        for (const LinePiece& piece : linePieces(words)) {
            while (at < words.size() && words[at] == ' ') ++at;
            const bool room = piece.room && !empty;
            if (!empty && line.width() + room + displayWidth(piece.text) > m_options.width) {
                m_out += line.painted(m_options.colour) + "\n";
                line = {};
                line.append(std::string(indent + hang, ' '), {});
            } else if (room) {
                line.append(" ", looks[at - 1]);
            }
            for (const char& c : piece.text) line.append({&c, 1}, looks[at++]);
            empty = false;
        }
        m_out += line.painted(m_options.colour) + "\n";
    }

    void write(const Section& section, std::size_t depth, std::size_t indent) {
        if (section.title.empty()) return nodes(section.children, depth, indent);
        if (depth == 0 || !section.id.empty()) blank();
        wrapped("", strong(section.title), indent, 2);
        nodes(section.children, depth + 1, depth == 0 ? indent : indent + 2);
    }

    void write(const Paragraph& paragraph, std::size_t, std::size_t indent) {
        if (!paragraph.text.empty()) wrapped("", paragraph.text, indent, 0);
    }

    void write(const List& list, std::size_t, std::size_t indent) {
        for (const Node& node : list.children) {
            if (const auto* item = std::get_if<Paragraph>(&node.body))
                wrapped("- ", item->text, indent, 2);
            if (const auto* item = std::get_if<Section>(&node.body)) {
                wrapped("- ", item->title, indent, 2);
                write(List{item->children}, 0, indent + 2);
            }
            if (const auto* item = std::get_if<List>(&node.body)) write(*item, 0, indent);
        }
    }

    void write(const Code& code, std::size_t, std::size_t indent) {
        const std::string lines = cleanLines(code.lines);
        for (std::size_t from = 0; from < lines.size();) {
            const std::size_t end = lines.find('\n', from);
            Line line;
            line.append(std::string(indent + 2, ' '), {});
            line.append(lines.substr(from, end - from), "2");
            m_out += line.painted(m_options.colour) + "\n";
            from = end + 1;
        }
    }

    /// Column widths: as wide as the widest cell, then the widest columns shrink until the table
    /// fits.
    std::vector<std::size_t> widths(const Table& table, std::size_t indent) const {
        std::vector<std::size_t> wide;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            std::size_t most = displayWidth(table.columns[i].title.plain());
            for (const Node& node : table.children)
                most = std::max(most, displayWidth(std::get<Row>(node.body).cells[i].text.plain()));
            const std::size_t cap = table.columns[i].maxWidth;
            wide.push_back(cap > 0 ? std::min(most, cap) : most);
        }
        const auto all = [&] {
            std::size_t sum = indent;
            for (const std::size_t width : wide) sum += width + 2;
            return sum;
        };
        constexpr std::size_t kNarrowest = 20;
        while (all() > m_options.width + 2) {
            auto& widest = *std::ranges::max_element(wide);
            if (widest <= kNarrowest) break;
            --widest;
        }
        return wide;
    }

    void cells(const Table& table, const std::vector<std::size_t>& wide,
               const std::vector<const Text*>& texts, std::size_t indent, bool head) {
        Line line;
        line.append(std::string(indent, ' '), {});
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto& spans = texts[i]->spans();
            const std::string shown = fitWidth(texts[i]->plain(), wide[i], table.columns[i].number);
            if (i > 0) line.append("  ", {});
            line.append(shown, head ? "1" : spans.empty() ? "" : lookOf(spans.front()));
        }
        std::string text = line.painted(m_options.colour);
        while (text.ends_with(' ')) text.pop_back();
        m_out += text + "\n";
    }

    void write(const Picture&, std::size_t, std::size_t) {}

    void write(const Table& table, std::size_t, std::size_t indent) {
        blank();
        const auto wide = widths(table, indent);
        std::vector<const Text*> texts;
        for (const Column& column : table.columns) texts.push_back(&column.title);
        cells(table, wide, texts, indent, true);
        for (const Node& node : table.children) {
            texts.clear();
            for (const Cell& cell : std::get<Row>(node.body).cells) texts.push_back(&cell.text);
            cells(table, wide, texts, indent, false);
        }
    }

    void write(const Row& row, std::size_t depth, std::size_t indent) {
        write(Table{.columns = std::vector<Column>(row.cells.size()),
                    .children = {Node{.body = row}}},
              depth, indent);
    }

    void write(const Finding& finding, std::size_t depth, std::size_t indent) {
        Text title = finding.title;
        if (!finding.gain.empty()) title += ": " + finding.gain;
        title = toned(Tone::Warning, title);
        if (!finding.rule.empty()) title += " [" + finding.rule + "]";
        wrapped("! ", title, indent, 2);
        nodes(finding.children, depth, indent + 2);
    }

    const TerminalOptions m_options;
    std::string m_out;
};

}  // namespace

std::string toTerminal(const Document& document, const TerminalOptions& options) {
    TextWriter writer(options);
    writer.title(document.title);
    writer.nodes(document.nodes, 0, 0);
    return writer.take();
}

}  // namespace roofscope::doc
