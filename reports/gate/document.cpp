// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "reports/compare/words.h"
#include "reports/document/markdown_writer.h"
#include "reports/document/text_writer.h"
#include "reports/gate/formats.h"
#include "reports/gate/words.h"
#include "reports/language/say.h"

/// The verdict for people, in a log or as a comment on a pull request.
namespace roofscope {

namespace {

namespace words = gate_words;
using doc::Text, doc::Tone;
using gate::Check;
using gate::Status;

Text stateOf(const Check& check, Language l) {
    if (check.allowed) return doc::toned(Tone::Muted, say(l, "allowed"));
    if (check.improved) return doc::toned(Tone::Good, say(l, "better"));
    if (check.status == Status::Fail) return doc::strong(doc::toned(Tone::Bad, say(l, "fail")));
    return doc::strong(doc::toned(Tone::Warning, say(l, "incomparable")));
}

/// Whether a check has the same reason for all kernels (another GPU, or no kernel in common), so
/// that it is reported once.
bool isForAll(const gate::Judgement& j, const Check& check) {
    return !check.allowed && (check.id == "gpu" || (check.id == "kernel" && j.count.kernels == 0));
}

std::vector<Text> linesForAll(const gate::Judgement& j, Language l) {
    std::vector<std::pair<const Check*, std::size_t>> reasons;  // each with its number of kernels
    for (const gate::KernelGate& kernel : j.kernels)
        for (const Check& check : kernel.checks) {
            if (!isForAll(j, check)) continue;
            const auto same = std::ranges::find_if(reasons, [&](const auto& reason) {
                return words::check(*reason.first, l) == words::check(check, l);
            });
            if (same == reasons.end())
                reasons.emplace_back(&check, 1);
            else
                ++same->second;
        }
    std::vector<Text> lines;
    for (const auto& [check, kernels] : reasons)
        lines.push_back(stateOf(*check, l) + marksOf(l).colon + words::check(*check, l) +
                        (kernels > 1 ? tell(l, " ({} kernels)", kernels) : Text()));
    return lines;
}

/// The checks and notes worth a line.
std::vector<Text> linesOf(const gate::Judgement& j, const std::vector<Check>& checks,
                          const std::vector<Remark>& notes, Language l) {
    std::vector<Text> lines;
    for (const Check& check : checks)
        if (!words::quiet(check) && !isForAll(j, check))
            lines.push_back(stateOf(check, l) + marksOf(l).colon + words::check(check, l));
    for (const Remark& note : notes)
        lines.push_back(tell(l, "note: {}", compare_words::sentence(note, l)));
    return lines;
}

/// The title never begins with the kernel's name: a name like "::add-mask::…" at the start of a
/// line would be a command to a CI system that reads the log.
Text titleOf(const gate::KernelGate& kernel, Language l) {
    const Text name = doc::code(kernel.name, 100);
    const Text title = kernel.range.empty()
                           ? tell(l, "kernel {}", name)
                           : tell(l, "kernel {} in {}", name, doc::code(kernel.range, 120));
    return title.with(
        [](doc::Span& span) { span.text = words::withoutLogCommands(std::move(span.text)); });
}

doc::Document documentOf(const gate::Judgement& j, const GateOptions& options, std::size_t most) {
    const Language l = options.language;
    const Tone tone = j.status() == Status::Fail   ? Tone::Bad
                      : j.status() == Status::Pass ? Tone::Good
                                                   : Tone::Warning;
    const Text verdict = doc::toned(tone, words::verdict(j.status(), l));
    doc::Document document{};
    document.nodes.push_back(doc::paragraph(verdict + marksOf(l).colon + words::summary(j, l)));
    std::vector<Text> general = linesForAll(j, l);
    std::ranges::move(linesOf(j, j.checks, j.notes, l), std::back_inserter(general));
    if (!general.empty()) document.nodes.push_back(doc::list(general));
    std::size_t shown = 0, left = 0;
    for (const gate::KernelGate& kernel : j.kernels) {
        std::vector<Text> lines = linesOf(j, kernel.checks, kernel.notes, l);
        const std::size_t room = std::min(lines.size(), most - shown);
        shown += room;
        left += lines.size() - room;
        lines.resize(room);
        if (!lines.empty())
            document.nodes.push_back(doc::section(titleOf(kernel, l), {doc::list(lines)}));
    }
    if (left > 0)
        document.nodes.push_back(doc::paragraph(
            tell(l, "{} more lines are not shown; `--format json` has them all.", left)));
    if (const std::string advice = words::advice(j, l); !advice.empty())
        document.nodes.push_back(doc::paragraph(advice));
    return document;
}

}  // namespace

std::string renderGateText(const gate::Judgement& j, const GateOptions& options) {
    constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
    // No line wrapping: a name at the start of a line could be taken for a command.
    return doc::toTerminal(documentOf(j, options, kAll),
                           {.width = kAll / 2, .colour = options.colour});
}

std::string renderGateMarkdown(const gate::Judgement& j, const GateOptions& options) {
    // A GitHub comment holds 65,536 characters, and nobody reads more lines than this.
    constexpr std::size_t kMostLines = 60;
    const Language l = options.language;
    doc::Document document = documentOf(j, options, kMostLines);
    document.title = say(l, "GPU performance gate: {}", words::verdict(j.status(), l));
    if (!options.profilePath.empty())
        document.nodes.insert(
            document.nodes.begin() + 1,
            doc::list({tell(l, "Profile: {}", doc::code(options.profilePath)),
                       tell(l, "Baseline: {}", doc::code(options.baselinePath))}));
    return doc::toMarkdown(document);
}

}  // namespace roofscope
