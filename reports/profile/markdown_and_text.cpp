// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "reports/chosen_kernels.h"
#include "reports/document/markdown_writer.h"
#include "reports/document/text_writer.h"
#include "reports/profile/budget.h"
#include "reports/profile/profile_report.h"

/// Renders a profile's report as markdown and text, and the hints of one kernel. The HTML page is
/// in html.cpp.
namespace roofscope {

namespace {

std::string written(doc::Document document, const ReportOptions& options,
                    const std::function<std::string(const doc::Document&)>& write) {
    if (options.budgetTokens)
        document = fitted(std::move(document), *options.budgetTokens, options.language, write);
    return write(document);
}

}  // namespace

std::string renderMarkdown(const Analysis& analysis, const ChosenKernels& selection,
                           const ReportOptions& options) {
    return written(profile_report::ofProfile(analysis, selection, options, selection.kernels.size(),
                                             doc::Audience::Assistant),
                   options, doc::toMarkdown);
}

std::string renderText(const Analysis& analysis, const ChosenKernels& selection,
                       const ReportOptions& options) {
    const doc::TerminalOptions terminal{
        .width = static_cast<std::size_t>(std::clamp(options.width, 60, 300)),
        .colour = options.colour};
    return written(profile_report::ofProfile(analysis, selection, options, selection.kernels.size(),
                                             doc::Audience::Person),
                   options,
                   [&](const doc::Document& document) { return toTerminal(document, terminal); });
}

std::string renderKernelHints(const Analysis& analysis, std::size_t kernel,
                              const ReportOptions& options) {
    if (!analysis.profile || kernel >= analysis.kernels.size()) return {};
    return written(
        forReader(doc::Audience::Assistant, profile_report::ofKernel(analysis, kernel, options)),
        options, doc::toMarkdown);
}

}  // namespace roofscope
