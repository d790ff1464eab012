// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/analysis.h"

/// The source code that reports show of a kernel measured per instruction.
namespace roofscope {

/// Numbers beside a line or an instruction; absent if not applicable there.
struct SourceMargin {
    std::optional<double> excessSectors, excessWavefronts, localSectors;
    std::optional<double> executed;  ///< share of the kernel's executed warp instructions
    std::optional<double> samples;   ///< share of the kernel's stall samples
    /// The dominant stall reason here, as CUPTI names it, and its share of the samples here; empty
    /// with few samples.
    std::string stall;
    double stallShare = 0;
};

struct WindowLine {
    std::uint32_t line = 0;
    std::string text;  ///< as recorded, not cleaned
    SourceMargin margin;
    bool hot = false;  ///< a finding points here
};

/// Consecutive lines of one file.
struct WindowPiece {
    std::string path;  ///< as recorded, not cleaned
    std::vector<WindowLine> lines;
};

struct WindowInstruction {
    std::uint32_t offset = 0;
    std::string sass;  ///< as recorded, not cleaned
    SourceMargin margin;
};

/// The lines around those that a kernel's findings point at, and its worst instructions.
struct SourceWindow {
    std::vector<WindowPiece> pieces;      ///< by file and line; may be empty
    std::vector<WindowInstruction> sass;  ///< by offset
    bool sassByStalls = false;            ///< ranked by waiting warps, else by excess
    [[nodiscard]] bool empty() const { return pieces.empty() && sass.empty(); }
};

/// `narrow`: fewer lines around the worst ones, for a report of many kernels.
[[nodiscard]] SourceWindow sourceWindow(const Analysis& analysis, const KernelAnalysis& kernel,
                                        bool narrow = false);
/// The recorded text of a source line; empty if unknown.
[[nodiscard]] std::string sourceText(const Analysis& analysis, const KernelAnalysis& kernel,
                                     std::optional<std::uint32_t> file, std::uint32_t line);

}  // namespace roofscope
