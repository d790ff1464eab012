// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

/// Words for facts that several formats state, in one place so that they never disagree.
namespace roofscope {

/// "4096 × 1 × 1" without trailing ones: "4096", "64 × 8".
[[nodiscard]] std::string formatDim(const Dim3& extents);
/// "memory-bound at shared pipe", "underfilled", "near the DRAM roof".
[[nodiscard]] std::string verdictWords(const Verdict& verdict, Language language);
/// The numbers behind the verdict, as one sentence without full stop; may be empty. If a finding
/// explains the verdict, it does not ask for further counters.
[[nodiscard]] std::string verdictReason(const KernelAnalysis& kernel, Language language);
/// "high".
[[nodiscard]] std::string confidenceWords(Confidence confidence, Language language);
/// A resource in words: "shared pipe", "FP32 pipe".
[[nodiscard]] std::string resourceWords(ResourceId resource, Language language);
/// "from the timing run".
[[nodiscard]] std::string durationSourceWords(DurationSource source, Language language);
/// "shared memory"; empty for None.
[[nodiscard]] std::string limiterWords(OccupancyLimiter limiter, Language language);
/// Findings worth an edit (not minor), in order.
[[nodiscard]] std::vector<const Finding*> majorFindings(const KernelAnalysis& kernel);
[[nodiscard]] std::vector<const Finding*> minorFindings(const KernelAnalysis& kernel);

/// Most findings shown in full: more would distract from the first edit.
inline constexpr std::size_t kMostFindings = 3;

/// What the absence of findings means.
enum class NoFindings {
    NothingToFix,  ///< the kernel is at the GPU's limit
    LittleToFix,   ///< it is close to the limit
    NoKnownFault,  ///< it could be faster, but no rule says why
    Undecided,     ///< counters are missing for a fault that might explain it
    OnlyTimed,     ///< it waits for other ranks, so nothing was counted
    OtherState,    ///< the counters are not those of the launch as the program runs it
    CannotTell     ///< counters are missing, or the same work may run faster in other instructions
};
[[nodiscard]] NoFindings explainNoFindings(const KernelAnalysis& kernel);

/// Whether the kernel has times but no counters.
[[nodiscard]] bool wasOnlyTimed(const KernelAnalysis& kernel);
/// Whether the profile has launches but no counters at all.
[[nodiscard]] bool hasOnlyTimes(const Profile& profile);
/// The effective bandwidth from declared bytes; empty if DRAM bandwidth was measured.
[[nodiscard]] std::string effectiveWords(const Quantities& quantities, Language language);

/// Title of a rule; its id if this build does not know it.
[[nodiscard]] std::string ruleTitle(const std::string& ruleId, Language language);

/// "each launch replayed (kernel replay), 2 passes per launch".
[[nodiscard]] std::string strategyWords(const Capture& capture, Language language);
/// 13000 → "13.0".
[[nodiscard]] std::string cudaVersion(std::uint32_t version);
/// Features that this GPU lacks and an edit might want to use; unknown ones are not listed.
[[nodiscard]] std::vector<std::string> missingFeatures(const Device& device, Language language);

/// Numbers of GPUs, ascending: "0, 1", "0–3, 6".
[[nodiscard]] std::string deviceNumbers(const std::vector<std::uint32_t>& devices);

/// "FP32", "BF16 tensor".
[[nodiscard]] std::string arithmeticWords(const Arithmetic& arithmetic, Language language);

/// The device of a kernel; an empty one if the index is invalid.
[[nodiscard]] const Device& deviceOf(const Analysis& analysis, const KernelAnalysis& kernel);
[[nodiscard]] const Kernel& functionOf(const Analysis& analysis, const KernelAnalysis& kernel);

}  // namespace roofscope
