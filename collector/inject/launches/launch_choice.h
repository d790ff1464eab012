// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "collector/inject/launches/counting_cost.h"
#include "profile/names/name_pattern.h"

namespace roofscope::inject {

/// What is decided for one launch.
struct Choice {
    bool recorded = false;  ///< it enters the profile
    bool counted = false;   ///< its counters are read
};

/// Decides for each launch whether it is recorded and counted, by the run configuration.
/// Independent of CUDA. Callers serialise calls, and ask the cheapest question first: launches that
/// are not recorded should cost almost nothing.
class LaunchChoice {
public:
    explicit LaunchChoice(const RunConfiguration& configuration);

    /// Why the run configuration cannot be followed (a malformed expression), or empty.
    [[nodiscard]] const std::string& problem() const { return m_problem; }

    /// Whether signatures are needed, by choose() or because groups of counters take turns:
    /// computing one costs time in every launch.
    [[nodiscard]] bool bySignature() const;
    /// Whether the configuration picks launches, and no other is recorded.
    [[nodiscard]] bool onlyPicked() const;
    /// Whether launches within these NVTX ranges may be recorded; outermost first.
    [[nodiscard]] bool wantsRanges(const std::vector<std::string>& ranges) const;
    /// Whether launches of this kernel may be recorded. `id` is a small number for each kernel
    /// name, under which the answer is kept.
    [[nodiscard]] bool wantsKernel(std::uint32_t id, std::string_view name);
    /// Decides about a launch that none of the above rules out, and counts it. `signature` is its
    /// launchSignature(); any number where bySignature() is false.
    [[nodiscard]] Choice choose(std::uint64_t signature);
    /// A launch of `signature` was counted, and took so much longer than one that is not.
    void counted(std::uint64_t signature, CountingCost::Duration took) {
        m_counted.insert(signature);
        m_cost.counted(took);
    }

    /// cudaProfilerStart and cudaProfilerStop.
    void setActive(bool active) { m_active = active; }
    [[nodiscard]] bool active() const { return m_active && m_problem.empty(); }
    /// Whether any launch on this device may be recorded.
    [[nodiscard]] bool wantsDevice(std::uint32_t device) const;

private:
    [[nodiscard]] bool inTurns() const;

    template <class Mode>
    [[nodiscard]] const Mode* as() const {
        return std::get_if<Mode>(&m_configuration.mode);
    }

    RunConfiguration m_configuration;
    std::optional<NamePattern> m_kernel;
    std::vector<std::optional<bool>> m_matches;  ///< by kernel's id
    std::string m_problem;
    bool m_active;
    std::uint64_t m_chosen = 0;  ///< launches that passed everything but skip and count
    std::unordered_map<std::uint64_t, std::uint32_t> m_seen;  ///< launches per signature
    std::unordered_set<std::uint64_t> m_counted;              ///< signatures
    CountingCost m_cost;
};

}  // namespace roofscope::inject
