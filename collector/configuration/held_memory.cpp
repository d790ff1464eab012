// SPDX-License-Identifier: Apache-2.0
#include "collector/configuration/held_memory.h"

namespace roofscope {
namespace {

/// Seconds; about ten times what the passes themselves take.
constexpr double kTooLongToSave = 0.25;

}  // namespace

Seconds savingPerLaunch(const HeldMemory& memory, std::size_t passes) {
    if (passes <= 1) return {};
    const std::uint64_t inHost = memory.beyondGpu();
    const double perPass = kSavedByte * static_cast<double>(memory.bytes - inHost) +
                           kSavedByteInHost * static_cast<double>(inHost);
    return {static_cast<double>(passes) * perPass +
            kSavedPinnedByte * static_cast<double>(memory.pinnedBytes)};
}

bool tooMuchToSave(const HeldMemory& memory, std::size_t passes) {
    return passes > 1 &&
           (memory.beyondGpu() > 0 ||
            kSavedPinnedByte * static_cast<double>(memory.pinnedBytes) > kTooLongToSave);
}

}  // namespace roofscope
