// SPDX-License-Identifier: Apache-2.0
// What changed beyond noise, and why. The numbers of most profiles are in the tests.
#include <algorithm>
#include <functional>
#include <map>

#include "analyzer/compare/comparison.h"
#include "analyzer/compare/kernel_pattern.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/source/sampled_stalls.h"
#include "profile/codec/codec.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;
using test::SyntheticProfile;
using State = DurationChange::State;

namespace {

Analysis analysisOf(const SyntheticProfile& p) {
    return analyze(std::make_shared<const Profile>(p.build()));
}

struct Spec {
    std::string name;
    std::string range = {};
    std::uint32_t grid = 1024;
};

/// One launch with all counters 0 per spec.
Analysis profileOf(const std::vector<Spec>& specs) {
    SyntheticProfile p(test::testDevice());
    for (const Spec& spec : specs) {
        auto launch = test::idle(p, spec.name, {spec.grid, 1, 1}, {256, 1, 1}, 100);
        if (!spec.range.empty()) launch.range(spec.range);
    }
    return analysisOf(p);
}

struct Pair {
    std::string baseline, candidate;
    MatchTier tier;
    bool operator==(const Pair&) const = default;
};

std::vector<Pair> pairsOf(const Analysis& a, const Analysis& b) {
    std::vector<Pair> pairs;
    for (const KernelMatch& match : matchKernels(a, b).matches) {
        CHECK_FALSE(match.how.empty());
        pairs.push_back(
            {a.kernels[match.baseline].fullName, b.kernels[match.candidate].fullName, match.tier});
    }
    return pairs;
}

/// One kernel with these durations in the counter run (µs); `set` adds counters to each launch.
Analysis timed(const std::vector<double>& microseconds,
               const std::function<void(test::LaunchRef&, std::size_t)>& set = {},
               Device device = test::testDevice()) {
    SyntheticProfile p(std::move(device));
    const auto kernel = p.kernel("kernel(float*)", 32);
    for (std::size_t i = 0; i < microseconds.size(); ++i) {
        auto launch = p.launch(kernel, {1024, 1, 1}, {256, 1, 1});
        launch.counterDurationUs(microseconds[i]);
        if (set) set(launch, i);
    }
    return analysisOf(p);
}

KernelComparison compareOnly(const Analysis& a, const Analysis& b) {
    REQUIRE(a.kernels.size() == 1);
    REQUIRE(b.kernels.size() == 1);
    return compareKernels(a, b, {});
}

const Movement& movement(const KernelComparison& kernel, const std::string& key) {
    for (const Movement& m : kernel.movements)
        if (m.key == key) return m;
    FAIL("no movement " << key);
    throw;
}

const Analysis& bundled() { return test::recorded("h200_bundled"); }

/// Two bundled kernels, found by name or range like on the command line.
KernelComparison bundledPair(const std::string& a, const std::string& b) {
    const auto from = findKernels(bundled(), a), to = findKernels(bundled(), b);
    INFO(a << " and " << b);
    REQUIRE(from.size() == 1);
    REQUIRE(to.size() == 1);
    return compareKernels(bundled(), bundled(), {.baseline = from[0], .candidate = to[0]});
}

}  // namespace

TEST_CASE("kernels are matched by name, range and shape before anything looser") {
    // The same function in two ranges and two shapes; the candidate launches them in another order.
    const Analysis a = profileOf({{"k(int)", "one"}, {"k(int)", "two"}, {"k(int)", "two", 64}});
    const Analysis b = profileOf({{"k(int)", "two", 64}, {"k(int)", "two"}, {"k(int)", "one"}});
    const Matching matching = matchKernels(a, b);
    REQUIRE(matching.matches.size() == 3);
    for (const KernelMatch& match : matching.matches) {
        CHECK(match.tier == MatchTier::Exact);
        const auto &from = a.kernels[match.baseline], &to = b.kernels[match.candidate];
        CHECK(from.range == to.range);
        CHECK(from.group.grid == to.group.grid);
    }
    CHECK(matching.gone.empty());
    CHECK(matching.added.empty());
}

