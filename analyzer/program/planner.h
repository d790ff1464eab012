// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/counter_group.h"
#include "analyzer/program/program.h"

/// Plans what a recording should still read. A pure function of what was read so far.
namespace roofscope {

enum class Effort {
    Quick,  ///< ask nothing further
    Auto,   ///< what could change the verdict or the first action of kernels that matter
    Deep    ///< also the hot source lines of kernels that matter, with or without a finding
};
[[nodiscard]] const char* toString(Effort effort);  ///< "quick", "auto", "deep"
[[nodiscard]] std::optional<Effort> parseEffort(std::string_view name);

/// One reason to measure more: a question about one kernel, of one rule.
struct FollowUpReason {
    std::uint32_t kernel = 0;  ///< index into Analysis::kernels
    std::string rule;          ///< that cannot tell; empty: for source lines or the curve over time
    std::vector<CounterGroup> groups;  ///< what it needs
    Ratio worth;                       ///< of the window: the most that the answer can bring
};

/// One further run of the program. A run with `Source` in its groups has one kernel, because
/// counters per instruction are read of one function per process. A run with `OverTime` has no
/// other group.
struct FollowUp {
    std::vector<CounterGroup> groups;     ///< in the order of the enumeration
    std::vector<std::uint32_t> kernels;   ///< indices into Analysis::kernels; only these are read
    std::vector<FollowUpReason> reasons;  ///< most worth first
    Seconds estimate;                     ///< of the run, including the program's own time
    Words why;  ///< for progress: "pipes of `stencil` (81 % of the window): integer-arithmetic …"
};

/// What was asked before, whatever the result.
struct AskedBefore {
    std::vector<CounterGroup> groups;
    std::vector<std::uint32_t> launches;  ///< of the kernels asked about: rows of the profile
};

struct FollowUpOptions {
    Effort effort = Effort::Auto;
    /// Time that may still be spent; absent: no limit.
    std::optional<Seconds> left;
    Seconds plainRun{1.0};                ///< how long the program takes without measurement
    std::size_t launchesPerKernel = 3;    ///< replayed of each kernel (`--per-kernel`)
    std::vector<AskedBefore> asked = {};  ///< not asked again
};

/// Kernels with a smaller share of the window are not asked about, however much is unknown. With
/// Effort::Auto the share grows with the time that the answer takes, from 4 s on: five times as
/// much at 20 s.
inline constexpr double kWorthAsking = 0.03;
/// Where a run takes longer than 4 s, an answer must also be able to save this part of what the
/// first action saves, beyond what known findings of the kernel promise: else it would not change
/// what to do first. Not with Effort::Deep.
inline constexpr double kWorthBesideFirst = 1.0 / 3;
/// The same for kernels of libraries, including PyTorch's own: an answer could only advise to call
/// another one. Not with Effort::Deep.
inline constexpr double kWorthAskingOfLibrary = 0.1;
/// At most this many kernels get counters per instruction, because each takes one run or two. By
/// default this includes kernels that already have them; with Effort::Deep the limit is per plan.
inline constexpr std::size_t kMostSourceRuns = 3;

/// At most this many kernels are sampled over time, including those that already were.
inline constexpr std::size_t kMostCurves = 3;

/// Whether samples of what a kernel's warps wait for are worth a run of their own, beside counters
/// per instruction: not where instructions limit it, or a finding that counters give lines to
/// explains most of its time. Of a long kernel there are only samples.
[[nodiscard]] bool samplesShowMore(const KernelAnalysis& kernel);

/// The runs, the most worthwhile first. Empty if nothing that matters is open, or nothing fits.
[[nodiscard]] std::vector<FollowUp> planFollowUps(const Analysis& analysis, const Program& program,
                                                  const FollowUpOptions& options);

}  // namespace roofscope
