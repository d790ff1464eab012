// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/formats.h"

/// Pieces of the page that `--format html` writes. What they return is HTML that is also
/// well-formed XML; names of the profiled program are escaped.
namespace roofscope::html {

/// The page's style sheet: the colours of the plot in both themes, then reports/html/report.css.
[[nodiscard]] std::string styleSheet();
/// reports/html/report.js.
[[nodiscard]] std::string_view script();

/// "kernel-3": what the plot and the table link to.
[[nodiscard]] std::string kernelId(std::size_t index);
/// A name in a code element.
[[nodiscard]] std::string code(std::string_view name, std::size_t maxLength, Language language);
/// The verdict in a coloured box.
[[nodiscard]] std::string verdictBadge(const Verdict& verdict, Language language);
/// A bar of a share (0 to 1, longer ones are cut); decoration: the number stands beside it.
[[nodiscard]] std::string shareBar(double share);

/// The table of kernels. `linked`: the kernels that have a section of their own.
[[nodiscard]] std::string kernelTable(const Analysis& analysis,
                                      const std::vector<std::size_t>& kernels, std::size_t linked,
                                      Language language);
/// The hint report of one kernel, as an element that can be folded.
[[nodiscard]] std::string kernelSection(const Analysis& analysis, std::size_t index,
                                        const ReportOptions& options, bool open);

}  // namespace roofscope::html
