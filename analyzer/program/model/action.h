// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/program/model/account.h"

namespace roofscope {

/// Where in the program something happens: a line of its code, or an NVTX path if no line is known.
struct ActionSite {
    std::string text;
    Seconds bound;  ///< its part of the action's bound
};

/// Values of Action::rule that other code looks for.
namespace action_rule {
inline constexpr const char* kPageableCopy = "pageable-copy";
inline constexpr const char* kPageableCopyBack = "pageable-copy-back";
inline constexpr const char* kPageableBothWays = "pageable-both-ways";
inline constexpr const char* kRepeatedCopy = "repeated-copy";
inline constexpr const char* kCopyNotOverlapped = "copy-not-overlapped";
inline constexpr const char* kBusyLink = "busy-link";
inline constexpr const char* kDataComesBack = "data-comes-back";
inline constexpr const char* kHostBound = "host-bound";
inline constexpr const char* kWorkBeforeGpu = "work-before-gpu";
inline constexpr const char* kWorkAfterGpu = "work-after-gpu";
inline constexpr const char* kUnfusedElementwise = "unfused-elementwise";
inline constexpr const char* kUnevenRanks = "uneven-ranks";
inline constexpr const char* kTf32Product = "tf32-product";
inline constexpr const char* kGridTooSmall = "grid-too-small";  ///< of the rule
}  // namespace action_rule

/// What to do, and the most that it can save. Bounds of several actions do not add up.
struct Action {
    /// Of a rule, of the account ("repeated-copy", "pageable-copy", "pageable-copy-back",
    /// "copy-not-overlapped", "busy-link", "sync-stops-queue", "wait-per-repeat",
    /// "launch-bound-program", "tiny-launches", "allocation-in-loop", "first-call-costs",
    /// "host-bound", "work-before-gpu", "work-after-gpu", "small-xla-kernels"), or of the order of
    /// launches ("unfused-elementwise", "uneven-ranks", "graph-input-copy", "optimizer-passes",
    /// "page-faults", "hidden-waits", "data-movement", "separate-jits", "same-matrix-products",
    /// "tall-svd", "block-size", "slice-updates", "strided-views").
    std::string rule;
    /// The class of the account that it shortens; absent for an action about kernels.
    std::optional<TimeClass> timeClass = {};
    /// The title alone says too little: show `sentence` wherever the action is shown.
    bool alwaysExplained = false;
    std::vector<std::uint32_t> kernels = {};  ///< indices into Analysis::kernels, most first
    Seconds bound;                            ///< per window
    Ratio share = {};                         ///< of the window
    Seconds total = {};                       ///< over all counted occurrences
    /// Of an action of the account: the part of `bound` that is time of kernels.
    Seconds ofKernels = {};
    bool estimate = false;               ///< `bound` is no bound (Finding::estimate)
    std::vector<ActionSite> sites = {};  ///< most first, at most kMostSites
    /// For actions of the account: what the CPU did in that time, most first. Empty: not sampled.
    std::vector<HostFunction> hostFunctions = {};
    /// The time that these are shares of; 0: the bound.
    Seconds sampledTime = {};
    /// For actions of a rule: the finding with the largest gain, in
    /// Analysis::kernels[kernels.front()]; its rule has the title and the sentence. Absent for
    /// other actions, which have them here.
    std::optional<std::size_t> finding = {};
    /// Trials that made the program faster, as indices into Analysis::trials: first those that are
    /// the very edit. Each trial is at one action, the first that it fits.
    std::vector<std::size_t> tried = {};
    Words title = {};     ///< "Pageable host-to-device copies"
    Words sentence = {};  ///< "{count} copies …": names stand for `args`
    Words edit = {};      ///< what to change, likewise
    std::vector<Arg> args = {};
};
inline constexpr std::size_t kMostActions = 5;
inline constexpr std::size_t kMostSites = 3;

/// Kernels of one function, of one line of the program, or of cuFFT, that take far more time than
/// the first action can save, and that no action is known for.
struct Unanswered {
    std::vector<std::uint32_t> kernels;  ///< indices into Analysis::kernels, most time first
    Seconds time;                        ///< per window
    Ratio share;                         ///< of the window
    std::string place = {};              ///< the line; empty: one function, or cuFFT
    bool transforms = false;             ///< kernels of cuFFT
    Ratio nearRoof = {};                 ///< share of `time` in kernels that are near a roof
    bool masked = false;                 ///< attention hides parts of each sample (masksSamples())
};

namespace program {

/// An action that saves a smaller share of the window is not worth it: steps of one program differ
/// as much from run to run.
inline constexpr double kWorthDoing = 0.03;

}  // namespace program

}  // namespace roofscope
