// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "analyzer/rule.h"
#include "reports/escape.h"
#include "reports/formats.h"
#include "reports/kernel_facts.h"
#include "reports/language/wording.h"
#include "reports/markdown_parts.h"
#include "reports/phrase.h"

namespace roofscope {

namespace {

using markdown::Header;
using markdown::KernelSection;

/// How much of the findings stays, from all to the title of the first one.
enum class Detail { All, First, NoCode, NoExpectation, NoEvidence, NoMechanism, TitleOnly };

/// A report whose pieces can still be dropped from the bottom.
struct Document {
    /// The header for so many rows of the ranking table: it says how many kernels are shown.
    std::function<Header(std::size_t)> makeHeader;
    std::optional<Header> header;
    const Wording* words = nullptr;
    std::vector<KernelSection> kernels;
    std::string mechanism;  ///< of the first kernel's first finding, as it is shown
    std::size_t allRows = 0;
    std::size_t shownKernels = 0;         ///< sections that stay
    std::size_t rows = 0;                 ///< rows of the ranking table that stay
    std::vector<std::size_t> shownParts;  ///< parts per section that stay
    std::size_t sourceWindows = 0;        ///< sections that show source, if they have any
    bool after = true;
    bool ranges = true;
    bool origins = true;  ///< software versions and the full name
    Detail detail = Detail::All;

    [[nodiscard]] bool shows(std::size_t kernel, std::size_t part) const {
        return part < shownParts[kernel] &&
               (kernel < sourceWindows ||
                kernels[kernel].parts[part].kind != markdown::PartKind::Source);
    }
};

/// Where the findings are among a section's parts, or the number of parts.
std::size_t findingsAt(const KernelSection& kernel) {
    std::size_t at = 0;
    while (at < kernel.parts.size() && kernel.parts[at].kind != markdown::PartKind::Findings) ++at;
    return at;
}

/// Without the lines that begin with `start`.
std::string withoutLines(const std::string& text, std::string_view start) {
    std::string kept;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size() - 1) + 1;
        if (text.compare(from, start.size(), start) != 0) kept.append(text, from, end - from);
        from = end;
    }
    return kept;
}

/// Removes from `begin` up to and including `end`, or to the end of the text.
void cut(std::string& text, std::string_view begin, std::string_view end = {}) {
    const auto from = text.find(begin);
    if (from == text.npos) return;
    const auto to = end.empty() ? text.npos : text.find(end, from + begin.size());
    text.erase(from, to == text.npos ? text.npos : to + end.size() - from);
}

