// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/unseen_kernels.h"

#include <algorithm>
#include <set>

#include "analyzer/program/account/issuing_calls.h"

namespace roofscope::program {
namespace {

/// Whether a call waited for all work of the GPU. With only one stream, waiting for that is enough.
bool waitedForAll(const Timeline& timeline, std::uint32_t call, bool oneStream) {
    const std::string& name = timeline.callNames[timeline.calls[call].name].name;
    if (name == "cuCtxSynchronize" || name == "cudaDeviceSynchronize") return true;
    // An event may have been recorded before the launch.
    return oneStream && waited(timeline, call) && name.find("Event") == std::string::npos;
}

}  // namespace

UnseenKernels::UnseenKernels(const Profile& profile, const LaneActivity& lane,
                             const std::vector<ThreadActivity>& threads) {
    std::set<std::uint32_t> streams;
    for (const Activity& activity : lane.activities) {
        if (activity.kind == Activity::Kind::Transfer) {
            streams.insert(profile.timeline.transfers[activity.row].stream);
            continue;
        }
        m_kernelEnds.push_back(activity.time.end);
        streams.insert(profile.launches[activity.row].stream);
    }
    std::ranges::sort(m_kernelEnds);
    // A wait of another process or thread, or for another GPU, says nothing.
    if (lane.processes.size() > 1 || threads.size() > 1 || profile.devices.size() > 1) return;
    for (const ThreadActivity& thread : threads)
        for (const CpuStretch& stretch : thread.stretches)
            if (waitedForAll(profile.timeline, stretch.call, streams.size() == 1))
                m_waitEnds.push_back(profile.timeline.calls[stretch.call].time.end);
    std::ranges::sort(m_waitEnds);
}

std::optional<Nanoseconds> UnseenKernels::overBy(const TimeSpan& gap) const {
    const auto kernel = std::ranges::upper_bound(m_kernelEnds, gap.start);
    if (kernel == m_kernelEnds.begin()) return gap.start;
    const auto wait = std::ranges::lower_bound(m_waitEnds, *std::prev(kernel));
    if (wait == m_waitEnds.end() || *wait >= gap.end) return std::nullopt;
    return std::max(*wait, gap.start);
}

}  // namespace roofscope::program
