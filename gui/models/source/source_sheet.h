// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope::gui {

/// Numbers shown beside code. "Ideal" is what the addresses of each instruction need, "excess" is
/// anything beyond that (SourceSums). Samples are all PC samples, whatever the stall reason.
enum class SourceNumber {
    Samples,
    Executed,
    Sectors,
    IdealSectors,
    ExcessSectors,
    Wavefronts,
    IdealWavefronts,
    ExcessWavefronts,
    LocalSectors
};
inline constexpr int kSourceNumbers = int(SourceNumber::LocalSectors) + 1;
using SourceNumbers = EnumArray<SourceNumber, std::optional<double>, kSourceNumbers>;

/// Numbers of an instruction, or their sums over a line.
struct SourceEntry {
    SourceNumbers numbers;
    /// The most frequent stall reason, an index into SourceSheet::reasons(). Samples of warps that
    /// could issue do not count. Absent without such samples.
    std::optional<std::uint32_t> stall;
    double stallShare = 0;  ///< share of `stall` in all samples
};

/// The per-instruction counters of one kernel, by instruction and by line. Immutable.
class SourceSheet {
public:
    /// A source line with instructions.
    struct Line {
        std::uint32_t file = 0;  ///< index into SourcePass::files
        std::uint32_t line = 0;
        std::span<const std::size_t> rows;  ///< its instructions, ascending
        SourceEntry entry;
    };

    /// Null for a kernel without a source pass.
    [[nodiscard]] static std::shared_ptr<const SourceSheet> make(
        std::shared_ptr<const Analysis> analysis, std::optional<std::size_t> kernel);

    [[nodiscard]] const SourcePass& pass() const { return *m_pass; }
    [[nodiscard]] const SourceAnalysis& source() const { return *m_source; }
    [[nodiscard]] const std::vector<SourceEntry>& instructions() const { return m_instructions; }
    [[nodiscard]] const std::vector<Line>& lines() const { return m_lines; }  ///< by file, line
    [[nodiscard]] const SourceEntry& total() const { return m_total; }
    /// The line of an instruction, as an index into lines(); absent if it has none.
    [[nodiscard]] std::optional<std::size_t> lineOf(std::size_t instruction) const;
    /// The sampled stall reasons, with CUPTI's names: "long_scoreboard".
    [[nodiscard]] const std::vector<std::string>& reasons() const { return m_reasons; }

    /// Whether any instruction has this number.
    [[nodiscard]] bool has(SourceNumber number) const {
        return m_total.numbers[number].has_value();
    }
    /// Numbers that can define hot places: those that are not 0 for the kernel. The most telling
    /// one comes first.
    [[nodiscard]] std::vector<SourceNumber> heats() const;
    /// The share of the kernel's total; absent if either is missing or the total is 0.
    [[nodiscard]] std::optional<double> share(const SourceEntry& entry, SourceNumber number) const;
    /// A place is hot if it has at least this share of the kernel's total.
    static constexpr double kHotShare = 0.01;
    /// Indices into lines() with at least kHotShare, the largest first; if there are none, those
    /// with the most.
    [[nodiscard]] std::vector<std::size_t> hotLines(SourceNumber heat) const;
    /// The hot instructions, by the same rule.
    [[nodiscard]] std::vector<std::size_t> hotInstructions(SourceNumber heat) const;
    /// Samples of these instructions by stall reason, the most frequent first, without zeros.
    struct Reason {
        std::string name;
        double samples = 0;
    };
    [[nodiscard]] std::vector<Reason> samplesByReason(std::span<const std::size_t> rows) const;

private:
    SourceSheet() = default;
    void readColumns();
    void addInstructions();
    void addLines();
    SourceEntry entryOf(const SourceSums& sums, std::span<const std::size_t> rows) const;

    std::shared_ptr<const Analysis> m_analysis;  ///< owns what m_pass and m_source point to
    const SourcePass* m_pass = nullptr;
    const SourceAnalysis* m_source = nullptr;
    std::vector<double> m_sectors, m_idealSectors, m_wavefronts, m_idealWavefronts;
    std::vector<std::string> m_reasons;
    std::vector<std::vector<double>> m_samples;  ///< one column per reason
    std::vector<SourceEntry> m_instructions;
    std::vector<Line> m_lines;
    std::vector<std::size_t> m_lineOf;
    SourceEntry m_total;
};

}  // namespace roofscope::gui
