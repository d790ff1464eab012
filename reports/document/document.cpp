// SPDX-License-Identifier: Apache-2.0
#include "reports/document/document.h"

#include <utility>

namespace roofscope::doc {

bool readBy(Audience part, Audience reader) {
    return part == Audience::Both || reader == Audience::Both || part == reader;
}

const Nodes* Node::children() const {
    return std::visit(
        [](const auto& body) -> const Nodes* {
            if constexpr (requires { body.children; }) return &body.children;
            return nullptr;
        },
        body);
}

Nodes* Node::children() { return const_cast<Nodes*>(std::as_const(*this).children()); }

Node section(Text title, Nodes children, std::optional<unsigned> priority, std::string name) {
    return {.body = Section{.title = std::move(title), .children = std::move(children)},
            .priority = priority,
            .name = std::move(name)};
}

Node paragraph(Text text, std::optional<unsigned> priority, std::string name) {
    return {.body = Paragraph{std::move(text)}, .priority = priority, .name = std::move(name)};
}

Node paragraph(Text text, Text brief, std::string left, std::optional<unsigned> priority) {
    return {.body = Paragraph{std::move(text), std::move(brief), std::move(left)},
            .priority = priority};
}

Node list(Nodes items, std::optional<unsigned> priority, std::string name) {
    return {.body = List{std::move(items)}, .priority = priority, .name = std::move(name)};
}

Node list(const std::vector<Text>& items, std::optional<unsigned> priority, std::string name) {
    Nodes nodes;
    for (const Text& item : items) nodes.push_back(paragraph(item));
    return list(std::move(nodes), priority, std::move(name));
}

Node codeBlock(std::string lines, std::string language, std::optional<unsigned> priority,
               std::string name) {
    return {.body = Code{.lines = std::move(lines), .language = std::move(language)},
            .priority = priority,
            .name = std::move(name)};
}

Node row(std::vector<Cell> cells, std::optional<unsigned> priority) {
    return {.body = Row{.cells = std::move(cells)}, .priority = priority};
}

Node forReader(Audience audience, Node node) {
    node.audience = audience;
    return node;
}

void dropColumn(Table& table, std::size_t column) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (Node& row : table.children) {
        auto& cells = std::get<Row>(row.body).cells;
        cells.erase(cells.begin() + at);
    }
}

namespace {

void keepColumns(Table& table, Audience reader) {
    for (std::size_t i = table.columns.size(); i-- > 0;)
        if (!readBy(table.columns[i].audience, reader)) dropColumn(table, i);
}

void keep(Nodes& nodes, Audience reader) {
    std::erase_if(nodes, [&](Node& node) {
        if (!readBy(node.audience, reader)) return true;
        if (auto* table = std::get_if<Table>(&node.body)) keepColumns(*table, reader);
        Nodes* children = node.children();
        if (!children) return false;
        keep(*children, reader);
        return children->empty() && !std::holds_alternative<Finding>(node.body);
    });
}

}  // namespace

Document forReader(Audience reader, Document document) {
    keep(document.nodes, reader);
    return document;
}

}  // namespace roofscope::doc
