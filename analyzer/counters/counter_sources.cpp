// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/counter_sources.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/counters/counter_names.h"

namespace roofscope {

namespace {

using std::string_view;
using namespace counter;

/// weight × product of the factors; unused factors are empty.
struct Term {
    double weight = 1;
    std::array<string_view, 3> factors;
};

/// One way to compute a counter: the sum of its terms.
struct Source {
    string_view counter;
    std::array<Term, 4> terms;
};

constexpr string_view kL1LoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr string_view kL1StoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";

/// Alternatives for one counter are tried in this order: exact counts first, then ratios and rates,
/// which were rounded for printing. Names without "sass" are counted by the hardware, those with it
/// per instruction; on kernels without replays they agree.
constexpr Source kSources[] = {
    // Global memory: requested bytes = average bytes per sector × sectors.
    {kGlobalLoadSectors, {{{1, {kL1LoadSectors}}}}},
    {kGlobalStoreSectors, {{{1, {kL1StoreSectors}}}}},
    {kGlobalLoadBytes,
     {{{1, {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", kL1LoadSectors}}}}},
    // Before Nsight Compute 2022, a percentage of a sector's 32 bytes.
    {kGlobalLoadBytes,
     {{{0.32, {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", kL1LoadSectors}}}}},
    {kGlobalStoreBytes,
     {{{1, {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", kL1StoreSectors}}}}},
    {kGlobalStoreBytes,
     {{{0.32,
        {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", kL1StoreSectors}}}}},
    {kGlobalLoads, {{{1, {"smsp__inst_executed_op_global_ld.sum"}}}}},
    {kGlobalLoads, {{{1, {"sass__inst_executed_global_loads"}}}}},
    {kGlobalLoads, {{{1, {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}}}}},
    {kGlobalStores, {{{1, {"smsp__inst_executed_op_global_st.sum"}}}}},
    {kGlobalStores, {{{1, {"sass__inst_executed_global_stores"}}}}},
    {kGlobalStores, {{{1, {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}}}}},
    {kAsyncCopies, {{{1, {"smsp__inst_executed_op_ldgsts.sum"}}}}},
    {kAsyncCopies,
     {{{1, {"sm__sass_inst_executed_op_ldgsts_cache_access.sum"}},
       {1, {"sm__sass_inst_executed_op_ldgsts_cache_bypass.sum"}}}}},
    {kGlobalTags, {{{1, {"memory_l1_tag_requests_global"}}}}},
    {kGlobalSectors,
     {{{1, {kL1LoadSectors}},
       {1, {kL1StoreSectors}},
       {1, {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"}},
       {1, {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"}}}}},
    {kGlobalSectors, {{{1, {"memory_l2_theoretical_sectors_global"}}}}},
    // Local memory.
    {kLocalSectors, {{{1, {kLocalLoadSectors}}, {1, {kLocalStoreSectors}}}}},
    {kLocalSectors, {{{1, {"memory_l2_theoretical_sectors_local"}}}}},
    // Shared memory.
    {kSharedLoadWavefronts,
     {{{1, {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}}}}},
    {kSharedStoreWavefronts,
     {{{1, {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}}}}},
    {kSharedLoadWavefronts, {{{1, {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}}}}},
    {kSharedStoreWavefronts, {{{1, {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}}}}},
    {kSharedLoads, {{{1, {"smsp__inst_executed_op_shared_ld.sum"}}}}},
    {kSharedLoads, {{{1, {"sass__inst_executed_shared_loads"}}}}},
    {kSharedStores, {{{1, {"smsp__inst_executed_op_shared_st.sum"}}}}},
    {kSharedStores, {{{1, {"sass__inst_executed_shared_stores"}}}}},
    // Requests and tag requests are equal on an H200, for every access pattern.
    {kL2TagRequests, {{{1, {"lts__t_requests.sum"}}}}},
    // The peak of the data stage is one wavefront per cycle and L1.
    {kLsuWavefronts, {{{0.01, {kLsuPipe, "l1tex__cycles_elapsed.sum"}}}}},
    // Caches, DRAM and clocks.
    {"dram__bytes_read.sum", {{{32, {"dram__sectors_read.sum"}}}}},
    {"dram__bytes_write.sum", {{{32, {"dram__sectors_write.sum"}}}}},
    {kSmClock, {{{1, {kGpcClock}}}}},
    {"l1tex__cycles_elapsed.avg.per_second", {{{1, {kSmClock}}}}},
    {"l1tex__cycles_elapsed.avg.per_second", {{{1, {kGpcClock}}}}},
    {kDuration, {{{1, {"gpu__time_duration.avg"}}}}},
    {kSmCyclesElapsed, {{{1e-9, {kSmClock, kDuration}}}}},
    {kSmCyclesElapsed, {{{1e-9, {kGpcClock, kDuration}}}}},
    // Instructions.
    {kWarpInstructions, {{{1, {"smsp__inst_executed.sum"}}}}},
    {kThreadInstructions, {{{1, {"thread_inst_executed"}}}}},
    {kThreadInstructions,
     {{{1, {"smsp__thread_inst_executed_per_inst_executed.ratio", "smsp__inst_executed.sum"}}}}},
};

/// Whether the table has all columns that a source needs.
bool leads(const CounterTable& counters, std::span<const Term> terms) {
    for (const Term& term : terms)
        for (const string_view factor : term.factors)
            if (!factor.empty() && !counters.has(factor)) return false;
    return true;
}

std::optional<SubstitutedColumn> evaluate(const CounterTable& counters, std::span<const Term> terms,
                                          std::span<const std::uint32_t> rows) {
    SubstitutedColumn result;
    result.values.assign(rows.size(), 0.0);
    for (const Term& term : terms) {
        if (term.factors[0].empty()) break;
        std::vector<double> product(rows.size(), term.weight);
        std::string text = term.weight == 1 ? std::string() : fmt::format("{:g}", term.weight);
        for (const string_view factor : term.factors) {
            if (factor.empty()) break;
            const std::vector<double> values = counters.column(factor).at(rows);
            if (std::ranges::none_of(values, [](double v) { return std::isfinite(v); }))
                return std::nullopt;
            for (std::size_t i = 0; i < rows.size(); ++i) product[i] *= values[i];
            text += (text.empty() ? "" : " × ") + std::string(factor);
        }
        for (std::size_t i = 0; i < rows.size(); ++i) result.values[i] += product[i];
        result.formula += (result.formula.empty() ? "" : " + ") + text;
    }
    // The factors may have been measured in different launches.
    for (const double value : result.values)
        if (std::isfinite(value)) return result;
    return std::nullopt;
}

bool partOfName(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

}  // namespace

namespace {

/// Calls `visit(terms)` for each way to compute the counter, until one call returns true.
template <class Visit>
void forEachAlternative(std::string_view counter, Visit visit) {
    for (const Source& source : kSources)
        if (source.counter == counter && visit(std::span<const Term>(source.terms))) return;

    // A count is also its rate × the time, or its rate per cycle × the cycles of its unit.
    if (!counter.ends_with(".sum")) return;
    constexpr double kSecondsPerNs = 1e-9;
    const std::string name(counter);
    const std::string unit = name.substr(0, name.find("__"));
    const std::string cycles = unit + "__cycles_elapsed.avg", clock = cycles + ".per_second";
    const std::string perSecond = name + ".per_second", perCycle = name + ".per_cycle_elapsed";
    const std::string perActive = name + ".per_cycle_active", active = unit + "__cycles_active.avg";
    // Exports of Nsight Compute before 2024 have the clock of a unit but not its cycles. SM
    // partitions (smsp) run at the SM's clock.
    const bool isQuarter = unit == "smsp";
    const Term rates[] = {
        {kSecondsPerNs, {perSecond, kDuration}},
        {1, {perCycle, cycles}},
        {kSecondsPerNs, {perCycle, clock, kDuration}},
        {1, {perCycle, isQuarter ? kSmCyclesElapsed : string_view(cycles)}},
        {kSecondsPerNs, {perCycle, isQuarter ? kSmClock : string_view(clock), kDuration}},
        {1, {perActive, active}}};
    for (const Term& rate : rates)
        if (visit(std::span<const Term>(&rate, 1))) return;
}

}  // namespace

std::optional<SubstitutedColumn> substituteCounter(const CounterTable& counters,
                                                   std::string_view counter,
                                                   std::span<const std::uint32_t> rows) {
    std::optional<SubstitutedColumn> found;
    forEachAlternative(counter, [&](std::span<const Term> terms) {
        found = evaluate(counters, terms, rows);
        return found.has_value();
    });
    return found;
}

bool canSubstitute(const CounterTable& counters, std::string_view counter) {
    bool can = false;
    forEachAlternative(counter,
                       [&](std::span<const Term> terms) { return can = leads(counters, terms); });
    return can;
}

std::string explainSubstitutes(std::string text, std::span<const Substitute> substitutes) {
    if (substitutes.empty()) return text;
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && partOfName(text[end])) ++end;
        if (end == at) {
            result += text[at++];
            continue;
        }
        const string_view word = string_view(text).substr(at, end - at);
        const Substitute* found = nullptr;
        for (const Substitute& substitute : substitutes)
            if (substitute.wanted == word) found = &substitute;
        const bool whole = word.size() == text.size();
        const bool compound = found && found->formula.find(' ') != std::string::npos && !whole;
        result += !found     ? std::string(word)
                  : compound ? "(" + found->formula + ")"
                             : found->formula;
        at = end;
    }
    return result;
}

Words explainSubstitutes(const Words& text, std::span<const Substitute> substitutes) {
    if (substitutes.empty()) return text;
    return Words::inEach(
        [&](Language language) { return explainSubstitutes(text.in(language), substitutes); });
}

}  // namespace roofscope
