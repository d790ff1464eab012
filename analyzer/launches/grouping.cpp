// SPDX-License-Identifier: Apache-2.0
#include "analyzer/launches/grouping.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <unordered_map>

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/numbers/median.h"
#include "profile/model/device_model.h"

namespace roofscope {

namespace {

/// For each device, the first device of the same model. Ranks that run a kernel on GPUs of one
/// model form one group; its spread shows how they differ.
std::vector<std::uint32_t> modelsOf(const std::vector<Device>& devices) {
    std::vector<std::uint32_t> models(devices.size());
    for (std::uint32_t i = 0; i < devices.size(); ++i) {
        models[i] = 0;
        while (!sameModel(devices[models[i]], devices[i])) ++models[i];
    }
    return models;
}

/// The parts of a launch that decide its group.
struct GroupKey {
    const Launch* launch;
    std::uint32_t model;

    bool operator==(const GroupKey& other) const {
        const Launch &a = *launch, &b = *other.launch;
        return a.kernel == b.kernel && model == other.model && a.grid == b.grid &&
               a.block == b.block && a.cluster == b.cluster &&
               a.dynamicSharedBytes == b.dynamicSharedBytes && a.range == b.range;
    }
};

struct GroupHash {
    std::size_t operator()(const GroupKey& key) const {
        const Launch* launch = key.launch;
        std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
        const auto mix = [&hash](std::uint64_t value) {
            hash ^= value + 0x9E3779B97F4A7C15ULL + (hash << 6) + (hash >> 2);
            hash *= 0xFF51AFD7ED558CCDULL;
            hash ^= hash >> 33;
        };
        const auto mixDim = [&mix](const Dim3& d) {
            mix(d.x);
            mix((static_cast<std::uint64_t>(d.y) << 32) | d.z);
        };
        mix((static_cast<std::uint64_t>(launch->kernel) << 32) | key.model);
        mixDim(launch->grid);
        mixDim(launch->block);
        if (launch->cluster) mixDim(*launch->cluster);
        mix(launch->dynamicSharedBytes);
        mix(launch->range ? *launch->range + 1ULL : 0ULL);
        return static_cast<std::size_t>(hash);
    }
};

/// A mean over launches whose work differs severalfold describes none of them. Caches and
/// neighbours change times, but not the number of instructions. Loops that end when they have
/// converged differ by less than this factor.
constexpr double kOtherWork = 4.0;

/// The amounts of work at which a new class begins.
std::vector<double> limitsOf(const std::vector<double>& work) {
    std::vector<double> known;
    for (const double w : work)
        if (w > 0) known.push_back(w);
    std::ranges::sort(known);
    std::vector<double> limits;
    for (std::size_t i = 1; i < known.size(); ++i)
        if (known[i] >= kOtherWork * known[i - 1]) limits.push_back(known[i]);
    return limits;
}

std::size_t classOf(double value, const std::vector<double>& limits) {
    return static_cast<std::size_t>(std::ranges::upper_bound(limits, value) - limits.begin());
}

/// Durations that separate the classes, from launches whose work is known. Empty if the classes
/// overlap in time, or if a launch was not timed.
std::vector<double> durationLimits(const std::vector<double>& durations,
                                   const std::vector<double>& work,
                                   const std::vector<double>& limits) {
    std::vector<std::vector<double>> known(limits.size() + 1);
    for (std::size_t i = 0; i < work.size(); ++i) {
        if (!(durations[i] > 0)) return {};
        if (work[i] > 0) known[classOf(work[i], limits)].push_back(durations[i]);
    }
    std::vector<double> between;
    for (std::size_t c = 0; c + 1 < known.size(); ++c) {
        const double shorter = std::ranges::max(known[c]), longer = std::ranges::min(known[c + 1]);
        if (!(shorter < longer)) return {};
        between.push_back(std::sqrt(shorter * longer));
    }
    return between;
}

/// Splits a group by work, the least first. Launches that were timed but not counted are assigned
/// by duration. Not split if all do similar work, or if some launches cannot be assigned.
std::vector<LaunchGroup> byWork(const Profile& profile, const CounterLookup& counters,
                                LaunchGroup group) {
    const std::vector<double> work =
        GroupSums(counters, group.launches).perLaunch(counter::kWarpInstructions);
    const std::vector<double> limits = limitsOf(work);
    if (limits.empty()) return {std::move(group)};
    std::vector<double> between;
    if (std::ranges::any_of(work, [](double w) { return !(w > 0); })) {
        std::vector<double> durations;
        for (const std::uint32_t row : group.launches)
            durations.push_back(profile.launches[row].duration.value_or(Seconds{0}).value);
        between = durationLimits(durations, work, limits);
        if (between.empty()) return {std::move(group)};
    }
    std::vector<LaunchGroup> parts(limits.size() + 1, group);
    for (LaunchGroup& part : parts) part.launches.clear();
    for (std::size_t i = 0; i < work.size(); ++i) {
        const std::uint32_t row = group.launches[i];
        parts[work[i] > 0 ? classOf(work[i], limits)
                          : classOf(profile.launches[row].duration->value, between)]
            .launches.push_back(row);
    }
    return parts;
}

}  // namespace

std::vector<LaunchGroup> groupLaunches(const Profile& profile) {
    std::vector<LaunchGroup> groups;
    std::unordered_map<GroupKey, std::size_t, GroupHash> index;
    const std::vector<std::uint32_t> models = modelsOf(profile.devices);
    for (std::size_t i = 0; i < profile.launches.size(); ++i) {
        const Launch& launch = profile.launches[i];
        if (launch.kernel >= profile.kernels.size() || launch.device >= profile.devices.size())
            continue;
        const std::uint32_t model = models[launch.device];
        const auto [entry, isNew] = index.try_emplace({&launch, model}, groups.size());
        if (isNew) {
            groups.push_back({.kernel = launch.kernel,
                              .device = model,
                              .grid = launch.grid,
                              .block = launch.block,
                              .cluster = launch.cluster,
                              .dynamicSharedBytes = launch.dynamicSharedBytes,
                              .range = launch.range});
        }
        groups[entry->second].launches.push_back(static_cast<std::uint32_t>(i));
    }
    const CounterLookup counters(profile.counters);
    std::vector<LaunchGroup> parts;
    parts.reserve(groups.size());
    for (LaunchGroup& group : groups) {
        if (group.launches.size() == 1)
            parts.push_back(std::move(group));
        else
            std::ranges::move(byWork(profile, counters, std::move(group)),
                              std::back_inserter(parts));
    }
    std::ranges::stable_sort(parts, {}, [](const LaunchGroup& g) { return g.launches.front(); });
    return parts;
}

bool wasRead(const Capture& capture, const LaunchGroup& launches, CounterGroup group) {
    const auto isNamed = [&](const std::vector<std::string>& groups) {
        return std::ranges::find(groups, toString(group)) != groups.end();
    };
    return isNamed(capture.groups) ||
           std::ranges::any_of(capture.further, [&](const FurtherReading& reading) {
               return isNamed(reading.groups) &&
                      std::ranges::any_of(reading.launches, [&](std::uint32_t row) {
                          return std::ranges::binary_search(launches.launches, row);
                      });
           });
}

std::vector<std::uint32_t> devicesOf(const Profile& profile, const LaunchGroup& group) {
    std::vector<bool> used(profile.devices.size());
    for (const std::uint32_t launch : group.launches)
        if (launch < profile.launches.size() && profile.launches[launch].device < used.size())
            used[profile.launches[launch].device] = true;
    std::vector<std::uint32_t> devices;
    for (std::uint32_t i = 0; i < used.size(); ++i)
        if (used[i]) devices.push_back(i);
    if (devices.empty()) devices.push_back(group.device);
    return devices;
}

DurationStats groupDuration(const Profile& profile, const LaunchGroup& group,
                            std::vector<double>& perLaunch) {
    DurationStats stats;
    const bool timed = !group.launches.empty() && std::ranges::all_of(group.launches, [&](auto i) {
        return profile.launches[i].duration.has_value();
    });
    if (timed) {
        stats.source = profile.capture.origin == "imported" ? DurationSource::Trace
                                                            : DurationSource::TimingRun;
        perLaunch.clear();
        for (const auto i : group.launches)
            perLaunch.push_back(profile.launches[i].duration->value);
    } else {
        perLaunch = GroupSums(profile.counters, group.launches).perLaunch(counter::kDuration);
        for (double& value : perLaunch) value *= 1e-9;  // CUPTI reports nanoseconds
    }
    std::vector<double> known;
    for (double& value : perLaunch) {
        // A duration of 0 is a failed measurement: rates from it would be infinite.
        if (!(value > 0)) value = std::numeric_limits<double>::quiet_NaN();
        if (std::isfinite(value)) known.push_back(value);
    }
    if (known.empty()) return stats;
    std::ranges::sort(known);
    const double median = medianOf(known);
    double total = 0;
    for (const double value : known) total += value;
    stats.median = {median};
    stats.min = {known.front()};
    stats.max = {known.back()};
    stats.total = {total};
    stats.count = known.size();
    return stats;
}

}  // namespace roofscope
