// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"

/// Which functions of CUDA's math library a kernel spends its instructions on. They are inlined, so
/// their names are gone, but each has constants of its own in its machine code.
namespace roofscope {

struct SourceAnalysis;  // analyzer/source/source_analysis.h

enum class MathFunction {
    Power,
    SineCosine,  ///< or tangent
    Exponential,
    Logarithm,
    Division,  ///< or reciprocal
    SquareRoot
};

/// The calls of one function, with IEEE accuracy. Their fast variants (__powf, __sinf, __expf,
/// __fdividef, -use_fast_math) are a few instructions and are not counted.
struct MathUse {
    MathFunction function = MathFunction::Power;
    Precision precision = Precision::Fp32;
    double calls = 0;         ///< of a warp, in the unit of SourceAnalysis::issued
    double instructions = 0;  ///< estimated from the calls, without paths for rare arguments
    /// Power: the exponent, if it is a constant, of the calls with most instructions.
    std::optional<double> exponent = {};
    std::vector<std::size_t> rows = {};  ///< one for each place, index into facts
};

/// Most instructions first. Empty without machine code, or if it is not known how often
/// instructions were issued.
[[nodiscard]] std::vector<MathUse> mathUses(const SourcePass& pass, const SourceAnalysis& source);

/// "pow", "sine and cosine", … as a part of a sentence.
[[nodiscard]] Words nameOf(const MathUse& use);

}  // namespace roofscope
