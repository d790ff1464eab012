// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "profile/model/profile.h"

namespace roofscope::test {

/// A valid profile of values that tend to break codecs: huge and tiny doubles, missing values,
/// constant columns, names with quotes, control characters and many alphabets. The same seed gives
/// the same profile.
Profile randomProfile(std::uint64_t seed);

/// Compares all contents of two profiles; counters bit by bit.
bool sameProfile(const Profile& a, const Profile& b);

}  // namespace roofscope::test
