// SPDX-License-Identifier: Apache-2.0
// Formulas that replace counters missing in a profile.
#include <cmath>
#include <memory>
#include <set>

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/counter_sources.h"
#include "analyzer/model/analysis.h"
#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;

namespace {

constexpr std::uint32_t kSubstituteRows[] = {0, 1};

/// The same profile without some counters.
std::shared_ptr<Profile> without(const Profile& profile, const std::set<std::string_view>& gone) {
    auto result = std::make_shared<Profile>(profile);
    CounterTable kept(profile.counters.rows());
    for (const std::string& name : profile.counters.names()) {
        if (gone.contains(name)) continue;
        const auto column = profile.counters.column(name);
        kept.addColumn(name, column.all());
    }
    result->counters = std::move(kept);
    return result;
}

bool found(const KernelAnalysis& kernel, std::string_view rule) {
    for (const auto& finding : kernel.findings)
        if (finding.ruleId == rule && !finding.minor) return true;
    return false;
}

}  // namespace

TEST_CASE("substitutes: the first formula whose counters are there") {
    CounterTable table(2);
    CHECK_FALSE(substituteCounter(table, "dram__bytes_read.sum", kSubstituteRows).has_value());
    table.set("dram__bytes_read.sum.per_second", 0, 2e9);
    CHECK_FALSE(substituteCounter(table, "dram__bytes_read.sum", kSubstituteRows).has_value());
    table.set("gpu__time_duration.sum", 0, 500.0);
    const auto rate = substituteCounter(table, "dram__bytes_read.sum", kSubstituteRows);
    REQUIRE(rate.has_value());
    CHECK(rate->values[0] == Approx(1000.0));
    CHECK(std::isnan(rate->values[1]));  // a missing value stays missing
    CHECK(rate->formula == "1e-09 × dram__bytes_read.sum.per_second × gpu__time_duration.sum");
    table.set("dram__sectors_read.sum", 1, 3);
    const auto sectors = substituteCounter(table, "dram__bytes_read.sum", kSubstituteRows);
    REQUIRE(sectors.has_value());
    CHECK(sectors->values[1] == 96.0);
    CHECK(sectors->formula == "32 × dram__sectors_read.sum");
}

TEST_CASE("substitutes: per-cycle rates, sums of several counters") {
    CounterTable table(2);
    table.set("smsp__x.sum.per_cycle_elapsed", 0, 2.5);
    table.set("smsp__cycles_elapsed.avg", 0, 100);
    CHECK(substituteCounter(table, "smsp__x.sum", kSubstituteRows)->values[0] == 250.0);
    // Of two counters of shared wavefronts, that of instructions is exact.
    CounterTable shared(2);
    shared.set("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 0, 1026);
    shared.set("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 0, 1024);
    CHECK(substituteCounter(shared, counter::kSharedStoreWavefronts, kSubstituteRows)->values[0] ==
          1024.0);
    // Before 2024 exports have a unit's clock instead of its cycles, or those of the SM.
    CounterTable old(2);
    old.set("smsp__x.sum.per_cycle_elapsed", 0, 2.5);
    old.set("gpu__time_duration.sum", 0, 50);
    CHECK_FALSE(substituteCounter(old, "smsp__x.sum", kSubstituteRows).has_value());
    old.set("sm__cycles_elapsed.avg.per_second", 0, 1e9);
    CHECK(substituteCounter(old, "smsp__x.sum", kSubstituteRows)->values[0] == Approx(125.0));
    old.set("smsp__cycles_elapsed.avg.per_second", 0, 2e9);
    CHECK(substituteCounter(old, "smsp__x.sum", kSubstituteRows)->values[0] == Approx(250.0));
    // The SMs have the clock of their clusters.
    CounterTable gpc(2);
    gpc.set("gpc__cycles_elapsed.avg.per_second", 0, 1.5e9);
    CHECK(substituteCounter(gpc, counter::kSmClock, kSubstituteRows)->values[0] == 1.5e9);
    CounterTable active(2);
    active.set("lts__x.sum.per_cycle_active", 0, 2);
    active.set("lts__cycles_active.avg", 0, 30);
    CHECK(substituteCounter(active, "lts__x.sum", kSubstituteRows)->values[0] == 60.0);
    table.set("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 0, 4);
    CHECK_FALSE(substituteCounter(table, counter::kLocalSectors, kSubstituteRows).has_value());
    table.set("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 0, 0);
    CHECK(substituteCounter(table, counter::kLocalSectors, kSubstituteRows)->values[0] == 4.0);
}

TEST_CASE("substitutes: formulas replace whole names only") {
    const Substitute list[] = {{.wanted = "a.sum", .formula = "b × c"},
                               {.wanted = "d.sum", .formula = "e"}};
    CHECK(explainSubstitutes("a.sum / (32 × d.sum)", list) == "(b × c) / (32 × e)");
    CHECK(explainSubstitutes("a.sum", list) == "b × c");
    CHECK(explainSubstitutes("a.sum.per_second + xa.sum", list) == "a.sum.per_second + xa.sum");
}

TEST_CASE("substitutes: none in what roofscope recorded") {
    for (const char* name : {"h200_bundled", "h200_lightning_shapes"})
        CHECK(test::recorded(name).substitutes.empty());
}

TEST_CASE("substitutes: without widths no finding appears that widths would not make") {
    using namespace counter;
    for (const char* name : {"h200_bundled", "h200_lightning_shapes"}) {
        const Analysis& known = test::recorded(name);
        const Analysis inferred =
            analyze(without(*known.profile, {kWidth8, kWidth16, kWidth32, kWidth64, kWidth128}));
        REQUIRE(known.kernels.size() == inferred.kernels.size());
        for (std::size_t i = 0; i < known.kernels.size(); ++i) {
            const auto& a = known.kernels[i];
            const auto& b = inferred.kernels[i];
            INFO(a.name << " " << a.range);
            REQUIRE(a.group.launches == b.group.launches);
            for (const char* rule : {"global-narrow-access", "shared-bank-conflict"})
                if (found(b, rule)) CHECK(found(a, rule));
            if (b.quantities.shared.excessCertain.has())
                CHECK(b.quantities.shared.excessCertain->value <=
                      a.quantities.shared.excessCertain->value + 1e-12);
        }
    }
}
