// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/causes/measured.h"

#include <algorithm>
#include <cmath>

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "profile/chips/chip.h"

namespace roofscope::compare::causes {

bool Both::within(double share) const {
    return std::abs(slow - fast) <= share * std::max(std::abs(slow), std::abs(fast));
}

std::optional<Both> joined(std::optional<double> slow, std::optional<double> fast) {
    return slow && fast ? std::optional(Both{*slow, *fast}) : std::nullopt;
}

std::optional<double> sum(std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
}

bool loadsInBulk(const Side& side) {
    constexpr double kLeastByThreads = 0.5;
    const Quantities& q = side.kernel.quantities;
    const auto sectors = known(q.loads.sectors), read = known(q.dramRead);
    return sectors && read && *read > 0 && 32 * *sectors < kLeastByThreads * *read &&
           chipHas(side.device(), ChipFeature::BulkCopies).value_or(false);
}

Measured::Measured(const Side& from, const Side& to, bool wasSlow)
    : faster(wasSlow),
      slowSide(faster ? from : to),
      fastSide(faster ? to : from),
      slow(slowSide.kernel.quantities),
      fast(fastSide.kernel.quantities),
      device(from.device()),
      // Wider accesses and bulk copies need fewer blocks; name them as the cause, not the number of
      // blocks.
      resources(resourcesOf(slow).without(ResourceId::BlockStarts)),
      inBulk(loadsInBulk(from) || loadsInBulk(to)),
      requests(
          both([](auto& q) { return sum(known(q.loads.requests), known(q.stores.requests)); })),
      requested(
          both([](auto& q) { return sum(known(q.loads.requested), known(q.stores.requested)); })),
      wavefronts(both([](auto& q) { return known(q.shared.wavefronts); })),
      dram(bytesOf(Level::Dram)) {}

std::optional<Both> Measured::bytesOf(Level level) const {
    return both([level](auto& q) { return known(q.bytes[level]); });
}

std::optional<Both> Measured::counted(std::string_view counter) const {
    const auto mean = [counter](const Side& side) {
        const auto joint =
            GroupSums(side.profile().counters, side.kernel.group.launches).joint({counter});
        return joint.ok() ? std::optional(joint.mean(0)) : std::nullopt;
    };
    return joined(mean(slowSide), mean(fastSide));
}

std::optional<Both> Measured::operationsOf(Precision precision) const {
    return both([precision](auto& q) { return known(q.flops[precision]); });
}

std::optional<Both> Measured::dramRates() const {
    return both([](auto& q) { return known(q.bandwidth[Level::Dram]); });
}

std::optional<Both> Measured::achievedOccupancy() const {
    return both([](auto& q) { return known(q.occupancy.achieved); });
}

double Measured::busy(ResourceId id) const { return std::clamp(resources.busy(id), 0.0, 1.0); }

double Measured::busiest() const {
    const Resource* resource = resources.busiest();
    return resource ? std::clamp(resource->busy, 0.0, 1.0) : 0.0;
}

double Measured::waiting() const { return resources.items.empty() ? 0.0 : 1.0 - busiest(); }

double Measured::waitingForAccesses() const {
    const auto instructions = counted(counter::kWarpInstructions);
    const bool issued = instructions && instructions->slow >= kWider * instructions->fast;
    double others = 0;
    for (const Resource& resource : resources.items)
        if (!(issued && resource.id == ResourceId::Issue))
            others = std::max(others, resource.ofRoof);
    return resources.items.empty() ? 0.0 : std::max(0.0, 1.0 - others);
}

double Measured::memoryOrWaiting() const {
    const Resource* memory = resources.busiestMemory();
    const Resource* compute = resources.busiestCompute();
    if (!memory) return 0;
    // With hardly any traffic, its amount is not what warps wait for.
    constexpr double kHardlyAny = 0.10;
    if (memory->busy < kHardlyAny) return std::clamp(memory->busy, 0.0, 1.0);
    const double idle = 1 - (compute ? std::clamp(compute->busy, 0.0, 1.0) : 0.0);
    return std::max(std::clamp(memory->busy, 0.0, 1.0), idle);
}

double Measured::globalMemoryOrWaiting() const {
    const Resource* busiest = resources.busiestMemory();
    if (!busiest || busiest->id != ResourceId::SharedPipe) return memoryOrWaiting();
    double memory = waiting();
    for (const Resource& resource : resources.items)
        if (resource.memory && resource.id != ResourceId::SharedPipe)
            memory = std::max(memory, resource.busy);
    return std::clamp(memory, 0.0, 1.0);
}

std::pair<double, double> Measured::inOrder(Both amount) const {
    return faster ? std::pair(amount.slow, amount.fast) : std::pair(amount.fast, amount.slow);
}

}  // namespace roofscope::compare::causes
