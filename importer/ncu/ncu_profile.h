// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "importer/import.h"
#include "importer/ncu/ncu_table.h"

namespace roofscope {

/// Builds a profile from measurements of Nsight Compute, row by row. Internal to importer/.
class NcuProfileBuilder {
public:
    explicit NcuProfileBuilder(const ImportOptions& options);

    /// Adds a launch. Errors: BadData without a place if a limit is exceeded.
    Result<void> add(const NcuRow& row);
    /// `headers` are those of all rows; they say which columns were left out.
    Profile finish(const std::vector<const NcuHeader*>& headers);

private:
    std::uint32_t deviceOf(const NcuRow& row);
    std::uint32_t kernelOf(const NcuRow& row);
    std::uint32_t processOf(const NcuRow& row);
    std::uint32_t streamOf(const NcuRow& row, std::uint32_t process);
    bool addCounters(const NcuRow& row, std::size_t launch);
    /// Adds one note for each kind of column that was left out.
    void noteSkippedColumns(const std::vector<const NcuHeader*>& headers);
    /// Adds a note about cells that should be numbers but are not.
    void noteUnreadableCells();
    void note(std::string code, std::string message, std::string advice);

    const ImportLimits m_limits;
    Profile m_profile;
    std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> m_devices;
    std::map<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>, std::uint32_t>
        m_kernels;
    std::map<std::pair<std::string, std::string>, std::uint32_t> m_processes;
    std::map<std::uint32_t, std::map<std::pair<std::string, std::string>, std::uint32_t>> m_streams;
    std::map<std::string, std::uint32_t> m_ranges;
    const NcuHeader* m_header = nullptr;
    std::vector<std::size_t> m_slots;  ///< by header column: index into m_columns, or none
    std::map<std::string, std::size_t> m_slotOf;
    std::vector<std::string> m_names;
    std::vector<std::vector<double>> m_columns;
    std::size_t m_unreadable = 0;
    std::string m_firstUnreadable;  ///< the cell and its column, for the note
};

}  // namespace roofscope