TEST_CASE("a kernel of Numba that was compiled with other options is the same one") {
    const auto named = [](const char* version, const char* flags, const char* type) {
        return std::string("__main__::k[abi:") + version + "][abi:" + flags + "](" + type + ")";
    };
    const std::string before = named("v1", "cw51cXTLSUwv1sDUaKth", "int"),
                      after = named("v2", "cw51cZZZSUwv1sDUaKth", "int"),
                      other = named("v2", "cw51cZZZSUwv1sDUaKth", "float");
    CHECK(pairsOf(profileOf({{before}}), profileOf({{after}})) ==
          std::vector<Pair>{{before, after, MatchTier::Exact}});
    CHECK(pairsOf(profileOf({{before}}), profileOf({{other}})) ==
          std::vector<Pair>{{before, other, MatchTier::Similar}});
}

TEST_CASE("the looser tiers: another shape, another range, another name") {
    CHECK(pairsOf(profileOf({{"k(int)", "r", 64}}), profileOf({{"k(int)", "r", 128}})) ==
          std::vector<Pair>{{"k(int)", "k(int)", MatchTier::NameAndRange}});
    CHECK(pairsOf(profileOf({{"k(int)", "step 1"}, {"k(int)", "step 2"}}),
                  profileOf({{"k(int)", "step 11"}, {"k(int)", "step 12"}})) ==
          std::vector<Pair>{{"k(int)", "k(int)", MatchTier::Position},
                            {"k(int)", "k(int)", MatchTier::Position}});
    CHECK(pairsOf(profileOf({{"gemmTiled(int)"}}), profileOf({{"gemm_tiled_v2(int, int)"}})) ==
          std::vector<Pair>{{"gemmTiled(int)", "gemm_tiled_v2(int, int)", MatchTier::Similar}});
    CHECK(pairsOf(profileOf({{"void k<4>(int)"}}), profileOf({{"void k<8>(int)"}})) ==
          std::vector<Pair>{{"void k<4>(int)", "void k<8>(int)", MatchTier::Similar}});
    CHECK(pairsOf(profileOf({{"triton_poi_0", "gelu"}}), profileOf({{"geluCuda(int)", "gelu"}})) ==
          std::vector<Pair>{{"triton_poi_0", "geluCuda(int)", MatchTier::Similar}});
}

TEST_CASE("kernels that merely share words are not matched; the lonely are listed on both sides") {
    const Analysis a = profileOf({{"softmaxWarpPerRow(int)"}, {"copy(int)"}});
    const Analysis b = profileOf({{"decodeWarpPerRow(int)"}, {"copy(int)"}});
    const Matching matching = matchKernels(a, b);
    REQUIRE(matching.matches.size() == 1);
    CHECK(matching.matches[0].tier == MatchTier::Exact);
    REQUIRE(matching.gone.size() == 1);
    REQUIRE(matching.added.size() == 1);
    CHECK(a.kernels[matching.gone[0]].fullName == "softmaxWarpPerRow(int)");
    CHECK(b.kernels[matching.added[0]].fullName == "decodeWarpPerRow(int)");
}

TEST_CASE("no kernel is in two pairs, whatever the names") {
    std::vector<Spec> left, right;
    for (int i = 0; i < 40; ++i) {
        left.push_back({"k_v" + std::to_string(i) + "(int)", i % 2 ? "r" : ""});
        right.push_back({"k_v" + std::to_string(i + 20) + "(int)", i % 3 ? "r" : ""});
    }
    left.push_back({""});
    right.push_back({std::string(1 << 16, '<')});
    const Analysis a = profileOf(left), b = profileOf(right);
    const Matching matching = matchKernels(a, b);
    std::vector<int> before(a.kernels.size()), after(b.kernels.size());
    for (const KernelMatch& match : matching.matches) {
        ++before.at(match.baseline);
        ++after.at(match.candidate);
    }
    for (const auto i : matching.gone) ++before.at(i);
    for (const auto i : matching.added) ++after.at(i);
    CHECK(std::all_of(before.begin(), before.end(), [](int n) { return n == 1; }));
    CHECK(std::all_of(after.begin(), after.end(), [](int n) { return n == 1; }));
}

