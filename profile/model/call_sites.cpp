// SPDX-License-Identifier: Apache-2.0
#include "profile/model/call_sites.h"

#include <algorithm>
#include <utility>

namespace roofscope {

bool isConsistent(const HostCopies& copies) {
    // JSON readers handle whole numbers up to here.
    constexpr std::uint64_t kMost = 1ULL << 53;
    return copies.bytes > 0 && copies.bytes <= kMost && copies.copies > 0 &&
           copies.copies <= kMost && copies.read <= copies.copies &&
           copies.repeated <= copies.read && copies.distinct <= copies.read &&
           (copies.distinct > 0) == (copies.read > 0);
}

void addCallSite(std::vector<CallSite>& sites, CallSite site) {
    const std::uint64_t count = std::exchange(site.count, 0);
    const auto same = std::ranges::find_if(sites, [&](const CallSite& known) {
        return known.kernel == site.kernel && known.line == site.line &&
               known.indirect == site.indirect && known.call == site.call &&
               known.file == site.file && known.function == site.function &&
               known.module == site.module && known.offset == site.offset && known.op == site.op &&
               known.sizes == site.sizes && known.backward == site.backward &&
               known.forward == site.forward;
    });
    if (same == sites.end()) {
        sites.push_back(std::move(site));
        sites.back().count = count;
        return;
    }
    same->count += count;
    for (const HostCopies& more : site.hostCopies) {
        const auto size = std::ranges::find(same->hostCopies, more.bytes, &HostCopies::bytes);
        if (size == same->hostCopies.end()) {
            same->hostCopies.push_back(more);
            continue;
        }
        size->copies += more.copies;
        size->read += more.read;
        size->repeated += more.repeated;
        size->distinct += more.distinct;
    }
}

}  // namespace roofscope
