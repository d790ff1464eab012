// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "reports/gate/gate_report.h"

/// One function per output format of the gate, and their shared words.
namespace roofscope {

[[nodiscard]] std::string renderGateText(const gate::Judgement& j, const GateOptions& options);
[[nodiscard]] std::string renderGateMarkdown(const gate::Judgement& j, const GateOptions& options);
[[nodiscard]] std::string renderGateJson(const gate::Judgement& j, const GateOptions& options);
[[nodiscard]] std::string renderGateJunit(const gate::Judgement& j, const GateOptions& options);
[[nodiscard]] std::string renderGateSarif(const gate::Judgement& j, const GateOptions& options);
[[nodiscard]] std::string renderGateGithub(const gate::Judgement& j, const GateOptions& options);

/// Plain texts without control characters; a renderer still escapes them for its format.
namespace gate_words {

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
void forEach(const gate::Judgement& j,
             const std::function<void(const gate::KernelGate*, const gate::Check&)>& each);

}  // namespace gate_words
}  // namespace roofscope
