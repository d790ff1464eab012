// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/verdict.h"

#include <algorithm>
#include <cmath>

#include "analyzer/counters/counter_names.h"
#include "analyzer/launches/launch_gaps.h"
#include "analyzer/launches/managed_memory.h"
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
            (!best || item.busy > best->busy))
            best = &item;
    return best;
}

}  // namespace

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
    if (onlyTimes) {
        // Listing all counters of every formula would be less helpful.
        verdict.headroom = Derived<Seconds>::absent("counters", verdict.headroom.how);
        verdict.speedupBound = Derived<double>::absent("counters", verdict.headroom.how);
    }

    const Resource* memory = resources.busiestMemory();
    const Resource* compute = resources.busiestCompute();
    const double m = memory ? memory->busy : 0.0, c = compute ? compute->busy : 0.0;
    const double top = std::max(m, c);
    const Resource* leading = m >= c ? memory : compute;
    verdict.confidence = confidenceOf(c, m, resources.missing);
    // Mention the other side only if it is in use.
    constexpr double kWorthSaying = 0.01;
    // Beside instruction issue, a busy pipe says more than a memory that idles.
    const Resource* const pipe =
        leading && leading->id == ResourceId::Issue ? busiestPipe(resources) : nullptr;
    const Resource* const otherSide = m >= c ? compute : memory;
    const Resource* second =
        pipe && (!otherSide || pipe->busy > otherSide->busy) ? pipe : otherSide;
    const auto noteSecond = [&] {
        if (second && second->busy >= kWorthSaying) verdict.reason.second = useOf(*second);
    };
    const auto limitedBy = [&](VerdictClass cls, const Resource& resource) {
        verdict.cls = cls;
        verdict.limiter = resource.id;
        verdict.utilisation = Derived<Ratio>::of({resource.busy}, toString(resource.id));
        verdict.reason.leading = useOf(resource);
        if (cls != VerdictClass::NearRoof) noteSecond();
    };

    if (waitsForPeers(profile.kernels[group.kernel].symbol)) {
        constexpr const char* kOthers = "a kernel's own time";
        verdict.cls = VerdictClass::WaitsForPeers;
        verdict.confidence = Confidence::High;  // by its name
        verdict.headroom = Derived<Seconds>::absent(kOthers, verdict.headroom.how);
        verdict.speedupBound = Derived<double>::absent(kOthers, verdict.headroom.how);
        return verdict;
    }
    if (q.duration.whileCounted) {
        // Counters from one state and a time from another would give a wrong distance to the roofs.
        constexpr const char* kSameState = "counters of the launch as the program runs it";
        const bool pages = q.duration.sameTimed >= q.duration.sameCounted * kWaitsLong &&
                           mayWaitForPages(profile, group.kernel);
        verdict.cls = pages ? VerdictClass::WaitsForPages : VerdictClass::Unknown;
        verdict.confidence = pages ? Confidence::Medium : Confidence::Low;
        verdict.headroom = Derived<Seconds>::absent(kSameState, verdict.headroom.how);
        verdict.speedupBound = Derived<double>::absent(kSameState, verdict.headroom.how);
        verdict.reason.time = q.duration.sameTimed;
        verdict.reason.whileCounted = q.duration.sameCounted;
        return verdict;
    }
    if (isLaunchBound(q, gap)) {
        constexpr double kClear = 2.0;
        verdict.cls = VerdictClass::LaunchBound;
        verdict.confidence =
            *gap >= q.duration.median * kClear ? Confidence::High : Confidence::Medium;
        verdict.reason.time = q.duration.median;
        verdict.reason.gap = *gap;
        return verdict;
    }
    if (isUnderfilled(device, group)) {
        const auto blocks = group.grid.total();
        verdict.cls = VerdictClass::Underfilled;
        verdict.confidence = Confidence::High;  // launch shape, not a measurement
        verdict.reason.blocks = blocks;
        verdict.reason.sms = device.smCount;
        return verdict;
    }
    if (!leading || (top < kBusyShare && !resources.missing.empty())) {
        verdict.cls = VerdictClass::Unknown;
        verdict.confidence = Confidence::Low;
        verdict.reason.missing =
            SharedText(resources.missing.empty() ? counter::kDuration : resources.missing);
        if (onlyTimes) verdict.reason.missing = {};
        return verdict;
    }
    if (top >= kNearRoofShare) {
        limitedBy(VerdictClass::NearRoof, *leading);
    } else if (m >= kBusyShare && m - c >= kLead) {
        limitedBy(VerdictClass::MemoryBound, *memory);
    } else if (c >= kBusyShare && c - m >= kLead) {
        limitedBy(VerdictClass::ComputeBound, *compute);
    } else if (m >= kBusyShare && c >= kBusyShare) {
        limitedBy(VerdictClass::Balanced, *leading);
    } else if (top >= kBusyShare) {
        // One side is above 60 %, the other just below it. No class covers this, so the busier side
        // decides.
        limitedBy(leading->memory ? VerdictClass::MemoryBound : VerdictClass::ComputeBound,
                  *leading);
    } else {
        verdict.cls = VerdictClass::LatencyBound;
        verdict.utilisation = Derived<Ratio>::of({leading->busy}, toString(leading->id));
        verdict.reason.leading = useOf(*leading);
        noteSecond();
        verdict.reason.busyFrom = {kBusyShare};
        verdict.reason.emptyLaunch = q.duration.count > 0 && q.duration.median <= kEmptyLaunch;
    }
    return verdict;
}

}  // namespace roofscope
