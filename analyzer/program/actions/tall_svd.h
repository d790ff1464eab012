// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/program/account/kernels_per_window.h"

namespace roofscope::program {

/// Singular values of matrices with far more rows than columns, or the other way round, by
/// PyTorch's operator.
struct TallSvd : KernelsPerWindow {
    std::string op = {};                  ///< "aten::_linalg_svd [65536, 60]", the most frequent
    std::uint64_t rows = 0, columns = 0;  ///< of its matrix
    Seconds gain = {};                    ///< per window; at most
};

/// Empty if these kernels take less than a fifth of the window.
[[nodiscard]] TallSvd tallSvd(const Analysis& analysis, const Program& program);

}  // namespace roofscope::program
