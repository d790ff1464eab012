// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// What a block needs.
struct BlockResources {
    std::uint64_t threads = 0;
    std::uint32_t registersPerThread = 0;
    std::uint64_t sharedBytes = 0;  ///< static + dynamic, without the driver's reserve
};

/// Warps of a block of so many threads, at least 1.
[[nodiscard]] std::uint64_t warpsOf(const Device& device, std::uint64_t threads);

/// Blocks per SM that each resource allows (after NVIDIA's cuda_occupancy.h); absent when the
/// device or the kernel did not report what the term needs.
struct OccupancyTerms {
    std::optional<std::uint64_t> registers, sharedMemory, warps, blocks;
    /// The smallest term; absent when any term is.
    [[nodiscard]] std::optional<std::uint64_t> resident() const;
};

/// Our own formula, for the limiter and for what-if questions. Registers are allocated to warps in
/// units of 256, separately in each of the four parts of an SM; shared memory in units of 128 B.
/// The carve-out is assumed to be the largest that the SM allows.
[[nodiscard]] OccupancyTerms occupancyTerms(const Device& device, const BlockResources& block);

/// Occupancy of a launch shape. `achieved` is left for the caller, who has the counters.
[[nodiscard]] Occupancy launchOccupancy(const Device& device, const Kernel& kernel,
                                        const LaunchGroup& group,
                                        std::optional<std::uint32_t> driverResidentBlocks);

}  // namespace roofscope
