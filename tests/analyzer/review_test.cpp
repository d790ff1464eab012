// SPDX-License-Identifier: Apache-2.0
// Each check of a review: a case where it fires, a close one where it must not, and one where it
// cannot tell.
#include "analyzer/honesty/review.h"

#include <algorithm>
#include <memory>

#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"

using namespace roofscope;
using namespace roofscope::honesty;
using roofscope::test::SyntheticProfile;

namespace {

constexpr double kBytes = 1 << 28;  // more than twice the L2 of an H200

/// One call of a kernel in the call range: reads `read` bytes and writes `written`.
SyntheticProfile callOf(double read, double written, double microseconds,
                        std::string_view range = kCallRange) {
    SyntheticProfile p;
    test::idle(p, "work", {1024, 1, 1}, {256, 1, 1}, microseconds)
        .range(range)
        .durationUs(microseconds)
        .set("smsp__sass_data_bytes_mem_global.sum", read + written)
        .set("smsp__sass_data_bytes_mem_global_op_ld.sum", read)
        .set("smsp__sass_data_bytes_mem_global_op_st.sum", written)
        .set("l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum", 0)
        .set("l1tex__m_l1tex2xbar_write_bytes_pipe_tma.sum", 0)
        .set("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 1e9)
        .set("smsp__sass_inst_executed.sum", 1e6);
    p.profile().processes[0].timeline = TimelineParts{.copies = true};
    return p;
}

Analysis analyzed(const SyntheticProfile& p) {
    return analyze(std::make_shared<const Profile>(p.build()));
}

/// The facts of a review of two functions that behave alike.
struct Case {
    ReviewFacts facts{.baseline = "slow",
                      .candidate = "fast",
                      .inputBytes = std::uint64_t{1} << 28,
                      .outputBytes = std::uint64_t{1} << 28,
                      .sameForOtherInputs = false,
                      .baselineSameForOtherInputs = false,
                      .keptOldOutput = false,
                      .baselineKeptOldOutput = false,
                      .unwrittenBytes = 0,
                      .relativeError = 1e-7,
                      .tolerance = 1e-5,
                      .eventTime = Seconds{200e-6},
                      .lateTime = Seconds{10e-6},
                      .replacedTimers = std::vector<std::string>{}};
    SyntheticProfile baseline = callOf(kBytes, kBytes, 300),
                     candidate = callOf(kBytes, kBytes, 150), fresh = callOf(kBytes, kBytes, 150),
                     flushed = callOf(kBytes, kBytes, 150);

    [[nodiscard]] Review run() const {
        const Analysis b = analyzed(baseline), c = analyzed(candidate), f = analyzed(fresh),
                       e = analyzed(flushed);
        return review(facts, {.baseline = &b, .candidate = &c, .fresh = &f, .flushed = &e});
    }
    [[nodiscard]] Check check(const std::string& id) const {
        const Review all = run();
        const auto found = std::ranges::find(all.checks, id, &Check::id);
        REQUIRE(found != all.checks.end());
        return *found;
    }
    [[nodiscard]] bool fires(const std::string& id) const {
        return check(id).outcome == honesty::Outcome::Suspicious;
    }
    [[nodiscard]] bool open(const std::string& id) const {
        return check(id).outcome == honesty::Outcome::CannotTell && !check(id).sentence.empty();
    }
};

void set(SyntheticProfile& p, std::string_view counter, double value) {
    p.profile().counters.set(counter, 0, value);
}

}  // namespace

TEST_CASE("review: nothing is named of a function that is only faster") {
    const Review review = Case{}.run();
    for (const Check& check : review.checks) {
        INFO(check.id);
        // No counters of tensor operations were read, but the tensor pipe was idle.
        CHECK(check.outcome == honesty::Outcome::Clear);
    }
    CHECK(review.suspicious() == 0);
    REQUIRE(review.speedup);
    CHECK(*review.speedup == Approx(2));
    CHECK(review.candidate->stored->value == kBytes);
}

TEST_CASE("review: without profiles and facts every check says what is missing") {
    const Review nothing = review({}, {});
    CHECK(nothing.suspicious() == 0);
    for (const Check& check : nothing.checks) {
        INFO(check.id);
        CHECK(check.outcome == honesty::Outcome::CannotTell);
        CHECK_FALSE(check.sentence.in(test::kZh).empty());
    }
    CHECK_FALSE(nothing.speedup);
}

TEST_CASE("review: results") {
    Case c;
    SECTION("the same output for other inputs, unless the baseline gives it, too") {
        c.facts.sameForOtherInputs = true;
        CHECK(c.fires("constant-output"));
        c.facts.baselineSameForOtherInputs = true;
        CHECK_FALSE(c.fires("constant-output"));
        c.facts.sameForOtherInputs.reset();
        CHECK(c.open("constant-output"));
    }
    SECTION("an old output for new values") {
        c.facts.keptOldOutput = true;
        CHECK(c.fires("stale-output"));
        c.facts.baselineKeptOldOutput = true;
        CHECK_FALSE(c.fires("stale-output"));
        c.facts.baselineKeptOldOutput.reset();
        CHECK(c.open("stale-output"));
    }
    SECTION("memory that was never written") {
        c.facts.unwrittenBytes = 4;
        CHECK(c.fires("unwritten-output"));
        c.facts.unwrittenBytes.reset();
        CHECK(c.open("unwritten-output"));
    }
    SECTION("a wrong output, at the tolerance and beyond it") {
        c.facts.relativeError = 1e-5;
        CHECK_FALSE(c.fires("wrong-output"));
        c.facts.relativeError = 1.1e-5;
        CHECK(c.fires("wrong-output"));
        c.facts.tolerance.reset();
        CHECK(c.open("wrong-output"));
    }
    SECTION("inputs that are overwritten, but not those that the baseline overwrites") {
        c.facts.changedInputs = {"0"};
        CHECK(c.fires("changed-input"));
        c.facts.baselineChangedInputs = {"0"};
        CHECK_FALSE(c.fires("changed-input"));
    }
}

TEST_CASE("review: bytes that a call must move") {
    Case c;
    SECTION("stores") {
        c.candidate = callOf(kBytes, kBytes / 2, 150);
        CHECK(c.fires("fewer-bytes"));
        // If the baseline stores as little, it returns a view, and the candidate may do the same.
        c.baseline = callOf(kBytes, kBytes / 2, 300);
        CHECK_FALSE(c.fires("fewer-bytes"));
    }
    SECTION("loads, where the baseline shows that all of the input is read") {
        c.candidate = callOf(kBytes / 4, kBytes, 150);
        CHECK(c.fires("fewer-bytes"));
        c.baseline = callOf(kBytes / 4, kBytes, 300);
        CHECK_FALSE(c.fires("fewer-bytes"));
    }
    SECTION("what bulk copies and memsets move counts") {
        c.candidate = callOf(0, 0, 150);
        set(c.candidate, "l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum", kBytes);
        CHECK(c.fires("fewer-bytes"));
        c.candidate.profile().timeline.transfers.push_back(
            {.kind = TransferKind::Memset, .bytes = std::uint64_t{1} << 28});
        CHECK_FALSE(c.fires("fewer-bytes"));
    }
    SECTION("without counters of bulk copies nobody can tell") {
        c.candidate = SyntheticProfile{};
        test::copy(c.candidate, "work", kBytes, 16, 150).range(kCallRange);
        CHECK(c.open("fewer-bytes"));
    }
}

TEST_CASE("review: faster than the roof") {
    Case c;
    // Reads 2^28 B and writes 2^28 B, less an L2 of 60 MB: 477 MB at 4.81 TB/s take 99 µs.
    c.flushed = callOf(kBytes, kBytes, 80);
    CHECK(c.fires("faster-than-roof"));
    c.flushed = callOf(kBytes, kBytes, 120);
    CHECK_FALSE(c.fires("faster-than-roof"));
    // Between events twice the L2 size may already be cached.
    c.facts.eventTime = Seconds{60e-6};
    CHECK(c.fires("faster-than-roof"));
    c.facts.eventTime = Seconds{120e-6};
    c.facts.flops = 1e15;
    CHECK(c.fires("faster-than-roof"));
    c.facts.flops = 1e9;
    CHECK_FALSE(c.fires("faster-than-roof"));
    c.facts.outputBytes.reset();
    CHECK(c.open("faster-than-roof"));
}

TEST_CASE("review: work that is kept from earlier calls") {
    Case c;
    set(c.candidate, "smsp__sass_inst_executed.sum", 0.5e6);
    CHECK(c.fires("kept-work"));
    set(c.candidate, "smsp__sass_inst_executed.sum", 0.97e6);
    CHECK_FALSE(c.fires("kept-work"));
    test::idle(c.fresh, "prepare", {1, 1, 1}, {32, 1, 1}, 5).range(kCallRange);
    CHECK(c.fires("kept-work"));  // one more launch, even if it has hardly any instructions
}

TEST_CASE("review: work that the clock does not see") {
    Case c;
    SECTION("on a stream that nobody waits for") {
        c.facts.lateTime = Seconds{100e-6};
        CHECK(c.fires("work-on-other-stream"));
        c.facts.lateTime = Seconds{19e-6};
        CHECK_FALSE(c.fires("work-on-other-stream"));
        c.facts.eventTime = Seconds{10e-3};
        c.facts.lateTime = Seconds{100e-6};  // 1 %
        CHECK_FALSE(c.fires("work-on-other-stream"));
        c.facts.lateTime.reset();
        CHECK(c.open("work-on-other-stream"));
    }
    SECTION("from another thread, unless the baseline has one, too (autograd's)") {
        c.candidate = callOf(kBytes, kBytes, 150, "");
        CHECK(c.fires("work-from-other-thread"));
        c.baseline = callOf(kBytes, kBytes, 300, "");
        CHECK_FALSE(c.fires("work-from-other-thread"));
    }
    SECTION("in another kernel than the one that is timed") {
        c.facts.kernel = "finish";
        CHECK(c.open("work-in-other-kernel"));
        test::idle(c.candidate, "finish", {1, 1, 1}, {32, 1, 1}, 5).range(kCallRange);
        CHECK(c.fires("work-in-other-kernel"));
        c.facts.kernel = "work";
        CHECK_FALSE(c.fires("work-in-other-kernel"));
    }
    SECTION("replaced timers") {
        c.facts.replacedTimers = {"torch.cuda.synchronize"};
        CHECK(c.fires("replaced-timer"));
        c.facts.replacedTimers.reset();
        CHECK(c.open("replaced-timer"));
    }
}

TEST_CASE("review: fewer bits") {
    constexpr auto kHalf = "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum";
    constexpr auto kSingle = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
    Case c;
    // HFMA2 also moves constants, so next to FP32 work it proves nothing.
    set(c.candidate, kHalf, 2e9);
    CHECK_FALSE(c.fires("lower-precision"));
    set(c.candidate, kSingle, 1e7);
    CHECK(c.fires("lower-precision"));
    // The baseline computes in FP64, the candidate in FP32.
    Case d;
    set(d.baseline, kSingle, 0);
    set(d.baseline, "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 1e9);
    CHECK(d.fires("lower-precision"));
    Case e;
    e.candidate.profile().counters = CounterTable(1);
    CHECK(e.open("lower-precision"));
}
