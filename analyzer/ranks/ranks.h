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
    RankLaunches all;          ///< compared or not, without kernels that wait for other ranks
    /// Of all: those that ran beside a kernel that waits for other ranks
    /// (analyzer/ranks/peer_overlap.h). Absent when that is not known.
    std::optional<RankLaunches> beside;
};

/// How unevenly ranks spend their time, in one kernel or in all.
struct RankSpread {
    std::uint32_t kernel = 0;     ///< index into Profile::kernels; unused for all kernels together
    std::string name;             ///< of the kernel, shortened; empty for all kernels together
    std::vector<RankTime> ranks;  ///< by rank; only those whose every launch has a duration
    RankTime fastest, slowest;
    Seconds median;
    /// max / median: 1 when all ranks are equal. What the others wait for, where they wait.
    double slowestOverMedian = 1;
    bool material = false;  ///< worth a line in a report
};

/// Ranks of a parallel program, side by side.
struct RankReport {
    std::size_t ranks = 0;            ///< that launched anything
    RankSpread total;                 ///< all kernels together, but those that wait for ranks
    std::vector<RankSpread> kernels;  ///< those that are material, by time lost
    /// Ranks would differ materially, in all kernels or in one, if launches that ran beside kernels
    /// that wait for other ranks were compared as well.
    bool besideMatters = false;
    std::vector<Words> notes;  ///< what could not be compared, and why
};

/// Compares the ranks of a profile: total time per kernel and rank. Empty (ranks 0) when fewer than
/// two ranks launched anything. Durations are the unprofiled ones when all launches of the profile
/// have one, otherwise gpu__time_duration.sum; the two are never mixed. A rank of which a launch
/// has no duration is left out for that kernel, and a note says so; a rank that did not launch a
/// kernel takes no part in it (its time is not 0: it does something else). Kernels that wait for
/// other ranks are left out everywhere, and a note says so: the rank that is early seems slow
/// there.
///
/// A launch that runs beside a kernel that waits for other ranks shares the GPU with it, in the
/// rank that comes first for longest: that rank seems slow, too. Of a kernel with such launches
/// only those are compared that ran alone in every rank: the n-th launch of one rank with the n-th
/// of the others. Where the ranks launch such a kernel differently often it is not compared, with a
/// note, and the difference of all kernels together is material only if it is so without that
/// kernel's whole time. Without start times all launches are compared.
///
/// Material: the slowest rank is at least 5 % above the median, and that difference is at least 1 %
/// of what is compared of the slowest rank.
[[nodiscard]] RankReport compareRanks(const Profile& profile);

}  // namespace roofscope
