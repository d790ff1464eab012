// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analyzer/analysis.h"
#include "analyzer/counter_names.h"
#include "analyzer/median.h"
#include "profile/peer_kernels.h"

namespace roofscope {
namespace {

constexpr double kLeastSpread = 0.05;  ///< of the median: below, it is noise
constexpr double kLeastShare = 0.01;   ///< of the slowest rank's whole time

/// Time of one rank in one kernel; nullopt as soon as one launch has no duration.
struct Sum {
    std::optional<double> seconds = 0.0;
    void add(std::optional<double> value) {
        if (seconds && value)
            *seconds += *value;
        else
            seconds.reset();
    }
};
using Sums = std::map<std::uint32_t, Sum>;  ///< by rank

std::optional<double> duration(const Profile& profile, std::size_t row, bool unprofiled) {
    if (unprofiled) return profile.launches[row].duration->value;
    if (const auto ns = profile.counters.value(counter::kDuration, row)) return *ns * 1e-9;
    return {};
}

/// Fewer than two ranks with a known time are no spread.
std::optional<RankSpread> spreadOf(const Sums& sums,
                                   const std::map<std::uint32_t, std::string>& hosts) {
    RankSpread spread;
    for (const auto& [rank, sum] : sums)
        if (sum.seconds) spread.ranks.push_back({rank, hosts.at(rank), Seconds{*sum.seconds}});
    if (spread.ranks.size() < 2) return {};
    auto sorted = spread.ranks;
    std::stable_sort(sorted.begin(), sorted.end(), [](const RankTime& a, const RankTime& b) {
        return a.time.value < b.time.value;
    });
    spread.fastest = sorted.front();
    spread.slowest = sorted.back();
    std::vector<double> seconds;
    for (const RankTime& rank : sorted) seconds.push_back(rank.time.value);
    spread.median = Seconds{medianOf(std::move(seconds))};
    if (spread.median.value > 0)
        spread.slowestOverMedian = spread.slowest.time.value / spread.median.value;
    return spread;
}

bool isMaterial(const RankSpread& spread, double whole) {
    const double lost = spread.slowest.time.value - spread.median.value;
    return spread.median.value > 0 && lost >= kLeastSpread * spread.median.value &&
           lost >= kLeastShare * whole;
}

}  // namespace

RankReport compareRanks(const Profile& profile) {
    RankReport report;
    std::map<std::uint32_t, std::string> hosts;
    for (const Launch& launch : profile.launches)
        if (const Process& process = profile.processes[launch.process]; process.rank)
            hosts.try_emplace(*process.rank, process.host);
    if (hosts.size() < 2) return report;
    report.ranks = hosts.size();

    const bool unprofiled =
        std::all_of(profile.launches.begin(), profile.launches.end(),
                    [](const Launch& launch) { return launch.duration.has_value(); });
    Sums total;
    std::map<std::uint32_t, Sums> byKernel;
    std::vector<bool> waits;
    for (const Kernel& kernel : profile.kernels) waits.push_back(waitsForPeers(kernel.symbol));
    bool leftOut = false;
    for (std::size_t row = 0; row < profile.launches.size(); ++row) {
        const Launch& launch = profile.launches[row];
        const auto rank = profile.processes[launch.process].rank;
        if (!rank) continue;
        if (waits[launch.kernel]) {
            leftOut = true;
            continue;
        }
        const auto seconds = duration(profile, row, unprofiled);
        total[*rank].add(seconds);
        byKernel[launch.kernel][*rank].add(seconds);
    }
    std::set<std::uint32_t> incomplete;
    for (const auto& [rank, sum] : total)
        if (!sum.seconds) incomplete.insert(rank);
    if (!incomplete.empty()) {
        std::string list;
        for (const auto rank : incomplete)
            list += fmt::format("{}{}", list.empty() ? "" : ", ", rank);
        report.notes.emplace_back(
            fmt::format("launches without a duration: {} {} not compared in the kernels concerned",
                        incomplete.size() == 1 ? "rank" : "ranks",
                        list + (incomplete.size() == 1 ? " is" : " are")),
            fmt::format("有启动没有时长：涉及的内核不比较 rank {}", list));
    }
    if (leftOut)
        report.notes.emplace_back(
            "kernels that wait for other ranks (NCCL, NVSHMEM) are left out: in them the rank that "
            "comes first waits longest",
            "未计入等待其他 rank 的内核（NCCL、NVSHMEM）：先到的 rank 在其中等得最久");
    if (auto spread = spreadOf(total, hosts)) {
        report.total = std::move(*spread);
        report.total.material = isMaterial(report.total, report.total.slowest.time.value);
    }
    // A rank's whole time; what is known of it when launches lack a duration.
    std::map<std::uint32_t, double> known;
    for (const auto& [kernel, sums] : byKernel)
        for (const auto& [rank, sum] : sums) known[rank] += sum.seconds.value_or(0);
    for (const auto& [kernel, sums] : byKernel) {
        auto spread = spreadOf(sums, hosts);
        if (!spread) continue;
        spread->kernel = kernel;
        spread->name = shortKernelName(profile.kernels[kernel].name);
        spread->material = isMaterial(*spread, known[spread->slowest.rank]);
        if (spread->material) report.kernels.push_back(std::move(*spread));
    }
    std::stable_sort(
        report.kernels.begin(), report.kernels.end(), [](const RankSpread& a, const RankSpread& b) {
            return a.slowest.time.value - a.median.value > b.slowest.time.value - b.median.value;
        });
    return report;
}

}  // namespace roofscope
