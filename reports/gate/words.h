// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "analyzer/language/words.h"
#include "gate/gate.h"

/// The words of a gate's verdict, shared by all formats. Plain texts without control characters; a
/// renderer still escapes them for its format.
namespace roofscope::gate_words {

/// "pass", "regression", "could not compare".
[[nodiscard]] std::string verdict(gate::Status status, Language l = Language::En);
/// "41 kernels checked with 533 checks, 2 failed; 1 without a counterpart". Always says what was
/// checked.
[[nodiscard]] std::string summary(const gate::Judgement& j, Language l = Language::En);
/// "transpose<float, 32> in step/transpose".
[[nodiscard]] std::string title(const gate::KernelGate& kernel, Language l = Language::En);
/// "DRAM bytes read: 134 MB → 268 MB (+100 %, at most +5 % passes): more, beyond noise".
[[nodiscard]] std::string check(const gate::Check& check, Language l = Language::En);
/// A value of a check: "134 MB", "not measured".
[[nodiscard]] std::string value(const gate::Check& check, bool after, Language l = Language::En);
/// "+100 %", "new", or empty.
[[nodiscard]] std::string growth(const gate::Check& check, Language l = Language::En);
/// What to do about it; empty when everything passed and nothing improved.
[[nodiscard]] std::string advice(const gate::Judgement& j, Language l = Language::En);
/// Breaks up "##[", which GitHub's runner takes for a command anywhere in a log line.
[[nodiscard]] std::string withoutLogCommands(std::string text);
/// Whether a check is not worth showing: passed and not improved.
[[nodiscard]] bool quiet(const gate::Check& check);

/// Calls `each` for the checks of all kernels, then for those of the profile with a null kernel.
void forEachCheck(const gate::Judgement& j,
                  const std::function<void(const gate::KernelGate*, const gate::Check&)>& each);

}  // namespace roofscope::gate_words
