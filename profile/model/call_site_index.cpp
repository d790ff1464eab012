// SPDX-License-Identifier: Apache-2.0
#include "profile/model/call_site_index.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace roofscope {
namespace {

bool isSamePlace(const CallSite& a, const CallSite& b) {
    return a.kernel == b.kernel && a.shape == b.shape && a.line == b.line &&
           a.indirect == b.indirect && a.call == b.call && a.file == b.file &&
           a.function == b.function && a.module == b.module && a.offset == b.offset &&
           a.op == b.op && a.sizes == b.sizes && a.backward == b.backward && a.forward == b.forward;
}

std::size_t hashOfPlace(const CallSite& site) {
    std::size_t hash = 0;
    const auto mix = [&hash](std::size_t value) {
        hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
    };
    mix(site.kernel ? *site.kernel + std::size_t{1} : 0);
    if (site.shape)
        for (const Dim3& extents : {site.shape->grid, site.shape->block}) {
            mix(extents.x);
            mix(extents.y);
            mix(extents.z);
        }
    mix(site.line);
    mix(site.offset);
    mix(site.forward.line);
    mix(site.indirect ? 1 : 0);
    for (const std::string_view text :
         {std::string_view(site.call), std::string_view(site.file), std::string_view(site.function),
          std::string_view(site.module), std::string_view(site.op), std::string_view(site.sizes),
          std::string_view(site.backward), std::string_view(site.forward.file),
          std::string_view(site.forward.function)})
        mix(std::hash<std::string_view>{}(text));
    return hash;
}

/// The sum, at most what a profile can hold.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kMost = 1ULL << 53;
    return std::min(std::min(a, kMost) + std::min(b, kMost), kMost);
}

void addCopies(std::vector<HostCopies>& all, const HostCopies& more) {
    const auto size = std::ranges::find(all, more.bytes, &HostCopies::bytes);
    if (size == all.end()) {
        all.push_back(more);
        return;
    }
    size->copies = sum(size->copies, more.copies);
    size->read = sum(size->read, more.read);
    size->repeated = sum(size->repeated, more.repeated);
    size->distinct = sum(size->distinct, more.distinct);
    size->inTurn = sum(size->inTurn, more.inTurn);
}

}  // namespace

CallSiteIndex::CallSiteIndex(std::vector<CallSite>& sites) : m_sites(sites) {
    for (std::size_t i = 0; i < sites.size(); ++i) m_places.emplace(hashOfPlace(sites[i]), i);
}

void CallSiteIndex::add(CallSite site) {
    const std::size_t hash = hashOfPlace(site);
    const auto [first, last] = m_places.equal_range(hash);
    const auto same = std::find_if(
        first, last, [&](const auto& known) { return isSamePlace(m_sites[known.second], site); });
    if (same == last) {
        m_places.emplace(hash, m_sites.size());
        m_sites.push_back(std::move(site));
        return;
    }
    CallSite& known = m_sites[same->second];
    known.count = sum(known.count, site.count);
    for (const HostCopies& more : site.hostCopies) addCopies(known.hostCopies, more);
}

}  // namespace roofscope
