// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "analyzer/model/analysis.h"
#include "analyzer/program/operators/operator_flops.h"

namespace roofscope::program {

/// What a kernel does for the operator that launches it.
enum class KernelRole {
    Product,  ///< one call launches one of them
    Helper,   ///< sums, copies, layouts
    Unclear
};
[[nodiscard]] KernelRole roleIn(OperatorKind kind, std::string_view kernelName);

/// Whether a kernel multiplies matrices.
enum class Multiplies { Yes, No, Unknown };
/// Judges by its name and its counters, whatever launches it. Many kernels of other libraries
/// multiply although their names do not say so; without counters nothing is known of them.
[[nodiscard]] Multiplies multiplies(const KernelAnalysis& kernel);

}  // namespace roofscope::program
