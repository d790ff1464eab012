// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"

namespace roofscope {

/// What kernels of a profile can be grouped by.
enum class KernelGrouping { None, Name, Range, Stream };

/// Kernels that belong together, and their sums.
struct KernelGroup {
    Words label;  ///< name (readable, not shortened), NVTX range or streams; empty: in no range
    std::vector<std::size_t> kernels;  ///< indices into Analysis::kernels, ascending
    std::size_t launches = 0;
    Derived<Seconds> total;    ///< of all launches; absent when a kernel has no duration
    Derived<Ratio> timeShare;  ///< of all measured GPU time; absent when a kernel has none
};

/// The groups of a profile, in the order of their first kernels; each kernel is in exactly one. A
/// kernel whose launches ran on several streams is in a group of this set of streams, because its
/// numbers cannot be divided. Empty for KernelGrouping::None.
[[nodiscard]] std::vector<KernelGroup> groupKernels(const Analysis& analysis,
                                                    KernelGrouping grouping);

}  // namespace roofscope
