// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace roofscope {

/// The compiled function that an NVTX range of XLA is about: "jit_step" for
/// "XlaModule:#hlo_module=jit_step,program_id=5# > Thunk:#…". Empty for other ranges.
[[nodiscard]] std::string xlaModule(std::string_view range);

}  // namespace roofscope
