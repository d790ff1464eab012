// SPDX-License-Identifier: Apache-2.0
#include "gui/models/overview/operator_list.h"

#include "analyzer/program/operators/operators.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/program/operator_words.h"

namespace roofscope::gui {

OperatorList operatorListOf(const Analysis& analysis, const Program& program) {
    constexpr std::size_t kMostRows = 8;
    const Language language = shownLanguage();
    const program::OperatorTable operators = program::operatorsOf(analysis, program);
    doc::Table table = operatorTable(operators, program, kMostRows, language);
    // The column does not fit beside the actions; the report has it.
    constexpr std::size_t kLaunches = 2;
    doc::dropColumn(table, kLaunches);
    OperatorList list;
    list.flops = plainText(modelFlopsSentence(operators, language));
    for (const doc::Column& column : table.columns) {
        list.headings << plainText(column.title);
        list.numbers.push_back(column.number);
    }
    for (const doc::Node& node : table.children) {
        QStringList& row = list.rows.emplace_back();
        for (const doc::Cell& cell : std::get<doc::Row>(node.body).cells)
            row << plainText(cell.text);
    }
    if (!list.rows.empty()) list.note = plainText(operatorNote(operators, program, language));
    return list;
}

}  // namespace roofscope::gui
