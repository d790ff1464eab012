// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counter_lookup.h"

#include <cstdint>

#include "analyzer/counter_sources.h"

namespace roofscope {

const CounterLookup::Found& CounterLookup::operator[](std::string_view name) const {
    const auto address = reinterpret_cast<std::uintptr_t>(name.data());
    Met& met = m_met[((address >> 4) ^ (address >> 12)) % kMet];
    if (met.at == name.data() && met.found->name == name) return *met.found;
    std::string key(name);
    auto known = m_found.find(key);
    if (known == m_found.end()) {
        Found found{.name = key,
                    .column = m_table.column(name),
                    .substitutable = canSubstitute(m_table, name)};
        known = m_found.emplace(std::move(key), std::move(found)).first;
    }
    met = {.at = name.data(), .found = &known->second};
    return known->second;
}

}  // namespace roofscope
