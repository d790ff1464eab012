// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace roofscope::gui {

/// The selected kernels, as indices into Analysis::kernels.
struct KernelSelection {
    std::optional<std::size_t> current;  ///< the kernel whose hints and counters are shown
    std::vector<std::size_t> all;        ///< ascending, including `current`

    static KernelSelection of(std::optional<std::size_t> kernel) {
        return {kernel, kernel ? std::vector{*kernel} : std::vector<std::size_t>{}};
    }
    /// Adds the kernels `more` (ascending) to the selection. A single one becomes the current
    /// kernel.
    [[nodiscard]] KernelSelection with(const std::vector<std::size_t>& more) const {
        KernelSelection both{.current = more.front(), .all = more};
        both.all.insert(both.all.end(), all.begin(), all.end());
        std::ranges::sort(both.all);
        both.all.erase(std::unique(both.all.begin(), both.all.end()), both.all.end());
        if (more.size() > 1 && current) both.current = current;
        return both;
    }
    bool operator==(const KernelSelection&) const = default;
};

}  // namespace roofscope::gui
