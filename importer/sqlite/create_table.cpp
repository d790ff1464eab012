// SPDX-License-Identifier: Apache-2.0
#include "importer/sqlite/create_table.h"

#include <algorithm>

#include "profile/text/lower_case.h"

namespace roofscope::sqlite {
namespace {

/// A token of CREATE TABLE: a word, a quoted name, or one other character.
struct SqlToken {
    std::string text;  ///< words are in lower case
    bool quoted = false;
    [[nodiscard]] bool is(std::string_view word) const { return !quoted && text == word; }
};

bool isOfWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

/// Splits a statement into tokens, without comments. Empty if a quote is not closed.
std::vector<SqlToken> tokensOf(std::string_view sql) {
    std::vector<SqlToken> tokens;
    for (std::size_t i = 0; i < sql.size();) {
        const char c = sql[i];
        if (sql.substr(i).starts_with("--")) {
            i = std::min(sql.find('\n', i), sql.size());
        } else if (sql.substr(i).starts_with("/*")) {
            const std::size_t end = sql.find("*/", i + 2);
            i = end == sql.npos ? sql.size() : end + 2;
        } else if (c == '"' || c == '`' || c == '\'' || c == '[') {
            const char close = c == '[' ? ']' : c;
            std::string name;
            for (++i;; ++i) {
                if (i >= sql.size()) return {};
                if (sql[i] != close) {
                    name += sql[i];
                } else if (close != ']' && sql.substr(i + 1).starts_with(close)) {
                    name += sql[i++];
                } else {
                    break;
                }
            }
            ++i;
            tokens.push_back({.text = lowerCase(name), .quoted = true});
        } else if (isOfWord(c)) {
            const std::size_t from = i;
            while (i < sql.size() && isOfWord(sql[i])) ++i;
            tokens.push_back({.text = lowerCase(sql.substr(from, i - from))});
        } else {
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
                tokens.push_back({.text = std::string(1, c)});
            ++i;
        }
    }
    return tokens;
}

/// The definition of a column or constraint, without the commas around it.
using Definition = std::vector<SqlToken>;

bool holds(const Definition& definition, std::string_view word) {
    return std::ranges::any_of(definition, [&](const SqlToken& t) { return t.is(word); });
}

bool isConstraint(const SqlToken& first) {
    for (const char* word : {"constraint", "primary", "unique", "check", "foreign"})
        if (first.is(word)) return true;
    return false;
}

}  // namespace

std::optional<ColumnsOfTable> columnsOf(std::string_view createTable) {
    const std::vector<SqlToken> tokens = tokensOf(createTable);
    if (tokens.size() < 2 || !tokens[0].is("create") || !tokens[1].is("table")) return std::nullopt;
    auto at = std::ranges::find_if(tokens, [](const SqlToken& t) { return t.is("("); });
    if (at == tokens.end()) return std::nullopt;
    std::vector<Definition> list(1);
    std::size_t depth = 0;
    for (; at != tokens.end(); ++at) {
        if (at->is("(") && ++depth == 1) continue;
        if (at->is(")") && --depth == 0) break;
        if (at->is(",") && depth == 1)
            list.emplace_back();
        else
            list.back().push_back(*at);
    }
    if (at == tokens.end()) return std::nullopt;
    if (std::any_of(at, tokens.end(), [](const SqlToken& t) { return t.is("without"); }))
        return std::nullopt;  // tables without row ids are stored as an index
    ColumnsOfTable columns;
    std::vector<bool> isInteger;
    std::optional<std::string> key;
    for (const Definition& definition : list) {
        if (definition.empty()) return std::nullopt;
        if (isConstraint(definition[0])) {
            // Handle PRIMARY KEY (a) with exactly one column.
            const auto open =
                std::ranges::find_if(definition, [](const SqlToken& t) { return t.is("("); });
            if (holds(definition, "primary") && definition.end() - open == 3) key = open[1].text;
            continue;
        }
        // Generated columns may not be stored in the row.
        if (holds(definition, "generated") || holds(definition, "as")) return std::nullopt;
        const bool integer = definition.size() > 1 && definition[1].is("integer");
        if (integer && holds(definition, "primary") && !holds(definition, "desc"))
            key = definition[0].text;
        columns.names.push_back(definition[0].text);
        isInteger.push_back(integer);
    }
    for (std::size_t i = 0; i < columns.names.size(); ++i)
        if (key == columns.names[i] && isInteger[i]) columns.rowNumber = i;
    return columns;
}

}  // namespace roofscope::sqlite
