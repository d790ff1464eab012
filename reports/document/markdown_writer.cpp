// SPDX-License-Identifier: Apache-2.0
#include "reports/document/markdown_writer.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "reports/document/clean_lines.h"
#include "reports/escape/escape.h"

namespace roofscope::doc {

namespace {

constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();

std::string inlineText(const Text& text, bool cell) {
    std::string out;
    bool strong = false;
    const auto turn = [&](bool on) {
        if (strong != on) out += "**";
        strong = on;
    };
    for (const Span& span : text.spans()) {
        turn(span.strong);
        out += span.code ? (cell ? markdownCodeCell : markdownCode)(span.text, kWhole)
                         : markdownText(span.text, kWhole);
    }
    turn(false);
    return out;
}

std::string fence(const Code& code) {
    const std::string lines = cleanLines(code.lines);
    std::string marks = "```";
    while (lines.find(marks) != std::string::npos) marks += '`';
    return marks + code.language + "\n" + lines + marks + "\n";
}

class MarkdownWriter {
public:
    std::string take() { return std::move(m_out); }

    void heading(std::size_t level, const Text& title) {
        if (!title.empty())
            block(std::string(std::min<std::size_t>(level, 6), '#') + " " +
                  inlineText(title, false) + "\n");
    }

    void nodes(const Nodes& nodes, std::size_t level) {
        for (const Node& node : nodes)
            std::visit([&](const auto& body) { write(body, level); }, node.body);
    }

private:
    /// Writes a block; blocks are separated by a blank line.
    void block(const std::string& text) {
        if (!m_out.empty()) m_out += "\n";
        m_out += text;
    }

    void write(const Section& section, std::size_t level) {
        heading(level, section.title);
        nodes(section.children, section.title.empty() ? level : level + 1);
    }

    void write(const Paragraph& paragraph, std::size_t) {
        if (paragraph.text.empty()) return;
        std::string line = inlineText(paragraph.text, false);
        // Otherwise the first character could start a list, quotation or heading.
        if (const char first = line.front(); first == '-' || first == '+' || first == '>' ||
                                             first == '#' || first == '=' || first == '~')
            line.insert(0, "\\");
        block(line + "\n");
    }

    void write(const List& list, std::size_t) { block(items(list.children, "")); }

    std::string items(const Nodes& nodes, const std::string& indent) {
        std::string text;
        for (const Node& node : nodes) {
            if (const auto* item = std::get_if<Paragraph>(&node.body))
                text += indent + "- " + inlineText(item->text, false) + "\n";
            if (const auto* item = std::get_if<Section>(&node.body))
                text += indent + "- " + inlineText(item->title, false) + "\n" +
                        items(item->children, indent + "  ");
            if (const auto* item = std::get_if<List>(&node.body))
                text += items(item->children, indent);
        }
        return text;
    }

    void write(const Code& code, std::size_t) { block(fence(code)); }

    void write(const Picture&, std::size_t) {}

    void write(const Table& table, std::size_t) {
        std::string head = "|", rule = "|";
        for (const Column& column : table.columns) {
            head += " " + inlineText(column.title, true) + " |";
            rule += column.number ? "---:|" : "---|";
        }
        std::string rows;
        for (const Node& node : table.children) {
            rows += "|";
            for (const Cell& cell : std::get<Row>(node.body).cells)
                rows += " " + inlineText(cell.text, true) + " |";
            rows += "\n";
        }
        block(head + "\n" + rule + "\n" + rows);
    }

    void write(const Row& row, std::size_t level) {
        write(Table{.children = {Node{.body = row}}}, level);
    }

    void write(const Finding& finding, std::size_t level) {
        Text title = finding.number > 0 ? Text(fmt::format("{}. ", finding.number)) + finding.title
                                        : finding.title;
        if (!finding.gain.empty()) title += ": " + finding.gain;
        std::string line = inlineText(strong(title), false);
        if (!finding.rule.empty()) line += " (" + markdownCode(finding.rule) + ")";
        block(line + "\n");
        nodes(finding.children, level);
    }

    std::string m_out;
};

}  // namespace

std::string toMarkdown(const Document& document) {
    MarkdownWriter writer;
    writer.heading(1, document.title);
    writer.nodes(document.nodes, document.title.empty() ? 1 : 2);
    return writer.take();
}

}  // namespace roofscope::doc
