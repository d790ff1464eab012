// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/spool/records.h"
#include "profile/model/cpu_samples.h"

/// The records of CPU samples. See records.h.
namespace roofscope::spool {

/// The stacks that samples refer to. Frames of compiled code are numbered first, then those of
/// Python.
struct CpuStacksRecord {
    static constexpr const char* kType = "cpu-stacks";
    std::uint64_t period = 0;  ///< ns
    std::uint32_t cpus = 0;    ///< that the process may use; 0: not known
    std::vector<CodePlace> native;
    std::vector<CodeLine> python;
    std::vector<std::vector<std::uint32_t>> stacks;  ///< of frames, innermost first

    static void fields(auto& line, auto& record) {
        line("period", record.period);
        line.ifAny("cpus", record.cpus);
        line("native", record.native);
        line("python", record.python);
        line("stacks", record.stacks);
    }
};

/// One sample: a row of a table that follows the stacks.
struct CpuSampleRow {
    static constexpr const char* kType = "cpu-samples";
    std::uint32_t thread = 0, stack = 0;
    CpuWait wait = CpuWait::None;
    std::uint64_t atNs = 0;

    static void columns(auto& table) {
        table.column("th", &CpuSampleRow::thread);
        table.column("st", &CpuSampleRow::stack);
        table.oneOf("w", &CpuSampleRow::wait, CpuWait::Other);
        table.times("b", &CpuSampleRow::atNs);
    }
};

}  // namespace roofscope::spool
