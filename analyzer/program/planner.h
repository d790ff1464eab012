// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/counter_group.h"
#include "analyzer/program/program.h"

/// What a recording should still read: a pure function of what was read so far.
namespace roofscope {

enum class Effort {
    Quick,  ///< ask nothing further
    Auto,   ///< what could change the verdict or the first action of kernels that matter
    Deep    ///< and the hot source lines of kernels that matter, finding or not
};
[[nodiscard]] const char* toString(Effort effort);  ///< "quick", "auto", "deep"
[[nodiscard]] std::optional<Effort> parseEffort(std::string_view name);

/// Why something is asked: of one kernel, for one rule.
struct FollowUpReason {
    std::uint32_t kernel = 0;  ///< index into Analysis::kernels
    std::string rule;  ///< that cannot tell; empty: which lines take the time, or its course
    std::vector<CounterGroup> groups;  ///< what it needs
    bool changesVerdict = false;       ///< the verdict may be another
    Ratio worth;                       ///< of the window: what the answer can bring at most
};

/// One further run of the program. A plan with `Source` in its groups has one kernel: counters per
/// instruction are read of one function per process. One with `OverTime` has no other group.
struct FollowUp {
    std::vector<CounterGroup> groups;     ///< in the order of the enumeration
    std::vector<std::uint32_t> kernels;   ///< indices into Analysis::kernels; only they are read
    std::vector<FollowUpReason> reasons;  ///< most worth first
    Seconds estimate;                     ///< of the run, the program's own time included
    Words why;  ///< for progress: "pipes of `stencil` (81 % of the window): integer-arithmetic …"
};

/// What was asked before, whatever came of it.
struct AskedBefore {
    std::vector<CounterGroup> groups;
    std::vector<std::uint32_t> launches;  ///< of the kernels asked about: rows of the profile
};

struct FollowUpOptions {
    Effort effort = Effort::Auto;
    /// What may still be spent; absent: as much as it takes.
    std::optional<Seconds> left;
    Seconds plainRun{1.0};                ///< how long the program takes without being measured
    std::size_t launchesPerKernel = 3;    ///< that are replayed of each kernel (`--per-kernel`)
    std::vector<AskedBefore> asked = {};  ///< is not asked again
};

/// Kernels that take less of the window than this are not asked about, however much is unknown.
inline constexpr double kWorthAsking = 0.03;
/// The same for kernels of libraries, PyTorch's own included: an answer can only say to call
/// another. Not with Effort::Deep.
inline constexpr double kWorthAskingOfLibrary = 0.1;
/// At most so many kernels get counters per instruction: two runs each. By default together with
/// those that have them already, with Effort::Deep in one plan.
inline constexpr std::size_t kMostSourceRuns = 3;

/// At most so many kernels are sampled over their time, together with those that were before.
inline constexpr std::size_t kMostCurves = 3;

/// The runs, most worth first. Empty when nothing that matters is open, or nothing fits.
[[nodiscard]] std::vector<FollowUp> planFollowUps(const Analysis& analysis, const Program& program,
                                                  const FollowUpOptions& options);

}  // namespace roofscope
