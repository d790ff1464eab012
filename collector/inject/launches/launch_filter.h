// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "profile/names/name_pattern.h"

namespace roofscope::inject {

/// Which launches LaunchSelection allows, by device, NVTX ranges, kernel and number. Independent of
/// CUDA. Callers serialise calls and ask the cheapest question first, because launches that are not
/// recorded should cost almost nothing.
class LaunchFilter {
public:
    explicit LaunchFilter(LaunchSelection selection);

    /// Why the selection cannot be used (a malformed expression); otherwise empty.
    [[nodiscard]] const std::string& problem() const { return m_problem; }

    /// For cudaProfilerStart and cudaProfilerStop.
    void setActive(bool active) { m_active = active; }
    [[nodiscard]] bool active() const { return m_active && m_problem.empty(); }
    /// Whether any launch on this device may be recorded.
    [[nodiscard]] bool wantsDevice(std::uint32_t device) const;
    /// Whether launches within these NVTX ranges may be recorded; outermost first.
    [[nodiscard]] bool wantsRanges(const std::vector<std::string>& ranges) const;
    /// Whether launches within these ranges are autotuning, which the selection leaves out.
    [[nodiscard]] bool isAutotuning(const std::vector<std::string>& ranges) const;
    /// Whether launches of this kernel may be recorded. `id` is a small number, unique for each
    /// kernel name, under which the answer is remembered.
    [[nodiscard]] bool wantsKernel(std::uint32_t id, std::string_view name);
    /// Whether `skip` and `count` select this launch. Call it once for each launch that none of the
    /// above rules out.
    [[nodiscard]] bool takesNext();

private:
    LaunchSelection m_selection;
    std::optional<NamePattern> m_kernel;
    std::vector<std::optional<bool>> m_matches;  ///< by kernel's id
    std::string m_problem;
    bool m_active;
    std::uint64_t m_taken = 0;  ///< calls of takesNext()
};

}  // namespace roofscope::inject
