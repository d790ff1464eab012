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

/// Ladders of the bundled kernels and of other implementations, as recorded on an H200.
namespace roofscope::test {

/// The rungs of one operator on one case, slowest first. All rungs solve the same problem. A rung
/// names a range of the bundled recording, or of another one ("h200_compare:compare/matmul/eager":
/// the same operator by PyTorch, Triton or a library).
[[nodiscard]] const std::vector<std::vector<const char*>>& ladders();

/// One run of a rung, with all its kernels.
struct Rung {
    const Analysis* analysis = nullptr;
    double time = 0, joint = 0, first = 0;  ///< seconds
    double launches = 0;
    ArithmeticLeft arithmetic;  ///< what stays even if all kernels become one
    bool sameTypes = true;      ///< no finding proposes smaller data types
    std::string fault;          ///< rule with the largest gain
    bool estimate = false;
    std::size_t kernel = 0;               ///< with most of that gain; no fault: the longest
    std::map<std::string, double> gains;  ///< per rule

    [[nodiscard]] double fused() const { return time - arithmetic.busiest().value; }
};

/// Whether the step from one rung to the next also makes the data types smaller although no finding
/// proposes it.
[[nodiscard]] bool shrinksTypes(std::string_view from, std::string_view to);

/// The recording of a rung, and its range in it.
[[nodiscard]] std::pair<const Analysis*, std::string> placeOf(std::string_view name);
[[nodiscard]] Rung rungOf(const char* name);

}  // namespace roofscope::test
