// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/model/profile.h"

namespace roofscope {

/// Removes values that no GPU can have measured: counters below 0 or beyond 64 bits, and absurd
/// peaks, clocks and times. Otherwise a damaged or made-up file would lead to infinite shares. An
/// issue in the profile lists what was removed; it is only a note if another tool measured.
void dropImplausible(Profile& profile);

}  // namespace roofscope
