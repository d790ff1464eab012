// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/compare/comparison.h"
#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"
#include "profile/errors/result.h"
#include "reports/document/tokens.h"
#include "reports/report_formats.h"

namespace roofscope {

/// An older profile and what changed since, for "Since the baseline".
struct ReportBaseline {
    std::shared_ptr<const Analysis> analysis;  ///< never null
    Comparison comparison;                     ///< from `analysis` to the reported profile
};

/// What an SVG shows.
enum class ReportPlot {
    Roofline,
    OverTime  ///< the first chosen kernel that was sampled over time
};

struct ReportOptions {
    std::optional<std::size_t> top;  ///< most kernels to show
    /// For markdown and text: of a program, show only what leads to the first edits, about 1,000
    /// tokens. A kernel has a section if its edit changes the program; the table lists the largest
    /// kernels.
    bool essentials = false;
    std::string kernelFilter;  ///< an id (reports/kernels/kernel_id.h), or an RE2 regex on name or
                               ///< range; empty: all
    std::optional<std::size_t> budgetTokens;  ///< markdown, text: drop the least important parts
    std::string profilePath;                  ///< as given by the user, for the "Ask" command
    bool colour = false;                      ///< ANSI colours in text; only for terminals
    int width = 100;                          ///< text columns
    bool dark = false;                        ///< svg: for a dark background; html: starts dark
    std::shared_ptr<const ReportBaseline> baseline = {};  ///< markdown and text; may be null
    /// Indices into Analysis::kernels to show, instead of applying `kernelFilter`, which is then
    /// only displayed.
    std::optional<std::vector<std::size_t>> kernels = {};
    /// Whether sections of kernels include "Ask", the commands that record the program again.
    bool ask = true;
    /// Further report options to repeat in the "Ask" command: "--redact=names".
    std::string askOptions = {};
    Language language = Language::En;  ///< of all words; names, numbers and code are unchanged
    ReportPlot plot = ReportPlot::Roofline;  ///< svg
    /// kernelIds() of the analysis, if at hand: with thousands of kernels, computing them takes
    /// longer than the hints of one kernel. Null: computed when needed.
    std::shared_ptr<const std::vector<std::string>> ids = {};
};

/// Writes a report of an analysis; JSON is streamed. Strings from the profiled program are data:
/// they are escaped for the format, capped in length, and stripped of control characters. On error
/// nothing is written.
Result<void> writeReport(const Analysis& analysis, ReportFormat format,
                         const ReportOptions& options, const TextSink& sink);
/// The same, returned as a string.
Result<std::string> renderReport(const Analysis& analysis, ReportFormat format,
                                 const ReportOptions& options = {});

/// The hint report of one kernel (docs/hints.md) as markdown: the text of the GUI's "Copy for
/// assistant".
std::string renderKernelHints(const Analysis& analysis, std::size_t kernelIndex,
                              const ReportOptions& options = {});

/// Indices into Analysis::kernels that match a filter (ReportOptions::kernelFilter); all if it is
/// empty. An invalid regular expression is a usage error.
Result<std::vector<std::size_t>> matchingKernels(const Analysis& analysis,
                                                 const std::string& kernelFilter);

}  // namespace roofscope
