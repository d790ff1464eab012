// SPDX-License-Identifier: Apache-2.0
#include "reports/answer/edit_text.h"

#include "reports/verdict/major_findings.h"

namespace roofscope {

std::string editPhrase(const Rule& rule, const Finding& finding, Language language) {
    return finding.edit.empty() ? std::string(rule.text(language).edit) : finding.edit.in(language);
}

CodeLines codeLines(const Rule& rule, const Finding& finding, KernelOrigin origin) {
    if (origin != KernelOrigin::Own) return {};
    return {.before = finding.before.empty() ? rule.before : std::string_view(finding.before),
            .after = finding.after.empty() ? rule.after : std::string_view(finding.after)};
}

bool editKeepsKernel(const KernelAnalysis& kernel) {
    const auto major = majorFindings(kernel);
    if (major.empty()) return true;  // no edit is proposed
    const Rule* rule = findRule(major.front()->ruleId);
    return !isForeign(kernel.origin) && !(rule && rule->editPlace != EditPlace::Kernel);
}

}  // namespace roofscope
