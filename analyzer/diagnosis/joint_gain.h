// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/model/analysis.h"

/// What the edits of all findings of a kernel reach together.
namespace roofscope {

/// What a joint bound does not count because no finding proposes it. It may save more.
enum class BeyondJoint {
    Fusing,      ///< with launches before or after it
    MoreFusing,  ///< with more launches than the chain of a finding
    DataTypes    ///< smaller types: fewer bytes, faster pipes
};
/// The word in JSON: "fusing", "more-fusing", "data-types".
[[nodiscard]] const char* toString(BeyondJoint beyond);
[[nodiscard]] std::vector<BeyondJoint> beyondJoint(const KernelAnalysis& kernel);

/// Upper bound of what the edits of all findings save together, per launch
/// (KernelAnalysis::jointGain). The bytes and operations that remain need the DRAM and the
/// arithmetic pipes, at their attainable roofs. Caches, shared memory and issue slots are no limit,
/// because edits change how data gets from DRAM to the pipes.
[[nodiscard]] Derived<Seconds> jointGainOf(const KernelAnalysis& kernel);
/// The same with all of the kernel's own DRAM bytes and operations: no edit lowers them.
[[nodiscard]] Derived<Seconds> gainByWorkAlone(const KernelAnalysis& kernel);

/// How long a launch keeps each arithmetic pipe busy after the edits of all findings. This remains
/// even if the launch is fused with others; then only the sums over the launches count.
struct ArithmeticLeft {
    Seconds fp64, fp32, fp16, tensor;

    void add(const ArithmeticLeft& other, double launches = 1);
    [[nodiscard]] Seconds busiest() const;
};
[[nodiscard]] ArithmeticLeft arithmeticLeft(const KernelAnalysis& kernel);

}  // namespace roofscope
