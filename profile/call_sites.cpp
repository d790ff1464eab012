// SPDX-License-Identifier: Apache-2.0
#include "profile/call_sites.h"

#include <algorithm>
#include <utility>

namespace roofscope {

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
    CallSite& place = same == sites.end() ? sites.emplace_back(std::move(site)) : *same;
    place.count += count;
}

}  // namespace roofscope
