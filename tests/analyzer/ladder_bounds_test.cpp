// SPDX-License-Identifier: Apache-2.0
// What was promised of the bundled ladders on an H200, held to what their next rungs reached: an
// "at most" is never beaten.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analyzer/compare/program_comparison.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;

namespace {

/// Rungs of one operator on one case, slowest first; all later ones solve the same problem. A rung
/// is a range of the bundled recording, or of another one ("h200_compare:compare/matmul/eager"):
/// the same operator by PyTorch, Triton and a library.
const std::vector<std::vector<const char*>> kLadders{
    {"causal_linear_attention/low_occupancy/", "causal_linear_attention/auto/"},
    {"gelu/unfused/", "gelu/fused_scalar/", "gelu/fused_vec4/"},
    {"gelu/bias_unfused/", "gelu/bias_fused/"},
    {"lightning_attention_decode/naive/", "lightning_attention_decode/shared_conflict/",
     "lightning_attention_decode/shared_padded/", "lightning_attention_decode/coalesced/",
     "lightning_attention_decode/warp_per_row_vec4/", "lightning_attention_decode/split_heads/"},
    // Tensor cores multiply 16-bit numbers: of the others only the last is told to use them.
    {"matmul/naive/", "matmul/tiled_shared/", "matmul/register_tiled_vec4/"},
    {"matmul/register_tiled_vec4/", "matmul/tensor_core/", "h200_compare:compare/matmul/triton",
     "h200_compare:compare/matmul/eager"},
    {"h200_tensor:matmul/tensor_core/", "h200_compare:compare/matmul/triton",
     "h200_compare:compare/matmul/eager"},
    {"h200_compare:compare/softmax/eager", "h200_compare:compare/softmax/softmax/online_vec4"},
    {"merge_attn_states/scalar16/", "merge_attn_states/vec16B/"},
    {"patterns/copy_1b/", "patterns/copy_2b/", "patterns/copy_4b/", "patterns/copy_8b/",
     "patterns/copy_16b/", "patterns/tma_copy/"},
    {"patterns/transpose_unpadded/", "patterns/transpose_padded/"},
    {"rope/tables/", "rope/fused_scalar/", "rope/fused_vec4/"},
    {"softmax/unfused/", "softmax/block_per_row_shared/", "softmax/block_shuffle/",
     "softmax/online_vec4/"},
};

/// One run of a rung: all its kernels.
struct Rung {
    const Analysis* analysis = nullptr;
    double time = 0, joint = 0, first = 0;  ///< seconds
    std::string fault;                      ///< of the largest gain
    bool estimate = false;
    std::size_t kernel = 0;               ///< that has most of it; without a fault the longest
    std::map<std::string, double> gains;  ///< of all its faults
};

/// The recording of a rung, and its range there.
std::pair<const Analysis*, std::string> placeOf(std::string_view name) {
    const std::size_t colon = name.find(':');
    if (colon == name.npos) return {&test::recorded("h200_bundled"), std::string(name)};
    return {&test::recorded(std::string(name.substr(0, colon))),
            std::string(name.substr(colon + 1))};
}

Rung rungOf(const char* name) {
    const auto [place, prefix] = placeOf(name);
    Rung rung{.analysis = place};
    std::size_t runs = 0;
    std::map<std::string, double> largest;
    double longest = 0;
    std::map<std::string, std::size_t> kernelOf;
    const Analysis& analysis = *place;
    for (const KernelAnalysis& kernel : analysis.kernels)
        if (kernel.range.starts_with(prefix) && (runs == 0 || kernel.group.launches.size() < runs))
            runs = kernel.group.launches.size();
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const KernelAnalysis& kernel = analysis.kernels[i];
        if (!kernel.range.starts_with(prefix)) continue;
        const DurationStats& duration = kernel.quantities.duration;
        const double each =
            static_cast<double>(kernel.group.launches.size()) / static_cast<double>(runs);
        rung.time += each * duration.median.value;
        REQUIRE(kernel.jointGain.has());
        rung.joint += each * kernel.jointGain->value;
        if (duration.median.value > longest) {
            longest = duration.median.value;
            kernelOf[""] = i;
        }
        for (const Finding& finding : kernel.findings) {
            if (!finding.gain.has()) continue;
            if (double& most = largest[finding.ruleId]; finding.gain->value > most) {
                most = finding.gain->value;
                kernelOf[finding.ruleId] = i;
            }
            double& sum = rung.gains[finding.ruleId];
            sum += each * finding.gain->value;
            if (sum <= rung.first) continue;
            rung.first = sum;
            rung.fault = finding.ruleId;
            rung.estimate = finding.estimate;
        }
    }
    CAPTURE(name);
    REQUIRE(runs > 0);
    rung.kernel = kernelOf.at(rung.fault);
    return rung;
}

}  // namespace

