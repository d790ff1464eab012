// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/planner.h"

#include <algorithm>
#include <memory>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/launches/grouping.h"
#include "analyzer/over_time/over_time_analysis.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;

namespace {

/// A large, a medium and a negligible kernel; `open` sets their open rules. A finding that no line
/// could improve explains them.
Analysis analysisOf(double middle = 190) {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) p.launch("large", 800).launch("middle", middle).launch("small", 10);
    Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
    for (KernelAnalysis& kernel : analysis.kernels) {
        kernel.cannotTell.clear();
        kernel.findings.assign(
            1, {.ruleId = "wave-tail",
                .gain = Derived<Seconds>::of(kernel.quantities.duration.median * 0.34, "test")});
        kernel.verdict.headroom = Derived<Seconds>::of(kernel.quantities.duration.median, "test");
    }
    return analysis;
}

KernelAnalysis& kernelOf(Analysis& analysis, std::string_view name) {
    return *std::ranges::find(analysis.kernels, name, &KernelAnalysis::name);
}
void open(KernelAnalysis& kernel, const char* rule, std::vector<CounterGroup> groups) {
    kernel.cannotTell.push_back({.ruleId = rule, .groups = std::move(groups)});
}
std::vector<FollowUp> planOf(const Analysis& analysis, FollowUpOptions options = {}) {
    return planFollowUps(analysis, analyzeProgram(analysis), options);
}
using Groups = std::vector<CounterGroup>;

}  // namespace

TEST_CASE("without open questions nothing is asked") { CHECK(planOf(analysisOf()).empty()); }

TEST_CASE("what could change the verdict of a kernel that matters is asked, and only of it") {
    Analysis analysis = analysisOf();
    open(kernelOf(analysis, "large"), "integer-arithmetic", {CounterGroup::Pipes});
    open(kernelOf(analysis, "small"), "integer-arithmetic", {CounterGroup::Pipes});
    const auto plan = planOf(analysis);
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].groups == Groups{CounterGroup::Pipes});
    REQUIRE(plan[0].kernels.size() == 1);
    CHECK(analysis.kernels[plan[0].kernels[0]].name == "large");
    CHECK(plan[0].reasons[0].rule == "integer-arithmetic");
    CHECK(plan[0].estimate.value > 1);
    CHECK(plan[0].why.in(Language::En).find("pipes of large") != std::string::npos);
}

TEST_CASE("without a window a kernel counts with its share of all kernels' time") {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) p.launch("large", 800).launch("small", 10);
    Profile profile = p.build();
    profile.timeline = {};
    profile.processes[0].timeline.reset();
    for (Launch& launch : profile.launches) launch.start.reset();
    Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    for (KernelAnalysis& kernel : analysis.kernels) {
        kernel.cannotTell.clear();
        open(kernel, "integer-arithmetic", {CounterGroup::Pipes});
    }
    const auto plan = planOf(analysis);
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].kernels.size() == 1);
    CHECK(plan[0].why.in(Language::En).find("large (99 % of the time)") != std::string::npos);
}

TEST_CASE("an answer that could bring less than 3 % of the window is not asked for") {
    Analysis analysis = analysisOf();
    KernelAnalysis& large = kernelOf(analysis, "large");
    const auto rules = allRules();
    const auto quiet = std::ranges::find_if(
        rules, [](const Rule* rule) { return rule->check && !rule->canChangeVerdict; });
    REQUIRE(quiet != rules.end());
    open(large, std::string((*quiet)->id).c_str(), {CounterGroup::Cache});
    CHECK(planOf(analysis).size() == 1);
    large.verdict.headroom = Derived<Seconds>::of({8e-6}, "test");  // 1 % of 80 %
    CHECK(planOf(analysis).empty());
}