TEST_CASE("patterns: exact names win over globs, words and parts") {
    const Analysis a = profileOf({{"void ns::copy<1>(int)", "patterns/copy_1b/n=1"},
                                  {"void ns::copyWide(int)", "patterns/copy_16b/n=1"},
                                  {"other(int)", "patterns/copy_1b_more/n=1"}});
    const auto names = [&](const std::string& pattern) {
        std::vector<std::string> found;
        for (const auto i : findKernels(a, pattern)) found.push_back(a.kernels[i].fullName);
        std::sort(found.begin(), found.end());
        return found;
    };
    using Names = std::vector<std::string>;
    CHECK(names("copy") == Names{"void ns::copy<1>(int)"});
    CHECK(names("copy*") == Names{"void ns::copy<1>(int)", "void ns::copyWide(int)"});
    CHECK(names("copy_1b") == Names{"void ns::copy<1>(int)"});
    CHECK(names("patterns/copy_16b/n=1") == Names{"void ns::copyWide(int)"});
    CHECK(names("oth") == Names{"other(int)"});
    CHECK(names("nothing").empty());
    CHECK(names("").empty());
    const auto near = nearNames(a, "copyWid", 2);
    REQUIRE(near.size() == 2);
    CHECK(near[0] == "copyWide");
    // A glob on which a backtracking matcher would run for years.
    const Analysis long_ = profileOf({{std::string(1 << 16, 'a')}});
    CHECK(findKernels(long_, "*a*a*a*a*a*a*a*a*a*a*a*a*b").empty());
    // Long names are matched to their end.
    const Analysis end = profileOf({{std::string(1 << 16, 'a') + "z(int)"}});
    for (const std::string pattern : {"*z(int)", "a*z?int)", "z(int)", "z"})
        CHECK(findKernels(end, pattern).size() == 1);
}

TEST_CASE("a kernel pattern means names and ranges as a whole, and globs over them") {
    const Analysis a = profileOf({{"void ns::copy<1>(int)", "patterns/copy_1b/n=1"}});
    const auto matches = [&](const std::string& pattern) {
        return KernelPattern(pattern).matches(identityOf(a.kernels.at(0)));
    };
    for (const std::string pattern : {"copy<1>", "copy", "void ns::copy<1>(int)", "*<?>*",
                                      "patterns/copy_1b/n=1", "patterns/*", "*(int)"})
        CHECK(matches(pattern));
    for (const std::string pattern : {"copy<", "cop", "copy_1b", "copy<.>", "*(?)", "", "?"})
        CHECK_FALSE(matches(pattern));
}

TEST_CASE("a duration changed when the bands do not overlap and the change is worth the name") {
    CHECK(compareOnly(timed({100, 101, 102}), timed({50, 51, 52})).duration.state == State::Faster);
    CHECK(compareOnly(timed({50, 51, 52}), timed({100, 101, 102})).duration.state == State::Slower);
    // Medians differ by 5 %, the bands overlap.
    const auto noise = compareOnly(timed({100, 105, 110}), timed({95, 100, 106})).duration;
    CHECK(noise.state == State::WithinNoise);
    CHECK(noise.from.value == Approx(105e-6));
    CHECK(noise.fromBand.low == Approx(100e-6));
    CHECK(noise.fromBand.high == Approx(110e-6));
    // The bands do not overlap, but 1 % is what repeats differ by.
    CHECK(compareOnly(timed({100, 100.1, 100.2}), timed({99, 99.1, 99.2})).duration.state ==
          State::WithinNoise);
    // One outlier among many does not hide a change, because the bands are quartiles.
    CHECK(compareOnly(timed({100, 101, 100, 102, 101, 100, 101, 60}), timed({80, 81, 82, 80}))
              .duration.state == State::Faster);
}

TEST_CASE("with fewer than three launches the noise is unknown and only a large change counts") {
    const auto small = compareOnly(timed({100, 101}), timed({80, 81})).duration;
    CHECK(small.state == State::NoiseUnknown);
    CHECK_FALSE(small.reason.empty());
    CHECK(compareOnly(timed({100}), timed({99})).duration.state == State::NoiseUnknown);
    const auto large = compareOnly(timed({100}), timed({40})).duration;
    CHECK(large.state == State::Faster);
    CHECK_FALSE(large.reason.empty());
}

TEST_CASE("timing runs are compared with timing runs, else the counter runs on both sides") {
    const auto unprofiled = [](test::LaunchRef& launch, std::size_t) { launch.durationUs(70); };
    const auto both =
        compareOnly(timed({100, 100, 100}, unprofiled), timed({100, 100, 100}, unprofiled));
    CHECK(both.duration.source == DurationSource::TimingRun);
    CHECK(both.duration.from.value == Approx(70e-6));
    const auto mixed = compareOnly(timed({100, 100, 100}), timed({100, 100, 100}, unprofiled));
    CHECK(mixed.duration.source == DurationSource::CounterRun);
    CHECK(mixed.duration.state == State::WithinNoise);
    REQUIRE(mixed.notes.size() == 1);
}

