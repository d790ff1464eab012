// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/model/profile.h"

namespace roofscope::program {

/// Whether an attention operator of PyTorch gets a mask that differs between the samples of a
/// batch, [64, 1, 512, 512] beside [64, 12, 512, 64]. Such a mask hides the padding of samples that
/// are shorter than the longest; a causal mask is the same for all.
[[nodiscard]] bool masksSamples(const Profile& profile);

}  // namespace roofscope::program
