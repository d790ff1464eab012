// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analyzer/source/sampled_stalls.h"
#include "profile/model/source_pass.h"

/// How often each instruction was issued, where that was not counted.
namespace roofscope {

/// With fewer samples of warps that issue, how they are spread is not known.
inline constexpr double kEnoughIssuing = 500;

/// By samples of the state "selected", in which a warp issues: an instruction has such samples in
/// proportion to how often it is issued. All instructions between two branches are issued equally
/// often, so each gets their mean. The unit is samples: only shares mean something. nullopt with
/// fewer than kEnoughIssuing samples, or without machine code.
[[nodiscard]] std::optional<std::vector<double>> issuedBySamples(
    std::span<const Instruction> instructions, const SampledStalls& stalls);

}  // namespace roofscope
