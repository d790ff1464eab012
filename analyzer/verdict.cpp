// SPDX-License-Identifier: Apache-2.0
#include "analyzer/verdict.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/counter_names.h"
#include "analyzer/group_sums.h"
#include "analyzer/resources.h"

namespace roofscope {

namespace {

std::string percent(double share) { return fmt::format("{:.0f} %", share * 100); }

std::string describe(const Resource& resource) {
    if (resource.id == ResourceId::Dram && resource.busy != resource.ofRoof)
        return fmt::format(
            "DRAM at {} of its theoretical roof, {} of what this mix of reads and "
            "writes can reach{}",
            percent(resource.ofRoof), percent(resource.busy),
            resource.measured ? " (measured on this GPU)" : "");
    return fmt::format("{} at {}", resource.name, percent(resource.busy));
}

/// The stall reason with the most waiting warps, e.g. "long_scoreboard"; empty without the stalls
/// group. "selected" and "not_selected" are no stalls.
std::string dominantStall(const Profile& profile, const LaunchGroup& group) {
    constexpr std::string_view kPrefix = "smsp__average_warps_issue_stalled_";
    constexpr std::string_view kSuffix = "_per_issue_active.ratio";
    const GroupSums sums(profile.counters, group.launches);
    std::string best;
    double most = 0;
    for (const std::string& name : profile.counters.names()) {
        const std::string_view view = name;
        if (!view.starts_with(kPrefix) || !view.ends_with(kSuffix)) continue;
        const auto reason =
            view.substr(kPrefix.size(), view.size() - kPrefix.size() - kSuffix.size());
        if (reason == "selected" || reason == "not_selected") continue;
        const auto joint = sums.joint({view});
        if (joint.ok() && joint.mean(0) > most) {
            most = joint.mean(0);
            best = reason;
        }
    }
    return best;
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
    const double duration = q.duration.median.value;
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

}  // namespace

bool isUnderfilled(const Device& device, const LaunchGroup& group) {
    constexpr double kClusterCoverage = 0.9;
    const auto blocks = static_cast<double>(group.grid.total());
    if (device.smCount == 0 || blocks >= device.smCount) return false;
    const bool clustered = group.cluster && group.cluster->total() > 1;
    return !(clustered && blocks >= kClusterCoverage * device.smCount);
}

namespace {

Verdict classify(const Profile& profile, const LaunchGroup& group, const Quantities& q) {
    Verdict verdict;
    const Resources resources = resourcesOf(q);
    const Device& device = profile.devices[group.device];
    setHeadroom(verdict, q, resources);

    const Resource* memory = resources.busiestMemory();
    const Resource* compute = resources.busiestCompute();
    const double m = memory ? memory->busy : 0.0, c = compute ? compute->busy : 0.0;
    const double top = std::max(m, c);
    const Resource* leading = m >= c ? memory : compute;
    verdict.confidence = confidenceOf(c, m, resources.missing);
    const auto limitedBy = [&](VerdictClass cls, const Resource& resource, std::string reason) {
        verdict.cls = cls;
        verdict.limiter = resource.name;
        verdict.utilisation = Derived<Ratio>::of({resource.busy}, resource.name);
        verdict.reason = std::move(reason);
    };

    if (isUnderfilled(device, group)) {
        const auto blocks = group.grid.total();
        verdict.cls = VerdictClass::Underfilled;
        verdict.confidence = Confidence::High;  // launch shape, not a measurement
        verdict.reason =
            fmt::format("{} block{} on {} SMs: {} SMs have nothing to do", blocks,
                        blocks == 1 ? "" : "s", device.smCount, device.smCount - blocks);
        return verdict;
    }
    if (!leading || (top < kBusyShare && !resources.missing.empty())) {
        verdict.cls = VerdictClass::Unknown;
        verdict.confidence = Confidence::Low;
        verdict.reason =
            "cannot tell what limits it: missing " +
            (resources.missing.empty() ? std::string(counter::kDuration) : resources.missing);
        return verdict;
    }
    // The other side is worth a word only when it does something.
    constexpr double kWorthSaying = 0.01;
    const Resource* second = m >= c ? compute : memory;
    const std::string also =
        second && second->busy >= kWorthSaying ? "; " + describe(*second) : std::string();
    if (top >= kNearRoofShare) {
        limitedBy(VerdictClass::NearRoof, *leading,
                  describe(*leading) +
                      (leading->memory ? ": only moving less helps" : ": only doing less helps"));
    } else if (m >= kBusyShare && m - c >= kLead) {
        limitedBy(VerdictClass::MemoryBound, *memory, describe(*memory) + also);
    } else if (c >= kBusyShare && c - m >= kLead) {
        limitedBy(VerdictClass::ComputeBound, *compute, describe(*compute) + also);
    } else if (m >= kBusyShare && c >= kBusyShare) {
        limitedBy(VerdictClass::Balanced, *leading, describe(*leading) + also);
    } else if (top >= kBusyShare) {
        // One above, the other just below 60 %: the classes leave this strip open; the leader names
        // it.
        limitedBy(leading->memory ? VerdictClass::MemoryBound : VerdictClass::ComputeBound,
                  *leading, describe(*leading) + also);
    } else {
        verdict.cls = VerdictClass::LatencyBound;
        verdict.utilisation = Derived<Ratio>::of({leading->busy}, leading->name);
        const std::string stall = dominantStall(profile, group);
        verdict.reason =
            fmt::format("no resource is above {} (busiest: {}{}): ", percent(kBusyShare),
                        describe(*leading), also);
        if (q.duration.count > 0 && q.duration.median <= kEmptyLaunch)
            verdict.reason += "it is as short as a launch that does nothing";
        else if (!stall.empty())
            verdict.reason += "warps wait mostly for " + stall;
        else
            verdict.reason += "warps wait; record the counter group \"stalls\" to see for what";
    }
    return verdict;
}

}  // namespace

Verdict decideVerdict(const Profile& profile, const LaunchGroup& group, const Quantities& q) {
    Verdict verdict = classify(profile, group, q);
    // A sentence: resource names start in lower case ("shared pipe").
    if (!verdict.reason.empty())
        verdict.reason[0] =
            static_cast<char>(std::toupper(static_cast<unsigned char>(verdict.reason[0])));
    return verdict;
}

}  // namespace roofscope
