// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace roofscope {

/// Grid, block or cluster extents.
struct Dim3 {
    std::uint32_t x = 1, y = 1, z = 1;
    [[nodiscard]] std::uint64_t total() const { return static_cast<std::uint64_t>(x) * y * z; }
    auto operator<=>(const Dim3&) const = default;
};

/// How many blocks a launch has, and how many threads each of them.
struct LaunchShape {
    Dim3 grid, block;
    auto operator<=>(const LaunchShape&) const = default;
};

}  // namespace roofscope
