// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"

namespace roofscope {

/// How a kernel uses tcgen05 and tensor memory: "tcgen05: 4,096 instructions, 50 % of them of block
/// pairs; tensor memory active 43 % of the time …". If its tensor cores are busy without tcgen05,
/// says so. Empty without the counters, or if neither is used.
[[nodiscard]] std::string tensorMemoryWords(const Profile& profile, const KernelAnalysis& kernel,
                                            Language language);

}  // namespace roofscope
