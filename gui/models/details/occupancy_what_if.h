// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "analyzer/roofline/occupancy.h"

namespace roofscope::gui {

/// The starting point of a what-if question about occupancy: the block as launched, and the limits
/// of the GPU and CUDA.
struct OccupancyQuestion {
    Device device;
    BlockResources launched;
    std::uint64_t mostThreads = 0;      ///< per block
    std::uint32_t mostRegisters = 255;  ///< per thread, on all architectures
    std::uint64_t mostSharedBytes = 0;  ///< per block
};

/// The question for a kernel (an index into Analysis::kernels), or why there is none.
struct OccupancyStart {
    std::optional<OccupancyQuestion> question;
    QString reason;  ///< in the window's language; empty if there is a question
};
[[nodiscard]] OccupancyStart occupancyStart(const Analysis& analysis,
                                            std::optional<std::size_t> kernel);

/// The occupancy with another block and everything else as launched, for example "6 blocks per SM,
/// 48 of 64 warps: 75 % (as launched 100 %), limited by registers". Uses the analyzer's formula,
/// which agreed with the driver for the block as launched.
[[nodiscard]] QString occupancyAnswer(const OccupancyQuestion& question,
                                      const BlockResources& block);

}  // namespace roofscope::gui