TEST_CASE(
    "a rule that needs machine code is asked for once, and its two runs have to be worth it") {
    Analysis analysis = analysisOf();
    open(kernelOf(analysis, "large"), "precise-math", {CounterGroup::Source});
    open(kernelOf(analysis, "large"), "shared-atomics", {CounterGroup::Source});
    // At the roof, but other instructions may do the same work.
    kernelOf(analysis, "large").verdict.headroom = Derived<Seconds>::of({8e-6}, "test");
    const auto plan = planOf(analysis);
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].groups == Groups{CounterGroup::Source});
    CHECK(plan[0].reasons.size() == 1);
    CHECK(plan[0].why.in(Language::En).find("source lines of large") != std::string::npos);
    Analysis small = analysisOf(50);  // 6 % of the window
    open(kernelOf(small, "middle"), "precise-math", {CounterGroup::Source});
    for (KernelAnalysis& kernel : small.kernels) kernel.findings.clear();
    CHECK(planOf(small, {.plainRun = Seconds{2}}).size() == 1);
    CHECK(planOf(small, {.plainRun = Seconds{5}}).empty());
}

TEST_CASE("a long launch is only sampled; where it is instrumented, that counts among the costs") {
    Analysis analysis = analysisOf();
    open(kernelOf(analysis, "large"), "precise-math", {CounterGroup::Source});
    const FollowUpOptions options{.plainRun = Seconds{2}};
    const double usual = planOf(analysis, options).front().estimate.value;
    kernelOf(analysis, "large").quantities.duration.median = Seconds{4};
    CHECK(planOf(analysis, options).front().estimate.value < usual);
    CHECK(planOf(analysis, {.left = Seconds{60}, .plainRun = Seconds{2}}).size() == 1);
    const FollowUpOptions deep{.effort = Effort::Deep, .plainRun = Seconds{2}};
    CHECK(planOf(analysis, deep).front().estimate.value > usual + 900);
}

TEST_CASE("samples say what the warps of a long launch wait for, and passes take as long as it") {
    Analysis analysis = analysisOf();
    KernelAnalysis& large = kernelOf(analysis, "large");
    open(large, "dominant-stall", {CounterGroup::Stalls});
    const FollowUpOptions options{.plainRun = Seconds{2}};
    const auto shortPlan = planOf(analysis, options);
    REQUIRE(shortPlan.size() == 1);
    CHECK(shortPlan.front().groups == Groups{CounterGroup::Stalls});
    large.quantities.duration.median = Seconds{3};
    large.verdict.headroom = Derived<Seconds>::of(Seconds{3}, "test");
    const auto plan = planOf(analysis, options);
    REQUIRE(plan.size() == 1);
    CHECK(plan.front().groups == Groups{CounterGroup::Source});
    const FollowUpOptions deep{.effort = Effort::Deep, .plainRun = Seconds{2}};
    const auto all = planOf(analysis, deep);
    const auto stalls = std::ranges::find_if(all, [](const FollowUp& run) {
        return std::ranges::find(run.groups, CounterGroup::Stalls) != run.groups.end();
    });
    REQUIRE(stalls != all.end());
    CHECK(stalls->estimate.value > shortPlan.front().estimate.value + 3 * 3);
}

TEST_CASE("a question whose run takes long has to be worth more") {
    Analysis analysis = analysisOf(50);  // 6 % of the window
    open(kernelOf(analysis, "middle"), "integer-arithmetic", {CounterGroup::Pipes});
    CHECK(planOf(analysis, {.plainRun = Seconds{2}}).size() == 1);
    CHECK(planOf(analysis, {.plainRun = Seconds{10}}).empty());
    CHECK(planOf(analysis, {.effort = Effort::Deep, .plainRun = Seconds{10}}).size() >= 1);
    open(kernelOf(analysis, "large"), "integer-arithmetic", {CounterGroup::Pipes});
    const auto plan = planOf(analysis, {.plainRun = Seconds{60}});
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].kernels.size() == 1);
}

