// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/model/analysis.h"

/// What the edits of all findings of a kernel reach together.
namespace roofscope {

/// What a joint bound does not count, because no finding proposes it: it may bring more.
enum class BeyondJoint {
    Fusing,      ///< with launches before or after it
    MoreFusing,  ///< than the chain that a finding names
    DataTypes    ///< smaller ones: fewer bytes, faster pipes
};
/// The word in JSON: "fusing", "more-fusing", "data-types".
[[nodiscard]] const char* toString(BeyondJoint beyond);
[[nodiscard]] std::vector<BeyondJoint> beyondJoint(const KernelAnalysis& kernel);

/// What the edits of all findings recover together at most, per launch (KernelAnalysis::jointGain).
/// The floor are the bytes and the operations that are left, at their attainable roofs: the DRAM
/// and the arithmetic pipes. How data gets from one to the other (caches, shared memory, issue
/// slots) is what edits change.
[[nodiscard]] Derived<Seconds> jointGainOf(const KernelAnalysis& kernel);

/// How long each arithmetic pipe is busy with a launch after the edits of all findings: what stays
/// even if it is fused with others, where only the sums over the launches count.
struct ArithmeticLeft {
    Seconds fp64, fp32, fp16, tensor;

    void add(const ArithmeticLeft& other, double launches = 1);
    [[nodiscard]] Seconds busiest() const;
};
[[nodiscard]] ArithmeticLeft arithmeticLeft(const KernelAnalysis& kernel);

}  // namespace roofscope
