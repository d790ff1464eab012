// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "analyzer/model/analysis.h"

namespace roofscope::program {

/// Whether one of these kernels (indices into Analysis::kernels) is launched by an attention
/// operator of PyTorch with a mask for each sample of a batch, [64, 1, 512, 512] beside
/// [64, 12, 512, 64]. Mostly such a mask hides the padding of samples that are shorter than the
/// longest. A causal mask can be given once for all.
[[nodiscard]] bool masksSamples(const Analysis& analysis, std::span<const std::uint32_t> kernels);

}  // namespace roofscope::program
