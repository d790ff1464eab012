// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/run/tools/declared_bytes.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope::cli {

/// One counter's known answer for launches inside one NVTX range ("family/rung/CASE").
struct ExpectedCounter {
    std::string range;
    std::string counter;
    double value = 0;
    double tolerance = 0;  ///< relative; 0 = must match exactly
    std::string formula;
    /// Ten times the lowest compute capability that can run the kernel; 0: any GPU.
    int minComputeCapability = 0;
};

/// One comparison: all launches of the range against the known answer.
struct CheckRow {
    ExpectedCounter expected;
    std::size_t launches = 0;        ///< launches of the range that have the counter
    std::optional<double> measured;  ///< the value farthest from the expected one
    bool passed = false;
};

struct CheckTable {
    std::vector<CheckRow> rows;
    std::size_t compared = 0, failed = 0;
    std::size_t missing = 0;  ///< expected counters whose range has no launch in the profile
    /// Ranges that no device of the profile is new enough for, with the reason: "f/r/n=1" and
    /// "needs compute capability 9.0". Their counters are not included in `missing`.
    std::map<std::string, std::string> skipped;
};

/// Parses the output of `roofscope-kernels expect --json`.
Result<std::vector<ExpectedCounter>> parseExpectations(std::string_view json);
/// A launch belongs to an expectation when its innermost NVTX range has the expectation's name.
[[nodiscard]] CheckTable compareWithExpectations(const std::vector<ExpectedCounter>& expected,
                                                 const Profile& profile);
/// The bytes that a launch must move: the known DRAM bytes, for ranges where reads and writes are
/// both known. Requested bytes are no substitute: a kernel may request the same byte repeatedly.
[[nodiscard]] std::vector<DeclaredBytes> declaredBytes(
    const std::vector<ExpectedCounter>& expected);
[[nodiscard]] std::string toText(const CheckTable& table, bool colour);
[[nodiscard]] std::string toJsonText(const CheckTable& table);

}  // namespace roofscope::cli
