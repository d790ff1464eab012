// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace roofscope {

/// For the main of our own programs, which read profiles of tens of megabytes: blocks of memory
/// from this size on are given back to the system when they are freed. glibc raises that size with
/// each that is freed, up to 32 MB, and what was the text of a profile is then kept between small
/// blocks.
inline void giveLargeBlocksBack() {
#ifdef __GLIBC__
    constexpr int kLarge = 256 * 1024;
    mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

}  // namespace roofscope
