// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roofscope::inject {

/// XLA's NVTX ranges without what it numbers anew in each run
/// ("XlaModule:#hlo_module=jit_step,program_id=52#" → "XlaModule:#hlo_module=jit_step#"). Empty for
/// those of its compiler, which are thousands, and of its thunks, which are there only where it
/// launches kernels one by one. Other names stay as they are.
[[nodiscard]] std::string xlaRangeName(std::string name);

}  // namespace roofscope::inject
