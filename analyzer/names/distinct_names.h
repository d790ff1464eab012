// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/text/utf8.h"

namespace roofscope {

/// Makes names and whole names unique, because rows with the same name cannot be told apart: such
/// kernels get their range or launch shape in brackets. Full names are unchanged. `plain`:
/// plainKernelName() of the profile's kernels.
void makeNamesUnique(std::vector<KernelAnalysis>& kernels, std::span<const std::string> plain);

/// Length of a name in characters, not bytes.
[[nodiscard]] inline std::size_t lengthOf(std::string_view name) { return utf8::length(name); }

}  // namespace roofscope