TEST_CASE("no later rung of a ladder beats the joint bound of an earlier one") {
    // Between two runs clocks and refreshes differ by as much.
    constexpr double kNoise = 0.02;
    for (const auto& ladder : kLadders)
        for (std::size_t i = 0; i + 1 < ladder.size(); ++i) {
            const Rung from = rungOf(ladder[i]);
            for (std::size_t j = i + 1; j < ladder.size(); ++j) {
                const Rung to = rungOf(ladder[j]);
                CAPTURE(ladder[i], ladder[j], from.fault, from.time * 1e6, to.time * 1e6,
                        from.joint * 1e6);
                CHECK(from.time - to.time <= from.joint + kNoise * from.time);
            }
        }
}

TEST_CASE("what a finding calls a bound is not beaten by the rung that mends it") {
    constexpr double kNoise = 0.02;
    for (const auto& ladder : kLadders)
        for (std::size_t i = 0; i + 1 < ladder.size(); ++i) {
            const Rung from = rungOf(ladder[i]), next = rungOf(ladder[i + 1]);
            if (from.fault.empty() || from.estimate) continue;
            CAPTURE(ladder[i], ladder[i + 1], from.fault, from.time * 1e6, next.time * 1e6);
            CHECK(from.time - next.time <= from.first + kNoise * from.time);
        }
}

namespace {

/// What compare says of the way from a rung to the next: how its time changed and why, and what
/// became of the fault's promise.
struct Step {
    std::string duration, promise, cause = {};
};

/// The recording of one rung, beside a kernel that all have.
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
        if (range.starts_with(prefix) || range.starts_with("patterns/empty/")) {
            rows.push_back(row);
            profile.launches.push_back(launch);
            // In the order of launches: what lay between the rungs is gone.
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

/// Kernels of a chain became one: that is told of all of them together.
Step chainStep(const char* from, const char* to, const std::string& fault) {
    const Analysis before = analyze(std::make_shared<const Profile>(only(from)));
    const Analysis after = analyze(std::make_shared<const Profile>(only(to)));
    Matching matching = matchKernels(before, after);
    const ProgramComparison program = comparePrograms(before, after, matching);
    CAPTURE(from, to);
    REQUIRE(program.exchanges.size() == 1);
    const KernelExchange& exchange = program.exchanges.front();
    Step step{.duration = std::string(toString(exchange.kind())) +
                          (!exchange.changed()                ? ", within-noise"
                           : exchange.after < exchange.before ? ", faster"
                                                              : ", slower"),
              .promise = {}};
    for (const SavedPromise& promise : exchange.promises)
        if (promise.rule == fault) step.promise = toString(promise.outcome);
    return step;
}

Step stepOf(const char* fromName, const char* toName, const Rung& from, const Rung& to) {
    if (from.fault == "unfused-chain") return chainStep(fromName, toName, from.fault);
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
    return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", name, us(from.time),
                       from.fault.empty() ? "–" : from.fault,
                       from.fault.empty() ? "–" : (from.estimate ? "≈ " : "≤ ") + us(from.first),
                       us(from.time - next.time), us(best), us(from.joint), compared);
}

std::string ladder() {
    std::string text =
        "# What was promised of the bundled ladders on an H200, and what was reached\n\n"
        "Microseconds of one run of a rung. ≤ is a bound, ≈ an estimate; all kernels of a rung "
        "together. The last column: what `compare` says of the kernel with the fault beside that "
        "of the next rung (and why it is faster), and of the fault's promise. "
        "`tests/analyzer/ladder_bounds_test.cpp` holds it.\n\n"
        "| rung | time | fault | promised | next rung saves | a later one saves | all edits | "
        "compare |\n|---|---:|---|---:|---:|---:|---:|---|\n";
    for (const auto& ladder : kLadders)
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
    for (const auto& ladder : kLadders)
        for (std::size_t i = 0; i + 1 < ladder.size(); ++i) {
            const Rung from = rungOf(ladder[i]), next = rungOf(ladder[i + 1]);
            if (from.fault.empty() || next.gains.contains(from.fault)) continue;
            const Step step = stepOf(ladder[i], ladder[i + 1], from, next);
            CAPTURE(ladder[i], ladder[i + 1], from.fault, step.duration, step.promise);
            CHECK((step.promise == "came-true" || step.promise == "partly" ||
                   step.promise == "kept" || step.promise == "exceeded"));
        }
}
