// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/model/analysis.h"

namespace roofscope {

/// The edit that a finding asks for, with "{name}" for its arguments: the rule's, or what can be
/// done about a kernel that is not the reader's to edit.
[[nodiscard]] std::string editPhrase(const Rule& rule, const Finding& finding, Language language);

/// Code lines before and after the edit; empty where they would not be the reader's.
struct CodeLines {
    std::string_view before, after;
    [[nodiscard]] bool empty() const { return before.empty() && after.empty(); }
};
[[nodiscard]] CodeLines codeLines(const Rule& rule, const Finding& finding, KernelOrigin origin);

/// Whether the kernel is still there, under its name, when its first finding's edit is made.
[[nodiscard]] bool editKeepsKernel(const KernelAnalysis& kernel);

}  // namespace roofscope
