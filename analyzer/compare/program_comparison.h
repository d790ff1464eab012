// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/compare/comparison.h"
#include "analyzer/program/program.h"

/// What changed of the program above its kernels: the time of a window, where it went, and kernels
/// that took the place of others.
namespace roofscope {

/// What became of what a baseline said an edit could bring. All times are per window.
struct SavedPromise {
    enum class Outcome {
        Kept,      ///< saved, and no more than was promised
        Exceeded,  ///< more than was promised
        Broken     ///< nothing beyond noise was saved
    };
    std::string rule;  ///< id of the finding or action
    Seconds bound, saved;
    bool estimate = false;  ///< `bound` is none
    Outcome outcome = Outcome::Broken;
};
[[nodiscard]] const char* toString(SavedPromise::Outcome outcome);  ///< "kept", "exceeded", …

/// Kernels of the baseline in whose place, between launches that both programs have, others run in
/// the candidate.
struct KernelExchange {
    enum class Kind { Fused, Split, Replaced };
    std::vector<std::size_t> baseline, candidate;       ///< indices, by first launch; each once
    std::size_t launchesBefore = 0, launchesAfter = 0;  ///< per window
    std::size_t times = 0;                              ///< that it happens per window
    Seconds before, after;                              ///< per window: medians of the launches
    std::vector<SavedPromise> promises;                 ///< of the baseline's findings

    [[nodiscard]] Kind kind() const;
    /// Its time changed by more than launches of one kernel differ.
    [[nodiscard]] bool changed() const;
};
[[nodiscard]] const char* toString(KernelExchange::Kind kind);  ///< "fused", "split", "replaced"

/// Time of one class of the account that changed.
struct ClassChange {
    TimeClass cls = TimeClass::Kernels;
    Seconds before, after;  ///< per window
};

struct ProgramComparison {
    /// Windows can be compared: both were timed on GPUs of one kind, and are of the same kind and
    /// name.
    bool comparable = false;
    Words reason;  ///< why not; empty when they are, or when neither was timed
    Program before, after;
    std::vector<ClassChange> moved;         ///< by at least 1 % of the longer window, most first
    std::vector<SavedPromise> promises;     ///< of the baseline's actions that are none of a kernel
    std::vector<KernelExchange> exchanges;  ///< most time of the baseline first

    [[nodiscard]] double speedup() const { return before.window.seconds / after.window.seconds; }
    /// The window's time changed by more than launches of one kernel differ.
    [[nodiscard]] bool changed() const;
    /// It changed, and nine tenths of that is time in which the CPU issued launches or did
    /// something without CUDA, for as many launches as before. Recordings of an unchanged program
    /// differ so from one machine to the next (by a third for GPT-2's decode loop on two H100s).
    [[nodiscard]] bool onlyCpuChanged() const;
};

/// Compares programs, and finds kernels that others took the place of. From `matching` it takes
/// pairs of kernels whose names are merely alike and that are part of an exchange, and adds those
/// of which one takes the place of one.
[[nodiscard]] ProgramComparison comparePrograms(const Analysis& baseline, const Analysis& candidate,
                                                Matching& matching);

}  // namespace roofscope
