// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profile/model/units.h"

namespace roofscope {

/// Set if a profile is not of a whole run but of some steps of a process that was already running
/// and went on afterwards (`roofscope snap`).
struct Snap {
    /// how many were asked for; absent if a time was asked for
    std::optional<std::uint32_t> steps;
    std::optional<Seconds> recorded;  ///< how long launches were recorded
    std::optional<Seconds> age;       ///< of the process when recording began
    /// Why recording ended before it had all that was asked for, as half a sentence; empty if it
    /// had all.
    std::string endedEarly;
    bool operator==(const Snap&) const = default;
};

}  // namespace roofscope
