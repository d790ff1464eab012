// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// Gives the paths of NVTX ranges their ids in the spool. Callers serialise calls.
class RangeNames {
public:
    explicit RangeNames(SpoolWriter& spool) : m_spool(spool) {}

    /// The id of a path; none for the empty path.
    std::optional<std::uint32_t> number(const std::string& path) {
        if (path.empty()) return {};
        const auto [it, isNew] =
            m_numbers.try_emplace(path, static_cast<std::uint32_t>(m_numbers.size()));
        if (isNew) m_spool.range(it->second, path);
        return it->second;
    }
    [[nodiscard]] bool knows(const std::string& path) const { return m_numbers.contains(path); }
    [[nodiscard]] std::size_t size() const { return m_numbers.size(); }

private:
    SpoolWriter& m_spool;
    std::unordered_map<std::string, std::uint32_t> m_numbers;
};

}  // namespace roofscope::inject
