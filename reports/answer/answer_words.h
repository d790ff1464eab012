// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/answer/kernel_answer.h"
#include "reports/document/text.h"

/// The words about a kernel as a whole: one function per piece, used by every format.
namespace roofscope {

/// How a rule is named in a list.
enum class RuleName {
    Id,    ///< for an assistant, which can ask `roofscope rules show`
    Title  ///< for a person
};

/// "DRAM", "L2 (read return)": the convention decides which L2 traffic is counted.
[[nodiscard]] std::string resourceName(const AnsweredResource& resource, Convention convention,
                                       Language language);
/// The rate of a kernel's resource ("4.26 TB/s"), or what its share leaves out; may be empty.
[[nodiscard]] std::string resourceDetail(const KernelAnalysis& kernel,
                                         const AnsweredResource& resource, Convention convention,
                                         Language language);

/// The headroom: how much faster the same work could be. Empty where other text already says it.
[[nodiscard]] doc::Text headroomSentence(const KernelAnswer& answer, Language language);
/// "All edits together, without fusing or smaller data types: at most 208 µs per launch (2.7×)." A
/// kernel without findings gets the bound from its DRAM bytes and operations alone. May be empty.
[[nodiscard]] doc::Text jointGainSentence(const KernelAnswer& answer, Language language);

/// "**Stop here:** no rule found a fault." Empty where there are findings.
[[nodiscard]] doc::Text nothingSentence(const std::optional<NothingToEdit>& nothing,
                                        Language language);
/// The same as a short label for a line or a table cell: "stop here".
[[nodiscard]] std::string nothingLabel(const NothingToEdit& nothing, Language language);

// Findings that are only mentioned by name; each text may be empty.
[[nodiscard]] doc::Text furtherSentence(const KernelAnswer& answer, Language language);
[[nodiscard]] doc::Text minorSentence(const KernelAnswer& answer, Language language);
[[nodiscard]] doc::Text blockedSentence(const Verdict& verdict,
                                        std::span<const Finding* const> blocked, Language language);

/// "**Neither found nor ruled out:** …."
[[nodiscard]] doc::Text undecidedSentence(const KernelAnswer& answer, RuleName name,
                                          Language language);
/// What was ruled out, as list items. With RuleName::Title they include the numbers that rule it
/// out.
[[nodiscard]] std::vector<doc::Text> ruledOutWords(const KernelAnswer& answer, RuleName name,
                                                   Language language);
/// What was not measured and how to get it, as list items: "bank conflicts: record …". With
/// `byProfile` they include what the profile lacks for every kernel.
[[nodiscard]] std::vector<doc::Text> notMeasuredWords(const Analysis& analysis,
                                                      const KernelAnswer& answer, bool byProfile,
                                                      RuleName name, Language language);

}  // namespace roofscope
