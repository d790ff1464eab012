// SPDX-License-Identifier: Apache-2.0
#include "gate/keys.h"

#include <algorithm>
#include <vector>

namespace roofscope::gate {

namespace {

constexpr double kTime = 0.05;  ///< more than clocks and other programs cause on a quiet machine
constexpr double kCounters = 0.01;  ///< the smallest change that a comparison reports

Judged judgedAs(const QuantityEntry& entry) {
    if (entry.uses.gate == GateUse::Limit) return Judged::Limit;
    return entry.stability == Stability::Exact    ? Judged::Exact
           : entry.stability == Stability::Banded ? Judged::Banded
                                                  : Judged::Duration;
}

const std::vector<Key>& keys() {
    static const std::vector<Key> kKeys = [] {
        std::vector<Key> all;
        for (const QuantityEntry& entry : catalog()) {
            if (entry.uses.gate == GateUse::No) continue;
            const Judged judged = judgedAs(entry);
            all.push_back({.quantity = &entry,
                           .key = entry.key,
                           .label = entry.label,
                           .unit = entry.unit,
                           .judged = judged,
                           .growth = judged == Judged::Limit   ? 0
                                     : judged == Judged::Exact ? kCounters
                                                               : kTime,
                           .byDefault = entry.uses.gate != GateUse::OnRequest});
        }
        return all;
    }();
    return kKeys;
}

}  // namespace

std::span<const Key> allKeys() { return keys(); }

const Key* findKey(std::string_view key) {
    const auto found =
        std::find_if(keys().begin(), keys().end(), [&](const Key& k) { return k.key == key; });
    return found == keys().end() ? nullptr : &*found;
}

}  // namespace roofscope::gate
