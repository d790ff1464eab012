// SPDX-License-Identifier: Apache-2.0
#include "reports/edit_text.h"

#include "reports/kernel_facts.h"

namespace roofscope {

std::string_view editPhrase(const Rule& rule, const Finding& finding, Language language) {
    return finding.edit.empty() ? rule.text(language).edit
                                : std::string_view(finding.edit.in(language));
}

CodeLines codeLines(const Rule& rule, const Finding& finding, KernelOrigin origin) {
    if (origin != KernelOrigin::Own) return {};
    return {.before = finding.before.empty() ? rule.before : std::string_view(finding.before),
            .after = finding.after.empty() ? rule.after : std::string_view(finding.after)};
}

bool editKeepsKernel(const KernelAnalysis& kernel) {
    if (isForeign(kernel.origin)) return false;
    const auto major = majorFindings(kernel);
    const Rule* rule = major.empty() ? nullptr : findRule(major.front()->ruleId);
    return !rule || !rule->editsTheCaller;
}

}  // namespace roofscope
