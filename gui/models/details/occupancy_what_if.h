// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "analyzer/roofline/occupancy.h"

namespace roofscope::gui {

/// What a question about a kernel's occupancy starts from: its block as launched, and what the GPU
/// and CUDA allow.
struct OccupancyQuestion {
    Device device;
    BlockResources launched;
    std::uint64_t mostThreads = 0;      ///< per block
    std::uint32_t mostRegisters = 255;  ///< per thread, of all architectures
    std::uint64_t mostSharedBytes = 0;  ///< per block
};

/// The question for a kernel, an index into Analysis::kernels; else why there is none.
struct OccupancyStart {
    std::optional<OccupancyQuestion> question;
    QString reason;  ///< in the window's language; empty with a question
};
[[nodiscard]] OccupancyStart occupancyStart(const Analysis& analysis,
                                            std::optional<std::size_t> kernel);

/// "6 blocks per SM, 48 of 64 warps: 75 % (as launched 100 %), limited by registers": with another
/// block, everything else as launched. The analyzer's formula, which agreed with the driver for the
/// block as launched.
[[nodiscard]] QString occupancyAnswer(const OccupancyQuestion& question,
                                      const BlockResources& block);

}  // namespace roofscope::gui
