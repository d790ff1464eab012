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

/// Sums over some instructions of one launch. A sum is missing when none of them has the counter.
struct SourceSums {
    std::optional<double> executed;  ///< warp instructions
    std::optional<double> threads;   ///< thread instructions, predicated off ones left out
    std::optional<double> sectors;   ///< 32-byte sectors of global accesses
    /// Sectors beyond what the addresses' number and width need, each instruction by itself: one
    /// that needs fewer (a broadcast) makes up for no other. Missing when an ideal is.
    std::optional<double> excessSectors;
    std::optional<double> localSectors;
    std::optional<double> wavefronts;  ///< of shared-memory accesses
    std::optional<double> excessWavefronts;
};
/// Adds what both have, and keeps what one has; an excess is lost when one side has accesses whose
/// excess is not known.
void add(SourceSums& sums, const SourceSums& more);

/// A source line; where lines are not known, the instructions of one opcode with the same numbers
/// per execution, which are copies of one access in an unrolled loop more often than not.
struct SourceLine {
    std::optional<std::uint32_t> file;  ///< index into SourcePass::files
    std::uint32_t line = 0;             ///< 0: unknown
    std::vector<std::size_t> rows;      ///< its instructions, ascending
    SourceSums sums;
};

/// What the pass of one kernel says.
struct SourceAnalysis {
    std::size_t pass = 0;            ///< index into Profile::sources
    std::vector<SassFacts> facts;    ///< per instruction
    std::vector<SourceSums> perRow;  ///< per instruction
    std::vector<SourceLine> lines;   ///< by file and line, then single instructions
    SourceSums total;                ///< of the launch
    SampledStalls stalls;            ///< empty when warps were not sampled
    /// In which most warps wait, "long_scoreboard"; empty where too few samples tell, or those of a
    /// launch that did other work.
    std::string waitState;
    std::vector<Wait> waits;  ///< in that state, most samples first
    bool hasSass = false, hasLines = false;
    /// The sums agree with the counters of the same launch, as far as it has these: what the pass
    /// says of sectors and wavefronts holds for the launch. A program that does something else in
    /// each run differs.
    bool agrees = true;

    /// Sums over instructions of these kinds.
    [[nodiscard]] SourceSums sumOf(std::span<const SassKind> kinds) const;
};

/// The pass of a launch group: the one whose launch is in the group, or whose kernel has no other
/// group. nullptr when there is none.
[[nodiscard]] std::shared_ptr<const SourceAnalysis> analyzeSource(const Profile& profile,
                                                                  const LaunchGroup& group,
                                                                  bool onlyGroupOfKernel);

/// The worst lines by `amount` of an instruction's row, at most kMostPlaces; all but the worst have
/// at least a twentieth of the whole, `total`. Places carry file, line, opcode, amount and share.
[[nodiscard]] std::vector<Place> worstPlaces(const Profile& profile, const SourceAnalysis& source,
                                             const Words& what, double total,
                                             const std::function<double(std::size_t row)>& amount);

/// `worstPlaces` of uncoalesced global accesses, bank conflicts and local memory, with what each
/// says of the addresses.
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
