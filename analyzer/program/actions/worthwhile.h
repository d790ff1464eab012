// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/program/model/program.h"

/// What is worth an edit, in which order, and which trials of `roofscope try` an edit can have. The
/// loop, the packets and the reports ask here.
namespace roofscope::program {

/// The time that shares of a window are judged by: that of the window. If the window is the whole
/// run, only the time in which the GPU works, because the rest includes starting up. 0 if no times
/// are known.
[[nodiscard]] Seconds judgedTime(const Program& program);

/// Whether a trial can change this kernel: trials change how libraries are used, never the
/// program's own kernels.
[[nodiscard]] bool canBeTried(const KernelAnalysis& kernel);
/// The same for an action: one about kernels needs one that a trial can change.
[[nodiscard]] bool canBeTried(const Analysis& analysis, const Action& action);

/// What a finding of a kernel is worth to the program.
struct FindingWorth {
    /// What its edit saves in one window, computed from what it saves in one launch. Absent if the
    /// gain is not known, or no window was timed.
    std::optional<Seconds> perWindow;
    /// What it saves in all recorded launches of the kernel. Absent if the gain is not known.
    std::optional<Seconds> recorded;
    /// Whether it saves at least kWorthDoing of judgedTime(), or, if no window was timed, of the
    /// time of all kernels.
    bool worthwhile = false;
    const Action* action = nullptr;  ///< of Program::actions, the one that it is part of
};

/// Something to propose: a finding of a kernel, or an action as a whole.
struct Proposal {
    const Action* action = nullptr;    ///< null: only the finding
    const Finding* finding = nullptr;  ///< null: the action as a whole
    std::uint32_t kernel = 0;          ///< of the finding: index into Analysis::kernels
};

/// Judges findings and actions. Keeps references to both arguments.
class Worth {
public:
    Worth(const Analysis& analysis, const Program& program);

    /// `finding` is one of the kernel's.
    [[nodiscard]] FindingWorth of(std::uint32_t kernel, const Finding& finding) const;
    /// The findings of kernels that an action consists of, most time first, as proposals. Empty for
    /// actions that are not about findings.
    [[nodiscard]] std::vector<Proposal> findingsOf(const Action& action) const;
    /// What to do, first things first: the actions of the program, each as a whole, then the
    /// worthwhile findings that are part of none, most time first.
    [[nodiscard]] std::vector<Proposal> proposals() const;

private:
    /// What the finding saves of m_all.
    [[nodiscard]] Seconds saved(std::uint32_t kernel, const Finding& finding) const;

    const Analysis& m_analysis;
    const Program& m_program;
    bool m_timed = false;  ///< a window was timed
    Seconds m_all;         ///< what a saving is compared with
    /// By kernel and rule.
    std::map<std::pair<std::uint32_t, std::string>, const Action*> m_actions;
};

}  // namespace roofscope::program
