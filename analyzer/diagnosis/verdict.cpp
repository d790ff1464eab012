// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/verdict.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analyzer/counters/counter_names.h"
#include "analyzer/launches/launch_gaps.h"
#include "analyzer/launches/managed_memory.h"
#include "analyzer/names/library_product.h"
#include "analyzer/roofline/resources.h"
#include "profile/names/peer_kernels.h"

namespace roofscope {

namespace {

ResourceUse useOf(const Resource& resource) {
    return {.id = resource.id,
            .memory = resource.memory,
            .busy = {resource.busy},
            .ofRoof = {resource.ofRoof},
            .measured = resource.measured};
}

/// Launching takes longer than running: a short kernel, and then the GPU idles at least as long.
bool isLaunchBound(const Quantities& q, std::optional<Seconds> gap) {
    constexpr Seconds kShort{10e-6};
    return gap && q.duration.count > 0 && q.duration.unprofiled() && q.duration.median < kShort &&
           *gap >= std::max(q.duration.median, kShortestGap);
}

void setHeadroom(Verdict& verdict, const Quantities& q, const Resources& resources) {
    constexpr const char* kHow =
        "duration − duration × busy share of the busiest resource, not below an empty launch";
    const Resource* busiest = resources.busiest();
    if (q.duration.count == 0 || !busiest) {
        const std::string missing =
            q.duration.count == 0 ? std::string(counter::kDuration) : resources.missing;
        verdict.headroom = Derived<Seconds>::absent(missing, kHow);
        verdict.speedupBound = Derived<double>::absent(missing, kHow);
        return;
    }
    const double duration = q.duration.judged().value;
    const double attainable =
        std::min(duration, std::max(duration * std::min(busiest->busy, 1.0), kEmptyLaunch.value));
    verdict.headroom = Derived<Seconds>::of({duration - attainable}, kHow);
    verdict.speedupBound = Derived<double>::of(duration / attainable, kHow);
}

/// High when no share is within 5 points of a threshold that would change the class.
Confidence confidenceOf(double compute, double memory, const std::string& missing) {
    constexpr double kMargin = 0.05;
    if (!missing.empty()) return Confidence::Low;
    const double top = std::max(compute, memory);
    const bool nearEdge = std::abs(top - kBusyShare) < kMargin ||
                          std::abs(top - kNearRoofShare) < kMargin ||
                          (top >= kBusyShare && std::abs(compute - memory) < kLead + kMargin);
    return nearEdge ? Confidence::Medium : Confidence::High;
}

/// The busiest arithmetic pipe; nullptr if none was measured.
const Resource* busiestPipe(const Resources& resources) {
    const Resource* best = nullptr;
    for (const Resource& item : resources.items)
        if (!item.memory && item.id != ResourceId::Issue && item.id != ResourceId::BlockStarts &&
            item.id != ResourceId::SmTotal && (!best || item.busy > best->busy))
            best = &item;
    return best;
}

/// The two sides of a kernel, and what is busiest.
struct BusySides {
    const Resource* memory = nullptr;
    const Resource* compute = nullptr;
    const Resource* leading = nullptr;
    const Resource* second = nullptr;  ///< worth saying beside the leading one, if it is in use
    double m = 0, c = 0;               ///< busy shares of memory and compute
    [[nodiscard]] double top() const { return std::max(m, c); }
};

/// The tensor pipe of a library's product, if it is about as busy as `leading`, the stage of an SM
/// that feeds it. What the product reads from shared memory is part of it.
const Resource* fedTensorPipe(const Resources& resources, const Resource& leading,
                              std::string_view kernelName) {
    const bool feeds =
        ownerOf(leading.id) == ResourceId::L1 || leading.id == ResourceId::SharedPipe;
    const Resource* tensor = resources.find(ResourceId::Tensor);
    const double least = leading.busy >= kNearRoofShare
                             ? kNearRoofShare
                             : std::max(kBusyShare, leading.busy - kLead);
    return feeds && tensor && tensor->busy >= least && libraryProduct(kernelName) ? tensor
                                                                                  : nullptr;
}

BusySides sidesOf(const Resources& resources, std::string_view kernelName) {
    BusySides sides{.memory = resources.busiestMemory(), .compute = resources.busiestCompute()};
    sides.m = sides.memory ? sides.memory->busy : 0.0;
    sides.c = sides.compute ? sides.compute->busy : 0.0;
    const bool memoryLeads = sides.m >= sides.c;
    sides.leading = memoryLeads ? sides.memory : sides.compute;
    const Resource* const other = memoryLeads ? sides.compute : sides.memory;
    // Beside instruction issue, a busy pipe says more than a memory that idles.
    const Resource* const pipe =
        sides.leading && sides.leading->id == ResourceId::Issue ? busiestPipe(resources) : nullptr;
    sides.second = pipe && (!other || pipe->busy > other->busy) ? pipe : other;
    const Resource* const tensor =
        memoryLeads && sides.memory ? fedTensorPipe(resources, *sides.memory, kernelName) : nullptr;
    if (tensor) {
        sides.second = sides.leading;
        sides.leading = tensor;
    }
    return sides;
}

/// There is no distance to the roofs, because `missing` is not known.
void leaveHeadroomOut(Verdict& verdict, const char* missing) {
    verdict.headroom = Derived<Seconds>::absent(missing, verdict.headroom.how);
    verdict.speedupBound = Derived<double>::absent(missing, verdict.headroom.how);
}

void setWaitsForPeers(Verdict& verdict) {
    verdict.cls = VerdictClass::WaitsForPeers;
    verdict.confidence = Confidence::High;  // by its name
    leaveHeadroomOut(verdict, "a kernel's own time");
}

/// Whether launches took longer in the program because the GPU lowered its clocks there, as under a
/// power cap: most clock samples say so, the range of clocks covers the difference, and what limits
/// the kernel runs at the SM's clock.
bool isSlowedByClocks(const Device& device, const Quantities& q, const BusySides& sides) {
    // One sample while clocks rise must not explain any slowdown.
    constexpr double kMost = 0.5, kMargin = 1.05, kMostSlower = 1.5;
    const auto& seen = device.observed;
    if (!seen || !seen->throttledSamples || !seen->smLowest || !seen->smHighest ||
        !(seen->smLowest->value > 0) || !sides.leading || sides.leading->memory)
        return false;
    return sides.top() >= kBusyShare && *seen->throttledSamples >= kMost * seen->samples &&
           q.duration.sameTimed <=
               q.duration.sameCounted *
                   std::min(kMostSlower, kMargin * (*seen->smHighest / *seen->smLowest));
}

/// The time of the program is not that of the state in which it was counted. Counters from one
/// state and a time from another would give a wrong distance to the roofs.
void setTimedInOtherState(Verdict& verdict, const Profile& profile, const Quantities& q) {
    const bool pages =
        q.duration.sameTimed >= q.duration.sameCounted * kWaitsLong && mayWaitForPages(profile);
    verdict.cls = pages ? VerdictClass::WaitsForPages : VerdictClass::Unknown;
    verdict.confidence = pages ? Confidence::Medium : Confidence::Low;
    leaveHeadroomOut(verdict, "counters of the launch as the program runs it");
    verdict.reason.time = q.duration.sameTimed;
    verdict.reason.whileCounted = q.duration.sameCounted;
}

void setLaunchBound(Verdict& verdict, const Quantities& q, Seconds gap) {
    constexpr double kClear = 2.0;
    verdict.cls = VerdictClass::LaunchBound;
    verdict.confidence = gap >= q.duration.median * kClear ? Confidence::High : Confidence::Medium;
    verdict.reason.time = q.duration.median;
    verdict.reason.gap = gap;
}

void setUnderfilled(Verdict& verdict, const Device& device, const LaunchGroup& group) {
    verdict.cls = VerdictClass::Underfilled;
    verdict.confidence = Confidence::High;  // launch shape, not a measurement
    verdict.reason.blocks = group.grid.total();
    verdict.reason.sms = device.smCount;
}

void setUnknown(Verdict& verdict, const Resources& resources, bool onlyTimes) {
    verdict.cls = VerdictClass::Unknown;
    verdict.confidence = Confidence::Low;
    verdict.reason.missing =
        SharedText(resources.missing.empty() ? counter::kDuration : resources.missing);
    if (onlyTimes) verdict.reason.missing = {};
}

/// The class of a kernel that some resource limits; nullopt if none is busy enough.
std::optional<VerdictClass> limitedClass(const BusySides& sides) {
    const double m = sides.m, c = sides.c;
    if (sides.top() >= kNearRoofShare) return VerdictClass::NearRoof;
    if (m >= kBusyShare && m - c >= kLead) return VerdictClass::MemoryBound;
    if (c >= kBusyShare && c - m >= kLead) return VerdictClass::ComputeBound;
    if (m >= kBusyShare && c >= kBusyShare) return VerdictClass::Balanced;
    // One side is above 60 %, the other just below it. No class covers this, so the busier side
    // decides.
    if (sides.top() >= kBusyShare)
        return sides.leading->memory ? VerdictClass::MemoryBound : VerdictClass::ComputeBound;
    return std::nullopt;
}

void setByResources(Verdict& verdict, const Quantities& q, const BusySides& sides) {
    const Resource& leading = *sides.leading;
    const auto cls = limitedClass(sides);
    verdict.cls = cls.value_or(VerdictClass::LatencyBound);
    if (cls) verdict.limiter = leading.id;
    verdict.utilisation = Derived<Ratio>::of({leading.busy}, toString(leading.id));
    verdict.reason.leading = useOf(leading);
    if (leading.id == ResourceId::MemoryTotal) verdict.reason.counter = q.memoryThroughput.how;
    if (leading.id == ResourceId::SmTotal) verdict.reason.counter = q.smThroughput.how;
    // A total does not say which of its units it is about.
    if (!verdict.reason.counter.empty())
        verdict.confidence = std::min(verdict.confidence, Confidence::Medium);
    // Mention the other side only if it is in use.
    constexpr double kWorthSaying = 0.01;
    if (cls != VerdictClass::NearRoof && sides.second && sides.second->busy >= kWorthSaying)
        verdict.reason.second = useOf(*sides.second);
    if (cls) return;
    verdict.reason.busyFrom = {kBusyShare};
    verdict.reason.emptyLaunch = q.duration.count > 0 && q.duration.median <= kEmptyLaunch;
}

}  // namespace

bool isLimitedByInstructions(const Verdict& verdict) {
    return verdict.limiter == ResourceId::Issue || verdict.limiter == ResourceId::Fp32 ||
           verdict.limiter == ResourceId::Fp64 || verdict.limiter == ResourceId::Integer;
}

bool isUnderfilled(const Device& device, const LaunchGroup& group) {
    constexpr double kCoverage = 0.9;  // a few idle SMs do not limit the kernel
    const auto blocks = static_cast<double>(group.grid.total());
    if (device.smCount == 0 || blocks >= device.smCount) return false;
    return blocks < kCoverage * device.smCount;
}

Verdict decideVerdict(const Profile& profile, const LaunchGroup& group, const Quantities& q,
                      std::optional<Seconds> gap) {
    Verdict verdict;
    const Resources resources = resourcesOf(q);
    const Device& device = profile.devices[group.device];
    setHeadroom(verdict, q, resources);
    const bool onlyTimes = profile.counters.names().empty();
    // Listing all counters of every formula would be less helpful.
    if (onlyTimes) leaveHeadroomOut(verdict, "counters");
    const BusySides sides = sidesOf(resources, profile.kernels[group.kernel].name);
    verdict.confidence = confidenceOf(sides.c, sides.m, resources.missing);
    const bool otherState = q.duration.whileCounted.has_value();
    const bool slowedByClocks = otherState && isSlowedByClocks(device, q, sides);

    if (waitsForPeers(profile.kernels[group.kernel].symbol))
        setWaitsForPeers(verdict);
    else if (otherState && !slowedByClocks)
        setTimedInOtherState(verdict, profile, q);
    else if (isLaunchBound(q, gap))
        setLaunchBound(verdict, q, *gap);
    else if (isUnderfilled(device, group))
        setUnderfilled(verdict, device, group);
    else if (!sides.leading || (sides.top() < kBusyShare && !resources.missing.empty()))
        setUnknown(verdict, resources, onlyTimes);
    else
        setByResources(verdict, q, sides);
    if (slowedByClocks && verdict.reason.leading) {
        verdict.reason.clocksLowered = true;
        verdict.reason.time = q.duration.sameTimed;
        verdict.reason.whileCounted = q.duration.sameCounted;
    }
    return verdict;
}

}  // namespace roofscope
