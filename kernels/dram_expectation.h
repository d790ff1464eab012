// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/counters.h"
#include "kernels/rung.h"

namespace roofscope::kernels {

/// The largest L2 of the GPUs for which the DRAM tolerances hold (H100 and H200: 50 MB).
inline constexpr double kL2Bytes = 50.0 * 1024 * 1024;

/// Adds DRAM traffic to the known answers of a kernel that streams `readBytes` and `writtenBytes`
/// once each. Only for shapes with traffic of at least four times the L2 in each direction; below
/// that the cache decides. Reads are within 3 % (instruction and page-table fetches). Up to one L2
/// of dirty lines may remain, or be left over from the previous launch, so writes are within L2 /
/// written bytes.
inline void expectDram(std::vector<Expectation>& list, double readBytes, double writtenBytes,
                       const std::string& readFormula, const std::string& writeFormula) {
    constexpr double kReadTolerance = 0.03;
    if (std::min(readBytes, writtenBytes) < 4 * kL2Bytes) return;
    list.push_back({counter::kDramReadBytes, readBytes, kReadTolerance, readFormula});
    list.push_back({counter::kDramWriteBytes, writtenBytes, kL2Bytes / writtenBytes,
                    writeFormula + ", ± one L2 of dirty lines"});
}

}  // namespace roofscope::kernels
