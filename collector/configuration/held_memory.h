// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "profile/model/units.h"

namespace roofscope {

/// Memory that a program holds and kernel replay saves: of a GPU, and what is left there, and
/// page-locked memory of the host.
struct HeldMemory {
    std::uint64_t bytes = 0, freeBytes = 0, pinnedBytes = 0;
    /// What kernel replay cannot save on the GPU: it goes through the host.
    [[nodiscard]] std::uint64_t beyondGpu() const {
        return bytes > freeBytes ? bytes - freeBytes : 0;
    }
};

/// What kernel replay of a launch spends to save and restore what the program holds. A single pass
/// saves nothing.
[[nodiscard]] Seconds savingPerLaunch(const HeldMemory& memory, std::size_t passes);
/// Whether that takes so much longer than the passes themselves that other ways come first.
/// `passes`: of a launch; two stand for several where it is not known how many.
[[nodiscard]] bool tooMuchToSave(const HeldMemory& memory, std::size_t passes = 2);

/// What a pass of kernel replay adds per byte that the program holds, as long as the GPU has room
/// for a copy (8 to 34 GB on an H100), and per byte of the copy that must go to the host (45 and 64
/// of 85 GB).
inline constexpr double kSavedByte = 1.5e-12, kSavedByteInHost = 250e-12;
/// What a launch of several passes takes longer per byte of page-locked memory, however many
/// passes (0.25 and 4 GB on an H100: 0.7 to 1 s per GB).
inline constexpr double kSavedPinnedByte = 0.9e-9;

}  // namespace roofscope
