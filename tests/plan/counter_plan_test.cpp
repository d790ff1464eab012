// SPDX-License-Identifier: Apache-2.0
#include "collector/plan/counter_plan.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "collector/plan/host_object.h"
#include "collector/plan/pass_groups.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace roofscope;

namespace {

/// The host API. Without it the program ends as "skipped" (77), which ctest shows.
const CuptiApi& api() {
#ifdef __SANITIZE_ADDRESS__
    // libnvperf_host opens itself with RTLD_DEEPBIND, which AddressSanitizer refuses by aborting.
    std::fprintf(stderr, "SKIPPED: CUPTI's host API does not run under AddressSanitizer\n");
    std::exit(77);
#endif
    static const CuptiApi* loaded = [] {
        std::string whyNot;
        const CuptiApi* found = CuptiApi::load(&whyNot);
        if (found == nullptr) {
            std::fprintf(stderr, "SKIPPED: no libcupti, so no chip table was checked: %s\n",
                         whyNot.c_str());
            std::exit(77);
        }
        return found;
    }();
    return *loaded;
}

/// The chips listed by this CUPTI ("GH100", …).
std::vector<std::string> listedChips() {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params, params);
    REQUIRE(api().ProfilerHostGetSupportedChips(&params) == CUPTI_SUCCESS);
    return {params.ppChipNames, params.ppChipNames + params.numChips};
}

/// Chips that this CUPTI lists but cannot describe: it refuses a host object for them.
const std::set<std::string> kListedOnly{"GV11B"};

std::vector<std::string> describedChips() {
    auto chips = listedChips();
    std::erase_if(chips, [](const auto& chip) { return kListedOnly.contains(chip); });
    return chips;
}

CounterPlan planFor(const std::string& chip, std::vector<std::string> groups) {
    auto plan = planCounters(api(), {.chip = chip, .groups = std::move(groups)});
    INFO(chip);
    if (!plan.ok()) FAIL(plan.error().message());
    return *plan;
}

}  // namespace

TEST_CASE("every chip that CUPTI lists has a table of its own") {
    const auto listed = listedChips();
    REQUIRE(listed.size() >= 25);
    const auto known = knownChips();
    for (const auto& chip : listed) {
        INFO(chip);
        CHECK(std::ranges::binary_search(known, chip));
        const auto table = chipTable(chip);
        REQUIRE(table.ok());
        CHECK(table->chip == chip);
        CHECK(table->verified != kListedOnly.contains(chip));
        const auto host = HostObject::create(api(), chip);
        CHECK(host.ok() != kListedOnly.contains(chip));
    }
}

TEST_CASE("every table is of a chip that CUPTI lists, by the name that CUPTI uses",
          "[needs-cupti-13]") {
    constexpr std::uint32_t kFirstWithAllChips = 130'000;  // CUDA 13.0
    if (api().version < kFirstWithAllChips) SKIP_CASE("this CUPTI is older than the chips");
    const auto listed = listedChips();
    for (const auto& chip : knownChips()) {
        INFO(chip);
        CHECK(std::ranges::find(listed, chip) != listed.end());
    }
}

TEST_CASE("every counter of every table exists on its chip") {
    for (const auto& chip : describedChips()) {
        INFO(chip);
        const auto table = chipTable(chip);
        const auto host = HostObject::create(api(), chip);
        REQUIRE(table.ok());
        REQUIRE(host.ok());
        for (const auto& [name, group] : table->groups) {
            INFO(name);
            CHECK_FALSE(group.counters.empty());
            for (const auto& counter : group.counters) {
                INFO(counter);
                CHECK(host->hasMetric(counter));
            }
        }
        for (const auto& [name, terms] : table->sums) {
            INFO("sum " << name);
            for (const auto& term : terms) {
                INFO(term.counter);
                CHECK(host->hasMetric(term.counter));
                // The analyzer must get it from a default recording; tensor-core counters are
                // recorded on request.
                const auto& counters =
                    table->groups.at(name.starts_with("tensor_") ? "tensor" : "default").counters;
                CHECK(std::ranges::find(counters, term.counter) != counters.end());
            }
        }
        for (const auto& [name, peak] : table->peaks) {
            INFO("peak " << name);
            if (peak.perSm == 0) {
                CHECK(host->hasMetric(peak.counter));
                CHECK(peak.counter.ends_with(".peak_sustained"));
            }
            const auto& counters = table->groups.at("default").counters;
            CHECK(std::ranges::find(counters, peak.clock) != counters.end());
        }
    }
}

TEST_CASE("what a table calls absent is absent") {
    for (const auto& chip : describedChips()) {
        INFO(chip);
        const auto table = chipTable(chip);
        const auto host = HostObject::create(api(), chip);
        REQUIRE(table.ok());
        REQUIRE(host.ok());
        for (const auto& [counter, why] : table->absent) {
            INFO(counter);
            CHECK_FALSE(why.empty());
            CHECK_FALSE(host->hasMetric(counter + ".sum"));
            CHECK_FALSE(host->hasMetric(counter + ".ratio"));
        }
    }
}

