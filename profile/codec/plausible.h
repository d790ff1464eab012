// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/model/profile.h"

namespace roofscope {

/// Makes values missing that no GPU can have measured: counters below 0 or beyond 64 bits, peaks,
/// clocks and times out of all proportion. A damaged or made-up file would otherwise turn into
/// infinite shares. An issue in the profile says what was left out.
void dropImplausible(Profile& profile);

}  // namespace roofscope
