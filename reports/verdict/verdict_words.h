// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"

/// A kernel's verdict in words, in one place so that no two formats disagree.
namespace roofscope {

/// "memory-bound at shared pipe", "underfilled", "near the DRAM roof".
[[nodiscard]] std::string verdictWords(const Verdict& verdict, Language language);
/// The numbers behind the verdict, as one sentence without full stop; may be empty. If a finding
/// explains the verdict, it does not ask for further counters.
[[nodiscard]] std::string verdictReason(const KernelAnalysis& kernel, Language language);

/// The same within a sentence: it begins in lower case, unless a name begins it.
[[nodiscard]] std::string verdictReasonPart(const KernelAnalysis& kernel, Language language);

}  // namespace roofscope
