// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/program/program.h"

namespace roofscope::program {

/// What one occurrence of the window cannot go below with the same kernels, as far as the counters
/// tell: each kernel without what the edits of all its findings recover together (its joint bound);
/// copies at the rate of the link, beside the kernels; copies that need not be made are left out.
/// Idle time and communication count as
/// nothing. Absent when kernels without a bound take more than 5 % of the kernels' time.
[[nodiscard]] std::optional<Seconds> floorOf(const Analysis& analysis, const Program& program);

/// What it cannot go below even if all kernels are fused, that do what they do: the operations of
/// the busiest arithmetic pipe, and the copies. Absent where `program.floor` is.
[[nodiscard]] std::optional<Seconds> fusedFloorOf(const Analysis& analysis, const Program& program);

/// The least time that copies over the host's link take, of all kinds in the account: bytes of the
/// busier direction at the fastest rate that is possible or was seen. `spared`: of the bytes to the
/// GPU those that need not be copied.
[[nodiscard]] Seconds linkTime(const Account& account, Bytes spared = {});

}  // namespace roofscope::program