TEST_CASE("a fifth of a microsecond between two recordings is no change") {
    using State = DurationChange::State;
    const auto of = [](double us) { return timed(std::vector<double>(20, us)); };
    const auto state = [](const Analysis& a, const Analysis& b) {
        return compareOnly(a, b).duration.state;
    };
    CHECK(state(of(1.216), of(1.088)) == State::WithinNoise);
    CHECK(state(of(1.088), of(1.216)) == State::WithinNoise);
    CHECK(state(of(4), of(4.15)) == State::WithinNoise);
    CHECK(state(of(1.5), of(1.2)) == State::Faster);
    CHECK(state(of(4), of(4.25)) == State::Slower);
}

TEST_CASE("durations of different GPUs or clocks are not compared") {
    Device other = test::testDevice();
    other.name = "NVIDIA H100";
    const auto count = [](test::LaunchRef& launch, std::size_t) {
        launch.set(counter::kWarpInstructions, 1000);
    };
    const auto fewer = [](test::LaunchRef& launch, std::size_t) {
        launch.set(counter::kWarpInstructions, 10);
    };
    const auto gpus = compareOnly(timed({100, 100, 100}, count), timed({50, 50, 50}, fewer, other));
    CHECK(gpus.duration.state == State::NotComparable);
    CHECK_FALSE(gpus.sameGpu);
    CHECK(gpus.cause.state == Cause::State::NotSought);
    CHECK(gpus.promises.empty());
    // Counters are shown but not judged.
    CHECK(movement(gpus, "warp_instructions").from == 1000.0);
    CHECK(movement(gpus, "warp_instructions").direction == Direction::Unknown);
    CHECK_FALSE(gpus.comparable());

    const auto clock = [](double hertz) {
        return
            [hertz](test::LaunchRef& launch, std::size_t) { launch.set(counter::kSmClock, hertz); };
    };
    const auto at = [&](double hertz, double us) {
        return compareOnly(timed({100, 100, 100}, clock(2.0e9)), timed({us, us, us}, clock(hertz)))
            .duration.state;
    };
    CHECK(at(1.96e9, 90) == State::Faster);         // 2 %: depends on the kernel's power draw
    CHECK(at(1.8e9, 106) == State::NotComparable);  // 6 % slower, 11 % lower clock
    CHECK(at(1.8e9, 50) == State::Faster);          // more than clocks can explain
    CHECK(at(1.2e9, 50) == State::NotComparable);   // another power state
}

TEST_CASE("counters are exact when repeats agree, banded when they do not") {
    const auto instructions = [](std::vector<double> values) {
        return timed(std::vector<double>(values.size(), 100.0),
                     [values](test::LaunchRef& launch, std::size_t i) {
                         launch.set(counter::kWarpInstructions, values[i]);
                     });
    };
    const auto compared = [&](std::vector<double> a, std::vector<double> b) {
        return movement(compareOnly(instructions(std::move(a)), instructions(std::move(b))),
                        "warp_instructions");
    };
    // A difference of one instruction is real.
    const auto exact = compared({1000000, 1000000}, {1000001, 1000001});
    CHECK(exact.basis == Basis::Exact);
    CHECK(exact.direction == Direction::Higher);
    const auto same = compared({1000, 1000}, {1000, 1000});
    CHECK(same.direction == Direction::Same);
    // Rounding differences from another order of summation are not.
    const auto rounded = compared({1e6, 1e6}, {1e6 + 2e-10, 1e6 + 2e-10});
    CHECK(rounded.basis == Basis::Exact);
    CHECK(rounded.direction == Direction::Same);
    // Sector counts of a grid-sync kernel scatter: overlapping bands mean no change.
    const auto banded = compared({79589, 79915, 79700}, {79650, 79890, 79800});
    CHECK(banded.basis == Basis::Banded);
    CHECK(banded.direction == Direction::Same);
    CHECK(compared({79589, 79915, 79700}, {70000, 70100, 70050}).direction == Direction::Lower);
    // With one launch it is unknown whether the value repeats.
    const auto single = compared({1000}, {1005});
    CHECK(single.basis == Basis::Unrepeated);
    CHECK(single.direction == Direction::Same);
    CHECK(compared({1000}, {1200}).direction == Direction::Higher);
    // Eight repeats with equal quartiles but one outlier still scatter.
    CHECK(compared({1, 1, 1, 1, 1, 1, 1, 2}, {1, 1, 1, 1, 1, 1, 1, 1}).basis == Basis::Banded);
}

