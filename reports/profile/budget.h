// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "analyzer/language/words.h"
#include "reports/document/document.h"

namespace roofscope::doc {

/// Trims a document to a size. Parts are kept in order of priority as long as they fit; a small
/// part may stay where a large one of the same priority is dropped. Parts with priority 0 always
/// stay; if they are too large, paragraphs with a brief form (doc::Paragraph::brief) use it. A
/// final paragraph names what is missing, and states the size if even the remaining parts exceed
/// `budgetTokens` (estimateTokens).
///
/// `write` is the writer of the output format.
[[nodiscard]] Document fitted(Document document, std::size_t budgetTokens, Language language,
                              const std::function<std::string(const Document&)>& write);

}  // namespace roofscope::doc
