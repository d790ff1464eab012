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
    Comparison comparison;                     ///< of `analysis` with the profile that is reported
};

/// What a picture shows.
enum class ReportPlot {
    Roofline,
    OverTime  ///< the first of the chosen kernels that was sampled over its time
};

struct ReportOptions {
    std::optional<std::size_t> top;  ///< at most so many kernels (markdown, text)
    std::string kernelFilter;        ///< an id (reports/kernels/kernel_id.h), or an RE2 regex on
                                     ///< the full name or range; empty = all
    std::optional<std::size_t> budgetTokens;  ///< markdown, text: what matters least is left out
    std::string profilePath;                  ///< as the user gave it, for the "Ask" command
    bool colour = false;                      ///< ANSI colours in text; only for terminals
    int width = 100;                          ///< text columns
    bool dark = false;                        ///< svg: colours for a dark background; html: begins
                                              ///< dark instead of following the system
    std::shared_ptr<const ReportBaseline> baseline = {};  ///< markdown and text; may be null
    /// Indices into Analysis::kernels to choose from instead of `kernelFilter`, which then only
    /// says what was asked for.
    std::optional<std::vector<std::size_t>> kernels = {};
    /// Further options of the report, which the command of "Ask" repeats: "--redact=names".
    std::string askOptions = {};
    Language language = Language::En;        ///< of all words; names, numbers and code stay
    ReportPlot plot = ReportPlot::Roofline;  ///< svg
    /// kernelIds() of the analysis, where they are at hand: making them takes longer than the hints
    /// of one kernel, of thousands. Null: they are made.
    std::shared_ptr<const std::vector<std::string>> ids = {};
};

/// Writes a report of an analysis, JSON while it is made. Strings that come from the profiled
/// program are data: they are escaped for the format, capped in length, and stripped of control
/// characters. Nothing is written where an error is returned.
Result<void> writeReport(const Analysis& analysis, ReportFormat format,
                         const ReportOptions& options, const TextSink& sink);
/// The same as a text.
Result<std::string> renderReport(const Analysis& analysis, ReportFormat format,
                                 const ReportOptions& options = {});

/// The hint report of one kernel (parts 1–10 of docs/hints.md) as markdown: what the GUI's
/// "Copy for assistant" copies.
std::string renderKernelHints(const Analysis& analysis, std::size_t kernelIndex,
                              const ReportOptions& options = {});

/// Indices into Analysis::kernels that a filter (ReportOptions::kernelFilter) means; all when it is
/// empty. A broken regular expression is a usage error.
Result<std::vector<std::size_t>> matchingKernels(const Analysis& analysis,
                                                 const std::string& kernelFilter);

}  // namespace roofscope