TEST_CASE("what could not change the first action is not asked for where a run takes long") {
    const auto plan = [](double onCpu, Effort effort, double run = 6) {
        SyntheticProgram p;
        for (int i = 0; i < 6; ++i) p.launch("large", 800).sync().work(onCpu);
        Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
        KernelAnalysis& large = kernelOf(analysis, "large");
        large.cannotTell.clear();
        large.verdict.headroom = Derived<Seconds>::of(large.quantities.duration.median, "test");
        open(large, "integer-arithmetic", {CounterGroup::Pipes});
        return planOf(analysis, {.effort = effort, .plainRun = Seconds{run}}).size();
    };
    CHECK(plan(1600, Effort::Auto) == 1);
    CHECK(plan(8000, Effort::Auto) == 0);
    CHECK(plan(8000, Effort::Auto, 2) == 1);    // what a kernel waits for is worth a short run
    CHECK(plan(16'000, Effort::Auto, 2) == 0);  // but not if it takes a twentieth of the time
    CHECK(plan(8000, Effort::Deep) >= 1);
}

TEST_CASE("what findings promise already needs no answer where a run takes long") {
    const auto plan = [](double promised, double run, Effort effort = Effort::Auto,
                         bool mayChange = false) {
        Analysis analysis = analysisOf();
        KernelAnalysis& large = kernelOf(analysis, "large");
        Finding finding;
        finding.ruleId = "missing-tensor-core";
        finding.gain = Derived<Seconds>::of(large.quantities.duration.median * promised, "test");
        large.findings = {finding};
        if (mayChange)
            open(large, "integer-arithmetic", {CounterGroup::Pipes});
        else
            open(large, "dominant-stall", {CounterGroup::Stalls});
        return planOf(analysis, {.effort = effort, .plainRun = Seconds{run}}).size();
    };
    CHECK(plan(0.3, 6) == 1);
    CHECK(plan(0.9, 6) == 0);
    CHECK(plan(0.9, 2) == 1);
    CHECK(plan(0.9, 6, Effort::Deep) >= 1);
    CHECK(plan(0.9, 6, Effort::Auto, true) == 1);  // with another verdict it promises nothing
}

TEST_CASE("questions share a run where that is quicker than another start of the program") {
    Analysis analysis = analysisOf();
    open(kernelOf(analysis, "large"), "integer-arithmetic", {CounterGroup::Pipes});
    open(kernelOf(analysis, "middle"), "atomic-contention", {CounterGroup::Atomics});
    const auto slow = planOf(analysis, {.plainRun = Seconds{30}});
    REQUIRE(slow.size() == 1);
    CHECK(slow[0].groups == Groups{CounterGroup::Atomics, CounterGroup::Pipes});
    CHECK(slow[0].kernels.size() == 2);
    CHECK(analysis.kernels[slow[0].kernels[0]].name == "large");
}

TEST_CASE("a time limit keeps what is worth most") {
    Analysis analysis = analysisOf();
    open(kernelOf(analysis, "large"), "integer-arithmetic", {CounterGroup::Pipes});
    open(kernelOf(analysis, "middle"), "atomic-contention", {CounterGroup::Atomics});
    const auto all = planOf(analysis);
    double cost = 0;
    for (const FollowUp& run : all) cost += run.estimate.value;
    const auto some = planOf(analysis, {.left = Seconds{cost - 0.01}});
    REQUIRE(some.size() == 1);
    CHECK(some[0].kernels.size() == 1);
    CHECK(analysis.kernels[some[0].kernels[0]].name == "large");
    CHECK(planOf(analysis, {.left = Seconds{0.1}}).empty());
}

TEST_CASE("effort: quick asks nothing, deep asks for lines as well") {
    Analysis analysis = analysisOf();
    open(kernelOf(analysis, "large"), "integer-arithmetic", {CounterGroup::Pipes});
    CHECK(planOf(analysis, {.effort = Effort::Quick}).empty());
    const auto deep = planOf(analysis, {.effort = Effort::Deep});
    REQUIRE(deep.size() == 3);
    const auto lines = std::ranges::count_if(
        deep, [](const FollowUp& run) { return run.groups == Groups{CounterGroup::Source}; });
    CHECK(lines == 2);  // of `large` and `middle`
    for (const FollowUp& run : deep) CHECK(run.kernels.size() == 1);
    for (const char* name : {"quick", "auto", "deep"})
        CHECK(toString(*parseEffort(name)) == std::string(name));
    CHECK_FALSE(parseEffort("hard").has_value());
}

TEST_CASE("lines are asked for by default where the first finding is in one") {
    Analysis analysis = analysisOf();
    KernelAnalysis& large = kernelOf(analysis, "large");
    Finding finding;
    finding.ruleId = "global-uncoalesced";
    finding.gain = Derived<Seconds>::of({400e-6}, "test");
    large.findings = {finding};
    REQUIRE(planOf(analysis).size() == 1);
    CHECK(planOf(analysis)[0].groups == Groups{CounterGroup::Source});
    // Readers of the report cannot edit a library's kernel.
    large.origin = KernelOrigin::Library;
    CHECK(planOf(analysis).empty());
    large.origin = KernelOrigin::Own;
    large.findings[0].ruleId = "wave-tail";  // no source line shows it
    CHECK(planOf(analysis).empty());
    // The second finding is also shown if its gain is worth it.
    large.findings.push_back(finding);
    CHECK(planOf(analysis).size() == 1);
    large.findings[1].gain = Derived<Seconds>::of({8e-6}, "test");  // 1 % of 80 %
    CHECK(planOf(analysis).empty());
}

TEST_CASE("the lines of one kernel stand for all kernels of the first action") {
    const auto asked = [](const char* rule) {
        SyntheticProgram p;
        for (int i = 0; i < 6; ++i)
            for (const char* kernel : {"a", "b", "c", "d"}) p.launch(kernel, 250);
        Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
        for (KernelAnalysis& kernel : analysis.kernels) {
            kernel.cannotTell.clear();
            kernel.findings.assign(
                1, {.ruleId = rule, .gain = Derived<Seconds>::of({200e-6}, "test")});
        }
        // A run of more than 4 s: it must be able to save a third of what the first action
        // does.
        return planOf(analysis, {.plainRun = Seconds{3.5}}).size();
    };
    CHECK(asked("global-uncoalesced") == 1);
    CHECK(asked("wave-tail") == 0);  // no source line shows it
}

TEST_CASE("lines of what takes most, and nothing explains, are asked for where it is quick") {
    Analysis analysis = analysisOf();
    KernelAnalysis& large = kernelOf(analysis, "large");
    for (KernelAnalysis& kernel : analysis.kernels) kernel.findings.clear();
    const auto plan = planOf(analysis);
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].groups == Groups{CounterGroup::Source});
    CHECK(analysis.kernels[plan[0].kernels[0]].name == "large");
    CHECK(planOf(analysis, {.plainRun = Seconds{3}}).empty());
    SECTION("not where it is near a roof") {
        large.verdict.headroom = Derived<Seconds>::of(large.quantities.duration.median * 0.2, "");
        CHECK(planOf(analysis).empty());
    }
    SECTION("not where anything else is open") {
        open(large, "integer-arithmetic", {CounterGroup::Pipes});
        REQUIRE(planOf(analysis).size() == 1);
        CHECK(planOf(analysis)[0].groups == Groups{CounterGroup::Pipes});
    }
    SECTION("not of a library") {
        large.origin = KernelOrigin::Library;
        CHECK(planOf(analysis).empty());
    }
}

