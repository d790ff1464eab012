// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

/// Facts that several formats say in words, from one place so that they never disagree.
namespace roofscope {

/// "4096 × 1 × 1" without trailing ones: "4096", "64 × 8".
[[nodiscard]] std::string formatDim(const Dim3& extents);
/// "memory-bound at shared pipe", "underfilled", "near the DRAM roof".
[[nodiscard]] std::string verdictWords(const Verdict& verdict, Language language);
/// The numbers that decided as one sentence without its full stop; empty when there are none.
/// Where a finding says why, no further counters are asked for.
[[nodiscard]] std::string verdictReason(const KernelAnalysis& kernel, Language language);
/// "high".
[[nodiscard]] std::string confidenceWords(Confidence confidence, Language language);
/// A resource in words: "shared pipe", "FP32 pipe".
[[nodiscard]] std::string resourceWords(ResourceId resource, Language language);
/// "shared memory"; empty for None.
[[nodiscard]] std::string limiterWords(OccupancyLimiter limiter, Language language);
/// Findings that are worth an edit (not minor), in their order.
[[nodiscard]] std::vector<const Finding*> majorFindings(const KernelAnalysis& kernel);
[[nodiscard]] std::vector<const Finding*> minorFindings(const KernelAnalysis& kernel);

/// More findings in full would dilute the one edit that is asked for.
inline constexpr std::size_t kMostFindings = 3;

/// What the absence of findings means.
enum class NoFindings {
    NothingToFix,  ///< the kernel does about what the GPU can do
    LittleToFix,   ///< it does nearly that
    NoKnownFault,  ///< it could be faster, but no rule says why
    Undecided,     ///< a fault that was not looked for may be why: counters are missing for it
    OnlyTimed,     ///< it waits for other ranks, so that nothing was counted
    CannotTell     ///< counters are missing
};
[[nodiscard]] NoFindings explainNoFindings(const KernelAnalysis& kernel);

/// Whether the timing run saw the kernel and no counters were read of it.
[[nodiscard]] bool wasOnlyTimed(const KernelAnalysis& kernel);
/// True when the profile has launches and not one counter of them.
[[nodiscard]] bool hasOnlyTimes(const Profile& profile);
/// The bandwidth of declared bytes, where no bandwidth of the DRAM was measured; empty otherwise.
[[nodiscard]] std::string effectiveWords(const Quantities& quantities, Language language);

/// Title of a rule; its id when this build does not know it.
[[nodiscard]] std::string ruleTitle(const std::string& ruleId, Language language);

/// "kernel replay, 2 passes per launch".
[[nodiscard]] std::string strategyWords(const Capture& capture, Language language);
/// "13.0" of 13000.
[[nodiscard]] std::string cudaVersion(std::uint32_t version);
/// What this GPU lacks that an edit might want to use; nothing of what is not known of its chip.
[[nodiscard]] std::vector<std::string> missingFeatures(const Device& device, Language language);

/// Numbers of GPUs, ascending: "0, 1", "0–3, 6".
[[nodiscard]] std::string deviceNumbers(const std::vector<std::uint32_t>& devices);

/// "FP32", "BF16 tensor".
[[nodiscard]] std::string arithmeticWords(const Arithmetic& arithmetic, Language language);

/// How busy a kernel keeps one resource.
struct BusyResource {
    std::string name;             ///< "DRAM", "L2 (busier way)", "FP32"
    std::optional<double> share;  ///< of its theoretical roof, 0 to 1; absent: not applicable
    std::string detail;  ///< the rate ("4.26 TB/s"), or why there is no share; may be empty
};
/// The resources that a report shows, in their order; those without a value are left out.
[[nodiscard]] std::vector<BusyResource> busyResources(const Quantities& q, Convention convention,
                                                      Language language);

/// The device of a kernel; an empty one when the index points nowhere.
[[nodiscard]] const Device& deviceOf(const Analysis& analysis, const KernelAnalysis& kernel);
[[nodiscard]] const Kernel& functionOf(const Analysis& analysis, const KernelAnalysis& kernel);

}  // namespace roofscope
