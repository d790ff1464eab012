// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/elementwise_runs.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/buffer_access.h"

namespace roofscope::program {
namespace {

/// The run that a stream is in.
struct Run {
    std::vector<std::uint32_t> wrote;                             ///< buffers, by its last launch
    std::vector<std::pair<std::uint32_t, Nanoseconds>> launches;  ///< kernel, duration
};

bool meet(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    return std::ranges::any_of(
        a, [&](std::uint32_t item) { return std::ranges::find(b, item) != b.end(); });
}

class Collector {
public:
    explicit Collector(ElementwiseRuns& found) : m_found(found) {}

    void add(Run& run, std::uint32_t kernel, Nanoseconds duration, BufferAccess access) {
        if (!meet(access.reads, run.wrote) && !meet(access.mutables, run.wrote)) close(run);
        run.launches.emplace_back(kernel, duration);
        run.wrote = std::move(access.mutables);
    }

    void close(Run& run) {
        if (run.launches.size() > 1) {
            Nanoseconds all = 0, longest = 0;
            for (const auto& [kernel, duration] : run.launches) {
                all += duration;
                longest = std::max(longest, duration);
            }
            m_found.launches += static_cast<double>(run.launches.size());
            m_found.gain += Seconds{static_cast<double>(all - longest) / 1e9};
            const double share = static_cast<double>(all - longest) / static_cast<double>(all);
            for (const auto& [kernel, duration] : run.launches)
                m_found.kernels[kernel] += share * static_cast<double>(duration) / 1e9;
        }
        run = {};
    }

private:
    ElementwiseRuns& m_found;
};

}  // namespace

ElementwiseRuns elementwiseRuns(const Analysis& analysis, const LaneActivity& lane,
                                const FoundWindow& window) {
    ElementwiseRuns found;
    const Profile& profile = *analysis.profile;
    if (profile.argumentLists.empty() || window.spans.empty()) return found;
    const std::vector<std::uint32_t> kernelOf = kernelOfLaunches(analysis);

    Collector collector(found);
    std::map<std::pair<std::uint32_t, std::uint32_t>, Run> streams;
    const auto closeAll = [&] {
        for (auto& [stream, run] : streams) collector.close(run);
    };
    std::size_t before = 0;
    forEachLaunch(lane, window, [&](const Activity& activity, std::size_t span) {
        if (std::exchange(before, span) != span) closeAll();
        const Launch& launch = profile.launches[activity.row];
        Run& run = streams[{launch.process, launch.stream}];
        const std::uint32_t kernel = kernelOf[activity.row];
        BufferAccess access;
        if (launch.arguments && *launch.arguments < profile.argumentLists.size())
            access = bufferAccess(analysis.kernels[kernel].fullName,
                                  profile.argumentLists[*launch.arguments]);
        if (access.known && access.elementwiseByName)
            collector.add(run, kernel, activity.time.length(), std::move(access));
        else
            collector.close(run);
    });
    closeAll();
    const double each = 1.0 / static_cast<double>(window.spans.size());
    found.launches *= each;
    found.gain = found.gain * each;
    for (auto& [kernel, gain] : found.kernels) gain *= each;
    return found;
}

}  // namespace roofscope::program
