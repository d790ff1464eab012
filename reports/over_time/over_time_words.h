// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"
#include "analyzer/over_time/over_time_analysis.h"

namespace roofscope {

/// "Over its 118 µs (sampled every 2.00 µs): 16.2 µs with all 132 SMs and the DRAM at 82 %, then
/// 102 µs with 1 of 132 SMs." Or why nothing is concluded; empty without a curve.
[[nodiscard]] std::string overTimeWords(const Profile& profile, const KernelAnalysis& kernel,
                                        Language language);

/// Whether the tail is longer than the normal end of a kernel.
[[nodiscard]] bool hasNotableTail(const OverTimeAnalysis& life);

}  // namespace roofscope
