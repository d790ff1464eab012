// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/compare/comparison.h"
#include "analyzer/model/analysis.h"
#include "gate/baseline.h"
#include "gate/rules.h"

/// Whether a profile is as good as a baseline: a list of checks, each passed, failed or
/// incomparable. Pure functions; texts are phrases with arguments, which renderers fill and escape.
namespace roofscope::gate {

enum class Status { Pass, Fail, Incomparable };
[[nodiscard]] const char* toString(Status status);  ///< "pass", "fail", "incomparable"

struct Check {
    Status status = Status::Pass;
    bool allowed = false;   ///< incomparable, and the user allowed that
    bool improved = false;  ///< passed, and better than the baseline beyond noise
    /// What is checked, a stable id: a quantity's key; "limit:KEY"; "finding:RULE"; "kernel",
    /// "gpu", "work", "rules", "window_ns".
    SharedText id;
    Words label;  ///< "DRAM bytes read"
    Unit unit = Unit::Count;
    std::optional<double> from, to;  ///< in the unit's base
    std::optional<double> bound;     ///< the largest growth (a share), or for "limit:" the limit
    Remark reason;                   ///< why, without a full stop; empty if it simply passed

    /// to / from − 1; absent when one is missing or `from` is 0.
    [[nodiscard]] std::optional<double> growth() const;
};

/// All checks of a kernel of the baseline, of the profile, or of both.
struct KernelGate {
    std::string name;              ///< shortened, for people
    std::string range;             ///< as baselineName() writes it
    std::size_t baselineLine = 0;  ///< of the kernel in the baseline; 0 when it is not there
    bool inProfile = false;
    std::vector<Check> checks;
    std::vector<Remark> notes;

    [[nodiscard]] Status status() const;  ///< the worst of the checks that are not allowed
};

struct Judgement {
    std::vector<KernelGate> kernels;  ///< what failed first, then what cannot be compared
    /// not about a kernel: the program, and rules entries that match nothing
    std::vector<Check> checks;
    std::vector<Remark> notes;

    struct Count {
        std::size_t kernels = 0;  ///< in the profile and in the baseline
        std::size_t passed = 0, failed = 0, incomparable = 0, allowed = 0, improved = 0;
    } count;

    /// Fail comes before Incomparable, because incomparable checks do not undo a proven regression.
    /// If nothing passed and nothing failed, the verdict is Incomparable, whatever is allowed.
    [[nodiscard]] Status status() const;
    /// 0: pass, 1: fail, 2: incomparable.
    [[nodiscard]] int exitCode() const;
};

/// Judges the candidate. `allowMissing`: names and globs of kernels (or of rules entries) that may
/// be missing or incomparable.
[[nodiscard]] Judgement judge(const Baseline& baseline, const Analysis& candidate,
                              const Rules& rules,
                              const std::vector<std::string>& allowMissing = {});

}  // namespace roofscope::gate
