// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/language/words.h"
#include "profile/model/profile.h"
#include "profile/model/units.h"

namespace roofscope {

/// Launches of a rank and the GPU time that they took together.
struct RankLaunches {
    std::size_t count = 0;
    Seconds time;
};

/// GPU time of one rank.
struct RankTime {
    std::uint32_t rank = 0;
    std::string host;          ///< empty when unknown
    Seconds time;              ///< of the launches that are compared
    std::size_t launches = 0;  ///< that are compared
    RankLaunches all;          ///< compared or not; without kernels that wait for other ranks
    /// Those of `all` that ran at the same time as a kernel that waits for other ranks
    /// (analyzer/ranks/peer_overlap.h). Absent if not known.
    std::optional<RankLaunches> beside;
};

/// How unevenly ranks spend their time, in one kernel or in all.
struct RankSpread {
    std::uint32_t kernel = 0;     ///< index into Profile::kernels; unused for the total
    std::string name;             ///< of the kernel, shortened; empty for the total
    std::vector<RankTime> ranks;  ///< by rank; only those whose every launch has a duration
    RankTime fastest, slowest;
    Seconds median;
    /// Slowest / median: 1 if all ranks are equal. The others may wait for the difference.
    double slowestOverMedian = 1;
    bool material = false;  ///< worth a line in a report
};

/// The ranks of a parallel program, compared.
struct RankReport {
    std::size_t ranks = 0;            ///< ranks that launched anything
    RankSpread total;                 ///< all kernels together, except those that wait for ranks
    std::vector<RankSpread> kernels;  ///< those that are material, by time lost
    /// Whether ranks would differ materially, in total or in one kernel, if the launches that
    /// overlap kernels that wait for other ranks were compared as well.
    bool overlapMatters = false;
    std::vector<Words> notes;  ///< what could not be compared, and why
};

/// Compares the ranks of a profile: time per rank, in total and by kernel. Empty (ranks 0) if fewer
/// than two ranks launched anything. Durations are the unprofiled ones if all launches of the
/// profile have one, otherwise gpu__time_duration.sum; the two are never mixed. A rank with a
/// launch without duration is left out for that kernel, and a note says so. A rank that did not
/// launch a kernel takes no part in it (its time is not 0: it does something else). Kernels that
/// wait for other ranks are left out everywhere, with a note, because in them the rank that comes
/// early seems slow.
///
/// A launch that overlaps a kernel that waits for other ranks shares the GPU with it, for longest
/// in the rank that comes first. So that rank seems slow, too. Of a kernel with such launches, only
/// those that ran alone in every rank are compared: the n-th launch of one rank with the n-th
/// launch of the others. If the ranks launch such a kernel a different number of times, it is not
/// compared, with a note, and the difference in total is material only if it exceeds that kernel's
/// whole time. Without start times all launches are compared.
///
/// Material: the slowest rank is at least 5 % above the median, and that difference is at least 1 %
/// of the slowest rank's compared time.
[[nodiscard]] RankReport compareRanks(const Profile& profile);

}  // namespace roofscope
