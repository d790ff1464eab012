// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/counter_lookup.h"

#include "analyzer/counters/counter_sources.h"

namespace roofscope {

const CounterLookup::Found& CounterLookup::operator[](std::string_view name) const {
    auto known = m_found.find(name);
    if (known == m_found.end())
        known =
            m_found
                .emplace(std::string(name), Found{.column = m_table.column(name),
                                                  .substitutable = canSubstitute(m_table, name)})
                .first;
    return known->second;
}

}  // namespace roofscope
