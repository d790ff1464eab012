// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/formats.h"

/// Pieces of the markdown report, kept apart until the budget has decided what stays.
namespace roofscope::markdown {

struct Part {
    std::string name;  ///< how a trimmed report calls it: "ruled out"
    std::string text;  ///< ends with a line end
};

/// The hint report of one kernel: identity and verdict stay as long as the kernel does, the other
/// parts go from the bottom.
struct KernelSection {
    std::string head;
    std::vector<Part> parts;
};

/// The header of the whole profile; `rows` are the lines of the ranking table.
struct Header {
    std::string before;  ///< title, device, how measured
    std::string tableHead;
    std::vector<std::string> rows;
    Part issues;  ///< problems while recording; kept under any budget
    Part after;   ///< what was not collected
};

/// `standalone`: the section is copied out of the report, so it says GPU, versions and how the
/// profile was measured itself.
[[nodiscard]] KernelSection kernelSection(const Analysis& analysis, std::size_t index,
                                          const ReportOptions& options, bool standalone);
[[nodiscard]] Header profileHeader(const Analysis& analysis, const Selection& selection,
                                   const ReportOptions& options);

/// "NVIDIA H200 (GH100, compute capability 9.0), 132 SMs".
[[nodiscard]] std::string deviceLine(const Device& device);
/// "driver for CUDA 13.0, CUPTI 130001".
[[nodiscard]] std::string softwareLine(const Profile& profile);
/// "each launch replayed (kernel replay), 2 passes per launch; caches not flushed …".
[[nodiscard]] std::string measuredLine(const Profile& profile);
/// The recording issues as a list; empty when there are none.
[[nodiscard]] std::string issueList(const Profile& profile);

}  // namespace roofscope::markdown
