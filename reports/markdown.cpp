// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/formats.h"
#include "reports/markdown_parts.h"

namespace roofscope {

namespace {

using markdown::Header;
using markdown::KernelSection;

/// A report whose pieces can still be dropped from the bottom.
struct Document {
    std::optional<Header> header;
    std::vector<KernelSection> kernels;
    std::size_t shownKernels = 0;         ///< sections that stay
    std::size_t rows = 0;                 ///< rows of the ranking table that stay
    std::vector<std::size_t> shownParts;  ///< parts per section that stay
    bool after = true;
};

std::string trimNote(const Document& document, std::size_t budget) {
    std::vector<std::string> gone;
    const auto kernels = document.kernels.size();
    if (document.shownKernels < kernels)
        gone.push_back(fmt::format("{} of {} kernel sections (the least GPU time)",
                                   kernels - document.shownKernels, kernels));
    if (document.header && document.rows < document.header->rows.size())
        gone.push_back(fmt::format("{} rows of the kernel table",
                                   document.header->rows.size() - document.rows));
    if (document.header && !document.after && !document.header->after.text.empty())
        gone.push_back(document.header->after.name);
    for (std::size_t k = 0; k < document.shownKernels; ++k) {
        std::string names;
        for (std::size_t p = document.shownParts[k]; p < document.kernels[k].parts.size(); ++p)
            names += (names.empty() ? "" : ", ") + document.kernels[k].parts[p].name;
        if (!names.empty()) gone.push_back("parts: " + names);
    }
    if (gone.empty()) return {};
    std::string note = fmt::format("\n*Trimmed to a budget of about {} tokens. Left out: ", budget);
    for (std::size_t i = 0; i < gone.size(); ++i) note += (i ? "; " : "") + gone[i];
    return note + ".*\n";
}

std::string assemble(const Document& document, std::size_t budget) {
    std::string text;
    if (document.header) {
        const Header& header = *document.header;
        text += header.before;
        if (document.rows > 0) {
            text += header.tableHead;
            for (std::size_t i = 0; i < document.rows; ++i) text += header.rows[i];
            text += "\n";
        }
        text += header.issues.text;
        if (document.after) text += header.after.text;
    }
    for (std::size_t k = 0; k < document.shownKernels; ++k) {
        if (k > 0) text += "\n";
        text += document.kernels[k].head;
        for (std::size_t p = 0; p < document.shownParts[k]; ++p)
            text += "\n" + document.kernels[k].parts[p].text;
    }
    while (text.ends_with("\n\n")) text.pop_back();
    return text + trimNote(document, budget);
}

/// Drops the last kernels first, then the last parts of the first kernel, then rows of the table.
std::string fit(Document document, const std::optional<std::size_t>& budget) {
    document.shownKernels = document.kernels.size();
    document.shownParts.clear();
    for (const KernelSection& kernel : document.kernels)
        document.shownParts.push_back(kernel.parts.size());
    document.rows = document.header ? document.header->rows.size() : 0;
    if (!budget) return assemble(document, 0);

    const auto fits = [&] { return estimateTokens(assemble(document, *budget)) <= *budget; };
    // Sections differ in length, but dropping one never makes the report longer: search by halves.
    const auto shrink = [&](std::size_t& count, std::size_t least) {
        if (count <= least || fits()) return;
        std::size_t low = least, high = count;  // `high` does not fit
        while (low + 1 < high) {
            count = (low + high) / 2;
            (fits() ? low : high) = count;
        }
        count = low;
    };
    shrink(document.shownKernels, document.kernels.empty() ? 0 : 1);
    if (!fits()) shrink(document.rows, document.rows > 0 ? 1 : 0);
    if (!fits()) document.after = false;
    if (!document.kernels.empty()) shrink(document.shownParts[0], 0);
    return assemble(document, *budget);
}

}  // namespace

std::string renderMarkdown(const Analysis& analysis, const Selection& selection,
                           const ReportOptions& options) {
    Document document;
    document.header = markdown::profileHeader(analysis, selection, options);
    for (const std::size_t index : selection.kernels)
        document.kernels.push_back(markdown::kernelSection(analysis, index, options, false));
    return fit(std::move(document), options.budgetTokens);
}

std::string renderKernelHints(const Analysis& analysis, std::size_t kernelIndex,
                              const ReportOptions& options) {
    if (!analysis.profile || kernelIndex >= analysis.kernels.size()) return {};
    Document document;
    document.kernels.push_back(markdown::kernelSection(analysis, kernelIndex, options, true));
    return fit(std::move(document), options.budgetTokens);
}

}  // namespace roofscope
