// SPDX-License-Identifier: Apache-2.0
#include "reports/profile/budget.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "reports/document/tokens.h"
#include "reports/language/say.h"

namespace roofscope::doc {

namespace {

/// Nodes that are kept or dropped together: one with a priority of its own, and those below it
/// without.
struct Unit {
    std::size_t parent = 0;  ///< index of the enclosing unit; 0 is the whole document
    unsigned priority = 0;
    std::size_t tokens = 0;  ///< estimate
    std::string name;
    std::size_t above = 0;  ///< unit of the table row above, which must stay too; 0: none
    bool stays = false;
};

/// Trims a document by dropping units.
class Budget {
public:
    /// `left`: names of parts that are already missing.
    Budget(const Document& document, std::size_t tokens, Language language,
           const std::function<std::string(const Document&)>& write,
           const std::vector<std::string>& left = {})
        : m_document(document),
          m_tokens(tokens),
          m_language(language),
          m_write(write),
          m_left(left) {
        m_units.emplace_back().stays = true;
        for (const Node& node : document.nodes) collect(node, 0);
    }

    Document run() {
        choose();
        Document document = cut();
        // Unit sizes are estimates that ignore separators, so check the written size.
        while (size(document) > m_tokens && dropOne()) document = cut();
        fill(document);
        // The stated size is part of the text that it counts, so iterate.
        std::size_t smallest = size(document);
        for (int i = 0; i < 4 && smallest > m_tokens; ++i) {
            document = cut(smallest);
            smallest = size(document);
        }
        return document;
    }

private:
    std::size_t size(const Document& document) const { return estimateTokens(m_write(document)); }

    /// Collects the units of a node and its children, in the order in which `kept` visits them.
    void collect(const Node& node, std::size_t unit) {
        if (node.priority) {
            // A part cannot be more important than its parent.
            const bool row = std::holds_alternative<Row>(node.body);
            m_units.push_back({.parent = unit,
                               .priority = std::max(*node.priority, m_units[unit].priority),
                               .name = node.name,
                               .above = row ? std::exchange(m_lastRow[unit], m_units.size()) : 0});
            unit = m_units.size() - 1;
        }
        Node own = node;
        if (Nodes* children = own.children()) children->clear();
        m_units[unit].tokens += size({.nodes = {std::move(own)}});
        if (const Nodes* children = node.children())
            for (const Node& child : *children) collect(child, unit);
    }

    void choose() {
        m_order.resize(m_units.size());
        for (std::size_t i = 0; i < m_order.size(); ++i) m_order[i] = i;
        std::ranges::stable_sort(m_order, {}, [&](std::size_t i) { return m_units[i].priority; });
        std::size_t used =
            estimateTokens(m_document.title.plain()) + estimateTokens(note({}).plain());
        for (const std::size_t i : m_order) {
            Unit& unit = m_units[i];
            unit.stays = unit.priority == 0 || (mayStay(unit) && used + unit.tokens <= m_tokens);
            if (unit.stays) used += unit.tokens;
        }
    }

    /// Whether a unit's parent and the row above it stay.
    bool mayStay(const Unit& unit) const { return stays(unit.parent) && stays(unit.above); }

    /// Drops the least important remaining unit; false if there is none.
    bool dropOne() {
        for (auto last = m_order.rbegin(); last != m_order.rend(); ++last) {
            Unit& unit = m_units[*last];
            if (!unit.stays || unit.priority == 0) continue;
            unit.stays = false;
            return true;
        }
        return false;
    }

    /// Adds back units that do fit, most important first: most are smaller than estimated.
    void fill(Document& document) {
        constexpr std::size_t kTries = 100;  // each try writes the document
        std::size_t used = size(document), tries = 0;
        for (const std::size_t i : m_order) {
            Unit& unit = m_units[i];
            if (used + m_tokens / 50 >= m_tokens || tries == kTries) return;
            if (unit.stays || !mayStay(unit)) continue;
            unit.stays = true;
            if (Document more = cut(); size(more) <= m_tokens) {
                used = size(more);
                document = std::move(more);
            } else {
                unit.stays = false;
            }
            ++tries;
        }
    }

