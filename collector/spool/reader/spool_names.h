// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collector/spool/records.h"
#include "profile/codec/codec.h"
#include "profile/model/profile.h"

namespace roofscope {

/// Refuses times that are far from the others of a recording. A profile can only hold time
/// differences below 2^53 ns, and no recording lasts for weeks.
class RecordingTimes {
public:
    /// One object checks the times of all processes.
    void check(std::uint64_t ns);

private:
    std::optional<std::uint64_t> m_first;  ///< the first time that was read
};

/// Maps a spool's ids, which are per process, to indices into the profile.
struct SpoolIds {
    Profile& profile;
    RecordingTimes& times;
    std::uint32_t process = 0;
    /// Limit for the whole profile; launches beyond it are left out.
    std::uint64_t mostLaunches = ReadLimits{}.maxLaunches;
    std::map<std::uint32_t, std::uint32_t> devices = {}, kernels = {}, ranges = {};
    /// Devices by CUDA's device number.
    std::map<std::uint32_t, std::uint32_t> ordinals = {};
    std::map<std::uint32_t, std::vector<std::string>> counters = {};  ///< names, by device

    [[nodiscard]] Process& self() const { return profile.processes[process]; }
};

/// The lines of a spool that define what later lines refer to by number: process, devices, kernels,
/// ranges, and call sites.
class SpoolNames {
public:
    explicit SpoolNames(SpoolIds& ids) : m_ids(ids) {}

    void take(const spool::ProcessRecord& record);
    void take(const spool::DeviceRecord& record);
    void take(const spool::PeaksRecord& record);
    void take(spool::CountersRecord record);
    void take(const spool::KernelRecord& record);
    void take(const spool::RangeRecord& record);
    void take(const spool::SiteRecord& record);
    void take(const spool::IssueRecord& record);
    void take(const spool::RunRecord& record);
    void take(const spool::EndRecord& record);

private:
    SpoolIds& m_ids;
    std::set<std::ptrdiff_t> m_ownDevices;  ///< devices of this process, by index into the profile
};

}  // namespace roofscope
