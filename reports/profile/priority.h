// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

/// Priorities of a report's parts (doc::Node::priority): a budget drops the largest numbers first.
namespace roofscope::profile_report {

/// Parts of a kernel's section, most important first. Part::Section is its head with the verdict,
/// and the title and edit of its first finding.
enum class Part : unsigned {
    Section,
    Sentence,  ///< what is wrong and why it costs time
    Where,
    Launch,
    Shapes,  ///< other launches with the same diagnosis
    Code,
    Ask,
    Source,
    Baseline,
    Expect,
    Evidence,
    OtherFindings,
    RuledOut,
    NotMeasured,
    Constraints,
    Origins  ///< full names
};

/// `rank` 0 is the kernel with the most time; its parts come before all others. Among the others,
/// one more diagnosis is worth more than details of a diagnosed kernel.
[[nodiscard]] constexpr unsigned priorityOf(Part part, std::size_t rank) {
    const auto place = static_cast<unsigned>(part);
    if (rank == 0) return part == Part::Section ? 0 : 10 + place;
    return 100 * (place + 1) + static_cast<unsigned>(std::min<std::size_t>(rank, 99));
}

/// If the report opens with what to do first, the first kernel's section may be dropped, too.
inline constexpr unsigned kProblems = 1, kFirstSection = 2, kTable = 3, kSequence = 5, kRanges = 60;
inline constexpr unsigned kModelFlops = 6, kOperators = 61;
inline constexpr unsigned kKernelLine = 205, kRangeSummary = 208, kMeasurement = 210,
                          kNotCollected = 1950, kSubstitutes = 1960;

}  // namespace roofscope::profile_report
