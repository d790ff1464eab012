// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "profile/model/profile.h"

/// Times of GPU work that cannot be. This is the only definition, whichever tool recorded them.
namespace roofscope {

/// The clock of the CPU and the clocks by which kernels and copies are timed differ by up to 50 µs
/// in recordings of programs. What differs by more than this, in nanoseconds, cannot be.
inline constexpr Nanoseconds kClocksDiffer = 1'000'000;

/// Why a time cannot be.
enum class ImpossibleTime : std::uint8_t {
    BeforeCall,  ///< begins before the call that issued it
    AfterEnd,    ///< ends after its process, or begins seconds after all that the CPU did
    Overlap,     ///< runs together with other work of its stream
    Order,       ///< begins before work that was issued to its stream earlier, or after later work
    EqualStart   ///< begins in the same nanosecond as another kernel of its stream
};
inline constexpr std::size_t kImpossibleTimes = 5;

/// A launch or a copy whose time cannot be.
struct ImpossibleWork {
    bool transfer = false;  ///< else a launch
    std::uint32_t row = 0;  ///< index into Timeline::transfers or Profile::launches
    ImpossibleTime why = ImpossibleTime::BeforeCall;
    /// Where it must have run: after its call and the work before it in its stream, before the work
    /// after it.
    TimeSpan within;
};

struct ImpossibleTimes {
    std::vector<ImpossibleWork> work;
    std::size_t timed = 0;  ///< launches and copies with a time, possible or not
    /// Processes more than half of whose work begins before its call: the clocks of CPU and GPU
    /// disagree, and the times of the GPU among each other may well be right.
    std::vector<std::uint32_t> clocksDisagree;
};

/// Finds times that cannot be. Silent about what can:
///
/// - nodes of one CUDA graph run side by side;
/// - a kernel that was launched with programmatic dependent launch (any launch function with
///   attributes, or an unknown one) begins before the kernel before it ends;
/// - threads that launch into one stream at the same time: nobody knows which was first;
/// - kernels of one stream that overlap by 10 µs, and copies by kClocksDiffer, because kernels and
///   copies may be timed by different clocks.
///
/// Where it is not known which of two works is wrong, both are.
[[nodiscard]] ImpossibleTimes impossibleTimes(const Profile& profile);

/// Removes times that cannot be: such launches have no time, such copies are removed, and
/// Timeline::untimed says where they ran. An issue of the profile counts them. Does nothing to
/// profiles that are not measured.
void dropImpossibleTimes(Profile& profile);

}  // namespace roofscope
