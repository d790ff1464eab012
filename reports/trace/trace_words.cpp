// SPDX-License-Identifier: Apache-2.0
#include "reports/trace/trace_words.h"

#include <algorithm>
#include <set>
#include <utility>

#include "profile/text/base_name.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"

namespace roofscope::trace {
namespace {

std::string processName(const Profile& profile, std::uint32_t index, Language language) {
    const Process& process = profile.processes[index];
    if (process.rank)
        return process.host.empty() ? say(language, "rank {}", *process.rank)
                                    : say(language, "rank {} on {}", *process.rank, process.host);
    return process.host.empty() ? say(language, "process {}", process.pid)
                                : say(language, "process {} on {}", process.pid, process.host);
}

std::string laneName(const Profile& profile, const Lane& lane, Language language) {
    return lane.rank ? say(language, "rank {}", *lane.rank)
           : lane.processes.size() == 1 && profile.processes.size() > 1
               ? processName(profile, lane.processes.front(), language)
               : say(language, "GPU {}", lane.device);
}

std::string threadName(const Profile& profile, std::uint32_t index, Language language) {
    const Thread& thread = profile.timeline.threads[index];
    if (thread.worker) return say(language, "worker process {}", thread.id);
    return thread.name.empty() ? say(language, "thread {}", thread.id)
                               : say(language, "{} {}", thread.name, thread.id);
}

/// The plural of transferName().
std::string copiesName(TransferKind kind, Language language) {
    switch (kind) {
        case TransferKind::HostToDevice:
            return say(language, "copies to the GPU");
        case TransferKind::DeviceToHost:
            return say(language, "copies to the host");
        case TransferKind::BetweenDevices:
            return say(language, "copies between GPUs");
        case TransferKind::OnDevice:
            return say(language, "copies on the GPU");
        case TransferKind::HostToHost:
            return say(language, "copies on the host");
        case TransferKind::Memset:
            return say(language, "memsets");
        case TransferKind::Other:
            break;
    }
    return say(language, "other copies");
}

std::string nameOfLevel(const Profile& profile, const TrackKey& key, Language language) {
    switch (key.kind) {
        case TrackKind::Window:
            return say(language, "window");
        case TrackKind::Account:
            return say(language, "account");
        case TrackKind::Actions:
            return say(language, "actions");
        case TrackKind::RangesOnGpu:
            return say(language, "NVTX ranges on the GPU");
        case TrackKind::Kernels:
            return say(language, "stream {}", key.lane);
        case TrackKind::Copies:
            return copiesName(static_cast<TransferKind>(key.lane), language);
        case TrackKind::Ranges:
            return say(language, "{}: NVTX ranges", threadName(profile, key.thread, language));
        case TrackKind::Calls:
            return say(language, "{}: CUDA calls", threadName(profile, key.thread, language));
        case TrackKind::Samples:
            break;
    }
    return say(language, "{}: CPU samples", threadName(profile, key.thread, language));
}

}  // namespace

std::string groupName(const Profile& profile, const Program& program, const TrackKey& key,
                      Language language) {
    if (key.isOfAccount()) {
        if (program.lanes.size() < 2) return say(language, "where the time goes");
        return say(language, "{}: where the time goes",
                   laneName(profile, program.lanes[key.process], language));
    }
    const std::string process = processName(profile, key.process, language);
    if (key.part == TrackKey::Part::Threads)
        return profile.capture.command.empty()
                   ? say(language, "{}: CPU threads", process)
                   : say(language, "{}: CPU threads of {}", process,
                         std::string(baseName(profile.capture.command.front())));
    return say(language, "{}: GPU {} ({})", process, key.device, profile.devices[key.device].name);
}

std::string trackName(const Profile& profile, const TrackKey& key, Language language) {
    const std::string name = nameOfLevel(profile, key, language);
    return key.level == 0 ? name : say(language, "{} ({})", name, key.level + 1);
}

std::string transferName(TransferKind kind, Language language) {
    switch (kind) {
        case TransferKind::HostToDevice:
            return say(language, "copy to the GPU");
        case TransferKind::DeviceToHost:
            return say(language, "copy to the host");
        case TransferKind::BetweenDevices:
            return say(language, "copy between GPUs");
        case TransferKind::OnDevice:
            return say(language, "copy on the GPU");
        case TransferKind::HostToHost:
            return say(language, "copy on the host");
        case TransferKind::Memset:
            return say(language, "memset");
        case TransferKind::Other:
            break;
    }
    return say(language, "copy");
}

std::string memoryName(MemoryKind kind, Language language) {
    switch (kind) {
        case MemoryKind::Pageable:
            return say(language, "pageable host memory");
        case MemoryKind::Pinned:
            return say(language, "pinned host memory");
        case MemoryKind::Device:
            return say(language, "GPU memory");
        case MemoryKind::Managed:
            return say(language, "managed memory");
        case MemoryKind::Unknown:
            break;
    }
    return {};
}

std::string placeName(MarkedPlace place, Language language) {
    switch (place) {
        case MarkedPlace::LongestLaunch:
            return say(language, "the longest launch of its kernels in the window");
        case MarkedPlace::LongestStretch:
            return say(language, "the longest stretch of this class in the window");
        case MarkedPlace::BeforeGpu:
            return say(language, "before the first work on the GPU");
        case MarkedPlace::AfterGpu:
            return say(language, "after the last work on the GPU");
        case MarkedPlace::Window:
            break;
    }
    return say(language, "the beginning of the window");
}

std::vector<std::string> traceNotes(const Profile& profile, const TraceEvents& trace,
                                    Language language) {
    std::vector<std::string> notes;
    if (trace.shown) {
        const auto time = [](Nanoseconds ns) {
            return formatTime({static_cast<double>(ns) / 1e9});
        };
        notes.push_back(
            say(language,
                "Viewers cannot load more than {} events, so {} of {} were left out. Shown is what "
                "begins between {} and {} after the first launch, or goes on then.",
                formatNumber(static_cast<double>(kMostEvents), Unit::Count),
                formatNumber(static_cast<double>(trace.all - trace.events.size()), Unit::Count),
                formatNumber(static_cast<double>(trace.all), Unit::Count), time(trace.shown->start),
                time(trace.shown->end)));
    } else if (trace.overlapping > 0) {
        notes.push_back(sayCount(language, trace.overlapping,
                                 "{} event was left out, because too many overlap.",
                                 "{} events were left out, because too many overlap."));
    }
    std::size_t untimed = 0;
    for (const Launch& launch : profile.launches) untimed += !launch.start || !launch.duration;
    if (untimed > 0)
        notes.push_back(sayCount(language, untimed, "{} launch was not timed, so it is not shown.",
                                 "{} launches were not timed, so they are not shown."));
    std::set<std::pair<std::string, std::uint64_t>> clocks;
    for (const Process& process : profile.processes)
        clocks.emplace(process.host, process.clockZero.value_or(0));
    if (clocks.size() > 1)
        notes.push_back(say(language,
                            "The clocks of these processes differ: times of one cannot be compared "
                            "with those of another."));
    return notes;
}

}  // namespace roofscope::trace
