// SPDX-License-Identifier: Apache-2.0
#include "analyzer/launches/launch_gaps.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace roofscope {

namespace {

/// Launches that are missing from the profile would show up as gaps.
bool anyMissing(const Profile& profile) {
    if (!profile.capture.filters.empty()) return true;
    std::vector<std::uint64_t> held(profile.processes.size(), 0);
    for (const Launch& launch : profile.launches)
        if (launch.process < held.size()) ++held[launch.process];
    for (std::size_t i = 0; i < held.size(); ++i)
        if (profile.processes[i].launchesSeen > held[i]) return true;
    return false;
}

/// The launches of a device by their start; empty if one of them was not timed.
std::vector<std::uint32_t> timeline(const Profile& profile, std::uint32_t device) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < profile.launches.size(); ++i) {
        const Launch& launch = profile.launches[i];
        if (launch.device != device) continue;
        if (!launch.start || !launch.duration) return {};
        order.push_back(i);
    }
    std::ranges::stable_sort(order, {},
                             [&](std::uint32_t row) { return *profile.launches[row].start; });
    return order;
}

/// CPU time that tracing adds to each launch of a process.
double tracingOf(const Profile& profile, std::uint32_t process) {
    if (profile.capture.origin != "recorded") return 0;
    const auto& measured = profile.processes[process].tracedLaunch;
    return std::max(kTracedLaunch, measured.value_or(kTracedLaunch)).value;
}

/// For each launch, how many launches of its process were traced up to and including it. Launches
/// for other GPUs count as well, because they take the same CPU. Rows are in launch order.
std::vector<std::uint32_t> tracedUntil(const Profile& profile) {
    std::vector<std::uint32_t> seen(profile.processes.size()), counts;
    counts.reserve(profile.launches.size());
    for (const Launch& launch : profile.launches)
        counts.push_back(seen[launch.process] += launch.fromGraph ? 0 : 1);
    return counts;
}

DeviceGaps gapsOf(const Profile& profile, std::uint32_t device,
                  const std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& traced,
                  std::vector<std::optional<double>>& after) {
    const auto startOf = [&](std::uint32_t i) { return profile.launches[i].start->value; };
    const auto endOf = [&](std::uint32_t i) {
        return startOf(i) + profile.launches[i].duration->value;
    };
    DeviceGaps found{.device = device};
    std::set<std::pair<std::uint32_t, std::uint32_t>> started;  // kernels, by process
    // Without tracing, each process would issue its launches, and the GPU be done, this much
    // earlier.
    struct Lead {
        double seconds = 0;
        std::uint32_t traced;  ///< launches of the process that are included
    };
    std::map<std::uint32_t, Lead> issuedEarlier;
    double doneEarlier = 0;
    // Launches that were left out may have run in a long pause, so nothing is known about it.
    const bool leftOut = std::ranges::find(profile.issues, "autotuning-left-out", &Issue::code) !=
                         profile.issues.end();
    double loading = 0, largest = 0;
    std::uint32_t last = order.front();  // the launch that ends last so far
    for (const std::uint32_t next : order) {
        const Launch& launch = profile.launches[next];
        const bool first = started.emplace(launch.process, launch.kernel).second;
        const double seen = startOf(next) - endOf(last);
        Lead& cpu =
            issuedEarlier.try_emplace(launch.process, Lead{.traced = traced[next]}).first->second;
        if (launch.afterSync) cpu.seconds = std::min(cpu.seconds, doneEarlier);
        if (traced[next] > cpu.traced)
            cpu.seconds += tracingOf(profile, launch.process) * (traced[next] - cpu.traced);
        cpu.traced = std::max(cpu.traced, traced[next]);
        double gap = seen;
        // The kernel waited for its launch. Nodes of a graph wait for each other instead.
        if (seen >= kShortestGap.value && (!launch.fromGraph || launch.afterSync)) {
            gap = std::max(0.0, seen - std::max(0.0, cpu.seconds - doneEarlier));
            doneEarlier += seen - gap;
        }
        if (first || (leftOut && seen > kLongestGap.value)) {
            loading += std::max(0.0, gap);
        } else if (!launch.fromGraph && seen <= kLongestGap.value) {
            after[last] = std::max(0.0, gap);
            if (gap >= kShortestGap.value) {
                found.gaps.push_back(gap);
                if (gap > largest) {
                    largest = gap;
                    found.launchAfterLargest = next;
                }
            }
        }
        if (endOf(next) > endOf(last)) {
            if (startOf(next) < endOf(last)) after[last] = 0;  // both overlap
            last = next;
        } else if (next != last) {
            after[next] = 0;
        }
    }
    std::ranges::sort(found.gaps);
    found.idle = {std::accumulate(found.gaps.begin(), found.gaps.end(), 0.0)};
    found.span = {endOf(last) - doneEarlier - startOf(order.front()) - loading};
    return found;
}

}  // namespace

std::optional<Seconds> LaunchGaps::medianAfter(const LaunchGroup& group) const {
    constexpr std::size_t kLeast = 3;  // one pause of the program is no pattern
    std::vector<double> gaps;
    for (const std::uint32_t launch : group.launches)
        if (launch < after.size() && after[launch]) gaps.push_back(*after[launch]);
    if (gaps.size() < kLeast) return std::nullopt;
    // The lower of the two middle values, so that the gap is not overstated.
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>((gaps.size() - 1) / 2);
    std::nth_element(gaps.begin(), middle, gaps.end());
    return Seconds{*middle};
}

LaunchGaps findLaunchGaps(const Profile& profile) {
    LaunchGaps found;
    found.after.resize(profile.launches.size());
    if (anyMissing(profile)) return found;
    const std::vector<std::uint32_t> traced = tracedUntil(profile);
    for (std::uint32_t device = 0; device < profile.devices.size(); ++device) {
        const auto order = timeline(profile, device);
        if (!order.empty())
            found.devices.push_back(gapsOf(profile, device, order, traced, found.after));
    }
    return found;
}

}  // namespace roofscope
