// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/program/window/activity.h"

namespace roofscope::program {

/// When some thread of a program allocates or frees memory. The driver lets no other thread launch
/// meanwhile: pinned memory takes milliseconds, for which a launch of another thread waits.
class AllocationLock {
public:
    AllocationLock() = default;
    /// Empty if only one thread calls CUDA.
    explicit AllocationLock(const std::vector<ThreadActivity>& threads);

    struct Held {
        TimeSpan time;  ///< within the asked time
        std::uint32_t call =
            0;  ///< the longest of the calls that hold it, index into Timeline::calls
    };
    /// The parts of a launch call in which others allocate: ascending, disjoint. None for a call of
    /// usual length.
    [[nodiscard]] std::vector<Held> during(const CpuStretch& launch, const TimeSpan& part) const;

private:
    std::vector<Held> m_held;  ///< ascending, disjoint
};

}  // namespace roofscope::program
