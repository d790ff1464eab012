// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "profile/model/call_sites.h"

namespace roofscope {

/// Adds call sites to a list and finds an equal one by its hash. The list must outlive the index,
/// and nobody else may change it meanwhile.
class CallSiteIndex {
public:
    explicit CallSiteIndex(std::vector<CallSite>& sites);
    /// Adds the counts to an equal site in the list; if there is none, adds the site.
    void add(CallSite site);

private:
    std::vector<CallSite>& m_sites;
    std::unordered_multimap<std::size_t, std::size_t> m_places;  ///< hash → index
};

}  // namespace roofscope
