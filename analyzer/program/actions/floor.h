// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/program/model/program.h"

namespace roofscope::program {

/// Lower bound of one occurrence of the window with the same kernels, as far as the counters show.
/// Each kernel takes what remains after the edits of all its findings (its joint bound). Copies run
/// at the rate of the link, at the same time as the kernels; those that need not be made are left
/// out. Idle time and communication count as nothing. Absent if kernels without a bound take more
/// than 5 % of the kernels' time.
[[nodiscard]] std::optional<Seconds> floorOf(const Analysis& analysis, const Program& program);

/// Lower bound if all kernels are fused and do the same work: the operations of the busiest
/// arithmetic pipe, and the copies. Absent if `program.floor` is.
[[nodiscard]] std::optional<Seconds> fusedFloorOf(const Analysis& analysis, const Program& program);

/// The least time that all copies of the account take over the host's link: the bytes of the busier
/// direction at the fastest rate that is possible or was observed. `spared`: bytes to the GPU that
/// need not be copied.
[[nodiscard]] Seconds linkTime(const Account& account, Bytes spared = {});

}  // namespace roofscope::program
