// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/run/spool/spool_fields.h"
#include "collector/run/spool/spool_launches.h"
#include "collector/run/spool/spool_names.h"
#include "profile/model/profile.h"

namespace roofscope {

/// Counters and stall samples per instruction in one process' spool.
class SpoolSources {
public:
    using Json = spool::Json;

    /// `folder`: where cubins lie; empty: nowhere.
    SpoolSources(SpoolIds& ids, std::filesystem::path folder)
        : m_ids(ids), m_folder(std::move(folder)) {}

    /// Takes a line of this type, if it is one of these.
    bool apply(std::string_view type, const Json& json);
    /// Assigns each pass to its launch. `launches` are those of the process, finished.
    void finish(const SpoolLaunches& launches);

private:
    void counters(const Json& json);
    void samples(const Json& json);
    void addCode(SourcePass& pass, const std::string& cubin, const std::string& function);
    void add(const Json& json, SourcePass pass);

    SpoolIds& m_ids;
    std::filesystem::path m_folder;
    std::vector<std::pair<std::uint64_t, std::size_t>> m_passes;  ///< sequence and index in sources
};

}  // namespace roofscope