TEST_CASE("a missing counter is missing on its side, never 0") {
    const auto with = [](test::LaunchRef& launch, std::size_t) {
        launch.set(counter::kWarpInstructions, 1000);
    };
    const auto result = compareOnly(timed({100, 100, 100}, with), timed({100, 100, 100}));
    const Movement& m = movement(result, "warp_instructions");
    CHECK(m.from == 1000.0);
    CHECK_FALSE(m.to.has_value());
    CHECK(m.missing == counter::kWarpInstructions);
    CHECK(m.direction == Direction::Unknown);
    CHECK_FALSE(m.ratio().has_value());
    // Only time was measured: comparable by time.
    CHECK(compareOnly(timed({100, 100, 100}), timed({50, 50, 50})).comparable());
    CHECK(compareOnly(timed({100, 100, 100}), timed({50, 50, 50})).cause.state ==
          Cause::State::NotVisible);
}

TEST_CASE("profiles without kernels, durations or partners are incomparable, not equal") {
    const Analysis empty = profileOf({});
    const Analysis one = profileOf({{"k(int)"}});
    for (const auto& [a, b] : {std::pair{&empty, &empty}, {&one, &empty}, {&empty, &one}}) {
        const Comparison comparison = compareProfiles(*a, *b, matchKernels(*a, *b));
        CHECK(comparison.kernels.empty());
        CHECK_FALSE(comparison.comparable());
        CHECK_FALSE(comparison.total.has_value());
    }
    SyntheticProfile bare(test::testDevice());
    bare.launch(bare.kernel("k(int)"), {1, 1, 1}, {32, 1, 1});
    const Analysis untimed = analysisOf(bare);
    const auto result = compareOnly(untimed, untimed);
    CHECK(result.duration.state == State::NotMeasured);
    CHECK_FALSE(result.duration.reason.empty());
}

TEST_CASE("launch properties are exact; what was not recorded is not equal") {
    SyntheticProfile a(test::testDevice()), b(test::testDevice());
    a.launch(a.kernel("k(int)", 32), {64, 1, 1}, {256, 1, 1}).counterDurationUs(10);
    b.launch(b.kernel("k(int)", 40), {64, 2, 1}, {256, 1, 1}).counterDurationUs(10);
    b.profile().kernels[0].localBytesPerThread.reset();
    const auto result = compareOnly(analysisOf(a), analysisOf(b));
    std::map<std::string_view, LaunchProperty> byKey;
    for (const LaunchProperty& property : result.launch) byKey[property.key] = property;
    CHECK(byKey.at("registers_per_thread").changed());
    CHECK(byKey.at("grid").changed());
    CHECK_FALSE(byKey.at("block").changed());
    CHECK_FALSE(byKey.at("local_bytes_per_thread").known());
    CHECK_FALSE(byKey.at("local_bytes_per_thread").changed());
}

TEST_CASE("cause: bank conflicts, in both directions") {
    const auto faster = bundledPair("transpose_unpadded", "transpose_padded");
    CHECK(faster.duration.state == State::Faster);
    CHECK(faster.cause.id == "bank-conflicts");
    CHECK(faster.cause.explained == Approx(1.0));
    CHECK(*movement(faster, "shared_conflict_degree").from == 16.5);
    CHECK(*movement(faster, "shared_conflict_degree").to == 1.0);
    CHECK(movement(faster, "shared_wavefronts").basis == Basis::Exact);
    const auto slower = bundledPair("transpose_padded", "transpose_unpadded");
    CHECK(slower.duration.state == State::Slower);
    CHECK(slower.cause.id == "bank-conflicts");
    CHECK(slower.newFindings == std::vector<std::string>{"shared-bank-conflict"});
}

