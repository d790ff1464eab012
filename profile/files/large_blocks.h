// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace roofscope {

/// For main() of our own programs, which read profiles of tens of megabytes: returns freed blocks
/// of at least 256 KiB to the system. By default glibc raises that size with each such block it
/// frees, up to 32 MB, and then keeps the text of a profile in the heap.
inline void returnLargeBlocksToSystem() {
#ifdef __GLIBC__
    constexpr int kLarge = 256 * 1024;
    mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

}  // namespace roofscope
