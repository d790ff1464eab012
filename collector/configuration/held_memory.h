// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "profile/model/units.h"

namespace roofscope {

/// Memory that a program holds and that kernel replay must save: memory on a GPU (with what is
/// still free there) and page-locked host memory.
struct HeldMemory {
    std::uint64_t bytes = 0, freeBytes = 0, pinnedBytes = 0;
    /// The largest number of allocations that a process held at once.
    std::uint64_t allocations = 0;
    /// So many allocations that saving them one by one takes most of the time.
    [[nodiscard]] bool inManyPieces() const { return allocations >= kManyPieces; }
    static constexpr std::uint64_t kManyPieces = 10'000;
    /// Bytes that kernel replay must save in host memory, because the GPU has no room for a copy.
    [[nodiscard]] std::uint64_t bytesSavedInHost() const {
        return bytes > freeBytes ? bytes - freeBytes : 0;
    }
};

/// How long kernel replay of a launch takes to save and restore what the program holds. With a
/// single pass nothing is saved.
[[nodiscard]] Seconds savingPerLaunch(const HeldMemory& memory, std::size_t passes);
/// Whether that takes so much longer than the passes themselves that other ways should be tried
/// first. `passes`: of a launch; 2 stands for several if the number is not known.
[[nodiscard]] bool savingCostsTooMuch(const HeldMemory& memory, std::size_t passes = 2);
/// Which part of the held memory is slow to copy although the GPU has room for the copy, as text:
/// "the 60000 allocations that the program holds".
[[nodiscard]] std::string slowToCopy(const HeldMemory& memory);

/// Seconds that each pass of kernel replay adds per byte that the program holds: while the GPU has
/// room for a copy (measured with 8 to 34 GB on an H100), and for the part of the copy that must go
/// to the host (measured with 45 and 64 of 85 GB).
inline constexpr double kSecondsPerSavedByte = 1.5e-12, kSecondsPerByteSavedInHost = 250e-12;
/// Seconds that a launch of several passes takes longer per byte of page-locked memory, whatever
/// the number of passes (measured with 0.25 and 4 GB on an H100: 0.7 to 1 s per GB).
inline constexpr double kSecondsPerPinnedByte = 0.9e-9;
/// A lower bound for the extra seconds per allocation of a launch with several passes, for programs
/// with kManyPieces or more (measured on an H200 with 60,000 allocations of a few bytes: 20 s or
/// more; fewer were not measured).
inline constexpr double kSecondsPerPiece = 0.3e-3;

}  // namespace roofscope
