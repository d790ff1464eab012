// SPDX-License-Identifier: Apache-2.0
#include "reports/source/source_words.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/source/source_analysis.h"
#include "profile/text/base_name.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/verdict/major_findings.h"

namespace roofscope {

doc::Text placeText(const Place& place, Language l, bool brief) {
    doc::Text text = fmt::format("+0x{:x}", place.offset);
    const bool hasLine = place.line > 0 && !place.path.empty();
    const bool shorter = brief && hasLine && !place.opcode.empty();
    if (!place.opcode.empty())
        text = shorter ? doc::code(place.opcode, 100)
                       : doc::code(place.opcode, 100) + marksOf(l).comma + text;
    if (hasLine)
        text = bracketed(l, doc::code(fmt::format("{}:{}", baseName(place.path), place.line), 100),
                         text);
    const doc::Text what = doc::fromProfile(place.what.in(l), 200);
    const std::string share = formatNumber(place.share, Unit::Share);
    text = shorter ? tell(l, "{}: {} of the {}", text, share, what)
                   : tell(l, "{}: {} {} ({} of the kernel's)", text,
                          formatNumber(place.amount, Unit::Count), what, share);
    if (place.perRequest && place.idealRequest)
        text += say(l, ", {} per request where {} would do",
                    formatNumber(*place.perRequest, Unit::Count),
                    formatNumber(*place.idealRequest, Unit::Count));
    if (!place.pattern.empty())
        text += doc::Text(marksOf(l).comma) + doc::fromProfile(place.pattern.in(l), 200);
    return text;
}

std::vector<doc::Text> missingSource(const Analysis& analysis, const KernelAnalysis& kernel,
                                     Language l) {
    const SourceAnalysis* source = kernel.source.get();
    if (!source) {
        std::vector<doc::Text> missing{
            tell(l, "source lines and SASS (not collected, so no place in the code can be named)")};
        const auto major = majorFindings(kernel);
        if (std::ranges::any_of(major, [](const Finding* finding) {
                const Rule* const rule = findRule(finding->ruleId);
                return rule && rule->namesLine != NamesLine::No;
            }))
            missing.front() += doc::Text(marksOf(l).comma) +
                               tell(l, "`roofscope record --source top:3` names the line");
        return missing;
    }
    std::vector<doc::Text> missing;
    if (!source->agrees)
        missing.push_back(tell(l,
                               "exact excess (the instruction-counting run did different work than "
                               "the counted launch)"));
    if (!source->hasSass)
        missing.push_back(tell(
            l, "SASS (nvdisasm of the CUDA toolkit was not found, or could not read the kernel)"));
    if (!source->hasLines)
        missing.push_back(tell(l, "source lines (the program has no line table: compile with {})",
                               doc::code(std::string(lineTableOption(kernel.origin)))));
    else if (analysis.profile->sources[source->pass].texts.empty())
        missing.push_back(tell(
            l,
            "source text (not readable when recording; `roofscope report --source-root DIR` looks "
            "for it elsewhere)"));
    return missing;
}

}  // namespace roofscope
