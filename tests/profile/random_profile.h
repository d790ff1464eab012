// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "profile/model/profile.h"

namespace roofscope::test {

/// A valid profile made of the values that break codecs: huge and tiny doubles, missing values,
/// constant columns, names with quotes, control characters and many alphabets. Same seed, same
/// profile.
Profile randomProfile(std::uint64_t seed);

/// Compares everything that a profile holds; counters bit by bit.
bool sameProfile(const Profile& a, const Profile& b);

}  // namespace roofscope::test
