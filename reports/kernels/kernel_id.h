// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

/// A short id that identifies one kernel, the same in every recording of the same program. Used in
/// commands, JSON and Python.
namespace roofscope {

/// One id per entry of Analysis::kernels: "k1e8913". It depends on full name and NVTX range; if
/// several kernels share these, on the launch shape as well: "k1e8913-07fa".
[[nodiscard]] std::vector<std::string> kernelIds(const Analysis& analysis);

/// Whether a text has the form of an id.
[[nodiscard]] bool isKernelId(std::string_view text);
/// The kernel with this id. If no kernel has its shape (an edit may change it), all kernels with
/// its name and range. Empty if the text is not an id or matches no kernel.
[[nodiscard]] std::vector<std::size_t> kernelsOfId(const Analysis& analysis, std::string_view id);

/// A regular expression (RE2) that matches this function by its demangled name, but no function
/// whose name only begins or ends the same: R"(\bgemm<float, 4>\()". For Numba it matches the
/// author's name: R"(^mm\(float32\[:,:\]\)$)". Empty if the name is too long for a command.
[[nodiscard]] std::string exactPattern(std::string_view fullName);

}  // namespace roofscope
