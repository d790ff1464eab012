// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/program/operators/operators.h"
#include "reports/document/document.h"
#include "reports/json/json_parts.h"

/// Time and FLOPs of a framework's operators (analyzer/program/operators/operators.h), for people
/// and programs.
namespace roofscope {

/// "By the sizes of its operators, the window reaches 27 % of the BF16 tensor roof (989 TFLOP/s,
/// measured). By counters, products use the tensor pipe for 31 % of its time." Absent if the FLOPs
/// are not known.
[[nodiscard]] std::optional<doc::Text> modelFlopsSentence(const program::OperatorTable& table,
                                                          Language language);
/// The operators with the most time, at most `most`, each with 1 % of the window or more.
[[nodiscard]] doc::Table operatorTable(const program::OperatorTable& table, const Program& program,
                                       std::size_t most, Language language);
/// How the table's numbers are obtained.
[[nodiscard]] doc::Text operatorNote(const program::OperatorTable& table, const Program& program,
                                     Language language);
/// "operators" in JSON; null if none is known.
[[nodiscard]] json_parts::Json operatorsObject(const program::OperatorTable& table,
                                               const Program& program, Language language);

}  // namespace roofscope
