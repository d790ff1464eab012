// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "collector/run/spool/spool_fields.h"
#include "profile/model/profile.h"

namespace roofscope {

/// Maps a spool's ids, which count per process, to places in the profile.
struct SpoolIds {
    Profile& profile;
    std::uint32_t process = 0;
    std::map<std::uint32_t, std::uint32_t> devices = {}, kernels = {}, ranges = {};
    std::map<std::uint32_t, std::uint32_t> ordinals = {};             ///< devices by CUDA's number
    std::map<std::uint32_t, std::vector<std::string>> counters = {};  ///< names, by device

    [[nodiscard]] Process& self() const { return profile.processes[process]; }
};

/// The lines of a spool that define what later lines refer to by number: process, devices, kernels,
/// ranges, and call sites.
class SpoolNames {
public:
    using Json = spool::Json;

    explicit SpoolNames(SpoolIds& ids) : m_ids(ids) {}

    /// Takes a line of this type, if it is one of these.
    bool apply(std::string_view type, const Json& json);

private:
    void process(const Json& json);
    void device(const Json& json);
    void peaks(const Json& json);
    void counters(const Json& json);
    void kernel(const Json& json);
    void site(const Json& json);
    void range(const Json& json);
    void issue(const Json& json);
    void end(const Json& json);

    SpoolIds& m_ids;
    std::set<std::ptrdiff_t> m_ownDevices;  ///< of this process, by their place in the profile
};

}  // namespace roofscope
