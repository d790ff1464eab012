// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "analyzer/program/operators/operators.h"
#include "reports/language/say.h"
#include "reports/profile/parts.h"
#include "reports/profile/priority.h"
#include "reports/program/operator_words.h"

namespace roofscope::profile_report {

doc::Nodes operatorsPart(const View& view) {
    constexpr std::size_t kMostRows = 8;
    if (!view.hasOpening()) return {};
    const Language l = view.language;
    const program::OperatorTable operators = program::operatorsOf(view.analysis, *view.program);
    doc::Nodes nodes;
    // In essentials the sentence is shown only if products are a large part of the program.
    constexpr double kLargePart = 0.25;
    const bool worthSaying =
        !view.essentials() || (operators.flops && operators.flops->products.value >= kLargePart);
    if (auto sentence = modelFlopsSentence(operators, l); sentence && worthSaying)
        nodes.push_back(doc::paragraph(*std::move(sentence), kModelFlops));
    if (view.essentials()) return nodes;
    doc::Table table = operatorTable(operators, *view.program, kMostRows, l);
    if (table.children.empty()) return nodes;
    nodes.push_back({.body = std::move(table)});
    nodes.push_back(doc::paragraph(operatorNote(operators, *view.program, l)));
    doc::Node section =
        doc::section(say(l, "Operators"), std::move(nodes), kOperators, say(l, "operators"));
    return {std::move(section)};
}

}  // namespace roofscope::profile_report
