// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "kernels/rung.h"

namespace roofscope::kernels::patterns {

/// Largest grid extent in x.
inline constexpr std::int64_t kMaxBlocks = std::numeric_limits<std::int32_t>::max();

/// Refuses other types than `only`; empty when it is that one.
[[nodiscard]] inline std::string refuseOtherTypes(const Case& c, DType only) {
    if (c.dtype == only) return {};
    return "element type " + std::string(name(c.dtype)) + " is not supported (only " +
           std::string(name(only)) + " is)";
}

/// Refuses an extent outside [low, high]; empty when it is inside.
[[nodiscard]] inline std::string refuseOutside(const Case& c, const char* extent, std::int64_t low,
                                               std::int64_t high) {
    if (!c.shape.has(extent)) return "the shape has no extent " + std::string(extent);
    const std::int64_t value = c.shape.at(extent);
    if (value >= low && value <= high) return {};
    return std::string(extent) + " = " + std::to_string(value) + " is outside " +
           std::to_string(low) + " to " + std::to_string(high);
}

/// Refuses an extent that is not a multiple of `step`; empty when it is.
[[nodiscard]] inline std::string refuseUnlessMultiple(const Case& c, const char* extent,
                                                      std::int64_t step) {
    if (!c.shape.has(extent)) return "the shape has no extent " + std::string(extent);
    const std::int64_t value = c.shape.at(extent);
    if (value % step == 0) return {};
    return std::string(extent) + " = " + std::to_string(value) + " is not a multiple of " +
           std::to_string(step);
}

/// The first refusal that is not empty.
template <class... Texts>
[[nodiscard]] std::string firstOf(const std::string& first, const Texts&... others) {
    if constexpr (sizeof...(others) > 0) {
        if (first.empty()) return firstOf(others...);
    }
    return first;
}

}  // namespace roofscope::kernels::patterns
