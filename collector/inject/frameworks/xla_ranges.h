// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roofscope::inject {

/// Removes the numbers that change in each run from the names of XLA's NVTX ranges
/// ("XlaModule:#hlo_module=jit_step,program_id=52#" → "XlaModule:#hlo_module=jit_step#"). Returns
/// an empty name for ranges of its compiler, of which there are thousands, and of its thunks, which
/// exist only where it launches kernels one by one. Other names stay as they are.
[[nodiscard]] std::string xlaRangeName(std::string name);

}  // namespace roofscope::inject