TEST_CASE("cause: narrow accesses, excess sectors, nothing") {
    CHECK(bundledPair("copy_1b", "copy_16b").cause.id == "narrow-access");
    // The decode ladder: uncoalesced loads, then coalesced ones.
    CHECK(bundledPair("lightning_attention_decode/naive", "lightning_attention_decode/coalesced")
              .cause.id == "excess-sectors");
    // Every block loaded the rows of the state, 54 times in all; their sectors were well used.
    CHECK(bundledPair("causal_linear_attention/low_occupancy", "causal_linear_attention/auto")
              .cause.id == "loaded-again");
    // 3× faster, but no counter that limited it moved.
    const auto count = [](test::LaunchRef& launch, std::size_t) {
        launch.set(counter::kWarpInstructions, 1000).set(counter::kIssueActive, 20);
    };
    const auto hidden = compareOnly(timed({90, 90, 90}, count), timed({30, 30, 30}, count));
    CHECK(hidden.cause.state == Cause::State::NotVisible);
    // No change, no cause.
    CHECK(compareOnly(timed({90, 90, 90}, count), timed({90, 90, 90}, count)).cause.state ==
          Cause::State::NotSought);
}

TEST_CASE("cause: half the DRAM bytes at a busy DRAM, and more instructions issued") {
    SyntheticProfile a(test::testDevice()), b(test::testDevice());
    test::copy(a, "copy(int)", 1 << 28, 16, 150);
    test::copy(b, "copy(int)", 1 << 27, 16, 75);
    const auto half = compareOnly(analysisOf(a), analysisOf(b));
    CHECK(half.cause.id == "dram-bytes");
    // The stores are halved as well, so a note asks whether it is the same problem.
    CHECK(half.notes.size() == 1);

    const auto issue = [](double count, double busy) {
        return [=](test::LaunchRef& launch, std::size_t) {
            launch.set(counter::kWarpInstructions, count).set(counter::kIssueActive, busy);
            launch.set(counter::kSmCyclesActiveAvg, 1e5).set(counter::kSmCyclesElapsed, 1e5);
        };
    };
    const auto result =
        compareOnly(timed({100, 100, 100}, issue(1e6, 90)), timed({190, 190, 190}, issue(2e6, 95)));
    CHECK(result.duration.state == State::Slower);
    CHECK(result.cause.id == "instructions");
}

TEST_CASE("promises: came true, partly, not, cannot tell") {
    const auto kept = bundledPair("transpose_unpadded", "transpose_padded");
    REQUIRE(kept.promises.size() == 1);
    CHECK(kept.promises[0].ruleId == "shared-bank-conflict");
    CHECK(kept.promises[0].outcome == Outcome::CameTrue);
    CHECK(kept.promises[0].fate == Promise::Fate::Gone);
    REQUIRE(kept.promises[0].movements.size() == 1);
    CHECK(*kept.promises[0].movements[0].now == 2097152.0);
    CHECK(kept.duration.saved() <= *kept.promises[0].gainBound);

    SyntheticProfile before(test::testDevice());
    test::transpose(before, false);
    const auto with = [&](double wavefronts) {
        SyntheticProfile after(test::testDevice());
        auto launch = test::transpose(after, false);
        if (wavefronts >= 0)
            launch.set(counter::kSharedLoadWavefronts, wavefronts);
        else {
            // No launch measured it: the column holds only a missing value.
            Profile profile = after.build();
            CounterTable table(1);
            for (const std::string& name : profile.counters.names())
                if (name != counter::kSharedLoadWavefronts)
                    if (const auto value = profile.counters.value(name, 0))
                        table.set(name, 0, *value);
            after.profile().counters = std::move(table);
        }
        return compareOnly(analysisOf(before), analysisOf(after)).promises;
    };
    const double all = 32 * 2097152.0;
    REQUIRE(with(all).size() >= 1);
    CHECK(with(all)[0].outcome == Outcome::Not);
    CHECK(with(all)[0].fate == Promise::Fate::Still);
    CHECK(with(all / 2)[0].outcome == Outcome::Partly);
    CHECK(with(all / 32)[0].outcome == Outcome::CameTrue);
    CHECK(with(-1)[0].outcome == Outcome::CannotTell);
    CHECK(with(-1)[0].fate == Promise::Fate::CannotTell);
    CHECK(with(-1)[0].movements[0].missing == counter::kSharedLoadWavefronts);
}

