// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/document/document.h"

namespace roofscope::doc {

/// Elements for the body of a page; the styles and the script of reports/html/ know their classes.
/// Sections that fold are `<details>`, the first of them open. `level` is that of the first
/// headings.
[[nodiscard]] std::string toHtml(const Nodes& nodes, std::size_t level);
[[nodiscard]] std::string inlineHtml(const Text& text);

}  // namespace roofscope::doc
