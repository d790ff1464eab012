// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities/impossible_shares.h"

#include <algorithm>

namespace roofscope {
namespace {

/// What a dropped share lacks, in place of counters.
constexpr const char* kPossible = "counters within what this GPU can do";

/// Calls `visit(resource, share)` with each share that cannot be more than 1.
void forEachShare(auto& q, auto visit) {
    for (const Level level : kLevels) visit(toString(level), q.utilisation[level]);
    for (const Precision precision : kPrecisions) {
        visit(toString(precision), q.computeUtilisation[precision]);
        visit(toString(precision), q.pipeUtilisation[precision]);
    }
    visit("shared pipe", q.sharedPipeUtilisation);
    visit("tensor", q.tensorUtilisation);
    visit("tensor", q.tensorInstructions);
    visit("instruction issue", q.issueUtilisation);
    visit("integer", q.integerUtilisation);
    visit("integer", q.integerProductUtilisation);
    visit("special functions", q.specialFunctionUtilisation);
    visit("LSU requests", q.lsuRequests);
    visit("SM throughput", q.smThroughput);
    visit("memory throughput", q.memoryThroughput);
    visit("L2 tags", q.l2TagUtilisation);
    visit("L2 atomics", q.atomicUnitBusiest);
    visit("L2 atomics", q.atomicUnitAverage);
    visit("block start rate", q.blockStartUtilisation);
    for (auto& work : q.tensor) visit("tensor", work.utilisation);
    visit("DRAM", q.dramAttainable);
    visit("sectors of loads", q.loads.efficiency);
    visit("sectors of stores", q.stores.efficiency);
    visit("occupancy", q.occupancy.achieved);
    visit("active lanes", q.activeLanes);
    visit("active lanes", q.predicatedOn);
}

bool isImpossible(const Derived<Ratio>& share) { return share.has() && share->value > kMostOfRoof; }

}  // namespace

void dropImpossible(Quantities& q) {
    // Rates are the same numbers in other units.
    for (const Level level : kLevels)
        if (isImpossible(q.utilisation[level]))
            q.bandwidth[level] = Derived<BytesPerSecond>::absent(kPossible, q.bandwidth[level].how);
    for (const Precision precision : kPrecisions)
        if (isImpossible(q.computeUtilisation[precision]))
            q.flopRate[precision] = Derived<FlopsPerSecond>::absent(kPossible);
    for (TensorWork& work : q.tensor)
        if (isImpossible(work.utilisation))
            work.rate = Derived<FlopsPerSecond>::absent(kPossible, work.rate.how);
    forEachShare(q, [](const char*, Derived<Ratio>& share) {
        if (isImpossible(share)) share = Derived<Ratio>::absent(kPossible, share.how);
    });
}

std::vector<std::string_view> impossibleIn(const Quantities& q) {
    std::vector<std::string_view> names;
    forEachShare(q, [&](const char* name, const Derived<Ratio>& share) {
        if (share.missing == kPossible && std::ranges::find(names, name) == names.end())
            names.emplace_back(name);
    });
    return names;
}

}  // namespace roofscope
