// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/patterns/refusals.h"

/// Shared by rungs with chains of fused multiply-adds: each thread has four independent chains of
/// `fmas` steps.
namespace roofscope::kernels::patterns {

inline constexpr int kChains = 4;

[[nodiscard]] inline Case chainCase(DType dtype, std::int64_t blocks, std::int64_t threads,
                                    std::int64_t fmas) {
    return {.shape = {{"blocks", blocks}, {"threads", threads}, {"fmas", fmas}}, .dtype = dtype};
}

[[nodiscard]] inline std::string refuseChain(const Case& c, DType only) {
    return firstOf(refuseOtherTypes(c, only), refuseOutside(c, "blocks", 1, 1 << 20),
                   refuseOutside(c, "threads", 1, 1024), refuseOutside(c, "fmas", 1, 1 << 20));
}

}  // namespace roofscope::kernels::patterns
