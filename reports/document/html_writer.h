// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/document/document.h"

namespace roofscope::doc {

/// HTML elements for the body of a page, with the classes of the style sheet and script in
/// reports/html/. Folding sections are `<details>`, the first one open. `level` is that of the
/// first headings.
[[nodiscard]] std::string toHtml(const Nodes& nodes, std::size_t level);
[[nodiscard]] std::string inlineHtml(const Text& text);

}  // namespace roofscope::doc
