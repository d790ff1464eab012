// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "profile/codec/codec.h"
#include "profile/codec/codec_cpu_samples.h"
#include "profile/codec/codec_internal.h"
#include "profile/codec/codec_pace.h"
#include "profile/codec/codec_timeline.h"

namespace roofscope {

Problem outside(std::string place, std::uint32_t index, const char* list, std::size_t size) {
    return {std::move(place),
            fmt::format("refers to entry {} of \"{}\", which has {}", index, list, size)};
}

namespace {

/// An index into another list, and the column that holds it.
struct Reference {
    const char* column;
    std::uint32_t index;
    std::size_t size;
    const char* list;
};

/// The fault of the first reference beyond its list.
Problem problemOf(std::span<const Reference> references) {
    for (const auto& [column, index, size, list] : references)
        if (index >= size) return outside(column, index, list, size);
    return {};
}

/// What is wrong with the kernel or launch that a source pass or a trace over time belongs to.
Problem problemOf(std::uint32_t kernel, const std::optional<std::uint32_t>& launch,
                  const Profile& profile) {
    if (kernel >= profile.kernels.size())
        return outside("/kernel", kernel, "kernels", profile.kernels.size());
    if (launch && *launch >= profile.launches.size())
        return outside("/launch", *launch, "launches", profile.launches.size());
    if (launch && profile.launches[*launch].kernel != kernel)
        return {"/launch", "is a launch of another kernel"};
    return {};
}

/// What is wrong with a source pass; `what` is empty when nothing is.
Problem problemOf(const SourcePass& source, const Profile& profile) {
    if (auto problem = problemOf(source.kernel, source.launch, profile)) return problem;
    if (source.counters.rows() != source.instructions.size())
        return {"/counters", fmt::format("has {} rows for {} instructions", source.counters.rows(),
                                         source.instructions.size())};
    for (std::size_t i = 0; i < source.instructions.size(); ++i) {
        const Instruction& instruction = source.instructions[i];
        if (instruction.file && *instruction.file >= source.files.size())
            return outside(fmt::format("/file/{}", i), *instruction.file, "files",
                           source.files.size());
        if (i > 0 && instruction.offset <= source.instructions[i - 1].offset)
            return {fmt::format("/offset/{}", i), "must be greater than the one before"};
    }
    for (std::size_t i = 0; i < source.texts.size(); ++i)
        if (source.texts[i].file >= source.files.size())
            return outside(fmt::format("/texts/{}/file", i), source.texts[i].file, "files",
                           source.files.size());
    return {};
}

/// What is wrong with the counters over the time of a launch; empty when nothing is.
Problem problemOf(const OverTime& trace, const Profile& profile) {
    if (auto problem = problemOf(trace.kernel, trace.launch, profile)) return problem;
    if (trace.counters.rows() != trace.ends.size())
        return {"/counters", fmt::format("has {} rows for {} intervals", trace.counters.rows(),
                                         trace.ends.size())};
    for (std::size_t i = 0; i < trace.ends.size(); ++i)
        if (!(trace.ends[i].value > (i > 0 ? trace.ends[i - 1].value : 0)))
            return {fmt::format("/end_ns/{}", i), "must be greater than the one before"};
    return {};
}

/// What is wrong with a range that was measured as a whole, and in which column.
Problem problemOf(const RangeMeasurement& m, const Profile& profile) {
    const Reference references[] = {
        {"range", m.range, profile.ranges.size(), "ranges"},
        {"process", m.process, profile.processes.size(), "processes"},
        {"device", m.device, profile.devices.size(), "devices"},
    };
    if (auto problem = problemOf(references)) return problem;
    if (m.duration && !(m.duration->value >= 0)) return {"duration_ns", "must not be negative"};
    if (m.busy && !(m.busy->value >= 0)) return {"busy_ns", "must not be negative"};
    return {};
}

/// What is wrong with a grid, a block or a cluster, and in which column.
Problem problemOf(std::string_view column, const Dim3& extents) {
    if (extents.x == 0 || extents.y == 0 || extents.z == 0) {
        const char axis = extents.x == 0 ? 'x' : extents.y == 0 ? 'y' : 'z';
        return {fmt::format("{}_{}", column, axis), "must be at least 1"};
    }
    // CUDA launches far less than 2^63 threads, and the product must fit Dim3::total().
    if (static_cast<double>(extents.x) * extents.y * extents.z >= 0x1p63)
        return {fmt::format("{}_x", column), "times y times z must be less than 2^63"};
    return {};
}

/// What is wrong with a launch, and in which column.
Problem problemOf(const Launch& launch, const Profile& profile) {
    const Reference references[] = {
        {"kernel", launch.kernel, profile.kernels.size(), "kernels"},
        {"device", launch.device, profile.devices.size(), "devices"},
        {"process", launch.process, profile.processes.size(), "processes"},
        {"range", launch.range.value_or(0), launch.range ? profile.ranges.size() : std::size_t{1},
         "ranges"},
        {"arguments", launch.arguments.value_or(0),
         launch.arguments ? profile.argumentLists.size() : std::size_t{1}, "argument_lists"},
    };
    if (auto problem = problemOf(references)) return problem;
    for (const auto& [column, extents] : {std::pair{"grid", launch.grid},
                                          {"block", launch.block},
                                          {"cluster", launch.cluster.value_or(Dim3{})}})
        if (auto problem = problemOf(column, extents)) return problem;
    if (launch.duration && !(launch.duration->value >= 0))
        return {"duration_ns", "must not be negative"};
    if (launch.start && !(launch.start->value >= 0)) return {"start_ns", "must not be negative"};
    if (launch.declaredBytes && *launch.declaredBytes == 0)
        return {"declared_bytes", "must be at least 1"};
    return {};
}

/// What is wrong with a place that calls CUDA, and under which key.
Problem problemOf(const CallSite& site, const Profile& profile) {
    if (site.kernel && *site.kernel >= profile.kernels.size())
        return {"/kernel", fmt::format("is {}, but there are {} kernels", *site.kernel,
                                       profile.kernels.size())};
    if (!site.shape) return {};
    for (const auto& [key, extents] :
         {std::pair{"grid", site.shape->grid}, {"block", site.shape->block}})
        if (Problem problem = problemOf(key, extents))
            return {fmt::format("/{}", key), std::move(problem.what)};
    return {};
}

/// What is wrong with a measured roof, and under which key; empty when nothing is. A roof that is
/// not a positive number would make every share of it nonsense.
Problem problemOf(const Ceiling& ceiling) {
    if (ceiling.name.empty()) return {"name", "must not be empty"};
    const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
    const std::pair<const char*, std::optional<double>> rates[] = {
        {"burst", ceiling.burst},
        {"burst_median", ceiling.burstMedian},
        {"sustained", ceiling.sustained},
        {"theoretical", ceiling.theoretical},
    };
    for (const auto& [key, rate] : rates)
        if (rate && !positive(*rate))
            return {key + std::string(rateSuffix(ceiling.kind)), "must be greater than 0"};
    if (ceiling.spread && !(std::isfinite(ceiling.spread->value) && ceiling.spread->value >= 0))
        return {"spread_ratio", "must not be negative"};
    return {};
}

/// More GPUs than a whole cluster has. Analysing each takes 10 kB.
constexpr std::size_t kMostDevices = 16'384;

/// The limit, if any, that keeps a profile from being read again.
Problem excessOf(const Profile& profile, const ReadLimits& limits) {
    if (profile.launches.size() > limits.maxLaunches)
        return {"/launches", fmt::format("more than {} launches", limits.maxLaunches)};
    if (mostRows(profile) > limits.maxRows())
        return {"", fmt::format("a table has more than {} rows", limits.maxRows())};
    if (cellsOf(profile) > limits.maxCells)
        return {"/counters", fmt::format("more than {} values", limits.maxCells)};
    return {};
}

/// The first fault in a profile.
Problem problemOf(const Profile& profile) {
    if (profile.devices.size() > kMostDevices)
        return {"/devices", fmt::format("more than {} devices", kMostDevices)};
    if (profile.counters.rows() != profile.launches.size())
        return {"/counters", fmt::format("has {} rows for {} launches", profile.counters.rows(),
                                         profile.launches.size())};
    for (std::size_t d = 0; d < profile.devices.size(); ++d) {
        const auto& ceilings = profile.devices[d].ceilings;
        for (std::size_t i = 0; i < ceilings.size(); ++i)
            if (auto problem = problemOf(ceilings[i]))
                return {fmt::format("/devices/{}/ceilings/{}/{}", d, i, problem.place),
                        problem.what};
        const auto& observed = profile.devices[d].observed;
        if (observed && observed->throttledSamples.value_or(0) > observed->samples)
            return {fmt::format("/devices/{}/observed/throttled_samples", d),
                    fmt::format("must not be greater than \"samples\", which is {}",
                                observed->samples)};
    }
    for (std::size_t i = 0; i < profile.buffers.size(); ++i)
        if (profile.buffers[i].bytes == 0)
            return {fmt::format("/buffers/bytes/{}", i), "must be at least 1"};
    for (std::size_t i = 0; i < profile.processes.size(); ++i) {
        const Process& process = profile.processes[i];
        if (process.pid < -kMostWhole || process.pid > kMostWhole)
            return {fmt::format("/processes/{}/pid", i), "is a number beyond 2^53"};
        if (process.rank && process.worldSize && *process.rank >= *process.worldSize)
            return {
                fmt::format("/processes/{}/rank", i),
                fmt::format("must be less than \"world_size\", which is {}", *process.worldSize)};
        if (process.run && !isConsistent(*process.run))
            return {fmt::format("/processes/{}/run", i), "has times that are not in order"};
        if (process.run && !fitsIntoProfile(*process.run))
            return {fmt::format("/processes/{}/run", i), "has times beyond 2^53 ns"};
        if (process.cpuSamples)
            if (auto problem = cpuSamplesProblem(*process.cpuSamples, static_cast<std::uint32_t>(i),
                                                 profile.timeline))
                return {fmt::format("/processes/{}/cpu_samples{}", i, problem.place), problem.what};
        if (process.pace)
            if (auto problem = paceProblem(*process.pace))
                return {fmt::format("/processes/{}/pace{}", i, problem.place), problem.what};
    }
    const auto& further = profile.capture.further;
    for (std::size_t i = 0; i < further.size(); ++i)
        for (std::size_t at = 0; at < further[i].launches.size(); ++at)
            if (further[i].launches[at] >= profile.launches.size())
                return outside(fmt::format("/capture/further/{}/launches/{}", i, at),
                               further[i].launches[at], "launches", profile.launches.size());
    const auto arguments = profile.argumentLists.all();
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].buffer >= profile.buffers.size())
            return outside(fmt::format("/argument_lists/buffer/{}", i), arguments[i].buffer,
                           "buffers", profile.buffers.size());
    for (std::size_t row = 0; row < profile.launches.size(); ++row)
        if (auto problem = problemOf(profile.launches[row], profile))
            return {fmt::format("/launches/{}/{}", problem.place, row), problem.what};
    if (profile.rangeCounters.rows() != profile.rangeMeasurements.size())
        return {"/range_measurements/counters",
                fmt::format("has {} rows for {} ranges", profile.rangeCounters.rows(),
                            profile.rangeMeasurements.size())};
    for (std::size_t i = 0; i < profile.rangeMeasurements.size(); ++i)
        if (auto problem = problemOf(profile.rangeMeasurements[i], profile))
            return {fmt::format("/range_measurements/{}/{}", problem.place, i), problem.what};
    for (std::size_t i = 0; i < profile.sources.size(); ++i)
        if (auto problem = problemOf(profile.sources[i], profile))
            return {fmt::format("/sources/{}{}", i, problem.place), problem.what};
    for (std::size_t i = 0; i < profile.overTime.size(); ++i)
        if (auto problem = problemOf(profile.overTime[i], profile))
            return {fmt::format("/over_time/{}{}", i, problem.place), problem.what};
    for (std::size_t i = 0; i < profile.callSites.size(); ++i)
        if (auto problem = problemOf(profile.callSites[i], profile))
            return {fmt::format("/call_sites/{}{}", i, problem.place), problem.what};
    Problem problem = timelineProblem(profile);
    if (problem) problem.place.insert(0, "/timeline");
    return problem;
}

}  // namespace

