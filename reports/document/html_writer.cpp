// SPDX-License-Identifier: Apache-2.0
#include "reports/document/html_writer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "reports/document/clean_lines.h"
#include "reports/escape/escape.h"

namespace roofscope::doc {

namespace {

std::string escaped(std::string_view text) {
    return xmlText(text, std::numeric_limits<std::size_t>::max());
}

std::string attribute(std::string_view name, std::string_view value) {
    return value.empty() ? std::string() : fmt::format(" {}=\"{}\"", name, escaped(value));
}

std::string bar(double share) {
    return fmt::format(
        "<svg class=\"bar\" width=\"100\" height=\"6\" viewBox=\"0 0 100 6\" "
        "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"whole\" width=\"100\" "
        "height=\"6\"/><rect class=\"part\" width=\"{:.1f}\" height=\"6\"/></svg>",
        std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * 100 : 0);
}

std::string_view toneClass(Tone tone) {
    switch (tone) {
        case Tone::Good:
            return "good";
        case Tone::Warning:
            return "warn";
        case Tone::Bad:
            return "bad";
        case Tone::Muted:
            return "muted";
        case Tone::Plain:
            break;
    }
    return {};
}

std::string spanHtml(const Span& span) {
    std::string out = escaped(span.text);
    if (span.code) out = "<code>" + out + "</code>";
    if (span.strong) out = "<strong>" + out + "</strong>";
    if (!span.badge.empty())
        out = fmt::format("<span class=\"badge {}\">{}</span>", escaped(span.badge), out);
    if (span.tone != Tone::Plain)
        out = fmt::format("<span class=\"{}\">{}</span>", toneClass(span.tone), out);
    if (!span.link.empty()) out = fmt::format("<a href=\"#{}\">{}</a>", escaped(span.link), out);
    return span.bar ? out + bar(*span.bar) : out;
}

class HtmlWriter {
public:
    std::string take() { return std::move(m_out); }

    void nodes(const Nodes& nodes, std::size_t level) {
        for (const Node& node : nodes)
            std::visit([&](const auto& body) { write(body, level); }, node.body);
    }

private:
    void write(const Section& section, std::size_t level) {
        if (section.title.empty()) return nodes(section.children, level);
        const std::string heading = fmt::format("<h{0}>{1}</h{0}>", std::min<std::size_t>(level, 6),
                                                inlineHtml(section.title));
        if (section.folds) {
            m_out += fmt::format(
                "<details class=\"kernel\" data-kernel=\"{}\"{}>\n<summary>{} <span "
                "class=\"muted\">{}</span></summary>\n<div class=\"body\"{}>\n",
                escaped(section.id.substr(section.id.find('-') + 1)), m_open ? " open=\"\"" : "",
                heading, inlineHtml(section.remark), attribute("id", section.id));
            m_open = false;
            nodes(section.children, level + 1);
            m_out += "</div>\n</details>\n";
            return;
        }
        m_out += "<section" + attribute("id", section.id) + ">\n" + heading + "\n";
        nodes(section.children, level + 1);
        m_out += "</section>\n";
    }

    void write(const Paragraph& paragraph, std::size_t) {
        if (!paragraph.text.empty()) m_out += "<p>" + inlineHtml(paragraph.text) + "</p>\n";
    }

    void write(const List& list, std::size_t level) {
        m_out += "<ul>\n";
        for (const Node& node : list.children) {
            m_out += "<li>";
            if (const auto* item = std::get_if<Paragraph>(&node.body))
                m_out += inlineHtml(item->text);
            if (const auto* item = std::get_if<Section>(&node.body)) {
                m_out += inlineHtml(item->title) + "\n";
                write(List{item->children}, level);
            }
            if (const auto* item = std::get_if<List>(&node.body)) write(*item, level);
            m_out += "</li>\n";
        }
        m_out += "</ul>\n";
    }

    void write(const Code& code, std::size_t) {
        m_out += "<pre tabindex=\"0\"><code>";
        const std::string lines = cleanLines(code.lines);
        for (std::size_t from = 0; from < lines.size();) {
            const std::size_t end = lines.find('\n', from);
            m_out += (from > 0 ? "\n" : "") + escaped(lines.substr(from, end - from));
            from = end + 1;
        }
        m_out += "</code></pre>\n";
    }

    void write(const Picture& picture, std::size_t) {
        m_out += "<div class=\"plot\">\n" + picture.svg + "</div>\n";
    }

    void write(const Table& table, std::size_t) {
        m_out += "<div class=\"scroll rows\" role=\"region\"" +
                 attribute("aria-label", table.caption.plain()) + " tabindex=\"0\">\n<table" +
                 attribute("id", table.id) + ">\n<thead><tr>";
        bool first = true;
        for (const Column& column : table.columns) {
            m_out += "<th scope=\"col\"" + std::string(column.number ? " class=\"number\"" : "") +
                     (first && !table.id.empty() ? " aria-sort=\"ascending\"" : "") +
                     attribute("title", column.tip) + ">" + inlineHtml(column.title) + "</th>";
            first = false;
        }
        m_out += "</tr></thead>\n<tbody>\n";
        for (const Node& node : table.children) write(std::get<Row>(node.body), table);
        m_out += "</tbody>\n</table>\n</div>\n";
    }

    void write(const Row& row, const Table& table) {
        m_out += "<tr" +
                 (row.id.empty() ? std::string()
                                 : attribute("data-kernel", row.id.substr(row.id.find('-') + 1))) +
                 (row.anchor ? attribute("id", row.id) : std::string()) + ">";
        // The first non-number column is the row's header.
        bool named = false;
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            const Cell& cell = row.cells[i];
            const bool number = i < table.columns.size() && table.columns[i].number;
            const bool names = !number && !named;
            named = named || names;
            const std::string value =
                cell.value && std::isfinite(*cell.value) ? fmt::format("{:.9g}", *cell.value) : "";
            m_out += std::string(names ? "<th scope=\"row\"" : "<td") +
                     (number ? " class=\"number\"" : "") +
                     (number || cell.value ? " data-value=\"" + value + "\"" : "") +
                     attribute("title", cell.tip) + ">" + inlineHtml(cell.text) +
                     (names ? "</th>" : "</td>");
        }
        m_out += "</tr>\n";
    }

    void write(const Row& row, std::size_t) { write(row, Table{}); }

    void write(const Finding& finding, std::size_t level) {
        m_out += fmt::format("<article class=\"finding\">\n<h{0}>{1}{2}",
                             std::min<std::size_t>(level, 6),
                             finding.number > 0 ? fmt::format("{}. ", finding.number) : "",
                             inlineHtml(finding.title));
        if (!finding.gain.empty())
            m_out += " <span class=\"gain\">" + inlineHtml(finding.gain) + "</span>";
        if (!finding.rule.empty()) m_out += " " + inlineHtml(code(finding.rule));
        m_out += fmt::format("</h{}>\n", std::min<std::size_t>(level, 6));
        nodes(finding.children, level + 1);
        m_out += "</article>\n";
    }

    std::string m_out;
    bool m_open = true;  ///< show the next folding section open
};

}  // namespace

std::string inlineHtml(const Text& text) {
    std::string out;
    for (const Span& span : text.spans()) out += spanHtml(span);
    return out;
}

std::string toHtml(const Nodes& nodes, std::size_t level) {
    HtmlWriter writer;
    writer.nodes(nodes, level);
    return writer.take();
}

}  // namespace roofscope::doc
