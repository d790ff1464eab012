// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/program/window/activity.h"

namespace roofscope::program {

/// When threads of a program allocate or free memory. Meanwhile the driver lets no other thread
/// launch: allocating pinned memory takes milliseconds, and a launch of another thread waits as
/// long.
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
    /// The parts of a launch call in which other threads allocate or free: ascending, disjoint.
    /// None for a call of usual length.
    [[nodiscard]] std::vector<Held> during(const CpuStretch& launch, const TimeSpan& part) const;

private:
    std::vector<Held> m_held;  ///< ascending, disjoint
};

}  // namespace roofscope::program
