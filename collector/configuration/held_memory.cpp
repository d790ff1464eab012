// SPDX-License-Identifier: Apache-2.0
#include "collector/configuration/held_memory.h"

#include <fmt/format.h>

namespace roofscope {
namespace {

/// Seconds; about ten times what the passes themselves take.
constexpr double kTooLongToSave = 0.25;

}  // namespace

Seconds savingPerLaunch(const HeldMemory& memory, std::size_t passes) {
    if (passes <= 1) return {};
    const std::uint64_t inHost = memory.bytesSavedInHost();
    const double perPass = kSecondsPerSavedByte * static_cast<double>(memory.bytes - inHost) +
                           kSecondsPerByteSavedInHost * static_cast<double>(inHost);
    const double pieces =
        memory.inManyPieces() ? kSecondsPerPiece * static_cast<double>(memory.allocations) : 0;
    return {pieces + static_cast<double>(passes) * perPass +
            kSecondsPerPinnedByte * static_cast<double>(memory.pinnedBytes)};
}

bool savingCostsTooMuch(const HeldMemory& memory, std::size_t passes) {
    return passes > 1 &&
           (memory.inManyPieces() || memory.bytesSavedInHost() > 0 ||
            kSecondsPerPinnedByte * static_cast<double>(memory.pinnedBytes) > kTooLongToSave);
}

std::string slowToCopy(const HeldMemory& memory) {
    return memory.inManyPieces()
               ? fmt::format("the {} allocations that the program holds", memory.allocations)
               : fmt::format("the {:.1f} GB of pinned memory that the program holds",
                             static_cast<double>(memory.pinnedBytes) * 1e-9);
}

}  // namespace roofscope
