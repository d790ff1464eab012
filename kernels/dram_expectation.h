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

/// Adds DRAM traffic to known answers, for a kernel that streams `readBytes` and `writtenBytes`
/// once each. Only for shapes whose traffic each way is at least four times the L2; below that,
/// the cache decides. Reads are met within 3 % (fetches of instructions and of page tables); up to
/// one L2 of dirty lines may stay behind or be left over from the launch before, so writes are
/// met within L2 / written bytes.
inline void expectDram(std::vector<Expectation>& list, double readBytes, double writtenBytes,
                       const std::string& readFormula, const std::string& writeFormula) {
    constexpr double kReadTolerance = 0.03;
    if (std::min(readBytes, writtenBytes) < 4 * kL2Bytes) return;
    list.push_back({counter::kDramReadBytes, readBytes, kReadTolerance, readFormula});
    list.push_back({counter::kDramWriteBytes, writtenBytes, kL2Bytes / writtenBytes,
                    writeFormula + ", ± one L2 of dirty lines"});
}

}  // namespace roofscope::kernels
