// SPDX-License-Identifier: Apache-2.0
// What the analysis promised for the bundled ladders on an H200, compared with what their next
// rungs reached: an "at most" is never beaten.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analyzer/compare/program_comparison.h"
#include "tests/analyzer/ladders.h"
#include "tests/support/catch.h"

using namespace roofscope;
using test::ladders;
using test::placeOf;
using test::Rung;
using test::rungOf;
using test::shrinksTypes;

TEST_CASE("no later rung of a ladder beats the joint bound of an earlier one") {
    // Clocks and DRAM refresh make two runs differ by this much.
    constexpr double kNoise = 0.02;
    for (const auto& ladder : ladders())
        for (std::size_t i = 0; i + 1 < ladder.size(); ++i) {
            const Rung from = rungOf(ladder[i]);
            for (std::size_t j = i + 1; j < ladder.size(); ++j) {
                const Rung to = rungOf(ladder[j]);
                CAPTURE(ladder[i], ladder[j], from.fault, from.time * 1e6, to.time * 1e6,
                        from.joint * 1e6, from.fused() * 1e6);
                // The report says that it does not count data types.
                if (shrinksTypes(ladder[i], ladder[j])) {
                    CHECK(from.sameTypes);
                    continue;
                }
                const double bound = to.launches < from.launches ? from.fused() : from.joint;
                CHECK(from.time - to.time <= bound + kNoise * from.time);
            }
        }
}

TEST_CASE("what a finding calls a bound is not beaten by the rung that mends it") {
    constexpr double kNoise = 0.02;
    for (const auto& ladder : ladders())
        for (std::size_t i = 0; i + 1 < ladder.size(); ++i) {
            const Rung from = rungOf(ladder[i]), next = rungOf(ladder[i + 1]);
            if (from.fault.empty() || from.estimate) continue;
            // Fusing or smaller types were not what the finding promised a gain for.
            if (next.launches < from.launches && from.fault != "unfused-chain") continue;
            if (shrinksTypes(ladder[i], ladder[i + 1])) continue;
            CAPTURE(ladder[i], ladder[i + 1], from.fault, from.time * 1e6, next.time * 1e6);
            CHECK(from.time - next.time <= from.first + kNoise * from.time);
        }
}

namespace {

/// What compare says of the step from a rung to the next: how the time changed and why, and whether
/// the fault's promise was kept.
struct Step {
    std::string duration, promise, cause = {};
};

/// The recording of one rung only, with a kernel that all recordings have.
Profile only(const char* rung) {
    const auto [place, prefix] = placeOf(rung);
    const Profile& all = *place->profile;
    Profile profile = all;
    profile.launches.clear();
    profile.counters = {};
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < all.launches.size(); ++row) {
        const Launch& launch = all.launches[row];
        const std::string range = launch.range ? all.ranges[*launch.range] : std::string();
        if (range.starts_with(prefix) || range.starts_with("patterns/empty/") ||
            range == "compare/gelu/gelu/fused_vec4") {
            rows.push_back(row);
            profile.launches.push_back(launch);
            // Without start times: only the order of launches still means something.
            profile.launches.back().start.reset();
        }
    }
    for (const std::string& name : all.counters.names()) {
        const auto column = all.counters.column(name);
        std::vector<double> values;
        for (const std::size_t row : rows) values.push_back(column[row]);
        profile.counters.addColumn(name, std::move(values));
    }
    return profile;
}

/// A chain of kernels became one: compare reports on them together.
Step chainStep(const char* from, const char* to, const std::string& fault) {
    const Analysis before = analyze(std::make_shared<const Profile>(only(from)));
    const Analysis after = analyze(std::make_shared<const Profile>(only(to)));
    Matching matching = matchKernels(before, after);
    const ProgramComparison program = comparePrograms(before, after, matching);
    CAPTURE(from, to);
    REQUIRE_FALSE(program.exchanges.empty());
    Step step{.duration = {}, .promise = {}};
    for (const KernelExchange& exchange : program.exchanges) {
        step.duration += std::string(step.duration.empty() ? "" : "; ") +
                         toString(exchange.kind()) +
                         (!exchange.changed()                ? ", within-noise"
                          : exchange.after < exchange.before ? ", faster"
                                                             : ", slower");
        for (const PromisedSaving& promise : exchange.promises)
            if (promise.rule == fault) {
                CHECK(step.promise.empty());  // reported once
                step.promise = toString(promise.outcome);
            }
    }
    return step;
}

