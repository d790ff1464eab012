// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "profile/model/profile.h"

/// Finds impossible times of GPU work. This is the only definition, whichever tool recorded them.
namespace roofscope {

/// In recordings of programs, the clock of the CPU and those of kernels and copies differ by up to
/// 50 µs. A difference of more nanoseconds than this is impossible.
inline constexpr Nanoseconds kClocksDiffer = 1'000'000;

/// Why a time is impossible.
enum class ImpossibleTime : std::uint8_t {
    BeforeCall,  ///< begins before the call that issued it
    AfterEnd,    ///< ends after its process, or begins seconds after the last CPU event
    Overlap,     ///< runs together with other work of its stream
    Order,  ///< begins before work that its stream got earlier, or after work that it got later
    EqualStart,  ///< begins in the same nanosecond as another kernel of its stream
    TooFast      ///< a copy of more bytes than a GPU's memory moves in that time
};
inline constexpr std::size_t kImpossibleTimes = 6;

/// A launch or a copy with an impossible time.
struct ImpossibleWork {
    bool transfer = false;  ///< true: a copy; false: a launch
    std::uint32_t row = 0;  ///< index into Timeline::transfers or Profile::launches
    ImpossibleTime why = ImpossibleTime::BeforeCall;
    /// The span in which it must have run: after its call and after the previous work of its
    /// stream, before the next work.
    TimeSpan within;
};

struct ImpossibleTimes {
    std::vector<ImpossibleWork> work;
    std::size_t timed = 0;  ///< launches and copies with a time, whether possible or not
    /// Processes in which more than half of the work begins before its call: the clocks of CPU and
    /// GPU disagree. GPU times may still be right relative to each other.
    std::vector<std::uint32_t> clocksDisagree;
};

/// Finds impossible times. Does not report what can happen:
///
/// - nodes of one CUDA graph run side by side;
/// - a kernel launched with programmatic dependent launch (any launch function with attributes, or
///   an unknown one) begins before the previous kernel ends;
/// - threads launch into one stream at the same time, so the order is unknown;
/// - kernels of one stream overlap by 10 µs, or copies by kClocksDiffer, because kernels and copies
///   may be timed by different clocks.
///
/// If one of two times must be wrong and it is not known which, both are reported.
[[nodiscard]] ImpossibleTimes impossibleTimes(const Profile& profile);

/// Removes impossible times: such launches lose their time, such copies are removed, and
/// Timeline::untimed says where they ran. An issue of the profile counts them. Does nothing to
/// profiles that are not measured.
void dropImpossibleTimes(Profile& profile);

}  // namespace roofscope