TEST_CASE("samples are not read where instructions limit a kernel, or counters explain it") {
    KernelAnalysis kernel;
    kernel.quantities.duration.median = Seconds{1e-4};
    const auto read = [&](VerdictClass cls, std::optional<ResourceId> limiter) {
        kernel.verdict.cls = cls;
        kernel.verdict.limiter = limiter;
        return samplesShowMore(kernel);
    };
    CHECK_FALSE(read(VerdictClass::ComputeBound, ResourceId::Issue));
    CHECK_FALSE(read(VerdictClass::NearRoof, ResourceId::Integer));
    CHECK(read(VerdictClass::NearRoof, ResourceId::Dram));
    CHECK(read(VerdictClass::LatencyBound, std::nullopt));
    kernel.findings = {
        {.ruleId = "global-uncoalesced", .gain = Derived<Seconds>::of({60e-6}, "test")}};
    CHECK_FALSE(read(VerdictClass::LatencyBound, std::nullopt));  // counters show its lines
    kernel.findings[0].gain = Derived<Seconds>::of({40e-6}, "test");
    CHECK(read(VerdictClass::LatencyBound, std::nullopt));
    kernel.findings = {{.ruleId = "dominant-stall", .gain = Derived<Seconds>::of({60e-6}, "test")}};
    CHECK(read(VerdictClass::LatencyBound, std::nullopt));
    kernel.findings.clear();
    kernel.quantities.duration.median = Seconds{1e-2};  // too long to be instrumented
    CHECK(read(VerdictClass::ComputeBound, ResourceId::Issue));
}

