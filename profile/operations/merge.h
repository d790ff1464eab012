// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope {

struct MergeInput {
    Profile profile;
    std::string name;  ///< for issues: "rank0.roofscope.json"
};

/// Joins profiles of ranks, machines or runs into one. Measured values are kept unchanged:
///
/// - Launches and their counters are appended in the order of the inputs; a counter that an input
///   lacks is missing in its rows. Processes, buffers and argument lists stay separate.
/// - Kernels are joined if all their fields are equal, NVTX ranges if their names are.
/// - Devices are joined if they may be the same GPU (maybeSameGpu()) and their processes ran on the
///   same known host. Two equal GPUs of one input stay two.
/// - Processes that ran on one known host at the same time get a common clock if the readings of
///   their clocks at time 0 are known (Process::clockZero): all start times of a process shift by
///   one offset.
/// - Issues name the inputs that they come from; an issue of several inputs is listed once.
/// - Capture fields on which the inputs differ become unknown or "mixed".
///
/// Refused (BadData): fewer than two inputs, different origins (a synthetic or imported profile is
/// never mixed with a recorded one), the same recording twice, an input with invalid references,
/// more entries than 32-bit indices can count.
Result<Profile> mergeProfiles(std::vector<MergeInput> inputs);

}  // namespace roofscope
