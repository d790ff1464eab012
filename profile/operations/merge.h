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

/// Joins profiles of ranks, machines or runs into one. What was measured is kept to the letter:
///
/// - Launches and their counters follow each other in the order of the inputs; a counter that one
///   input lacks is missing there. Processes, buffers and argument lists stay apart.
/// - Kernels are one when all their facts are; NVTX ranges when their names are.
/// - Devices are one when all their facts are and their processes ran on the same, known host. Two
///   equal GPUs of one input stay two.
/// - Processes that ran on one known host at the same time get one clock, where it is known what
///   their clocks read at time 0 (Process::clockZero): starts of launches and of the timeline move
///   by one distance per process.
/// - Issues keep which input they are from; the same issue of several inputs is listed once.
/// - Facts of the capture on which the inputs differ become unknown or "mixed", never those of one.
///
/// Refused (BadData): fewer than two inputs, different origins (a synthetic or imported profile is
/// never mixed with a recorded one), the same recording twice, an input that refers to nothing.
Result<Profile> mergeProfiles(std::vector<MergeInput> inputs);

}  // namespace roofscope