TEST_CASE("what was asked is not asked again, whatever came of it") {
    Analysis analysis = analysisOf();
    KernelAnalysis &large = kernelOf(analysis, "large"), &middle = kernelOf(analysis, "middle");
    open(large, "integer-arithmetic", {CounterGroup::Pipes, CounterGroup::Cache});
    FollowUpOptions options{
        .asked = {{.groups = {CounterGroup::Pipes}, .launches = {large.group.launches.back()}}}};
    REQUIRE(planOf(analysis, options).size() == 1);
    CHECK(planOf(analysis, options)[0].groups == Groups{CounterGroup::Cache});
    options.asked.push_back(
        {.groups = {CounterGroup::Cache}, .launches = middle.group.launches});  // another kernel
    CHECK(planOf(analysis, options).size() == 1);
    options.asked.back().launches = large.group.launches;
    CHECK(planOf(analysis, options).empty());
    // Source lines belong to the function, not to one shape of it.
    options.effort = Effort::Deep;
    options.asked.push_back({.groups = {CounterGroup::Source}, .launches = large.group.launches});
    const auto lines = planOf(analysis, options);
    REQUIRE(lines.size() == 1);
    CHECK(analysis.kernels[lines[0].kernels[0]].name == "middle");
}

TEST_CASE("what a further run read in vain is not asked for again, of these launches") {
    SyntheticProgram p;
    for (int i = 0; i < 4; ++i) p.launch("large", 800).launch("middle", 190);
    Profile profile = p.build();
    profile.capture.groups = {"default"};
    profile.capture.further = {{.groups = {"pipes"}, .launches = {2}}};
    const auto groups = groupLaunches(profile);
    REQUIRE(groups.size() == 2);
    CHECK(wasRead(profile.capture, groups[0], CounterGroup::Pipes));
    CHECK_FALSE(wasRead(profile.capture, groups[0], CounterGroup::Cache));
    CHECK_FALSE(wasRead(profile.capture, groups[1], CounterGroup::Pipes));
    CHECK(wasRead(profile.capture, groups[1], CounterGroup::Default));
}

TEST_CASE("a roof that may not be the end leaves more open than the distance to it") {
    Analysis analysis = analysisOf();
    KernelAnalysis& large = kernelOf(analysis, "large");
    large.verdict.headroom = Derived<Seconds>::of({1e-6}, "test");
    open(large, "dominant-stall", {CounterGroup::Stalls});
    CHECK(planOf(analysis).empty());
    open(large, "mma-instead-of-wgmma", {CounterGroup::Tensor});
    REQUIRE(planOf(analysis).size() == 1);
    CHECK(planOf(analysis)[0].groups == Groups{CounterGroup::Tensor});
}

TEST_CASE("source lines of kernels that only graphs launch are not asked for") {
    Analysis analysis = analysisOf();
    Profile profile = *analysis.profile;
    for (Launch& launch : profile.launches) launch.fromGraph = true;
    analysis.profile = std::make_shared<const Profile>(std::move(profile));
    CHECK(planOf(analysis, {.effort = Effort::Deep}).empty());
}

TEST_CASE("kernels that wait for other GPUs are never asked about") {
    Analysis analysis = analysisOf();
    KernelAnalysis& large = kernelOf(analysis, "large");
    open(large, "integer-arithmetic", {CounterGroup::Pipes});
    large.verdict.cls = VerdictClass::WaitsForPeers;
    CHECK(planOf(analysis).empty());
}

