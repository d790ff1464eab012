// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/counter_lookup.h"

#include <cstdint>

#include "analyzer/counters/counter_sources.h"

namespace roofscope {

const CounterLookup::Found& CounterLookup::operator[](std::string_view name) const {
    const auto address = reinterpret_cast<std::uintptr_t>(name.data());
    Met& met = m_met[address * 0x9E3779B97F4A7C15 >> (64 - kMetBits)];
    if (met.at == name.data() && met.found->name == name) return *met.found;
    auto known = m_found.find(name);
    if (known == m_found.end()) {
        Found found{.name = std::string(name),
                    .column = m_table.column(name),
                    .substitutable = canSubstitute(m_table, name),
                    .number = m_found.size()};
        if (!found.column.empty()) m_asked.push_back(found.column);
        known = m_found.emplace(name, std::move(found)).first;
    }
    met = {.at = name.data(), .found = &known->second};
    return known->second;
}

}  // namespace roofscope
