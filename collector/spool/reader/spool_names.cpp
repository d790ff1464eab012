// SPDX-License-Identifier: Apache-2.0
#include "collector/spool/reader/spool_names.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace roofscope {

using namespace spool;

namespace {

/// Limits above what the injected library writes.
constexpr std::size_t kMostCallSites = 10'000;
constexpr std::size_t kMostCopySizes = 64;
constexpr std::size_t kMostFrames = 64;  // more than are written

}  // namespace

void RecordingTimes::check(std::uint64_t ns) {
    // 52 days. Two times that are both less than this away from the first one differ by less than
    // 2^53 ns.
    constexpr std::uint64_t kFar = std::uint64_t{1} << 52;
    const std::uint64_t first = m_first.value_or(ns);
    if (std::max(ns, first) - std::min(ns, first) >= kFar)
        throw std::invalid_argument("far from the other times");
    m_first = first;
}

void SpoolNames::take(const ProcessRecord& record) {
    const Process& p = record.process;
    Process& self = m_ids.self();
    self.pid = p.pid;
    self.host = p.host;
    self.cuptiPath = p.cuptiPath;
    self.cuptiVersion = p.cuptiVersion;
    self.driverVersion = p.driverVersion;
    self.rank = p.rank;
    self.localRank = p.localRank;
    self.worldSize = p.worldSize;
    if (self.rank && self.worldSize && *self.rank >= *self.worldSize)
        self.rank = self.worldSize = std::nullopt;
}

void SpoolNames::take(const DeviceRecord& record) {
    const Device& d = record.device;
    // Processes of one run share devices. Do not compare peaks, because they are read later.
    auto& devices = m_ids.profile.devices;
    const auto same = std::ranges::find_if(devices, [&](const Device& other) {
        return other.name == d.name && other.chip == d.chip && other.smCount == d.smCount &&
               other.memoryBytes == d.memoryBytes && other.uuid == d.uuid &&
               !m_ownDevices.contains(&other - devices.data());
    });
    const auto index = static_cast<std::uint32_t>(same - devices.begin());
    if (same == devices.end()) devices.push_back(d);
    m_ownDevices.insert(index);
    m_ids.devices[record.id] = index;
    if (record.ordinal) m_ids.ordinals.try_emplace(*record.ordinal, index);
}

void SpoolNames::take(const PeaksRecord& record) {
    Device& d = m_ids.profile.devices.at(m_ids.devices.at(record.device));
    for (const auto& [name, value] : record.values) d.peaks[name] = value;
}

void SpoolNames::take(CountersRecord record) {
    m_ids.counters[record.device] = std::move(record.names);
    m_ids.profile.capture.passes = std::max(m_ids.profile.capture.passes, record.passes);
}

void SpoolNames::take(const KernelRecord& record) {
    // A known id is a repeated line: the writer repeats such lines after some were lost.
    if (!m_ids.kernels
             .try_emplace(record.id, static_cast<std::uint32_t>(m_ids.profile.kernels.size()))
             .second)
        return;
    m_ids.profile.kernels.push_back(record.kernel);
}

void SpoolNames::take(const RangeRecord& record) {
    if (!m_ids.ranges
             .try_emplace(record.id, static_cast<std::uint32_t>(m_ids.profile.ranges.size()))
             .second)
        return;
    m_ids.profile.ranges.push_back(record.name);
}

void SpoolNames::take(const SiteRecord& record) {
    if (m_ids.profile.callSites.size() >= kMostCallSites) return;
    CallSite site{.shape = record.shape,
                  .call = record.call,
                  .file = record.file,
                  .line = record.line,
                  .function = record.function,
                  .indirect = record.indirect,
                  .op = record.op,
                  .sizes = record.sizes,
                  .backward = record.backward,
                  .forward = record.forward,
                  .count = record.count};
    if (record.kernel) site.kernel = m_ids.kernels.at(*record.kernel);
    if (site.kernel.has_value() != site.call.empty() || site.count == 0 ||
        (site.shape && !site.kernel))
        throw std::invalid_argument("no call site");
    for (const HostCopies& copies : record.hostCopies) {
        if (site.hostCopies.size() == kMostCopySizes) break;
        if (site.kernel || !isConsistent(copies)) throw std::invalid_argument("no copies");
        site.hostCopies.push_back(copies);
    }
    if (!record.frames.empty()) {
        const auto last = record.frames.begin() +
                          static_cast<std::ptrdiff_t>(std::min(kMostFrames, record.frames.size()));
        site.module = record.frames.front().module;
        site.offset = record.frames.front().offset;
        site.callers.assign(record.frames.begin() + 1, last);
    }
    m_ids.profile.callSites.push_back(std::move(site));
}

void SpoolNames::take(const IssueRecord& record) { m_ids.profile.issues.push_back(record.issue); }

void SpoolNames::take(const RunRecord& record) {
    const auto spanOf = [](std::uint64_t start, std::uint64_t end) {
        return TimeSpan{static_cast<Nanoseconds>(start), static_cast<Nanoseconds>(end)};
    };
    const auto moment = [](std::uint64_t time) {
        return time > 0 ? std::optional(static_cast<Nanoseconds>(time)) : std::nullopt;
    };
    const ProcessRun run{.time = spanOf(record.start, record.end),
                         .setup = spanOf(record.setupStart, record.setupEnd),
                         .firstContext = moment(record.firstContext),
                         .firstLaunch = moment(record.firstLaunch),
                         .countedUntil = moment(record.countedUntil)};
    if (!isConsistent(run)) throw std::invalid_argument("no run");
    m_ids.self().run = run;
}

void SpoolNames::take(const EndRecord& record) {
    Process& self = m_ids.self();
    self.endedCleanly = true;
    self.autotuningLaunches = record.autotuningLaunches;
    self.unchosenLaunches = record.unchosenLaunches;
    self.pinnedBytes = record.pinnedBytes;
    if (record.tracedLaunch)
        self.tracedLaunch = Seconds{static_cast<double>(record.tracedLaunch->count()) / 1e9};
}

}  // namespace roofscope