TEST_CASE(
    "the course of a kernel is asked for where its averages may hide it, in a run of its own") {
    Analysis analysis = analysisOf();
    KernelAnalysis &large = kernelOf(analysis, "large"), &middle = kernelOf(analysis, "middle");
    // On average an SM works half as long as the busiest SM.
    for (KernelAnalysis* kernel : {&large, &middle}) {
        kernel->quantities.busiestSmFactor = Derived<double>::of(2.0, "test");
        kernel->group.grid = {1056, 1, 1};
    }
    const auto plan = planOf(analysis);
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].groups == Groups{CounterGroup::OverTime});
    CHECK(plan[0].kernels.size() == 2);  // one run can sample both
    CHECK(plan[0].reasons[0].worth.value == Approx(0.4).epsilon(0.1));
    CHECK(plan[0].why.in(Language::En).starts_with("activity of large and 1 more over time ("));

    SECTION("counters are read first, and not in the same run") {
        open(large, "integer-arithmetic", {CounterGroup::Pipes});
        large.findings.clear();
        const auto both = planOf(analysis, {.plainRun = Seconds{30}});
        REQUIRE(both.size() == 2);
        for (const FollowUp& run : both) CHECK(run.groups.size() == 1);
    }
    SECTION("not where its source is not the reader's") {
        large.origin = middle.origin = KernelOrigin::Library;
        CHECK(planOf(analysis).empty());
    }
    SECTION("not where it is near a roof, or has nothing to gain") {
        large.verdict.cls = VerdictClass::NearRoof;
        middle.verdict.headroom = Derived<Seconds>::of({1e-6}, "test");
        CHECK(planOf(analysis).empty());
    }
    SECTION("not where one was asked for, or is there") {
        large.overTime = std::make_shared<const OverTimeAnalysis>();
        FollowUpOptions options{.asked = {{.groups = {CounterGroup::OverTime},
                                           .launches = {middle.group.launches.back()}}}};
        CHECK(planOf(analysis, options).empty());
    }
    SECTION("not where the chip cannot be sampled") {
        Profile profile = *analysis.profile;
        profile.devices[0].chip = "GA100";
        analysis.profile = std::make_shared<const Profile>(std::move(profile));
        CHECK(planOf(analysis).empty());
    }
    SECTION("not of a single launch, which loads its code, nor of graphs") {
        for (KernelAnalysis* kernel : {&large, &middle}) kernel->group.launches.resize(1);
        CHECK(planOf(analysis).empty());
    }
    SECTION("not of one that is over too soon") {
        for (KernelAnalysis* kernel : {&large, &middle})
            kernel->quantities.duration.median = Seconds{12e-6};
        CHECK(planOf(analysis).empty());
    }
}

TEST_CASE("memory and pipes that may take turns are a reason to look at the course") {
    Analysis analysis = analysisOf();
    KernelAnalysis& large = kernelOf(analysis, "large");
    const auto busy = [&](double dram, double issue) {
        large.quantities.utilisation[Level::Dram] = Derived<Ratio>::of({dram}, "test");
        large.quantities.issueUtilisation = Derived<Ratio>::of({issue}, "test");
        return planOf(analysis).size();
    };
    CHECK(busy(0.3, 0.4) == 1);
    CHECK(busy(0.3, 0.02) == 0);  // at most 2 % could be hidden
    CHECK(busy(0.7, 0.5) == 0);   // together they must be busy
}

TEST_CASE("why warps of a library's kernel wait is not asked: nobody edits its code") {
    Analysis analysis = analysisOf();
    KernelAnalysis& large = kernelOf(analysis, "large");
    open(large, "dominant-stall", {CounterGroup::Stalls});
    REQUIRE(planOf(analysis).size() == 1);
    large.origin = KernelOrigin::Library;
    CHECK(planOf(analysis).empty());
    // If it takes long, its verdict still matters to its caller.
    open(large, "integer-arithmetic", {CounterGroup::Pipes});
    REQUIRE(planOf(analysis).size() == 1);
    CHECK(planOf(analysis)[0].groups == Groups{CounterGroup::Pipes});
}

TEST_CASE("a library's kernel with little time is asked about only with deep effort") {
    Analysis analysis = analysisOf(60);  // of 870 µs
    KernelAnalysis& middle = kernelOf(analysis, "middle");
    open(middle, "atomic-contention", {CounterGroup::Atomics});
    CHECK(planOf(analysis).size() == 1);
    middle.origin = KernelOrigin::Compiler;  // its operators belong to the program
    CHECK(planOf(analysis).size() == 1);
    middle.origin = KernelOrigin::Library;
    CHECK(planOf(analysis).empty());
    const auto all = planOf(analysis, {.effort = Effort::Deep});
    CHECK(std::ranges::find(all, Groups{CounterGroup::Atomics}, &FollowUp::groups) != all.end());
}
