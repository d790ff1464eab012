// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/document/document.h"

namespace roofscope::doc {

/// GitHub-flavoured markdown, ending with a newline. Names are escaped or in code spans: no content
/// of a document can become a heading, a link or HTML.
[[nodiscard]] std::string toMarkdown(const Document& document);

}  // namespace roofscope::doc
