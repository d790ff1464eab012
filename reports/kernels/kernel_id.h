// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

/// A short name that means one kernel and no neighbour: the same in every recording of the same
/// program, in commands, JSON and Python.
namespace roofscope {

/// One for each of Analysis::kernels: "k1e8913". It depends on full name and NVTX range; where
/// several kernels share these, on the launch's shape as well: "k1e8913-07fa".
[[nodiscard]] std::vector<std::string> kernelIds(const Analysis& analysis);

/// Whether a text is written like an id.
[[nodiscard]] bool isKernelId(std::string_view text);
/// The kernels that an id means: one. Of a shape that is not there (an edit may change it), all
/// that share name and range. Empty when it is no id, or that of no kernel.
[[nodiscard]] std::vector<std::size_t> kernelsOfId(const Analysis& analysis, std::string_view id);

/// A regular expression (RE2) that finds this function by its demangled name and no function whose
/// name begins or ends alike: R"(\bgemm<float, 4>\()". Of Numba by the name that its author knows:
/// R"(^mm\(float32\[:,:\]\)$)". Empty when the name is too long for a
/// command.
[[nodiscard]] std::string exactPattern(std::string_view fullName);

}  // namespace roofscope
