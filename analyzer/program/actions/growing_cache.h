// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/model/program.h"

namespace roofscope::program {

/// Whether torch.cat appends one entry to keys and values of each layer in each step, as a decoder
/// without a cache of fixed size does. Shapes then change in every step.
[[nodiscard]] bool growsByCat(const Analysis& analysis, const Program& program);

}  // namespace roofscope::program
