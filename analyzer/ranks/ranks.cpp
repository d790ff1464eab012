// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "analyzer/counters/counter_names.h"
#include "analyzer/language/sentence.h"
#include "analyzer/model/analysis.h"
#include "analyzer/numbers/median.h"
#include "analyzer/ranks/peer_overlap.h"
#include "profile/names/peer_kernels.h"

namespace roofscope {
namespace {

constexpr double kLeastSpread = 0.05;  ///< share of the median; a smaller spread is noise
constexpr double kLeastLost = 0.01;    ///< share of the slowest rank's compared time

/// A sum of times; absent as soon as one launch has no duration.
struct TimeSum {
    std::optional<double> seconds = 0.0;
    std::size_t launches = 0;
    void add(std::optional<double> value) {
        ++launches;
        if (seconds && value)
            *seconds += *value;
        else
            seconds.reset();
    }
};

/// Launches of one rank, of one kernel or of all.
struct Tally {
    TimeSum all, compared;
    RankLaunches beside;
    bool overlapKnown = true;  ///< for all launches
};
using Tallies = std::map<std::uint32_t, Tally>;  ///< by rank

/// The parts of a launch that the comparison needs.
struct Timed {
    std::optional<double> seconds;
    std::optional<bool> beside;
};
using Timeds = std::map<std::uint32_t, std::vector<Timed>>;  ///< by rank, in the order of launching

std::optional<double> duration(const Profile& profile, std::size_t row, bool unprofiled) {
    if (unprofiled) return profile.launches[row].duration->value;
    if (const auto ns = profile.counters.value(counter::kDuration, row)) return *ns * 1e-9;
    return {};
}

/// Whether any rank ran the kernel at the same time as one that waits for other ranks.
bool anyOverlapsPeers(const Timeds& ranks) {
    return std::ranges::any_of(ranks, [](const auto& rank) {
        return std::ranges::any_of(rank.second, [](const Timed& t) { return t.beside == true; });
    });
}

bool equallyOften(const Timeds& ranks) {
    return std::ranges::all_of(ranks, [&](const auto& rank) {
        return rank.second.size() == ranks.begin()->second.size();
    });
}

/// Which launches of a kernel are compared, by their number in a rank: those that ran alone in
/// every rank. None if the n-th launches of two ranks may be different work.
std::vector<bool> comparedOf(const Timeds& ranks) {
    std::size_t most = 0;
    for (const auto& [rank, launches] : ranks) most = std::max(most, launches.size());
    if (!anyOverlapsPeers(ranks)) return std::vector<bool>(most, true);
    std::vector<bool> compared(most, equallyOften(ranks));
    for (const auto& [rank, launches] : ranks)
        for (std::size_t i = 0; i < launches.size(); ++i)
            if (launches[i].beside == true) compared[i] = false;
    return compared;
}

/// nullopt if fewer than two ranks have a known time. `sum`: which launches are added up.
std::optional<RankSpread> spreadOf(const Tallies& tallies, TimeSum Tally::*sum,
                                   const std::map<std::uint32_t, std::string>& hosts) {
    RankSpread spread;
    for (const auto& [rank, tally] : tallies) {
        const TimeSum& compared = tally.*sum;
        if (!compared.seconds || compared.launches == 0) continue;
        spread.ranks.push_back(
            {.rank = rank,
             .host = hosts.at(rank),
             .time = Seconds{*compared.seconds},
             .launches = compared.launches,
             .all = {.count = tally.all.launches, .time = Seconds{tally.all.seconds.value_or(0)}},
             .beside = tally.overlapKnown ? std::optional(tally.beside) : std::nullopt});
    }
    if (spread.ranks.size() < 2) return {};
    auto sorted = spread.ranks;
    std::ranges::stable_sort(sorted, {}, &RankTime::time);
    spread.fastest = sorted.front();
    spread.slowest = sorted.back();
    std::vector<double> seconds;
    for (const RankTime& rank : sorted) seconds.push_back(rank.time.value);
    spread.median = Seconds{medianOf(std::move(seconds))};
    if (spread.median.value > 0)
        spread.slowestOverMedian = spread.slowest.time.value / spread.median.value;
    return spread;
}

/// `uncertain`: seconds by which the difference may be wrong.
bool isMaterial(const RankSpread& spread, double whole, double uncertain = 0) {
    const double lost = spread.slowest.time.value - spread.median.value - uncertain;
    return spread.median.value > 0 && lost >= kLeastSpread * spread.median.value &&
           lost >= kLeastLost * whole;
}

/// Compares the ranks of a profile.
class Comparison {
public:
    Comparison(const Profile& profile, std::map<std::uint32_t, std::string> hosts)
        : m_profile(profile), m_hosts(std::move(hosts)) {
        m_report.ranks = m_hosts.size();
        collect();
        for (const auto& [kernel, ranks] : m_launchesOf) tally(kernel, ranks);
    }

    RankReport report() && {
        noteIncomplete();
        noteLeftOut();
        compareTotal();
        compareKernels();
        return std::move(m_report);
    }

private:
    /// The timed launches of each kernel; kernels that wait for other ranks are left out.
    void collect() {
        const auto& launches = m_profile.launches;
        const bool unprofiled = std::ranges::all_of(
            launches, [](const Launch& launch) { return launch.duration.has_value(); });
        // Launches whose counters were read ran alone anyway.
        const std::vector<std::optional<bool>> beside =
            unprofiled ? overlapPeers(m_profile)
                       : std::vector<std::optional<bool>>(launches.size());
        std::vector<bool> waits;
        for (const Kernel& kernel : m_profile.kernels)
            waits.push_back(waitsForPeers(kernel.symbol));
        for (std::size_t row = 0; row < launches.size(); ++row) {
            const Launch& launch = launches[row];
            const auto rank = m_profile.processes[launch.process].rank;
            if (!rank) continue;
            if (waits[launch.kernel])
                m_peerKernels = true;
            else
                m_launchesOf[launch.kernel][*rank].push_back(
                    {duration(m_profile, row, unprofiled), beside[row]});
        }
    }

