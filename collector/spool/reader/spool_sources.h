// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "collector/spool/reader/spool_launches.h"
#include "collector/spool/reader/spool_names.h"
#include "collector/spool/reader/spool_reader.h"
#include "collector/spool/records.h"
#include "profile/model/profile.h"

namespace roofscope {

/// Counters and stall samples per instruction in the spool of one process.
class SpoolSources {
public:
    /// `folder`: where the cubins are; empty if there are none.
    SpoolSources(SpoolIds& ids, std::filesystem::path folder)
        : m_ids(ids), m_folder(std::move(folder)) {}

    void take(const spool::SourceRecord& record);
    void take(const spool::SampleRecord& record);
    /// Assigns each pass to its launch. Call it after `launches`, those of this process, are
    /// finished.
    void finish(const SpoolLaunches& launches);
    /// Where the code of the passes is.
    [[nodiscard]] const std::vector<PassCode>& code() const { return m_code; }

private:
    void add(std::uint64_t sequence, SourcePass pass);
    /// Notes where the code of the next pass to be added is.
    void noteCode(const std::string& cubin, const std::string& function);

    SpoolIds& m_ids;
    std::filesystem::path m_folder;
    std::vector<std::pair<std::uint64_t, std::size_t>> m_passes;  ///< sequence and index in sources
    std::vector<PassCode> m_code;
};

}  // namespace roofscope
