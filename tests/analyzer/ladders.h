// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/joint_gain.h"
#include "analyzer/model/analysis.h"

/// The ladders of bundled kernels and of other implementations, as recorded on an H200.
namespace roofscope::test {

/// Rungs of one operator on one case, slowest first; all later ones solve the same problem. A rung
/// is a range of the bundled recording, or of another one ("h200_compare:compare/matmul/eager"):
/// the same operator by PyTorch, Triton and a library.
[[nodiscard]] const std::vector<std::vector<const char*>>& ladders();

/// One run of a rung: all its kernels.
struct Rung {
    const Analysis* analysis = nullptr;
    double time = 0, joint = 0, first = 0;  ///< seconds
    double launches = 0;
    ArithmeticLeft arithmetic;  ///< what stays even where all kernels become one
    bool sameTypes = true;      ///< no finding proposes smaller ones
    std::string fault;          ///< of the largest gain
    bool estimate = false;
    std::size_t kernel = 0;               ///< that has most of it; without a fault the longest
    std::map<std::string, double> gains;  ///< of all its faults

    [[nodiscard]] double fused() const { return time - arithmetic.busiest().value; }
};

/// Rungs after which the data types are smaller although no finding of the rung proposes that.
[[nodiscard]] bool shrinksTypes(std::string_view from, std::string_view to);

/// The recording of a rung, and its range there.
[[nodiscard]] std::pair<const Analysis*, std::string> placeOf(std::string_view name);
[[nodiscard]] Rung rungOf(const char* name);

}  // namespace roofscope::test
