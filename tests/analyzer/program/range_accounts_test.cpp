// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/range_accounts.h"

#include <memory>

#include "analyzer/program/program.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;

namespace {

std::shared_ptr<const Analysis> analysed(const Profile& profile) {
    return std::make_shared<const Analysis>(analyze(std::make_shared<const Profile>(profile)));
}

/// Six steps: a copy, two kernels, host work after a wait.
Profile sixSteps() {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 1'000);
        p.launch("gemm", 500).launch("add", 70).sync();
        p.work(300);
        p.pop();
    }
    return p.build();
}

void checkSame(const PerTimeClass<Seconds>& one, const PerTimeClass<Seconds>& other) {
    for (const TimeClass cls : kTimeClasses) {
        CAPTURE(toString(cls));
        CHECK(one[cls].value == Approx(other[cls].value).margin(2e-9));
    }
}

}  // namespace

TEST_CASE("a range that is a repeat has the account of the window") {
    const auto analysis = analysed(sixSteps());
    const Program program = analyzeProgram(*analysis);
    const RangeAccounts accounts(analysis);
    REQUIRE(accounts.any());
    const auto& occurrences = program.lanes.at(0).occurrences;
    REQUIRE(occurrences.size() >= 4);
    const RangeAccount middle = accounts.of(occurrences[2]);
    checkSame(middle.time, program.account.time);
    REQUIRE(middle.lanes.size() == 1);
    checkSame(middle.lanes[0].time, middle.time);
    CHECK(middle.share(TimeClass::Kernels).value ==
          Approx(program.account.share(TimeClass::Kernels).value));
    CHECK(middle.total().value * 1e9 == Approx(double(occurrences[2].length())));

    REQUIRE(middle.functions.size() == 2);
    CHECK(middle.functions[0].time.value == Approx(500e-6));
    CHECK(middle.functions[0].launches == 1);
    CHECK(middle.functions[0].share.value == Approx(500.0 / 570));
    CHECK(middle.functions[1].time.value == Approx(70e-6));
    CHECK(middle.kernels.size() == 2);
    REQUIRE(middle.copies.size() == 1);
    CHECK(middle.copies[0].kind == TransferKind::HostToDevice);
    CHECK(middle.copies[0].count == 1);
    CHECK(middle.copies[0].bytes.value == 64e6);
    CHECK(middle.copies[0].time.value == Approx(1e-3));
}

TEST_CASE("accounts of adjacent ranges add up, wherever they are cut") {
    const auto analysis = analysed(sixSteps());
    const RangeAccounts accounts(analysis);
    const TimeSpan all{0, 12'000'000};
    const RangeAccount whole = accounts.of(all);
    for (const Nanoseconds cut : {1LL, 333'333LL, 1'000'000LL, 4'567'891LL, 11'999'999LL}) {
        const RangeAccount left = accounts.of({0, cut}), right = accounts.of({cut, all.end});
        PerTimeClass<Seconds> sum;
        for (const TimeClass cls : kTimeClasses) sum[cls] = left.time[cls] + right.time[cls];
        checkSame(sum, whole.time);
        double launches = 0, of = 0;
        for (const RangeAccount* part : {&left, &right})
            for (const KernelFunction& function : part->functions) launches += function.launches;
        for (const KernelFunction& function : whole.functions) of += function.launches;
        CHECK(launches == of);
    }
}

TEST_CASE("a range within a kernel counts its time, and the launch where it begins") {
    const Profile profile = sixSteps();
    const Launch& gemm = profile.launches[2];
    const auto start = static_cast<Nanoseconds>(gemm.start->value * 1e9 + 0.5);
    const RangeAccounts accounts(analysed(profile));
    const RangeAccount inside = accounts.of({start + 100'000, start + 300'000});
    REQUIRE(inside.functions.size() == 1);
    CHECK(inside.functions[0].time.value == Approx(200e-6));
    CHECK(inside.functions[0].launches == 0);
    CHECK(inside.time[TimeClass::Kernels].value == Approx(200e-6));
    const RangeAccount begin = accounts.of({start - 1, start + 100'000});
    CHECK(begin.functions.at(0).launches == 1);
}

TEST_CASE("of a recording without times, and beside what was recorded, there is nothing to tell") {
    Profile profile = sixSteps();
    const RangeAccounts accounts(analysed(profile));
    const RangeAccount later = accounts.of({900'000'000'000, 900'000'001'000});
    CHECK(later.total().value == 0);
    CHECK(later.functions.empty());
    CHECK(later.share(TimeClass::Kernels).value == 0);
    for (Launch& launch : profile.launches) launch.start.reset();
    const RangeAccounts none(analysed(profile));
    CHECK_FALSE(none.any());
    CHECK(none.of({0, 1'000}).lanes.empty());
}

TEST_CASE("the classes of a gap are those of its GPU") {
    const Profile profile = sixSteps();
    const RangeAccounts accounts(analysed(profile));
    const Launch& add = profile.launches[1];
    const auto end = static_cast<Nanoseconds>((add.start->value + add.duration->value) * 1e9 + 0.5);
    const auto gap = accounts.timeOf(0, 0, {end + 10'000, end + 200'000});
    CHECK(gap[TimeClass::IdleHost].value == Approx(190e-6));
    CHECK(accounts.timeOf(7, 0, {end, end + 200'000})[TimeClass::IdleHost].value == 0);
}

TEST_CASE("what the CPU did in a short gap is told by its few samples") {
    SyntheticProgram p;
    for (int i = 0; i < 4; ++i) p.launch("gemm", 500).sync().work(40'000);
    Profile profile = p.build();
    CpuSamples& samples = profile.processes[0].cpuSamples.emplace();
    samples.period = 10'000'000;
    samples.frames = {{.function = "augment", .file = "/home/a/train.py", .line = 12},
                      {.function = "load", .file = "/home/a/train.py", .line = 30}};
    samples.stacks = {{0}, {1}};
    const Launch& gemm = profile.launches[2];
    const auto end =
        static_cast<Nanoseconds>((gemm.start->value + gemm.duration->value) * 1e9 + 0.5);
    const TimeSpan gap{end + 10'000, end + 35'000'000};
    for (int i = 0; i < 3; ++i)
        samples.samples.push_back({.time = gap.start + 5'000'000 + i * 10'000'000,
                                   .thread = 0,
                                   .stack = i < 2 ? 0U : 1U});
    const RangeAccounts accounts(analysed(profile));
    const SampledFunctions did = accounts.hostFunctionsOf(0, 0, gap);
    CHECK(did.samples == Approx(3));
    REQUIRE(did.functions.size() == 2);
    CHECK(did.functions[0].function == "augment");
    CHECK(did.functions[0].share.value == Approx(2.0 / 3));
    const RangeAccount account = accounts.of(gap);
    CHECK(account.hostSamples == Approx(3));
    REQUIRE(account.hostFunctions.size() == 2);
    CHECK(account.hostFunctions[1].function == "load");
    // Of another GPU nothing is known, and while a kernel runs the GPU does not wait for the CPU.
    CHECK(accounts.hostFunctionsOf(1, 0, gap).functions.empty());
    CHECK(accounts.of({end - 100'000, end}).hostFunctions.empty());
}
