// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "analyzer/program/program.h"
#include "reports/answer/kernel_answer.h"
#include "reports/chosen_kernels.h"
#include "reports/document/document.h"

/// The parts of a profile's report, each in a file of its own.
namespace roofscope::profile_report {

inline constexpr std::size_t kMaxSentence = 1500;  ///< characters of a rule's sentence

/// The input of every part.
struct View {
    const Analysis& analysis;
    const ReportOptions& options;
    Language language;
    const Program* program = nullptr;  ///< null in a report of one kernel
    bool standalone = false;           ///< a report of one kernel
    /// Rules whose reason and example were given before and are not repeated. Null if each section
    /// is read on its own and must be complete (an HTML page, a report of one kernel).
    std::set<std::string>* told = nullptr;

    /// Whether the report is read from top to bottom, so that repetitions and unimportant details
    /// are left out.
    [[nodiscard]] bool brief() const { return told != nullptr; }
    /// Whether the report has an opening with what to do first and the command that measures it.
    [[nodiscard]] bool hasOpening() const { return program && !program->lanes.empty(); }
    /// Whether kernels are listed by function, with their time in the window. A page and a report
    /// of chosen kernels list every launch shape instead.
    [[nodiscard]] bool byFunction() const {
        return brief() && options.kernelFilter.empty() && !options.kernels && !options.baseline &&
               program && !program->functions.empty();
    }
    /// Whether the report is limited to essentials: they were asked for, and the program's window
    /// is known.
    [[nodiscard]] bool essentials() const {
        return options.essentials && byFunction() && hasOpening() &&
               program->window.seconds.value > 0;
    }
};

/// Kernels that share a section: launch shapes of one function with the same diagnosis, or library
/// kernels for which callers need the same edit.
struct Shapes {
    std::size_t first = 0;            ///< the kernel that the section is about
    std::vector<std::size_t> others;  ///< kernels that get a line in it
};
/// shapes.cpp: the functions shown in a table by function; at most as many as kernels were chosen.
[[nodiscard]] std::span<const KernelFunction> shownFunctions(const View& view,
                                                             const ChosenKernels& selection);
/// shapes.cpp: the kernels that get a section or a line in one. In a report by function, these are
/// the chosen shapes of the first `most` functions, for each function the shape that stands for it
/// first; otherwise the first `most` chosen kernels.
[[nodiscard]] std::vector<std::size_t> kernelsOfSections(const View& view,
                                                         const ChosenKernels& selection,
                                                         std::size_t most);
/// shapes.cpp: groups `kernels`, keeping their order. Only a `brief` report groups different
/// functions.
[[nodiscard]] std::vector<Shapes> shapesOf(const Analysis& analysis,
                                           const std::vector<std::size_t>& kernels, bool brief);

/// "kernel-3": the id of the third kernel's rows, dots and section.
[[nodiscard]] std::string kernelAnchor(std::size_t index);
[[nodiscard]] doc::Text verdictBadge(const Verdict& verdict, Language language);

/// snap_part.cpp: says that the profile shows a part of a run, and how long a step took before and
/// afterwards. Empty for other profiles.
[[nodiscard]] doc::Nodes snapPart(const Analysis& analysis, Language language);

/// ranking_table.cpp: which kernels are shown, and their table; rows link to their `sections`.
[[nodiscard]] doc::Node rankingTable(const View& view, const ChosenKernels& selection,
                                     const std::vector<Shapes>& sections);
/// operators_part.cpp: time and FLOPs of the framework's operators; in essentials only how their
/// FLOPs compare with the roofs. Empty if no operators are known.
[[nodiscard]] doc::Nodes operatorsPart(const View& view);
/// kernel_line.cpp: which kernels get a section of their own, and the line for one that does not.
/// In essentials, only kernels whose edit changes the window get one, at most the three with the
/// largest gains.
[[nodiscard]] std::vector<bool> deserveSections(const View& view,
                                                const std::vector<Shapes>& shapes);
[[nodiscard]] doc::Node kernelLine(const View& view, const Shapes& shapes);
/// kernel_section.cpp; `rank` is the position of the section in the report.
[[nodiscard]] doc::Node kernelSection(const View& view, const Shapes& shapes, std::size_t rank);
/// finding_nodes.cpp: what to fix in a kernel, or what it means that there are no findings.
[[nodiscard]] doc::Nodes findingNodes(const View& view, const KernelAnswer& answer,
                                      std::size_t rank);
/// source_nodes.cpp: code around hot lines and the worst instructions.
[[nodiscard]] doc::Nodes sourceNodes(const View& view, const KernelAnalysis& kernel);
/// measurement_part.cpp: GPU, clocks, roofs, how it was measured, limits of the GPU, what is
/// missing. In essentials, roofs and limits are shown only if kernels have sections (`kernels`).
[[nodiscard]] doc::Nodes measurementPart(const View& view, bool kernels);
/// Lost data and errors, shown at the top; notes are in `measurementPart`.
[[nodiscard]] doc::Nodes problemsPart(const View& view);
/// "**This profile is synthetic: …**"; empty for a recorded or imported one.
[[nodiscard]] doc::Nodes originWarning(const Profile& profile, Language language);

/// measurement_part.cpp: warns if the program did not end with exit code 0. It is judged like any
/// other, but may have done only a part of its work.
[[nodiscard]] doc::Nodes endWarning(const Profile& profile, Language language);
/// The same as a sentence; empty if there is nothing to warn about.
[[nodiscard]] std::string endSentence(const Profile& profile, Language language);

// Facts that the report of one kernel also contains.

/// "NVIDIA H200 (GH100, compute capability 9.0), 132 SMs".
[[nodiscard]] doc::Text deviceText(const Device& device, Language language);
/// "driver for CUDA 13.0, CUPTI 130001".
[[nodiscard]] doc::Text softwareText(const Profile& profile, Language language);
/// "each launch replayed (kernel replay), 2 passes per launch; caches not flushed …".
[[nodiscard]] doc::Text measuredText(const Profile& profile, Language language);
/// What a profile without counters can and cannot show.
[[nodiscard]] doc::Text onlyTimesText(const Profile& profile, Language language);
/// "This GPU allows at most … It has no …".
[[nodiscard]] doc::Text limitsText(const Analysis& analysis, std::uint32_t device,
                                   Language language);

}  // namespace roofscope::profile_report
