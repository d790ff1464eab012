// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/model/analysis.h"

/// What it means that no finding of a kernel is worth an edit.
namespace roofscope {

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

/// Whether the same work could not be done faster, within 5 % of the time: clocks and runs vary by
/// as much.
[[nodiscard]] bool isAtRoof(const Verdict& verdict);
/// Whether other instructions of the same pipe might do the same work faster. Then being at the
/// roof does not mean that there is nothing to fix.
[[nodiscard]] bool mayUseFasterInstructions(const KernelAnalysis& kernel);
/// Whether these instructions are wgmma.
[[nodiscard]] bool mayUseWgmma(const KernelAnalysis& kernel);

/// Whether the kernel has times but no counters.
[[nodiscard]] bool wasOnlyTimed(const KernelAnalysis& kernel);
/// Whether the profile has launches but no counters at all.
[[nodiscard]] bool hasOnlyTimes(const Profile& profile);

}  // namespace roofscope
