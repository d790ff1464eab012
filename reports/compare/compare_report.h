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
    std::string baselinePath, candidatePath;  ///< as given by the user
    std::optional<std::size_t> top;           ///< most kernels to show
    bool allQuantities = false;               ///< JSON: also quantities that did not move
    bool colour = false;                      ///< ANSI colours in text; only for terminals
    int width = 100;                          ///< text columns
    Language language = Language::En;         ///< for markdown and text; JSON is English
};

namespace compare_words {
struct View;
}

/// An output format of a comparison. To add one, write its renderer in a file of its own and add a
/// row in compare_report.cpp.
struct CompareFormatEntry {
    ReportFormat format;
    std::string_view name;    ///< "markdown"
    std::string_view suffix;  ///< "md", the file suffix; also accepted as a name
    void (*write)(const compare_words::View&, const CompareOptions&, const TextSink&);
};
[[nodiscard]] std::span<const CompareFormatEntry> compareFormats();

/// Writes what changed between two analyses (or two kernels of one) as markdown, text or JSON. JSON
/// is streamed to the sink. Other formats are a usage error. Names are data, as in writeReport().
Result<void> writeComparison(const Comparison& comparison, const Analysis& baseline,
                             const Analysis& candidate, ReportFormat format,
                             const CompareOptions& options, const TextSink& sink);
/// The same, returned as a string.
Result<std::string> renderComparison(const Comparison& comparison, const Analysis& baseline,
                                     const Analysis& candidate, ReportFormat format,
                                     const CompareOptions& options = {});

/// The "Since the baseline" part of a kernel's hints: how its time changed and why, which promises
/// came true, what is new. `candidateKernel` is an index into the candidate's kernels. Empty if the
/// comparison does not cover this kernel.
[[nodiscard]] doc::Nodes sinceBaselineNodes(const Comparison& comparison, const Analysis& baseline,
                                            const Analysis& candidate, std::size_t candidateKernel,
                                            Language language);

}  // namespace roofscope
