// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/trace_sites.h"

#include <algorithm>
#include <tuple>

#include "importer/traces/python_frames.h"

namespace roofscope::traces {
namespace {

constexpr std::size_t kMostSites = 50'000;
/// As in a recording, omit sizes that vary from step to step, as in a decode loop.
constexpr std::uint32_t kMostSizesOfSite = 4;

}  // namespace

std::size_t SiteCounter::Hash::operator()(const Key& key) const {
    std::uint64_t mixed = 0;
    for (const std::uint32_t part :
         {key.kernel, key.call, key.context.op, key.context.sizes, key.context.backward,
          key.context.python, key.context.indirect ? 1U : 0U})
        mixed = (mixed ^ part) * 0x9E37'79B9'7F4A'7C15ULL + (mixed >> 29);
    return static_cast<std::size_t>(mixed ^ (mixed >> 32));
}

void SiteCounter::add(Key key) {
    key.context.path = kNoPath;  // sites do not include ranges
    if (key.context.op == 0 && key.context.python == 0 && key.context.backward == 0) return;
    if (const auto known = m_counts.find(key); known != m_counts.end())
        ++known->second;
    else if (m_counts.size() < kMostSites)
        m_counts.emplace(key, 1);
    else
        ++m_leftOut;
}

std::vector<CallSite> SiteCounter::finish() {
    std::unordered_map<Key, std::uint32_t, Hash> sizes;
    const auto unsized = [](Key key) {
        key.context.sizes = 0;
        return key;
    };
    for (const auto& [key, count] : m_counts) ++sizes[unsized(key)];
    std::unordered_map<Key, std::uint64_t, Hash> joined;
    for (const auto& [key, count] : m_counts)
        joined[sizes[unsized(key)] > kMostSizesOfSite ? unsized(key) : key] += count;
    std::vector<std::pair<Key, std::uint64_t>> order(joined.begin(), joined.end());
    std::ranges::sort(order, {}, [](const auto& entry) {
        const auto& [key, count] = entry;
        return std::tuple(key.kernel, key.call, ~count, key.context.op, key.context.sizes,
                          key.context.backward, key.context.python, key.context.indirect);
    });
    std::vector<CallSite> sites;
    sites.reserve(order.size());
    for (const auto& [key, count] : order) {
        CallSite& site = sites.emplace_back();
        if (key.kernel != kNoKernel)
            site.kernel = key.kernel;
        else
            site.call = m_names[key.call];
        if (const auto frame = ownFrame(m_names[key.context.python])) {
            site.file = frame->file;
            site.function = frame->function;
        }
        site.indirect = key.context.indirect;
        site.op = m_names[key.context.op];
        site.sizes = m_names[key.context.sizes];
        site.backward = m_names[key.context.backward];
        site.count = count;
    }
    return sites;
}

}  // namespace roofscope::traces
