// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/model/analysis.h"

namespace roofscope {

/// The edit that a finding proposes, with "{name}" for its arguments: the finding's own, for
/// kernels that the reader cannot edit, else the rule's.
[[nodiscard]] std::string editPhrase(const Rule& rule, const Finding& finding, Language language);

/// Code lines before and after the edit; empty if the kernel is not the reader's own code.
struct CodeLines {
    std::string_view before, after;
    [[nodiscard]] bool empty() const { return before.empty() && after.empty(); }
};
[[nodiscard]] CodeLines codeLines(const Rule& rule, const Finding& finding, KernelOrigin origin);

/// Whether the kernel still exists, under the same name, after the edit of its first finding.
[[nodiscard]] bool editKeepsKernel(const KernelAnalysis& kernel);

}  // namespace roofscope
