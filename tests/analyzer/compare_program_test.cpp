// SPDX-License-Identifier: Apache-2.0
// What a comparison says about the whole program: windows, time classes of the account, and kernels
// that replaced others.
#include "analyzer/compare/program_comparison.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/compare/parts.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using test::SyntheticProgram;

namespace {

struct Launch {
    const char* kernel;
    double us;
};

/// Six steps, each with these launches.
Analysis steps(const std::vector<Launch>& launches, const char* range = "step") {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int i = 0; i < 6; ++i) {
        p.push(range);
        for (const Launch& launch : launches) p.launch(launch.kernel, launch.us);
        p.sync().pop();
    }
    return analyze(std::make_shared<const Profile>(p.build()));
}

std::vector<std::string> names(const Analysis& analysis, const std::vector<std::size_t>& kernels) {
    std::vector<std::string> texts;
    for (const std::size_t kernel : kernels) texts.push_back(analysis.kernels[kernel].name);
    return texts;
}

struct Compared {
    Matching matching;
    ProgramComparison program;
};

Compared compared(const Analysis& before, const Analysis& after) {
    Compared result{.matching = matchKernels(before, after), .program = {}};
    result.program = comparePrograms(before, after, result.matching);
    return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("three kernels in whose place one runs are an exchange") {
    const Analysis before =
        steps({{"gemm", 500}, {"scale", 200}, {"bias", 220}, {"gelu", 235}, {"sum", 50}});
    const Analysis after = steps({{"gemm", 500}, {"scaleBiasGelu", 440}, {"sum", 50}});
    const auto [matching, program] = compared(before, after);
    REQUIRE(program.exchanges.size() == 1);
    const KernelExchange& exchange = program.exchanges.front();
    CHECK(exchange.kind() == KernelExchange::Kind::Fused);
    CHECK(names(before, exchange.baseline) == Names{"scale", "bias", "gelu"});
    CHECK(names(after, exchange.candidate) == Names{"scaleBiasGelu"});
    CHECK(exchange.before.value == Approx(655e-6));
    CHECK(exchange.after.value == Approx(440e-6));
    CHECK(exchange.times == 1);
    CHECK(exchange.changed());
    // Kernels of an exchange are not also listed as gone, added or matched by name.
    CHECK(matching.gone.empty());
    CHECK(matching.added.empty());
    CHECK(matching.matches.size() == 3);  // init, gemm, sum
    CHECK(program.comparable);
    CHECK(program.changed());
    CHECK(program.before.window.seconds.value - program.after.window.seconds.value >= 215e-6);
    REQUIRE_FALSE(program.moved.empty());
    CHECK(program.moved.front().cls == TimeClass::Kernels);
    CHECK(program.moved.front().before.value == Approx(1205e-6));
    CHECK(program.moved.front().after.value == Approx(990e-6));
}

TEST_CASE("one kernel that became two is a split; one replaced by one is a pair") {
    const Analysis before =
        steps({{"a", 100}, {"whole", 90}, {"b", 100}, {"naive", 80}, {"c", 10}});
    const Analysis after =
        steps({{"a", 100}, {"first", 40}, {"second", 40}, {"b", 100}, {"other", 20}, {"c", 10}});
    const auto [matching, program] = compared(before, after);
    REQUIRE(program.exchanges.size() == 1);
    CHECK(program.exchanges.front().kind() == KernelExchange::Kind::Split);
    CHECK(names(after, program.exchanges.front().candidate) == Names{"first", "second"});
    bool paired = false;
    for (const KernelMatch& match : matching.matches)
        paired = paired || (before.kernels[match.baseline].name == "naive" &&
                            after.kernels[match.candidate].name == "other");
    CHECK(paired);
    CHECK(matching.gone.empty());
    CHECK(matching.added.empty());
}

TEST_CASE("an exchange in every layer is one with all its times") {
    const Analysis before = steps({{"in", 10},
                                   {"add", 30},
                                   {"norm", 40},
                                   {"gemm", 100},
                                   {"add", 30},
                                   {"norm", 40},
                                   {"out", 10}});
    const Analysis after =
        steps({{"in", 10}, {"addNorm", 45}, {"gemm", 100}, {"addNorm", 45}, {"out", 10}});
    const auto [matching, program] = compared(before, after);
    REQUIRE(program.exchanges.size() == 1);
    CHECK(program.exchanges.front().times == 2);
    CHECK(program.exchanges.front().launchesBefore == 4);
    CHECK(program.exchanges.front().launchesAfter == 2);
    CHECK(program.exchanges.front().before.value == Approx(140e-6));
}

TEST_CASE("the position says more than similar names") {
    const Analysis before =
        steps({{"in", 10}, {"biasGeluUnfusedAdd", 60}, {"biasGeluUnfusedActivate", 60}});
    const Analysis after = steps({{"in", 10}, {"biasGeluFused", 70}});
    const auto [matching, program] = compared(before, after);
    REQUIRE(program.exchanges.size() == 1);
    CHECK(program.exchanges.front().baseline.size() == 2);
    for (const KernelMatch& match : matching.matches) CHECK(match.tier != MatchTier::Similar);
}

TEST_CASE("the same kernels in another order are no exchange") {
    const Analysis before = steps({{"a", 10}, {"b", 20}, {"c", 30}});
    const Analysis after = steps({{"b", 20}, {"c", 30}, {"a", 10}});
    CHECK(compared(before, after).program.exchanges.empty());
}

TEST_CASE("a kernel that only moved in the order is not part of an exchange") {
    const Analysis before = steps(
        {{"in", 10}, {"product", 80}, {"scan", 45}, {"subtract", 45}, {"norm", 30}, {"out", 10}});
    const Analysis after =
        steps({{"in", 10}, {"scanSubtract", 50}, {"norm", 30}, {"out", 10}, {"product", 80}});
    const auto [matching, program] = compared(before, after);
    REQUIRE(program.exchanges.size() == 1);
    CHECK(names(before, program.exchanges.front().baseline) == Names{"scan", "subtract"});
    CHECK(names(after, program.exchanges.front().candidate) == Names{"scanSubtract"});
    CHECK(program.exchanges.front().before.value == Approx(90e-6));
}

TEST_CASE("an action whose time is gone counts as a kept promise") {
    const auto program = [](MemoryKind memory, double time) {
        SyntheticProgram p;
        p.launch("init", 1).sync();
        for (int i = 0; i < 6; ++i) {
            p.push("step");
            p.copy(TransferKind::HostToDevice, memory, 64e6, time);
            p.launch("gemm", 4000).sync().pop();
        }
        return analyze(std::make_shared<const Profile>(p.build()));
    };
    const Analysis before = program(MemoryKind::Pageable, 20'000);
    const Analysis after = program(MemoryKind::Pinned, 1'500);
    const ProgramComparison result = compared(before, after).program;
    REQUIRE(result.comparable);
    CHECK(result.speedup() > 4);
    REQUIRE(result.moved.size() >= 1);
    CHECK(result.moved.front().cls == TimeClass::Copies);
    REQUIRE(result.promises.size() >= 1);
    CHECK(result.promises.front().rule == "pageable-copy");
    CHECK(result.promises.front().outcome == PromisedSaving::Outcome::Kept);
    // Nothing was saved: the promise is broken.
    const ProgramComparison none = compared(before, program(MemoryKind::Pinned, 20'000)).program;
    for (const PromisedSaving& promise : none.promises)
        if (promise.rule == "pageable-copy")
            CHECK(promise.outcome == PromisedSaving::Outcome::Broken);
}

TEST_CASE("an action that is about something else now was carried out") {
    // Samples say that all of the CPU's work is in this function.
    const auto program = [](const char* function, double work) {
        SyntheticProgram p;
        p.launch("init", 1).sync();
        for (int i = 0; i < 6; ++i) p.push("step").work(work).launch("gemm", 1000).sync().pop();
        Profile profile = p.build();
        CpuSamples& samples = profile.processes[0].cpuSamples.emplace();
        samples.period = 50'000;
        samples.frames = {{.function = function, .file = "/home/a/app.cpp", .line = 12}};
        samples.stacks = {{0}};
        for (std::uint32_t i = 0; i < 2000; ++i)
            samples.samples.push_back({.time = i * samples.period, .thread = 0, .stack = 0});
        return analyze(std::make_shared<const Profile>(std::move(profile)));
    };
    const Analysis before = program("constrain", 9000);
    const auto promisesTo = [&](const char* function, double work) {
        const Analysis after = program(function, work);
        const ProgramComparison result = compared(before, after).program;
        REQUIRE(result.comparable);
        for (const roofscope::Program* side : {&result.before, &result.after})
            REQUIRE(std::ranges::count(side->actions, "host-bound", &Action::rule) == 1);
        return result.promises;
    };
    const std::vector<PromisedSaving> promises = promisesTo("advance", 2000);
    REQUIRE(promises.size() == 1);
    CHECK(promises.front().action == "program/host-bound");
    CHECK(promises.front().saved.value == Approx(7e-3).epsilon(0.01));
    CHECK(promises.front().outcome == PromisedSaving::Outcome::Kept);
    // Nothing was saved, or it is about the same as before: it is still to do.
    CHECK(promisesTo("advance", 9000).empty());
    CHECK(promisesTo("constrain", 5000).empty());
}

TEST_CASE("of several actions of one rule, one that is about something else now is still to do") {
    struct Copied {
        const char* site;
        double ms;
    };
    // A program of 100 ms whose copies take as much as its actions promise.
    const auto program = [](const std::vector<Copied>& copies) {
        roofscope::Program result;
        result.window.seconds = Seconds{0.1};
        for (const Copied& copied : copies) {
            Action action{.rule = "pageable-copy",
                          .timeClass = TimeClass::Copies,
                          .bound = Seconds{copied.ms * 1e-3}};
            action.sites.push_back({.text = copied.site});
            result.actions.push_back(std::move(action));
            result.account.time[TimeClass::Copies] += Seconds{copied.ms * 1e-3};
        }
        return result;
    };
    const roofscope::Program before = program({{"load (a.py)", 20}, {"log (b.py)", 10}});
    const auto promises = [&](const std::vector<Copied>& copies) {
        roofscope::Program after = program(copies);
        after.window.seconds = before.window.seconds - (before.account.time[TimeClass::Copies] -
                                                        after.account.time[TimeClass::Copies]);
        return compare::actionPromises(Analysis{}, before, Analysis{}, after);
    };
    // Nothing was done, so neither promise is judged.
    CHECK(promises({{"load (a.py)", 20}, {"write (b.py)", 10}}).empty());
    CHECK(promises({{"read (a.py)", 20}, {"write (b.py)", 10}}).empty());
    // One was done: it alone has the saving, whatever the other is about now.
    for (const char* site : {"log (b.py)", "write (b.py)"}) {
        const auto kept = promises({{site, 10}});
        REQUIRE(kept.size() == 1);
        CHECK(kept.front().bound.value == Approx(0.02));
        CHECK(kept.front().saved.value == Approx(0.02));
        CHECK(kept.front().outcome == PromisedSaving::Outcome::Kept);
    }
    // Both were done.
    const auto both = promises({});
    REQUIRE(both.size() == 2);
    CHECK(both[1].saved.value == Approx(0.01));
}

TEST_CASE("each class of the account has its time before and after, also if nothing is compared") {
    const auto program = [](double gemm, bool copies, const char* gpu) {
        SyntheticProgram p;
        p.profile().devices[0].name = gpu;
        p.launch("init", 1).sync();
        for (int i = 0; i < 6; ++i) {
            p.push("step");
            if (copies) p.copy(TransferKind::HostToDevice, MemoryKind::Pinned, 64e6, 1500);
            p.launch("gemm", gemm).sync().pop();
        }
        return analyze(std::make_shared<const Profile>(p.build()));
    };
    const auto timesOf = [](const ProgramComparison& result, TimeClass cls) {
        const auto found = std::ranges::find(result.classes, cls, &ClassTimes::cls);
        REQUIRE(found != result.classes.end());
        return *found;
    };
    const Analysis before = program(4000, true, "GPU A");
    const ProgramComparison same = compared(before, program(3000, false, "GPU A")).program;
    const ClassTimes kernels = timesOf(same, TimeClass::Kernels);
    CHECK(kernels.before->value == Approx(4000e-6));
    CHECK(kernels.after->value == Approx(3000e-6));
    CHECK(kernels.moved);
    // A class that is gone has time 0, not no value: it was recorded that it took no time.
    CHECK(timesOf(same, TimeClass::Copies).before->value == Approx(1500e-6).epsilon(0.05));
    CHECK(timesOf(same, TimeClass::Copies).after->value == 0);
    for (const ClassTimes& times : same.classes) CHECK(times.cls != TimeClass::Communication);

    const ProgramComparison other = compared(before, program(3000, true, "GPU B")).program;
    CHECK_FALSE(other.comparable);
    CHECK(timesOf(other, TimeClass::Kernels).after->value == Approx(3000e-6));
    for (const ClassTimes& times : other.classes) CHECK_FALSE(times.moved);
}

TEST_CASE("windows of other names are not compared") {
    const Analysis before = steps({{"a", 100}}, "step"), after = steps({{"a", 50}}, "epoch");
    const ProgramComparison result = compared(before, after).program;
    CHECK_FALSE(result.comparable);
    CHECK_FALSE(result.reason.empty());
    CHECK_FALSE(result.changed());
}

TEST_CASE("recordings of different programs are not compared") {
    const auto of = [](const std::string& kernel, std::vector<std::string> command) {
        SyntheticProgram p;
        p.profile().capture.command = std::move(command);
        p.launch("init " + kernel, 1).sync();
        for (int i = 0; i < 6; ++i) p.push("step").launch(kernel, 100).sync().pop();
        return analyze(std::make_shared<const Profile>(p.build()));
    };
    const Analysis before = of("gemm", {"python3", "a/train.py", "--lr", "1"});
    const ProgramComparison other = compared(before, of("blur", {"./filter"})).program;
    CHECK_FALSE(other.comparable);
    CHECK(other.reason.in(Language::En) == "they are of different programs");
    // An edit may replace all kernels, change arguments, or give the program another name.
    CHECK(compared(before, of("blur", {"torchrun", "train.py"})).program.comparable);
    CHECK(compared(before, of("gemm", {"./train_faster"})).program.comparable);
    CHECK(compared(before, of("blur", {})).program.comparable);
}

TEST_CASE("a CPU that took longer is told from a program that changed") {
    const auto program = [](double work, double gemm, int launches = 20, const char* gpu = "") {
        SyntheticProgram p;
        if (*gpu) p.profile().devices[0].name = gpu;
        p.launch("init", 1).sync();
        for (int i = 0; i < 6; ++i) {
            p.push("step");
            for (int k = 0; k < launches; ++k) p.work(work).launch("gemm", gemm);
            p.sync().pop();
        }
        return analyze(std::make_shared<const Profile>(p.build()));
    };
    const Analysis before = program(40, 10);
    const ProgramComparison slower = compared(before, program(60, 10)).program;
    CHECK(slower.changed());
    CHECK(slower.speedup() < 0.8);
    CHECK(slower.onlyCpuChanged());
    CHECK(compared(program(60, 10), before).program.onlyCpuChanged());
    // The kernels, or their number, changed as well.
    CHECK_FALSE(compared(before, program(60, 20)).program.onlyCpuChanged());
    CHECK_FALSE(compared(before, program(40, 20)).program.onlyCpuChanged());
    CHECK_FALSE(compared(before, program(40, 10, 15)).program.onlyCpuChanged());
    CHECK_FALSE(compared(before, program(40, 10)).program.onlyCpuChanged());
    // On another GPU the programs are not comparable.
    const ProgramComparison other = compared(before, program(60, 10, 20, "another GPU")).program;
    CHECK_FALSE(other.comparable);
    CHECK_FALSE(other.onlyCpuChanged());
    CHECK(other.reason.in(Language::En) == "they were measured on different GPUs");
}

TEST_CASE("what a kernel saves per window is its time there by the change of its median launch") {
    const Analysis before = steps({{"gemm", 500}, {"gelu", 100}, {"gelu", 100}, {"sum", 50}});
    const Analysis after = steps({{"gemm", 500}, {"gelu", 60}, {"gelu", 60}, {"sum", 50}});
    const Analysis fewer = steps({{"gemm", 500}, {"gelu", 60}, {"sum", 50}});
    const auto saved = [&](const Analysis& to) {
        const Comparison comparison = compareProfiles(before, to, matchKernels(before, to));
        REQUIRE(comparison.program);
        for (const KernelComparison& kernel : comparison.kernels)
            if (before.kernels[kernel.match.baseline].name == "gelu")
                return comparison.program->savedPerWindow(kernel);
        FAIL("gelu is in both");
        return std::optional<Seconds>();
    };
    REQUIRE(saved(after));
    CHECK(saved(after)->value == Approx(80e-6));  // 2 × 40 µs
    CHECK_FALSE(saved(fewer));
}
