// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/document/document.h"

namespace roofscope::doc {

/// GitHub's markdown. Names are in code spans or escaped: nothing that a document holds can become
/// a heading, a link or HTML. Ends with a line end.
[[nodiscard]] std::string toMarkdown(const Document& document);

}  // namespace roofscope::doc
