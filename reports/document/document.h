// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reports/document/text.h"

/// A report independent of its format: a tree that is built once and walked by writers
/// (markdown_writer.h, text_writer.h, html_writer.h). Build it from what an analysis says. Leave
/// escaping, line breaks and colours to the writers, and trimming to `fitted`:
///
///     Document report{.title = say(language, "Comparison")};
///     report.nodes.push_back(paragraph(tell(language, "{} is faster.", code(name))));
///     report.nodes.push_back(section("Counters", {list({...})}, 20));
///     return toMarkdown(fitted(report, 2000, language, toMarkdown));
namespace roofscope::doc {

/// Who a part is for. A format for one audience leaves out parts for the other.
enum class Audience { Both, Person, Assistant };
[[nodiscard]] bool readBy(Audience part, Audience reader);

struct Node;
using Nodes = std::vector<Node>;

/// Nodes below a heading; without a title, just a group of nodes.
struct Section {
    Text title;
    Nodes children;
    std::string id = {};  ///< target of links and of the page's script, or empty
    Text remark = {};     ///< muted text beside the title; HTML only
    bool folds = false;   ///< HTML: folded, unless it is the first such section
};

struct Paragraph {
    Text text;
    /// A shorter text for when not even the parts without priority fit the budget; empty: use
    /// `text`.
    Text brief = {};
    std::string left = {};  ///< what a trimmed report then lists as missing
};

/// Its children are items: paragraphs, or sections whose title is the item's text.
struct List {
    Nodes children;
};

/// Preformatted lines.
struct Code {
    std::string lines;     ///< from a profile or our own; writers clean each line
    std::string language;  ///< "cuda", "sh"; may be empty
};

struct Column {
    Text title;
    bool number = false;  ///< right-aligned
    Audience audience = Audience::Both;
    std::string tip = {};      ///< HTML: shown on hover
    std::size_t maxWidth = 0;  ///< in terminal columns; 0: as wide as its cells
};

struct Cell {
    Text text;
    std::optional<double> value = {};  ///< HTML: the sort key
    std::string tip = {};
};

struct Row {
    std::vector<Cell> cells;  ///< as many as the table has columns
    std::string id = {};      ///< as in Section: target of the page's script
    bool anchor = false;      ///< no section has this id, so links to it lead here
};

/// A picture, shown in HTML only. Text beside it must say the same.
struct Picture {
    std::string svg;  ///< our own element (plot::toInlineSvg); written unescaped
};

/// Its children are rows.
struct Table {
    std::vector<Column> columns;
    Nodes children;
    std::string id = {};
    Text caption = {};  ///< its name for screen readers
};

/// A diagnosis: "1. Uncoalesced access: at most 208 µs (`uncoalesced-access`)" with details below.
struct Finding {
    std::size_t number = 0;  ///< 0: without a number
    Text title;
    Text gain;         ///< may be empty
    std::string rule;  ///< its id
    Nodes children;
};

/// A part of the tree. A node without a priority of its own is kept or dropped with its parent.
struct Node {
    std::variant<Section, Paragraph, List, Code, Picture, Table, Row, Finding> body;
    /// Nodes with the largest priority number are dropped first to meet a budget; 0 is never
    /// dropped.
    std::optional<unsigned> priority = {};
    Audience audience = Audience::Both;
    /// What a trimmed report lists as missing if this was dropped ("ruled out"); empty: nothing.
    std::string name = {};

    [[nodiscard]] const Nodes* children() const;
    [[nodiscard]] Nodes* children();
};

struct Document {
    Text title;  ///< may be empty: then there is no heading
    Nodes nodes;
};

// Shorthands for making nodes.

[[nodiscard]] Node section(Text title, Nodes children, std::optional<unsigned> priority = {},
                           std::string name = {});
[[nodiscard]] Node paragraph(Text text, std::optional<unsigned> priority = {},
                             std::string name = {});
/// A paragraph with a brief form; `left` names what the brief form leaves out.
[[nodiscard]] Node paragraph(Text text, Text brief, std::string left,
                             std::optional<unsigned> priority);
[[nodiscard]] Node list(Nodes items, std::optional<unsigned> priority = {}, std::string name = {});
[[nodiscard]] Node list(const std::vector<Text>& items, std::optional<unsigned> priority = {},
                        std::string name = {});
[[nodiscard]] Node codeBlock(std::string lines, std::string language,
                             std::optional<unsigned> priority = {}, std::string name = {});
[[nodiscard]] Node row(std::vector<Cell> cells, std::optional<unsigned> priority = {});
[[nodiscard]] Node forReader(Audience audience, Node node);
/// Removes a column from a table and its rows.
void dropColumn(Table& table, std::size_t column);

/// The document without the parts and table columns for other readers than `reader`, and without
/// sections, lists and tables that this leaves empty.
[[nodiscard]] Document forReader(Audience reader, Document document);

}  // namespace roofscope::doc