std::uint64_t mostRows(const Profile& profile) {
    const Timeline& timeline = profile.timeline;
    std::size_t most =
        std::max({profile.rangeMeasurements.size(), profile.buffers.size(),
                  timeline.transfers.size(), timeline.calls.size(), timeline.ranges.size(),
                  timeline.profiler.size(), timeline.untimed.size()});
    for (const Process& process : profile.processes) {
        if (process.cpuSamples)
            most = std::max(
                {most, process.cpuSamples->frames.size(), process.cpuSamples->samples.size()});
        if (process.pace)
            most = std::max({most, process.pace->traced.size(), process.pace->alone.size(),
                             process.pace->after.size()});
    }
    return most;
}

std::uint64_t cellsOf(const Profile& profile) {
    std::uint64_t cells = 0;
    for (const CounterTable* table : {&profile.counters, &profile.rangeCounters})
        for (const std::string& name : table->names()) cells += table->column(name).count();
    return cells;
}

Result<void> validateProfile(const Profile& profile, std::string_view name,
                             const ReadLimits& limits) {
    Problem problem = excessOf(profile, limits);
    if (!problem) problem = problemOf(profile);
    if (problem)
        return Error{.code = ErrorCode::BadData,
                     .what = problem.what,
                     .where = fmt::format("{}: {}", name, problem.place)};
    return {};
}

}  // namespace roofscope
