// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "reports/formats.h"

/// Pieces of the markdown report, kept apart until the budget has decided what stays.
namespace roofscope::markdown {

/// Which part of a kernel's section.
enum class PartKind {
    Launch,
    Findings,
    RuledOut,
    Constraints,
    Source,
    SinceBaseline,
    NotMeasured,
    Ask
};

struct Part {
    PartKind kind = PartKind::Launch;
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
    std::string title;    ///< "GPU profile of `./app`"
    std::string warning;  ///< a line about profiles that were not recorded, or empty
    /// "GPU" and what there is to say about it, in their order.
    std::vector<std::pair<std::string, std::string>> facts;
    std::string tableIntro;  ///< how many kernels are shown; paragraphs, may be empty
    std::string before;      ///< all of the above as one text
    std::string tableHead;
    std::vector<std::string> rows;
    std::string ranges;     ///< NVTX ranges that were measured as a whole
    std::string issues;     ///< problems while recording; kept under any budget
    std::string after;      ///< what was not collected, and what stood in for it
    std::string afterName;  ///< how a trimmed report calls that
};

/// `standalone`: the section is copied out of the report, so it says GPU, versions and how the
/// profile was measured itself.
[[nodiscard]] KernelSection kernelSection(const Analysis& analysis, std::size_t index,
                                          const ReportOptions& options, bool standalone);
[[nodiscard]] Header profileHeader(const Analysis& analysis, const Selection& selection,
                                   const ReportOptions& options);

inline constexpr std::size_t kMaxFindings = 3;  ///< more would dilute the one edit asked for

// Words of a kernel's section that other formats show, too. All of it is markdown.

/// "median 12.3 µs (12.1 µs to 12.9 µs over 5 launches), without profiling".
[[nodiscard]] std::string durationWords(const DurationStats& duration, Language language);
/// "Headroom with the same traffic and instructions: at most 12.3 µs per launch (1.52×)."
[[nodiscard]] std::string headroomWords(const Verdict& verdict, Language language);
/// What a table says of a kernel without findings: "nothing to fix", "little to fix", or nothing.
[[nodiscard]] std::string noFindingsCell(const KernelAnalysis& kernel, Language language);
/// "at most 208 µs (63.3 %) per launch".
[[nodiscard]] std::string gainWords(const Finding& finding, Language language);
/// Where a finding is: "`a.cu:42` (`LDG.E`, +0x120): …; …"; empty when that is not known.
[[nodiscard]] std::string placesWords(const Finding& finding, Language language);
/// What it means that a kernel has no finding worth an edit.
[[nodiscard]] std::string noFindings(const KernelAnalysis& kernel, Language language);
/// The findings that get a line only: beyond kMaxFindings, minor ones, blocked ones.
[[nodiscard]] std::string otherFindings(const KernelAnalysis& kernel, Language language);

/// "NVIDIA H200 (GH100, compute capability 9.0), 132 SMs".
[[nodiscard]] std::string deviceLine(const Device& device, Language language);
/// "driver for CUDA 13.0, CUPTI 130001".
[[nodiscard]] std::string softwareLine(const Profile& profile, Language language);
/// "each launch replayed (kernel replay), 2 passes per launch; caches not flushed …".
[[nodiscard]] std::string measuredLine(const Profile& profile, Language language);
/// The recording issues as a list; empty when there are none.
[[nodiscard]] std::string issueList(const Profile& profile, Language language);

}  // namespace roofscope::markdown
