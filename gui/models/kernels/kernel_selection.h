// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    bool operator==(const KernelSelection&) const = default;
};

}  // namespace roofscope::gui
