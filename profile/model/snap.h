// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profile/model/units.h"

namespace roofscope {

/// What a profile shows if it is not a whole run: some steps of a process that ran before and went
/// on afterwards (`roofscope snap`).
struct Snap {
    std::optional<std::uint32_t> steps;  ///< how many were asked for; absent: a time was
    std::optional<Seconds> recorded;     ///< how long launches were recorded
    std::optional<Seconds> age;          ///< of the process when that began
    /// Why it ended before what was asked for was there, as half a sentence; empty: it did not.
    std::string endedEarly;
    bool operator==(const Snap&) const = default;
};

}  // namespace roofscope
