// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/compare/comparison.h"
#include "analyzer/language/words.h"
#include "reports/document/document.h"
#include "reports/report.h"

namespace roofscope {

struct CompareOptions {
    std::string baselinePath, candidatePath;  ///< as the user gave them
    std::optional<std::size_t> top;           ///< at most so many kernels (markdown, text)
    bool allQuantities = false;               ///< in JSON those, too, that did not move
    bool colour = false;                      ///< ANSI colours in text; only for terminals
    int width = 100;                          ///< text columns
    Language language = Language::En;         ///< of markdown and text; JSON is English
};

namespace compare_words {
struct View;
}

/// A format of a comparison. To add one, write its renderer into a file of its own and its row into
/// compare_report.cpp.
struct CompareFormatEntry {
    ReportFormat format;
    std::string_view name;    ///< "markdown"
    std::string_view suffix;  ///< "md", of files; also a name
    void (*write)(const compare_words::View&, const CompareOptions&, const TextSink&);
};
[[nodiscard]] std::span<const CompareFormatEntry> compareFormats();

/// Writes what changed between two analyses (or two kernels of one) as markdown, text or JSON,
/// which is written while it is made; other formats are a usage error. Names are data, as in
/// writeReport().
Result<void> writeComparison(const Comparison& comparison, const Analysis& baseline,
                             const Analysis& candidate, ReportFormat format,
                             const CompareOptions& options, const TextSink& sink);
/// The same as a text.
Result<std::string> renderComparison(const Comparison& comparison, const Analysis& baseline,
                                     const Analysis& candidate, ReportFormat format,
                                     const CompareOptions& options = {});

/// "Since the baseline" of a kernel's hints: how its time changed and why, which promises came
/// true, what is new. Empty when no comparison is of this kernel (an index into the candidate's
/// kernels).
[[nodiscard]] doc::Nodes sinceBaselineNodes(const Comparison& comparison, const Analysis& baseline,
                                            const Analysis& candidate, std::size_t candidateKernel,
                                            Language language);

}  // namespace roofscope