std::string trimmedFindings(std::string text, Detail detail, const std::string& mechanism,
                            const Wording& w) {
    const auto down = [&](Detail level) { return detail >= level; };
    if (text.find("\n**1. ") == text.npos) return text;  // nothing found: there is only a sentence
    if (down(Detail::First)) {
        // Also the lists of what is minor, which follow the last finding.
        cut(text, "\n**2. ");
        for (const Label& list : {w.kernel.also, w.kernel.minor, w.kernel.blockedStart})
            cut(text, "\n" + list);
    }
    if (down(Detail::NoCode)) cut(text, "\n```cuda\n", "\n```\n");
    if (down(Detail::NoExpectation)) {
        cut(text, "\n" + w.kernel.expect);
        text = withoutLines(text, w.kernel.gainBound);
    }
    if (down(Detail::NoEvidence)) text = withoutLines(text, "- ");
    if (down(Detail::NoMechanism) && !mechanism.empty()) {
        const std::string whole = w.common.gap.str() + mechanism;
        const auto at = text.find(whole);
        if (at != text.npos) text.erase(at, whole.size());
    }
    if (down(Detail::TitleOnly)) {
        const auto title = text.find("\n**1. ") + 1;
        text.resize(std::min(text.find('\n', title), text.size() - 1) + 1);
    }
    for (auto gap = text.find("\n\n\n"); gap != text.npos; gap = text.find("\n\n\n"))
        text.erase(gap, 1);
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

/// `smallest`: the size of this report when even it does not fit.
std::string trimNote(const Document& document, std::size_t budget,
                     std::optional<std::size_t> smallest) {
    const BudgetWords& words = document.words->budget;
    std::vector<std::string> gone;
    const auto kernels = document.kernels.size();
    if (document.shownKernels < kernels)
        gone.push_back(words.sections(kernels - document.shownKernels, kernels));
    if (document.header && document.rows < document.allRows)
        gone.push_back(words.rows(document.allRows - document.rows));
    if (document.header && !document.after && !document.header->after.empty())
        gone.push_back(document.header->afterName);
    if (document.header && !document.ranges && !document.header->ranges.empty())
        gone.push_back(document.words->ranges.budget.str());
    if (!document.origins) gone.push_back(words.origins.str());
    if (document.detail != Detail::All && document.shownKernels > 0 &&
        findingsAt(document.kernels[0]) < document.shownParts[0])
        gone.push_back(
            (document.detail == Detail::First ? words.laterFindings : words.details).str());
    for (std::size_t k = 0; k < document.shownKernels; ++k) {
        std::string names;
        for (std::size_t p = 0; p < document.kernels[k].parts.size(); ++p)
            if (!document.shows(k, p))
                names += (names.empty() ? std::string() : document.words->common.listComma.str()) +
                         document.kernels[k].parts[p].name;
        if (!names.empty()) gone.push_back(words.parts(names));
    }
    if (gone.empty() && !smallest) return {};
    const std::string note =
        "\n" + (smallest ? words.tooSmall(*smallest, budget) : words.trimmed(budget));
    if (gone.empty()) return note + "*\n";
    std::string list;
    for (std::size_t i = 0; i < gone.size(); ++i)
        list += (i ? document.words->common.semicolon.str() : std::string()) + gone[i];
    return note + words.leftOut(list) + "*\n";
}

std::string assemble(const Document& document, std::size_t budget,
                     std::optional<std::size_t> smallest = std::nullopt) {
    const auto lineOf = [&](const Label& name) {
        return "- " + name + document.words->common.colon.str();
    };
    std::string text;
    if (document.header) {
        const Header header = document.makeHeader(document.rows);
        text += document.origins
                    ? header.before
                    : withoutLines(header.before, lineOf(document.words->header.software));
        if (document.rows > 0) {
            text += header.tableHead;
            for (std::size_t i = 0; i < document.rows; ++i) text += header.rows[i];
            text += "\n";
        }
        if (document.ranges) text += header.ranges;
        text += header.issues;
        if (document.after) text += header.after;
    }
    for (std::size_t k = 0; k < document.shownKernels; ++k) {
        if (k > 0) text += "\n";
        const KernelSection& kernel = document.kernels[k];
        text += document.origins
                    ? kernel.head
                    : withoutLines(kernel.head, lineOf(document.words->kernel.fullName));
        for (std::size_t p = 0; p < document.shownParts[k]; ++p) {
            if (!document.shows(k, p)) continue;
            text += "\n" + (k == 0 && p == findingsAt(kernel)
                                ? trimmedFindings(kernel.parts[p].text, document.detail,
                                                  document.mechanism, *document.words)
                                : kernel.parts[p].text);
        }
    }
    while (text.ends_with("\n\n")) text.pop_back();
    return text + trimNote(document, budget, smallest);
}

/// Drops the source of all kernels but the first, the last kernels, then rows of the table,
/// versions, the first kernel's source, what stands below its findings, and their details; the
/// title of the first finding goes last.
std::string fit(Document document, const std::optional<std::size_t>& budget) {
    document.shownKernels = document.kernels.size();
    document.shownParts.clear();
    for (const KernelSection& kernel : document.kernels)
        document.shownParts.push_back(kernel.parts.size());
    document.sourceWindows = document.kernels.size();
    document.rows = document.allRows = document.header ? document.header->rows.size() : 0;
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
    // A diagnosis of one more kernel is worth more than the code of one that is diagnosed.
    if (document.sourceWindows > 1 && !fits()) document.sourceWindows = 1;
    shrink(document.shownKernels, document.kernels.empty() ? 0 : 1);
    if (!fits()) shrink(document.rows, document.rows > 0 ? 1 : 0);
    if (!fits()) document.after = false;
    if (!fits()) document.ranges = false;
    if (!fits()) document.origins = false;
    if (!fits()) document.sourceWindows = 0;
    if (!document.kernels.empty()) {
        const std::size_t parts = document.kernels[0].parts.size();
        shrink(document.shownParts[0], std::min(findingsAt(document.kernels[0]) + 1, parts));
        for (const Detail detail : {Detail::First, Detail::NoCode, Detail::NoExpectation,
                                    Detail::NoEvidence, Detail::NoMechanism, Detail::TitleOnly})
            if (!fits()) document.detail = detail;
        shrink(document.shownParts[0], 0);
    }
    if (fits()) return assemble(document, *budget);
    // The number is part of what it counts.
    std::size_t size = *budget;
    for (int i = 0; i < 4; ++i) size = estimateTokens(assemble(document, *budget, size));
    return assemble(document, *budget, size);
}

/// The mechanism of the first finding in the words of its section.
std::string mechanismOf(const KernelAnalysis& kernel, Language language) {
    const auto findings = majorFindings(kernel);
    const Rule* rule = findings.empty() ? nullptr : findRule(findings.front()->ruleId);
    if (!rule) return {};
    const auto clean = [](std::string_view text) { return cleanText(text); };
    return markdownText(
        fillPhrase(rule->text(language).mechanism, findings.front()->args, clean, language), 1500);
}

}  // namespace

std::string renderMarkdown(const Analysis& analysis, const Selection& selection,
                           const ReportOptions& options) {
    Document document;
    document.words = &wordingOf(options.language);
    document.makeHeader = [&](std::size_t rows) {
        Selection shown = selection;
        shown.kernels.resize(std::min(rows, shown.kernels.size()));
        return markdown::profileHeader(analysis, shown, options);
    };
    document.header = document.makeHeader(selection.kernels.size());
    if (!selection.kernels.empty())
        document.mechanism =
            mechanismOf(analysis.kernels[selection.kernels.front()], options.language);
    for (const std::size_t index : selection.kernels)
        document.kernels.push_back(markdown::kernelSection(analysis, index, options, false));
    return fit(std::move(document), options.budgetTokens);
}

std::string renderKernelHints(const Analysis& analysis, std::size_t kernelIndex,
                              const ReportOptions& options) {
    if (!analysis.profile || kernelIndex >= analysis.kernels.size()) return {};
    Document document;
    document.words = &wordingOf(options.language);
    document.kernels.push_back(markdown::kernelSection(analysis, kernelIndex, options, true));
    document.mechanism = mechanismOf(analysis.kernels[kernelIndex], options.language);
    return fit(std::move(document), options.budgetTokens);
}

}  // namespace roofscope
