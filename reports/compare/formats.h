// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/compare/compare_report.h"
#include "reports/compare/words.h"

/// One function per output format of a comparison, each in its own file.
namespace roofscope {

[[nodiscard]] std::string renderComparisonMarkdown(const compare_words::View& view,
                                                   const CompareOptions& options);
[[nodiscard]] std::string renderComparisonText(const compare_words::View& view,
                                               const CompareOptions& options);
void writeComparisonJson(const compare_words::View& view, const CompareOptions& options,
                         const TextSink& sink);

}  // namespace roofscope