    Document cut(std::optional<std::size_t> smallest = {}) const {
        Document document{.title = m_document.title};
        std::size_t unit = 0;
        document.nodes = kept(m_document.nodes, unit, 0);
        if (const bool all = std::ranges::all_of(m_units, &Unit::stays);
            !all || smallest || !m_left.empty())
            document.nodes.push_back(paragraph(note(smallest)));
        return document;
    }

    /// `last` is the last visited unit, `parent` the unit that encloses `nodes`.
    Nodes kept(const Nodes& nodes, std::size_t& last, std::size_t parent) const {
        Nodes result;
        for (const Node& node : nodes) {
            const std::size_t unit = node.priority ? ++last : parent;
            Node copy = node;
            if (Nodes* children = copy.children()) *children = kept(*node.children(), last, unit);
            // Drop a heading or a list with nothing left in it.
            const bool emptied = node.children() && !node.children()->empty() &&
                                 copy.children()->empty() &&
                                 !std::holds_alternative<Finding>(node.body);
            if (stays(unit) && !emptied) result.push_back(std::move(copy));
        }
        return result;
    }

    bool stays(std::size_t unit) const {
        for (; unit != 0; unit = m_units[unit].parent)
            if (!m_units[unit].stays) return false;
        return true;
    }

    /// The note with the names of missing parts: "kernel ×7, source".
    Text note(std::optional<std::size_t> smallest) const {
        std::vector<std::pair<std::string, std::size_t>> missing;
        for (const std::string& left : m_left) missing.emplace_back(left, 1);
        for (std::size_t i = 1; i < m_units.size(); ++i) {
            const Unit& unit = m_units[i];
            if (unit.name.empty() || stays(i) || !stays(unit.parent)) continue;
            const auto known =
                std::ranges::find(missing, unit.name, [](const auto& m) { return m.first; });
            if (known == missing.end())
                missing.emplace_back(unit.name, 1);
            else
                ++known->second;
        }
        std::vector<Text> names;
        for (const auto& [name, count] : missing)
            names.emplace_back(count > 1 ? fmt::format("{} ×{}", name, count) : name);
        const Text list = joined(names, marksOf(m_language).comma);
        const Text head =
            smallest
                ? tell(m_language, "The smallest report is {} tokens, more than the budget of {}.",
                       *smallest, m_tokens)
                : tell(m_language, "Trimmed to a budget of {} tokens.", m_tokens);
        if (list.empty()) return head;
        return head + marksOf(m_language).gap + tell(m_language, "Left out: {}.", list);
    }

    const Document& m_document;
    const std::size_t m_tokens;
    const Language m_language;
    const std::function<std::string(const Document&)>& m_write;
    const std::vector<std::string> m_left;
    std::vector<Unit> m_units;
    std::vector<std::size_t> m_order;              ///< unit indices, most important first
    std::map<std::size_t, std::size_t> m_lastRow;  ///< per unit: its last table row so far
};

/// Replaces texts by their brief form; adds what these leave out to `left`.
void useBriefTexts(Nodes& nodes, std::vector<std::string>& left) {
    for (Node& node : nodes) {
        if (auto* text = std::get_if<Paragraph>(&node.body); text && !text->brief.empty()) {
            left.push_back(text->left);
            text->text = std::move(text->brief);
        }
        if (Nodes* children = node.children()) useBriefTexts(*children, left);
    }
}

}  // namespace

Document fitted(Document document, std::size_t budgetTokens, Language language,
                const std::function<std::string(const Document&)>& write) {
    if (estimateTokens(write(document)) <= budgetTokens) return document;
    Document cut = Budget(document, budgetTokens, language, write).run();
    if (estimateTokens(write(cut)) <= budgetTokens) return cut;
    std::vector<std::string> left;
    useBriefTexts(document.nodes, left);
    if (left.empty()) return cut;
    return Budget(document, budgetTokens, language, write, left).run();
}

}  // namespace roofscope::doc
