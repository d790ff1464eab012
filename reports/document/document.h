// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reports/document/text.h"

/// A report before it has a format: a tree that is built once and that writers walk
/// (markdown_writer.h, text_writer.h, html_writer.h). Build it from what an analysis says; leave
/// escaping, line breaks and colours to the writers, and lengths to `fitted`:
///
///     Document report{.title = say(language, "Comparison")};
///     report.nodes.push_back(paragraph(tell(language, "{} is faster.", code(name))));
///     report.nodes.push_back(section("Counters", {list({...})}, 20));
///     return toMarkdown(fitted(report, 2000, language, toMarkdown));
namespace roofscope::doc {

/// Who reads a part. A format that is written for one of them leaves out what is for the other.
enum class Audience { Both, Person, Assistant };
[[nodiscard]] bool readBy(Audience part, Audience reader);

struct Node;
using Nodes = std::vector<Node>;

/// Nodes below a heading; without a title, nodes that belong together.
struct Section {
    Text title;
    Nodes children;
    std::string id = {};  ///< what links and the page's script find it by, or empty
    Text remark = {};     ///< stands beside the title, not as loud; only a page shows it
    bool folds = false;   ///< a page shows it folded unless it is the first
};

struct Paragraph {
    Text text;
    /// What it says where a budget has no room even for the parts that stay; empty: all of it.
    Text brief = {};
    std::string left = {};  ///< what a trimmed report then calls missing
};

/// Its children are items: a paragraph each, or a section whose title is the item's own words.
struct List {
    Nodes children;
};

/// Lines that stay as they are.
struct Code {
    std::string lines;     ///< of a profile or our own; cleaned line by line by the writers
    std::string language;  ///< "cuda", "sh"; may be empty
};

struct Column {
    Text title;
    bool number = false;  ///< right-aligned
    Audience audience = Audience::Both;
    std::string tip = {};      ///< a page shows it when pointed at
    std::size_t maxWidth = 0;  ///< columns of a terminal; 0: as wide as its cells
};

struct Cell {
    Text text;
    std::optional<double> value = {};  ///< what a page sorts by
    std::string tip = {};
};

struct Row {
    std::vector<Cell> cells;  ///< as many as the table has columns
    std::string id = {};      ///< as of a section: the page's script finds it by this
    bool anchor = false;      ///< no section has that id: links to it lead here
};

/// A picture, which only a page shows: what it says stands in words beside it.
struct Picture {
    std::string svg;  ///< an element of our own (plot::toInlineSvg); written as it is
};

/// Its children are rows.
struct Table {
    std::vector<Column> columns;
    Nodes children;
    std::string id = {};
    Text caption = {};  ///< what a screen reader calls it
};

/// A diagnosis: "1. Uncoalesced access: at most 208 µs (`uncoalesced-access`)" and what stands
/// below.
struct Finding {
    std::size_t number = 0;  ///< 0: without a number
    Text title;
    Text gain;         ///< may be empty
    std::string rule;  ///< its id
    Nodes children;
};

/// A part of the tree. What has no priority of its own stands and falls with what it is part of.
struct Node {
    std::variant<Section, Paragraph, List, Code, Picture, Table, Row, Finding> body;
    /// What a budget drops first: the largest number. 0 is never dropped.
    std::optional<unsigned> priority = {};
    Audience audience = Audience::Both;
    /// What a trimmed report says is missing when this was dropped ("ruled out"); empty: nothing.
    std::string name = {};

    [[nodiscard]] const Nodes* children() const;
    [[nodiscard]] Nodes* children();
};

struct Document {
    Text title;  ///< may be empty: then the document begins with its first node
    Nodes nodes;
};

// Short ways to write nodes.

[[nodiscard]] Node section(Text title, Nodes children, std::optional<unsigned> priority = {},
                           std::string name = {});
[[nodiscard]] Node paragraph(Text text, std::optional<unsigned> priority = {},
                             std::string name = {});
/// A paragraph that can be said in fewer words; `left` is what these do not say.
[[nodiscard]] Node paragraph(Text text, Text brief, std::string left,
                             std::optional<unsigned> priority);
[[nodiscard]] Node list(Nodes items, std::optional<unsigned> priority = {}, std::string name = {});
[[nodiscard]] Node list(const std::vector<Text>& items, std::optional<unsigned> priority = {},
                        std::string name = {});
[[nodiscard]] Node codeBlock(std::string lines, std::string language,
                             std::optional<unsigned> priority = {}, std::string name = {});
[[nodiscard]] Node row(std::vector<Cell> cells, std::optional<unsigned> priority = {});
[[nodiscard]] Node forReader(Audience audience, Node node);
/// Takes a column out of a table and its rows.
void dropColumn(Table& table, std::size_t column);

/// The document without what is written for others than `reader`, columns of tables included, and
/// without sections, lists and tables that have nothing left in them.
[[nodiscard]] Document forReader(Audience reader, Document document);

}  // namespace roofscope::doc
