// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/worthwhile.h"

#include <algorithm>
#include <functional>

#include "analyzer/model/kernel_origin.h"
#include "analyzer/program/account/kernels_per_window.h"
#include "analyzer/program/actions/actions.h"

namespace roofscope::program {

Seconds judgedTime(const Program& program) {
    if (program.lanes.empty()) return {};
    if (!program.window.isWhole()) return program.window.seconds;
    Seconds busy;
    for (const TimeClass cls : kTimeClasses)
        if (!isIdle(cls)) busy += program.account.time[cls];
    return busy;
}

bool canBeTried(const KernelAnalysis& kernel) { return isForeign(kernel.origin); }

bool canBeTried(const Analysis& analysis, const Action& action) {
    return action.kernels.empty() || std::ranges::any_of(action.kernels, [&](std::uint32_t kernel) {
               return canBeTried(analysis.kernels[kernel]);
           });
}

Worth::Worth(const Analysis& analysis, const Program& program)
    : m_analysis(analysis),
      m_program(program),
      m_timed(!program.lanes.empty() && program.window.seconds.value > 0),
      m_all(judgedTime(program)) {
    if (!m_timed)
        for (const KernelAnalysis& kernel : analysis.kernels)
            m_all += kernel.quantities.duration.total;
    for (const Action& action : program.actions)
        for (const Proposal& part : findingsOf(action))
            m_actions.emplace(std::pair(part.kernel, action.rule), &action);
}

Seconds Worth::saved(std::uint32_t kernel, const Finding& finding) const {
    const KernelAnalysis& of = m_analysis.kernels[kernel];
    if (m_timed) return gainPerWindow(of, *finding.gain, m_program.kernels[kernel]);
    return of.quantities.duration.total * finding.gainShare->value;
}

FindingWorth Worth::of(std::uint32_t kernel, const Finding& finding) const {
    FindingWorth worth;
    if (const auto found = m_actions.find({kernel, finding.ruleId.str()}); found != m_actions.end())
        worth.action = found->second;
    if (!finding.gain.has() || !finding.gainShare.has()) return worth;
    const Seconds time = saved(kernel, finding);
    if (m_timed) worth.perWindow = time;
    if (const DurationStats& of = m_analysis.kernels[kernel].quantities.duration; of.count > 0)
        worth.recorded = of.total * finding.gainShare->value;
    worth.worthwhile = !finding.minor && time.value > 0 && time >= m_all * kWorthDoing;
    return worth;
}

std::vector<Proposal> Worth::findingsOf(const Action& action) const {
    std::vector<Proposal> parts;
    if (!action.finding) return parts;
    for (const std::uint32_t kernel : action.kernels) {
        const std::vector<Finding>& findings = m_analysis.kernels[kernel].findings;
        const auto found = std::ranges::find(findings, action.rule, &Finding::ruleId);
        if (found != findings.end())
            parts.push_back({.action = &action, .finding = &*found, .kernel = kernel});
    }
    return parts;
}

std::vector<Proposal> Worth::proposals() const {
    std::vector<Proposal> proposals;
    for (const Action& action : m_program.actions) proposals.push_back({.action = &action});
    std::vector<std::pair<double, Proposal>> others;
    for (std::uint32_t kernel = 0; kernel < m_analysis.kernels.size(); ++kernel)
        for (const Finding& finding : m_analysis.kernels[kernel].findings)
            if (const FindingWorth worth = of(kernel, finding); worth.worthwhile && !worth.action)
                others.emplace_back(saved(kernel, finding).value,
                                    Proposal{.finding = &finding, .kernel = kernel});
    std::ranges::stable_sort(others, std::greater{}, [](const auto& other) { return other.first; });
    for (const auto& [time, other] : others) proposals.push_back(other);
    return proposals;
}

}  // namespace roofscope::program