TEST_CASE("sums and peaks are there on every chip, DRAM where it has counters") {
    const std::set<std::string> sums{"l2_bytes_read", "l2_bytes_write", "l2_bytes_ncu",
                                     "l1_bytes",      "shared_bytes",   "fp64_flops",
                                     "fp32_flops",    "fp16_flops"};
    for (const auto& chip : describedChips()) {
        INFO(chip);
        const auto table = chipTable(chip);
        REQUIRE(table.ok());
        for (const auto& sum : sums) {
            INFO(sum);
            CHECK(table->sums.contains(sum));
        }
        for (const char* peak : {"l2", "shared", "fp64", "fp32", "fp16"}) {
            INFO(peak);
            CHECK(table->peaks.contains(peak));
        }
        const auto host = HostObject::create(api(), chip);
        REQUIRE(host.ok());
        const bool counted = host->hasMetric("dram__bytes.sum");
        CHECK(table->hasDramCounters == counted);
        CHECK(table->sums.contains("dram_bytes_read") == counted);
        CHECK(table->sums.contains("dram_bytes_write") == counted);
        CHECK(table->peaks.contains("dram") == counted);
        const bool noted = std::ranges::any_of(
            table->notes, [](const auto& note) { return note.find("DRAM") != std::string::npos; });
        CHECK(noted == !counted);
    }
}

TEST_CASE("every group stays within its pass budget") {
    for (const auto& chip : describedChips()) {
        const auto table = chipTable(chip);
        REQUIRE(table.ok());
        for (const auto& [name, group] : table->groups) {
            const auto plan = planFor(chip, {name});
            INFO(chip << " " << name << ": " << plan.passes << " passes");
            CHECK(plan.passes >= 1);
            CHECK(group.maxPasses >= 1);
            CHECK(plan.passes <= static_cast<std::size_t>(group.maxPasses));
            CHECK(plan.dropped.empty());
        }
    }
}

TEST_CASE("the default set needs two passes on current chips") {
    for (const char* chip : {"GH100", "AD102", "GB100", "GB202"}) {
        INFO(chip);
        CHECK(planFor(chip, {"default"}).passes <= 2);
    }
    for (const char* chip : {"TU102", "GA100"}) {
        INFO(chip);
        CHECK(planFor(chip, {"default"}).passes <= 3);
    }
}

TEST_CASE("the plan of GH100") {
    const auto plan = planFor("GH100", {"default"});
    CHECK(plan.counters.size() == 60);
    CHECK(plan.counters.front() == "gpu__time_duration.sum");
    CHECK(plan.peaks.size() == 7);
    CHECK(plan.configImage.size() > 1000);
    CHECK(plan.table.family == "sm_90");
}

TEST_CASE("groups asked for together share one configuration") {
    const auto both = planFor("GH100", {"default", "shared", "default"});
    const auto one = planFor("GH100", {"default"});
    CHECK(both.counters.size() > one.counters.size());
    const std::set<std::string> unique(both.counters.begin(), both.counters.end());
    CHECK(unique.size() == both.counters.size());
    // The group "shared" is counted by software, in the pass that the default set needs anyway.
    CHECK(both.passes == one.passes);
}

TEST_CASE("an unknown counter is dropped with a reason and does not spoil the rest") {
    const auto plan = planCounters(
        api(), {.chip = "GH100",
                .groups = {"default"},
                .counters = {"no__such_counter.sum", "dram__bytes_read", "dram__bytes_read.sun"}});
    REQUIRE(plan.ok());
    CHECK(plan->counters.size() == 60);
    REQUIRE(plan->dropped.size() == 3);
    CHECK(plan->dropped[0].counter == "no__such_counter.sum");
    CHECK(plan->dropped[0].reason.find("GH100") != std::string::npos);
    CHECK(plan->dropped[1].reason.find("roll-up") != std::string::npos);
    CHECK(plan->passes == 2);
}

TEST_CASE("requests that cannot be met") {
    const auto unknown = planCounters(api(), {.chip = "GH100", .groups = {"defualt"}});
    REQUIRE_FALSE(unknown.ok());
    CHECK(unknown.error().code == ErrorCode::Usage);
    CHECK(unknown.error().advice.find("default") != std::string::npos);

    const auto elsewhere = planCounters(api(), {.chip = "AD102", .groups = {"default", "tma"}});
    REQUIRE(elsewhere.ok());
    CHECK(elsewhere->unavailableGroups == std::vector<std::string>{"tma"});

    CHECK_FALSE(planCounters(api(), {.chip = "AD102", .groups = {"tma"}}).ok());
    CHECK_FALSE(planCounters(api(), {.chip = "GH100", .groups = {}}).ok());
    CHECK_FALSE(planCounters(api(), {.chip = "gh100"}).ok());
    CHECK_FALSE(planCounters(api(), {.chip = "GH999", .computeMajor = 9}).ok());
    CHECK_FALSE(planCounters(api(), {.chip = "GV11B"}).ok());
}

TEST_CASE("application replay: groups of one pass that hold every counter once") {
    for (const auto& [groups, most] :
         std::vector<std::pair<std::vector<std::string>, std::size_t>>{{{"default"}, 2},
                                                                       {{"default", "stalls"}, 11},
                                                                       {{"default", "memory"}, 7},
                                                                       {{"tensor"}, 4}}) {
        const PlanRequest request{.chip = "GH100", .groups = groups};
        const auto split = splitIntoPasses(api(), request);
        REQUIRE(split.ok());
        INFO(groups.back());
        CHECK(split->groups.size() <= most);
        std::multiset<std::string> planned;
        for (const auto& group : split->groups) {
            planned.insert(group.begin(), group.end());
            const auto alone =
                planCounters(api(), {.chip = "GH100", .groups = {}, .counters = group});
            REQUIRE(alone.ok());
            CHECK(alone->passes == 1);
        }
        for (const std::string& counter : split->severalPasses) {
            planned.insert(counter);
            CHECK(planCounters(api(), {.chip = "GH100", .groups = {}, .counters = {counter}})
                      ->passes > 1);
        }
        CHECK(split->severalPasses.empty() == (groups.back() != "tensor"));
        const auto all = planFor("GH100", groups);
        CHECK(planned == std::multiset<std::string>(all.counters.begin(), all.counters.end()));
    }
}
