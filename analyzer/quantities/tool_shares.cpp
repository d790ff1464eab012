// SPDX-License-Identifier: Apache-2.0
// Busy shares as Nsight Compute computed them ("….pct_of_peak_sustained_elapsed"), for profiles
// that lack the counters behind them.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "analyzer/quantities/derivation.h"
#include "analyzer/roofline/resources.h"

namespace roofscope {
namespace {

constexpr double kOfPercent = 0.01;
constexpr std::string_view kShareSuffix = ".avg.pct_of_peak_sustained_elapsed";

bool startsWithAny(std::string_view name, std::initializer_list<std::string_view> starts) {
    return std::ranges::any_of(starts, [&](std::string_view s) { return name.starts_with(s); });
}

}  // namespace

/// Takes the first of the shares that the profile has, if `share` is not known.
void Derivation::useGivenShare(R& share, const char* what,
                               std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        if (share.has()) return;
        R given = weighted(name, kOfPercent);
        if (!given.has()) continue;
        share = std::move(given);
        m_out.substitutes.push_back(
            {.wanted = fmt::format("use of {}", what), .formula = std::string(name)});
    }
}

/// The counter of the unit that a total is about: the one with the same value. Else the total's.
SharedText Derivation::totalsCounter(const R& total, std::string_view name, bool memory) const {
    constexpr double kDigits = 5.1e-5;  // an export has two digits of a percentage
    for (const std::string& one : m_profile.counters.names()) {
        if (!one.ends_with(kShareSuffix) || one.find("throughput") != one.npos) continue;
        if (memory ? !startsWithAny(one, {"dram__", "fbpa__", "l1tex__", "lts__"})
                   : !startsWithAny(one, {"sm__", "idc__"}))
            continue;
        const R share = weighted(one, kOfPercent);
        if (share.has() && std::abs(share->value - total->value) <= kDigits) return one;
    }
    return name;
}

void Derivation::toolShares() {
    useGivenShare(m_out.issueUtilisation, "instruction issue",
                  {"sm__issue_active.avg.pct_of_peak_sustained_elapsed",
                   "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
                   "sm__inst_executed.avg.pct_of_peak_sustained_elapsed"});
    useGivenShare(m_out.integerUtilisation, "the integer pipe",
                  {"sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed"});
    useGivenShare(m_out.sharedPipeUtilisation, "the L1's data stage",
                  {"l1tex__data_pipe_lsu_wavefronts.sum.pct_of_peak_sustained_elapsed"});
    // Shared memory's part of the data stage is a lower bound: it can show that the stage is the
    // limit, never that it is not.
    for (const std::string_view name :
         {"l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
          "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed"})
        if (!m_out.sharedPipeUtilisation.has())
            if (const R part = weighted(name, kOfPercent); part.has() && part->value >= kBusyShare)
                useGivenShare(m_out.sharedPipeUtilisation, "the L1's data stage, a lower bound",
                              {name});

    constexpr std::string_view kLsu = "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed",
                               kLsuPipeOfSm =
                                   "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed";
    m_out.lsuRequests = weighted(kLsu, kOfPercent);
    if (!m_out.lsuRequests.has()) m_out.lsuRequests = weighted(kLsuPipeOfSm, kOfPercent);

    constexpr std::string_view kSm = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
    m_out.smThroughput = weighted(kSm, kOfPercent);
    std::string_view of;
    for (const std::string_view name :
         {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
          "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
          "lts__throughput.avg.pct_of_peak_sustained_elapsed"}) {
        R given = weighted(name, kOfPercent);
        if (!given.has()) continue;
        m_out.memoryThroughputOfAll = m_out.memoryThroughputOfAll || name.starts_with("gpu__");
        if (m_out.memoryThroughput.has() && m_out.memoryThroughput->value >= given->value) continue;
        m_out.memoryThroughput = std::move(given);
        of = name;
    }
    if (const R& sm = m_out.smThroughput; sm.has() && sm->value >= kBusyShare)
        m_out.smThroughput.how = totalsCounter(sm, kSm, false);
    if (const R& memory = m_out.memoryThroughput; memory.has() && memory->value >= kBusyShare)
        m_out.memoryThroughput.how = totalsCounter(memory, of, true);
}

}  // namespace roofscope
