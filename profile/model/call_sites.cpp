// SPDX-License-Identifier: Apache-2.0
#include "profile/model/call_sites.h"

namespace roofscope {

bool isConsistent(const HostCopies& copies) {
    // JSON readers handle whole numbers up to here.
    constexpr std::uint64_t kMost = 1ULL << 53;
    return copies.bytes > 0 && copies.bytes <= kMost && copies.copies > 0 &&
           copies.copies <= kMost && copies.read <= copies.copies &&
           copies.repeated <= copies.read && copies.distinct <= copies.read &&
           copies.inTurn <= copies.repeated && (copies.distinct > 0) == (copies.read > 0);
}

}  // namespace roofscope