TEST_CASE("promises: without counters no finding is gone") {
    const Analysis& before = test::recorded("h200_bundled");
    Profile timesOnly = *before.profile;
    timesOnly.counters = CounterTable(timesOnly.launches.size());
    const Analysis after = analyze(std::make_shared<const Profile>(timesOnly));
    std::size_t promises = 0;
    const Comparison all = compareProfiles(before, after, matchKernels(before, after));
    for (const KernelComparison& kernel : all.kernels) {
        for (const Promise& promise : kernel.promises) {
            CAPTURE(promise.ruleId);
            ++promises;
            if (!promise.movements.empty()) CHECK(promise.fate != Promise::Fate::Gone);
        }
        for (const Movement& movement : kernel.movements)
            if (movement.from && !movement.to) CHECK_FALSE(movement.missing.empty());
    }
    CHECK(promises > 30);
}

TEST_CASE("every movement that a rule promises can be read back") {
    // The candidate equals the baseline, so each expected change must read back its old value.
    std::size_t seen = 0;
    for (const char* file : {"h200_bundled", "h200_lightning_shapes", "h200_torch_triton"}) {
        const Analysis& a = test::recorded(file);
        for (std::size_t i = 0; i < a.kernels.size(); ++i)
            for (const Promise& promise :
                 compareKernels(a, a, {.baseline = i, .candidate = i}).promises) {
                INFO(a.kernels[i].fullName << ": " << promise.ruleId);
                CHECK(promise.fate == Promise::Fate::Still);
                for (const PromisedMovement& moved : promise.movements) {
                    ++seen;
                    INFO(moved.expected.counter.in(Language::En));
                    REQUIRE(moved.now.has_value());
                    CHECK(*moved.now == Approx(moved.expected.from));
                    CHECK(moved.outcome == Outcome::Not);
                }
            }
    }
    CHECK(seen > 50);
}

TEST_CASE("what rules promise to move is read back") {
    using moved::Value;
    SyntheticProfile p(test::testDevice());
    test::copy(p, "copy(int)", 1 << 28, 4, 150)
        .set(counter::kFp32Fma, 100)
        .set(counter::kFp64Fma, 10)
        .set(counter::kFp64Add, 30)
        .set(counter::kIntegerPipe, 40)
        .set(counter::kSpecialFunctionPipe, 20)
        .set(counter::kAtomicCyclesMax, 30)
        .set(counter::kL2CyclesMax, 120);
    Analysis a = analysisOf(p);
    const Quantities& q = a.kernels[0].quantities;
    const std::vector<std::pair<moved::What, double>> known{
        {Value::Blocks, *q.occupancy.blocks},
        {Value::WaveEfficiency, q.occupancy.waveEfficiency->value},
        {Value::BusiestSm, *q.busiestSmFactor},
        {Value::AchievedOccupancy, q.occupancy.achieved->value},
        {Value::ActiveLanes, q.activeLanes->value},
        {Value::IntegerPipe, 0.4},
        {Value::SpecialFunctionPipe, 0.2},
        {Value::AtomicUnit, 0.25},
        {Value::DramRead, q.dramRead->value},
        {Value::DramWritten, q.dramWrite->value},
        {Value::DramBandwidth, resourcesOf(q).find(ResourceId::Dram)->busy},
        {moved::FusedShare{Precision::Fp32}, 1.0},
        {moved::FusedShare{Precision::Fp64}, 0.25},
        {moved::Operations{Precision::Fp64}, 50},
        {moved::Counters{counter::kFp32Fma}, 100},
        {moved::Counters{counter::kFp32Fma, counter::kFp64Add}, 130}};
    const auto check = [&a](const moved::What& what, double value) {
        Finding finding{.ruleId = "made-up"};
        finding.expected = {
            {.counter = Words("what moves"), .what = what, .from = value, .to = value + 1}};
        a.kernels[0].findings = {finding};
        const auto promises = compareKernels(a, a, {}).promises;
        REQUIRE(promises.size() == 1);
        REQUIRE(promises[0].movements.size() == 1);
        return promises[0].movements[0];
    };
    for (std::size_t i = 0; i < known.size(); ++i) {
        CAPTURE(i);
        const PromisedMovement read = check(known[i].first, known[i].second);
        REQUIRE(read.now.has_value());
        CHECK(*read.now == Approx(known[i].second));
        CHECK(read.outcome == Outcome::Not);
    }
    const auto missing = check(moved::Counters{counter::kFp32Fma, "no__such_counter.sum"}, 0);
    CHECK(missing.outcome == Outcome::CannotTell);
    CHECK(missing.missing == "no__such_counter.sum");
    const auto overTime = check(moved::OverTime{}, 0);
    CHECK(overTime.outcome == Outcome::CannotTell);
    CHECK(overTime.missing == "what moves");
    const auto sampled = check(moved::StallShare{.reason = "wait", .sampled = true}, 0);
    CHECK(sampled.outcome == Outcome::CannotTell);
    CHECK(sampled.missing == kSampleCount);
}

