// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analyzer/program/program.h"
#include "reports/answer/kernel_answer.h"
#include "reports/document/document.h"
#include "reports/formats.h"

/// The parts that a profile's report is built of, each in a file of its name.
namespace roofscope::profile_report {

inline constexpr std::size_t kMaxSentence = 1500;  ///< characters of a rule's sentence

/// What every part looks at.
struct View {
    const Analysis& analysis;
    const ReportOptions& options;
    Language language;
    const Program* program = nullptr;  ///< null for one kernel by itself
    bool standalone = false;           ///< one kernel by itself
    /// Rules whose reason and example were given before; they are not given again. Null: each
    /// section is read by itself and says all (a page, one kernel).
    std::set<std::string>* told = nullptr;

    /// Read from top to bottom: what was said before, and what decides little, is left out.
    [[nodiscard]] bool brief() const { return told != nullptr; }
    /// The opening says what to do first and which command measures it.
    [[nodiscard]] bool hasOpening() const { return program && !program->lanes.empty(); }
};

/// Kernels of one function with one diagnosis, which differ in their launch only, or of a library
/// with one edit of their callers: one section is enough.
struct Shapes {
    std::size_t first = 0;            ///< that the section is about
    std::vector<std::size_t> others;  ///< that get a line in it
};
/// shapes.cpp: `kernels` in their order, put together; different functions only in what is read
/// from top to bottom (`brief`).
[[nodiscard]] std::vector<Shapes> shapesOf(const Analysis& analysis,
                                           const std::vector<std::size_t>& kernels, bool brief);

/// "#kernel-3": what rows, dots and sections of the third kernel are found by.
[[nodiscard]] std::string kernelId(std::size_t index);
[[nodiscard]] doc::Text verdictBadge(const Verdict& verdict, Language language);

/// ranking_table.cpp: which kernels are shown, and a table of them; rows lead to their `sections`.
[[nodiscard]] doc::Node rankingTable(const View& view, const ChosenKernels& selection,
                                     const std::vector<Shapes>& sections);
/// kernel_line.cpp: whether a kernel has a section of its own; where not, what a line says of it.
[[nodiscard]] bool isWorthReading(const View& view, const Shapes& shapes, std::size_t rank);
[[nodiscard]] doc::Node kernelLine(const View& view, const Shapes& shapes);
/// kernel_section.cpp; `rank` counts the sections of the report.
[[nodiscard]] doc::Node kernelSection(const View& view, const Shapes& shapes, std::size_t rank);
/// finding_nodes.cpp: what to fix in a kernel, or what it means that there is nothing.
[[nodiscard]] doc::Nodes findingNodes(const View& view, const KernelAnswer& answer,
                                      std::size_t rank);
/// source_nodes.cpp: code around hot lines and the worst instructions.
[[nodiscard]] doc::Nodes sourceNodes(const View& view, const KernelAnalysis& kernel);
/// measurement_part.cpp: GPU, clocks, roofs, how it was measured, limits of the GPU, what is
/// missing.
[[nodiscard]] doc::Nodes measurementPart(const View& view);
/// Data that was lost and errors, which stand at the top; notes are in `measurementPart`.
[[nodiscard]] doc::Nodes problemsPart(const View& view);
/// "**This profile is synthetic** …"; nothing for a recorded one.
[[nodiscard]] doc::Nodes originWarning(const Profile& profile, Language language);

// Facts that the report of one kernel repeats.

/// "NVIDIA H200 (GH100, compute capability 9.0), 132 SMs".
[[nodiscard]] doc::Text deviceText(const Device& device, Language language);
/// "driver for CUDA 13.0, CUPTI 130001".
[[nodiscard]] doc::Text softwareText(const Profile& profile, Language language);
/// "each launch replayed (kernel replay), 2 passes per launch; caches not flushed …".
[[nodiscard]] doc::Text measuredText(const Profile& profile, Language language);
/// What a profile without counters can and cannot tell.
[[nodiscard]] doc::Text onlyTimesText(Language language);
/// "This GPU allows at most … It has no …".
[[nodiscard]] doc::Text limitsText(const Analysis& analysis, std::uint32_t device,
                                   Language language);

}  // namespace roofscope::profile_report
