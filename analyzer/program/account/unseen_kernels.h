// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analyzer/program/window/activity.h"

namespace roofscope::program {

/// When kernels that were launched by kernels may be running. The recording does not show them, but
/// their parent's stream is done only when they are: once the CPU has waited for it, the GPU is
/// idle.
class UnseenKernels {
public:
    UnseenKernels() = default;
    UnseenKernels(const Profile& profile, const LaneActivity& lane,
                  const std::vector<ThreadActivity>& threads);

    /// The time in this gap between recorded activities from which on none of them runs; absent if
    /// they may run until its end.
    [[nodiscard]] std::optional<Nanoseconds> overBy(const TimeSpan& gap) const;

private:
    std::vector<Nanoseconds> m_kernelEnds, m_waitEnds;  ///< ascending
};

}  // namespace roofscope::program
