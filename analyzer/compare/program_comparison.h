// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/compare/comparison.h"
#include "analyzer/program/program.h"

/// What changed in the program above its kernels: the time of a window, where it went, and kernels
/// that others replaced.
namespace roofscope {

/// What became of a gain that the baseline promised. All times are per window.
struct PromisedSaving {
    enum class Outcome {
        Kept,      ///< saved, and no more than was promised
        Exceeded,  ///< more than was promised
        Broken     ///< nothing beyond noise was saved
    };
    std::string rule;  ///< id of the finding or action
    /// Of an action: its id among the baseline's (actionIds()), and what it is about (subjectOf()).
    std::string action = {}, subject = {};
    Seconds bound, saved;
    bool estimate = false;  ///< `bound` is no bound
    Outcome outcome = Outcome::Broken;
};
[[nodiscard]] const char* toString(PromisedSaving::Outcome outcome);  ///< "kept", "exceeded", …

/// Kernels of the baseline that others replace in the candidate, between launches that both
/// programs have.
struct KernelExchange {
    enum class Kind { Fused, Split, Replaced };
    std::vector<std::size_t> baseline, candidate;       ///< indices, by first launch; each once
    std::size_t launchesBefore = 0, launchesAfter = 0;  ///< per window
    std::size_t times = 0;                              ///< how often it happens per window
    Seconds before, after;                              ///< per window: medians of the launches
    std::vector<PromisedSaving> promises;               ///< of the baseline's findings

    [[nodiscard]] Kind kind() const;
    /// Whether its time changed by more than the scatter between launches of one kernel.
    [[nodiscard]] bool changed() const;
};
[[nodiscard]] const char* toString(KernelExchange::Kind kind);  ///< "fused", "split", "replaced"

/// A class of the account whose time changed.
struct ClassChange {
    TimeClass cls = TimeClass::Kernels;
    Seconds before, after;  ///< per window
};

/// A class of the account before and after, per window; absent where a side did not record it.
struct ClassTimes {
    TimeClass cls = TimeClass::Kernels;
    std::optional<Seconds> before, after;
    bool moved = false;  ///< in ProgramComparison::moved
};

struct ProgramComparison {
    /// Whether the windows can be compared: both were timed on GPUs of one kind, and are of the
    /// same kind and name.
    bool comparable = false;
    Words reason;  ///< why not; empty if they can, or if neither was timed
    Program before, after;
    std::vector<ClassChange> moved;  ///< by at least 1 % of the longer window, most first
    /// All classes that have time on either side, in the order of kTimeClasses, even if the windows
    /// cannot be compared. Empty if a side was not timed.
    std::vector<ClassTimes> classes;
    std::vector<PromisedSaving> promises;   ///< of the baseline's actions, not of kernels
    std::vector<KernelExchange> exchanges;  ///< most time of the baseline first

    [[nodiscard]] double speedup() const { return before.window.seconds / after.window.seconds; }
    /// Whether the window's time changed by more than the scatter between launches of one kernel.
    [[nodiscard]] bool changed() const;
    /// How much less time a kernel of both programs takes per window: its time in the baseline's
    /// window × the share by which its median launch became shorter. Absent if the windows cannot
    /// be compared, a duration is missing, or the kernel runs another number of times in them.
    [[nodiscard]] std::optional<Seconds> savedPerWindow(const KernelComparison& kernel) const;
    /// Whether it changed, and at least nine tenths of the change is time in which the CPU issued
    /// the same number of launches or did something without CUDA. Recordings of an unchanged
    /// program differ like this from one machine to the next (by a third for GPT-2's decode loop on
    /// two H100s).
    [[nodiscard]] bool onlyCpuChanged() const;
};

/// Compares programs, and finds kernels that others replaced. Removes from `matching` the pairs of
/// merely similar names that are part of an exchange, and adds the pairs in which one kernel
/// replaces one.
[[nodiscard]] ProgramComparison comparePrograms(const Analysis& baseline, const Analysis& candidate,
                                                Matching& matching);

}  // namespace roofscope
