// SPDX-License-Identifier: Apache-2.0
#include "reports/verdict/no_findings.h"

#include <algorithm>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/diagnosis/verdict.h"

namespace roofscope {

bool isAtRoof(const Verdict& verdict) {
    constexpr double kSmallHeadroom = 1.05;
    return verdict.speedupBound.has() && *verdict.speedupBound <= kSmallHeadroom;
}

namespace {

/// Whether a rule for which `is` holds has a finding, or cannot tell.
bool anyMayFire(const KernelAnalysis& kernel, const auto& is) {
    const auto fires = [&](const auto& result) {
        const Rule* const rule = findRule(result.ruleId);
        return rule && is(*rule);
    };
    return std::ranges::any_of(kernel.findings, fires) ||
           std::ranges::any_of(kernel.cannotTell, fires);
}

}  // namespace

bool mayUseFasterInstructions(const KernelAnalysis& kernel) {
    return anyMayFire(kernel, [](const Rule& rule) { return rule.canBeatItsRoof; });
}

bool mayUseWgmma(const KernelAnalysis& kernel) {
    return anyMayFire(kernel, [](const Rule& rule) { return rule.id == "mma-instead-of-wgmma"; });
}

bool wasOnlyTimed(const KernelAnalysis& kernel) {
    const Quantities& q = kernel.quantities;
    return q.duration.count > 0 && !q.counterDuration.has() && !q.warpInstructions.has() &&
           !q.bytes[Level::Dram].has();
}

bool hasOnlyTimes(const Profile& profile) {
    return !profile.launches.empty() && profile.counters.names().empty();
}

NoFindings explainNoFindings(const KernelAnalysis& kernel) {
    const Verdict& verdict = kernel.verdict;
    if (verdict.reason.whileCounted) return NoFindings::OtherState;
    switch (verdict.cls) {
        case VerdictClass::Unknown:
            return NoFindings::CannotTell;
        case VerdictClass::WaitsForPeers: {
            // Rules skip these kernels, so having no findings means nothing.
            const Quantities& q = kernel.quantities;
            return q.duration.count > 0 && !q.counterDuration.has() ? NoFindings::OnlyTimed
                                                                    : NoFindings::CannotTell;
        }
        case VerdictClass::NearRoof:
            if (mayUseFasterInstructions(kernel)) return NoFindings::CannotTell;
            return isAtRoof(verdict) ? NoFindings::NothingToFix : NoFindings::LittleToFix;
        default:
            break;
    }
    if (isAtRoof(verdict)) return NoFindings::NothingToFix;
    return verdict.reason.undecided.empty() ? NoFindings::NoKnownFault : NoFindings::Undecided;
}

}  // namespace roofscope
