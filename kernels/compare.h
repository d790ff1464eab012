// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "kernels/rung.h"

namespace roofscope::kernels {

/// An output tensor and its reference.
struct Comparison {
    std::string tensor;                        ///< "new_kv"
    const std::vector<double>& actual;         ///< Poison reads as NaN.
    const std::vector<double>& reference;      ///< Same length as `actual`.
    double tolerance = 0.0;                    ///< Largest relative L2 error; 0 means equal.
    std::uint64_t unwritten = 0, outside = 0;  ///< Counted by the caller from the bit patterns.
    std::function<std::string(std::size_t)> place;  ///< Index to "b=0,h=3,e=7".
};

/// Compares one tensor. NaN or infinity in `actual` is never ok if the reference is finite.
[[nodiscard]] Check compare(const Comparison& c);

/// The check of several outputs: ok if all are; with the figures of the one closest to failing.
[[nodiscard]] Check worstOf(const std::vector<Check>& checks);

}  // namespace roofscope::kernels
