// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/source/sampled_stalls.h"
#include "analyzer/source/sass.h"
#include "analyzer/source/wait.h"

/// Counters per instruction (Profile::sources), summed over lines and kernels.
namespace roofscope {

/// Sums over some instructions of one launch. A sum is missing if none of them has the counter.
struct SourceSums {
    std::optional<double> executed;  ///< warp instructions
    std::optional<double> threads;   ///< thread instructions, without those predicated off
    std::optional<double> sectors;   ///< 32-byte sectors of global accesses
    /// Sectors beyond what the number and the width of the addresses need, by instruction: one that
    /// needs fewer (a broadcast) does not make up for another. Missing if an ideal is.
    std::optional<double> excessSectors;
    std::optional<double> localSectors;
    std::optional<double> wavefronts;  ///< of shared-memory accesses
    std::optional<double> excessWavefronts;
};
/// Adds what both have, and keeps what only one has. An excess becomes missing if one side has
/// accesses with an unknown excess.
void add(SourceSums& sums, const SourceSums& more);

/// A source line. If lines are not known: the instructions of one opcode with the same counters per
/// execution, which are mostly copies of one access in an unrolled loop.
struct SourceLine {
    std::optional<std::uint32_t> file;  ///< index into SourcePass::files
    std::uint32_t line = 0;             ///< 0: unknown
    std::vector<std::size_t> rows;      ///< its instructions, ascending
    SourceSums sums;
};

/// What the source pass of one kernel shows.
struct SourceAnalysis {
    std::size_t pass = 0;            ///< index into Profile::sources
    std::vector<SassFacts> facts;    ///< per instruction
    std::vector<SourceSums> perRow;  ///< per instruction
    std::vector<SourceLine> lines;   ///< by file and line, then those without a line
    SourceSums total;                ///< of the launch
    /// How often each instruction was issued: warp instructions where they were counted, else
    /// samples (analyzer/source/issued.h), so that only shares mean something. Empty: not known.
    std::vector<double> issued;
    double issuedTotal = 0;  ///< their sum
    SampledStalls stalls;    ///< empty if warps were not sampled
    /// The state that most warps wait in ("long_scoreboard"). Empty if there are too few samples,
    /// or if they are of a launch that did other work.
    std::string waitState;
    std::vector<Wait> waits;  ///< in that state, most samples first
    bool hasSass = false, hasLines = false;
    /// Whether the sums agree with the counters of the same launch, as far as it has these. If so,
    /// what the pass shows of sectors and wavefronts holds for the launch. They differ if a program
    /// does something else in each run.
    bool agrees = true;

    /// Sums over instructions of these kinds.
    [[nodiscard]] SourceSums sumOf(std::span<const SassKind> kinds) const;
};

/// The source pass of a launch group: of a launch in the group or, if the launch is not known, of
/// the only group of its kernel. nullptr if there is none.
[[nodiscard]] std::shared_ptr<const SourceAnalysis> analyzeSource(const Profile& profile,
                                                                  const LaunchGroup& group,
                                                                  bool onlyGroupOfKernel);

/// The worst lines by the sum of `amount(row)`, at most kMostPlaces. All but the worst have at
/// least a twentieth of `total`. Places carry file, line, opcode, amount and share.
[[nodiscard]] std::vector<Place> worstPlaces(const Profile& profile, const SourceAnalysis& source,
                                             const Words& what, double total,
                                             const std::function<double(std::size_t row)>& amount);

/// `worstPlaces` of uncoalesced global accesses, bank conflicts and local memory, with the pattern
/// of the addresses if it is known.
[[nodiscard]] std::vector<Place> uncoalescedPlaces(const Profile& profile,
                                                   const SourceAnalysis& source);
[[nodiscard]] std::vector<Place> conflictPlaces(const Profile& profile,
                                                const SourceAnalysis& source);
[[nodiscard]] std::vector<Place> localMemoryPlaces(const Profile& profile,
                                                   const SourceAnalysis& source);

/// `worstPlaces` of the samples of warps that wait for `reason`.
[[nodiscard]] std::vector<Place> waitingPlaces(const Profile& profile, const SourceAnalysis& source,
                                               const std::string& reason);

}  // namespace roofscope
