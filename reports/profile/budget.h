// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "analyzer/language/words.h"
#include "reports/document/document.h"

namespace roofscope::doc {

/// The document cut down to a size. Parts stay in the order of their priority as long as they fit,
/// so a small one may stay where a large one of the same priority has to go; what has priority 0
/// stays in any case. Where even that is too large, paragraphs that can be said in fewer words
/// (doc::Paragraph::brief) are. A paragraph at the end names what is missing, and says so when even
/// the parts that stay are larger than `budgetTokens` (estimateTokens).
///
/// `write` is the writer that the result goes to.
[[nodiscard]] Document fitted(Document document, std::size_t budgetTokens, Language language,
                              const std::function<std::string(const Document&)>& write);

}  // namespace roofscope::doc