TEST_CASE("the largest change of GPU time comes first, and the total adds up") {
    SyntheticProfile a(test::testDevice()), b(test::testDevice());
    for (const auto& [profile, factor] : {std::pair{&a, 1.0}, {&b, 0.5}}) {
        const auto big = profile->kernel("big(int)"), small = profile->kernel("small(int)");
        for (int i = 0; i < 3; ++i) {
            profile->launch(small, {8, 1, 1}, {32, 1, 1}).counterDurationUs(10 * factor);
            profile->launch(big, {8, 1, 1}, {32, 1, 1}).counterDurationUs(100);
        }
    }
    const Analysis before = analysisOf(a), after = analysisOf(b);
    const Comparison comparison = compareProfiles(before, after, matchKernels(before, after));
    REQUIRE(comparison.kernels.size() == 2);
    CHECK(before.kernels[comparison.kernels[0].match.baseline].fullName == "small(int)");
    REQUIRE(comparison.total.has_value());
    CHECK(comparison.total->first.value == Approx(330e-6));
    CHECK(comparison.total->second.value == Approx(315e-6));
}

TEST_CASE("similar names are found however many kernels have no partner") {
    constexpr std::size_t kMany = 3000;
    const auto named = [](auto name) {
        Analysis analysis;
        for (std::size_t i = 0; i < kMany; ++i) {
            KernelAnalysis kernel;
            kernel.fullName = name(i);
            kernel.group.launches = {static_cast<std::uint32_t>(i)};
            analysis.kernels.push_back(std::move(kernel));
        }
        return analysis;
    };
    using std::to_string;
    const auto distinct = [&](const char* end) {
        return named([end](std::size_t i) {
            return "load" + to_string(i) + "_mul" + to_string(i) + "_add" + to_string(i) +
                   "_store_" + end;
        });
    };
    const Matching found = matchKernels(distinct("first"), distinct("second"));
    CHECK(found.allNamesCompared);
    REQUIRE(found.matches.size() == kMany);
    for (const KernelMatch& match : found.matches) {
        CHECK(match.baseline == match.candidate);
        CHECK(match.tier == MatchTier::Similar);
    }
    // All names are alike: only some pairs are compared, and the result says so.
    const auto alike = [&](const char* end) {
        return named([end](std::size_t i) {
            return std::string("step_of_big_model_") + end + to_string(i);
        });
    };
    const Analysis before = alike("layer"), after = alike("block");
    const Matching some = matchKernels(before, after);
    CHECK_FALSE(some.allNamesCompared);
    CHECK(some.matches.size() > kMany / 2);
    // Versions are paired one by one in launch order.
    const auto versions = [&](const char* end) {
        return named([end](std::size_t i) { return "gemm_" + to_string(i) + "_" + end; });
    };
    const Matching numbered = matchKernels(versions("v1"), versions("v2"));
    REQUIRE(numbered.matches.size() == kMany);
    for (const KernelMatch& match : numbered.matches) CHECK(match.baseline == match.candidate);
}

TEST_CASE("a comparison in full of some kernels has the durations of all") {
    const Analysis& a = bundled();
    const Matching matching = matchKernels(a, a);
    const Comparison all = compareProfiles(a, a, matching),
                     few = compareProfiles(a, a, matching, 3);
    REQUIRE(few.kernels.size() == all.kernels.size());
    CHECK(few.comparable());
    CHECK(few.total == all.total);
    for (std::size_t i = 0; i < few.kernels.size(); ++i) {
        CHECK(few.kernels[i].inFull == (i < 3));
        CHECK(few.kernels[i].match.baseline == all.kernels[i].match.baseline);
        CHECK(few.kernels[i].duration.state == all.kernels[i].duration.state);
        CHECK(few.kernels[i].movements.empty() == (i >= 3));
    }
}
