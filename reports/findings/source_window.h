// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"
#include "reports/document/text.h"

/// What reports show of the code of a kernel that was measured per instruction.
namespace roofscope {

/// Numbers beside a line or an instruction; absent where nothing of the kind happens there.
struct SourceMargin {
    std::optional<double> excessSectors, excessWavefronts, localSectors;
    std::optional<double> executed;  ///< share of the kernel's executed warp instructions
    std::optional<double> samples;   ///< share of the kernel's stall samples
    /// What most warps here wait for, as CUPTI names it, and its share of the samples here; empty
    /// where few were taken.
    std::string stall;
    double stallShare = 0;
};

struct WindowLine {
    std::uint32_t line = 0;
    std::string text;  ///< as recorded: not clean yet
    SourceMargin margin;
    bool hot = false;  ///< a finding points here
};

/// A stretch of one file.
struct WindowPiece {
    std::string path;  ///< as recorded: not clean yet
    std::vector<WindowLine> lines;
};

struct WindowInstruction {
    std::uint32_t offset = 0;
    std::string sass;  ///< as recorded: not clean yet
    SourceMargin margin;
};

/// Lines around those that the findings of a kernel point at, and its worst instructions.
struct SourceWindow {
    std::vector<WindowPiece> pieces;      ///< by file and line; may be empty
    std::vector<WindowInstruction> sass;  ///< by offset
    bool sassByStalls = false;            ///< those where warps wait most, else with most excess
    [[nodiscard]] bool empty() const { return pieces.empty() && sass.empty(); }
};

/// `narrow`: only what stands next to the worst lines, for a report of many kernels.
[[nodiscard]] SourceWindow sourceWindow(const Analysis& analysis, const KernelAnalysis& kernel,
                                        bool narrow = false);
/// "`softmax.cu:42` (`LDG.E`, +0x120): 1.84 M excess sectors (100 % of the kernel's), …".
/// `brief`: without offset and amount, where the line is known.
[[nodiscard]] doc::Text placeText(const Place& place, Language language, bool brief = false);
/// The recorded text of a line of the kernel's source; empty when it is not known.
[[nodiscard]] std::string sourceText(const Analysis& analysis, const KernelAnalysis& kernel,
                                     std::optional<std::uint32_t> file, std::uint32_t line);

/// What the pass of a kernel lacks, and what would get it: sentences without a full stop.
[[nodiscard]] std::vector<doc::Text> missingSource(const Analysis& analysis,
                                                   const KernelAnalysis& kernel, Language language);

}  // namespace roofscope