    void tally(std::uint32_t kernel, const Timeds& ranks) {
        const std::vector<bool> compared = comparedOf(ranks);
        const bool alike = ranks.size() == m_hosts.size() && equallyOften(ranks);
        m_anyOverlap |= anyOverlapsPeers(ranks);
        if (ranks.size() > 1 && std::ranges::find(compared, true) == compared.end())
            ++m_notCompared;
        for (const auto& [rank, launches] : ranks)
            for (std::size_t i = 0; i < launches.size(); ++i) {
                const Timed& launch = launches[i];
                for (Tally* tally : {&m_total[rank], &m_byKernel[kernel][rank]}) {
                    tally->all.add(launch.seconds);
                    if (compared[i]) tally->compared.add(launch.seconds);
                    if (!launch.beside) tally->overlapKnown = false;
                    if (!launch.beside.value_or(false)) continue;
                    ++tally->beside.count;
                    tally->beside.time.value += launch.seconds.value_or(0);
                }
                if (!compared[i] && !alike) m_unequal[rank] += launch.seconds.value_or(0);
            }
    }

    void noteIncomplete() {
        std::string list;
        std::size_t incomplete = 0;
        for (const auto& [rank, tally] : m_total) {
            if (tally.all.seconds) continue;
            list += fmt::format("{}{}", list.empty() ? "" : ", ", rank);
            ++incomplete;
        }
        if (incomplete == 0) return;
        m_report.notes.push_back(
            incomplete == 1 ? wordsOf("launches without a duration: rank {} is not compared in the "
                                      "kernels concerned",
                                      list)
                            : wordsOf("launches without a duration: ranks {} are not compared in "
                                      "the kernels concerned",
                                      list));
    }

    void noteLeftOut() {
        if (m_peerKernels)
            m_report.notes.push_back(Words(
                "kernels that wait for other ranks (NCCL, NVSHMEM) are left out: in them the rank "
                "that comes first waits longest"));
        if (m_notCompared > 0)
            m_report.notes.push_back(
                m_notCompared == 1
                    ? Words("1 kernel is not compared: no launch runs alone in every rank, or the "
                            "ranks launch it a different number of times")
                    : wordsOf("{} kernels are not compared: no launch runs alone in every rank, or "
                              "the ranks launch them a different number of times",
                              m_notCompared));
    }

    void compareTotal() {
        auto spread = spreadOf(m_total, &Tally::compared, m_hosts);
        if (!spread) return;
        // If more time is left out of one rank than of the others, that may hide or cause a
        // difference.
        double uncertain = 0;
        for (const auto& [rank, seconds] : m_unequal) uncertain = std::max(uncertain, seconds);
        spread->material = isMaterial(*spread, spread->slowest.time.value, uncertain);
        m_report.total = std::move(*spread);
    }

    void compareKernels() {
        std::map<std::uint32_t, double> known, knownOfAll;
        for (const auto& [rank, host] : m_hosts) {
            known[rank] = wholeOf(rank, &Tally::compared);
            knownOfAll[rank] = wholeOf(rank, &Tally::all);
        }
        const auto differs = [&](const Tallies& tallies) {
            const auto spread = spreadOf(tallies, &Tally::all, m_hosts);
            return spread && isMaterial(*spread, knownOfAll[spread->slowest.rank]);
        };
        m_report.overlapMatters = m_anyOverlap && differs(m_total);
        for (const auto& [kernel, tallies] : m_byKernel) {
            if (m_anyOverlap && !m_report.overlapMatters)
                m_report.overlapMatters = differs(tallies);
            auto spread = spreadOf(tallies, &Tally::compared, m_hosts);
            if (!spread) continue;
            spread->kernel = kernel;
            spread->name = shortKernelName(m_profile.kernels[kernel].name);
            spread->material = isMaterial(*spread, known[spread->slowest.rank]);
            if (spread->material) m_report.kernels.push_back(std::move(*spread));
        }
        std::ranges::stable_sort(m_report.kernels, std::greater{}, [](const RankSpread& spread) {
            return spread.slowest.time.value - spread.median.value;
        });
    }

    /// A rank's whole time; kernels with a launch without duration do not count.
    double wholeOf(std::uint32_t rank, TimeSum Tally::*sum) const {
        double whole = 0;
        for (const auto& [kernel, tallies] : m_byKernel)
            if (const auto found = tallies.find(rank); found != tallies.end())
                whole += (found->second.*sum).seconds.value_or(0);
        return whole;
    }

    const Profile& m_profile;
    std::map<std::uint32_t, std::string> m_hosts;  ///< by rank
    RankReport m_report;
    std::map<std::uint32_t, Timeds> m_launchesOf;  ///< by kernel
    Tallies m_total;
    std::map<std::uint32_t, Tallies> m_byKernel;
    /// By rank, over all kernels: the time that is left out of it, but not equally of all ranks.
    std::map<std::uint32_t, double> m_unequal;
    std::size_t m_notCompared = 0;
    bool m_peerKernels = false, m_anyOverlap = false;
};

}  // namespace

RankReport compareRanks(const Profile& profile) {
    std::map<std::uint32_t, std::string> hosts;
    for (const Launch& launch : profile.launches)
        if (const Process& process = profile.processes[launch.process]; process.rank)
            hosts.try_emplace(*process.rank, process.host);
    if (hosts.size() < 2) return {};
    return Comparison(profile, std::move(hosts)).report();
}

}  // namespace roofscope
