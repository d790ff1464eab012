// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "analyzer/program/account/host_samples.h"

/// What kind of work the CPU does while the GPU waits, by the functions on the stacks of samples.
namespace roofscope::program {

/// Whether a function makes random numbers: of the C and C++ libraries, of Python, NumPy and
/// PyTorch, or one with a generator's name ("xoshiro256").
[[nodiscard]] bool makesRandomNumbers(const CpuFrame& frame);

/// Whether the name of a function of the program says that it checks the results: "merge_ref",
/// "ViterbiCPU", "verifyResults", "test_correctness". `name`: without namespaces and parameters.
[[nodiscard]] bool namesACheck(std::string_view name);

/// Shares of samples.
struct HostWorkKinds {
    double random = 0;  ///< with a generator of random numbers on the stack
    double checks = 0;  ///< in compiled functions of the program whose names say that they check
};
[[nodiscard]] HostWorkKinds hostWorkKinds(const Profile& profile, const SampleTally& tally);

/// The share of samples in compiled code of NumPy or SciPy.
[[nodiscard]] double shareInNumpy(const Profile& profile, const SampleTally& tally);
/// The share of samples in operators of PyTorch on CPU tensors that divide their work among
/// threads.
[[nodiscard]] double shareOnCpuTensors(const Profile& profile, const SampleTally& tally);

/// Samples of work on memory alone: a function that fills, copies, allocates or frees memory,
/// called by the program's own code and not within a library's work (decoding, file access).
struct MemorySamples {
    SampleTally memory, other;
    /// The share of `memory` in all of these samples.
    [[nodiscard]] double share() const;
};
[[nodiscard]] MemorySamples memorySamplesIn(const Profile& profile, const SampleTally& tally);

/// What to do about such work; empty if it is less than a fifth of the samples. `enough`: it is
/// half or more, so no other advice is needed.
struct HostWorkAdvice {
    Words words = {};
    bool enough = false;
};
/// `repeats`: the work is part of each repeat.
[[nodiscard]] HostWorkAdvice adviceFor(const HostWorkKinds& kinds, bool repeats);

}  // namespace roofscope::program