Step stepOf(const char* fromName, const char* toName, const Rung& from, const Rung& to) {
    if (to.launches < from.launches) return chainStep(fromName, toName, from.fault);
    const KernelComparison comparison = compareKernels(
        *from.analysis, *to.analysis, {.baseline = from.kernel, .candidate = to.kernel});
    Step step{.duration = toString(comparison.duration.state), .promise = {}};
    if (comparison.duration.changed())
        step.cause = comparison.cause.state == Cause::State::Found ? comparison.cause.id
                                                                   : "cause not visible";
    for (const Promise& promise : comparison.promises)
        if (promise.ruleId == from.fault) step.promise = toString(promise.outcome);
    return step;
}

std::string us(double seconds) { return fmt::format("{:.1f}", seconds * 1e6); }

std::string rowOf(const char* fromName, const char* toName, double best) {
    const Rung from = rungOf(fromName), next = rungOf(toName);
    const Step step = stepOf(fromName, toName, from, next);
    const std::string compared = step.duration +
                                 (step.cause.empty() ? "" : " (" + step.cause + ")") +
                                 (step.promise.empty() ? "" : ", promise " + step.promise);
    std::string name = fromName;
    if (name.ends_with('/')) name.pop_back();
    const bool fuses = next.launches < from.launches;
    return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, us(from.time),
                       from.fault.empty() ? "–" : from.fault,
                       from.fault.empty() ? "–" : (from.estimate ? "≈ " : "≤ ") + us(from.first),
                       us(from.time - next.time), us(best), us(from.joint),
                       fuses                            ? us(from.fused())
                       : shrinksTypes(fromName, toName) ? "other types"
                                                        : "–",
                       compared);
}

std::string ladder() {
    std::string text =
        "# What was promised of the bundled ladders on an H200, and what was reached\n\n"
        "Microseconds of one run of a rung. ≤ is a bound, ≈ an estimate; all kernels of a rung "
        "together. All edits: the joint bound, which counts neither fusing that no finding "
        "proposes "
        "nor smaller data types; fused: what stays is the arithmetic, where the next rung has "
        "fewer kernels. The last column: what `compare` says of the kernel with the fault beside "
        "that "
        "of the next rung (and why it is faster), and of the fault's promise. "
        "`tests/analyzer/ladder_bounds_test.cpp` holds it.\n\n"
        "| rung | time | fault | promised | next rung saves | a later one saves | all edits | "
        "fused | compare |\n|---|---:|---|---:|---:|---:|---:|---:|---|\n";
    for (const auto& ladder : ladders())
        for (std::size_t i = 0; i + 1 < ladder.size(); ++i) {
            const Rung from = rungOf(ladder[i]);
            double best = 0;
            for (std::size_t j = i + 1; j < ladder.size(); ++j)
                best = std::max(best, from.time - rungOf(ladder[j]).time);
            text += rowOf(ladder[i], ladder[i + 1], best);
        }
    return text;
}

}  // namespace

TEST_CASE("the table of bounds of the ladders is the one that is written down") {
    const std::string path = std::string(ROOFSCOPE_SOURCE_DIR) + "/tests/golden/ladders.md";
    const std::string now = ladder();
    if (std::getenv("ROOFSCOPE_APPROVE")) std::ofstream(path) << now;
    std::ifstream file(path);
    std::ostringstream written;
    written << file.rdbuf();
    CHECK(now == written.str());
}

TEST_CASE("where the next rung mends the fault, compare says that its promise came true") {
    for (const auto& ladder : ladders())
        for (std::size_t i = 0; i + 1 < ladder.size(); ++i) {
            const Rung from = rungOf(ladder[i]), next = rungOf(ladder[i + 1]);
            if (from.fault.empty() || next.gains.contains(from.fault)) continue;
            const Step step = stepOf(ladder[i], ladder[i + 1], from, next);
            CAPTURE(ladder[i], ladder[i + 1], from.fault, step.duration, step.promise);
            CHECK((step.promise == "came-true" || step.promise == "partly" ||
                   step.promise == "kept" || step.promise == "exceeded"));
        }
}
