// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <variant>
#include <vector>

#include "analyzer/compare/parts.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/source/sampled_stalls.h"
#include "analyzer/source/stalls.h"

namespace roofscope::compare {

namespace {

struct Reading {
    std::optional<double> value;
    std::string missing;
};

template <class T>
Reading reading(const Derived<T>& derived) {
    if constexpr (std::is_same_v<T, double>)
        return {derived.value, derived.missing};
    else
        return {derived.has() ? std::optional(derived->value) : std::nullopt, derived.missing};
}

Reading reading(moved::Value value, const Quantities& q) {
    using enum moved::Value;
    switch (value) {  // no default: a new value fails to compile until it is handled here
        case Blocks:
            return reading(q.occupancy.blocks);
        case WaveEfficiency:
            return reading(q.occupancy.waveEfficiency);
        case BusiestSm:
            return reading(q.busiestSmFactor);
        case AchievedOccupancy:
            return reading(q.occupancy.achieved);
        case ActiveLanes:
            return reading(q.activeLanes);
        case IntegerPipe:
            return reading(integerUse(q));
        case SpecialFunctionPipe:
            return reading(q.specialFunctionUtilisation);
        case AtomicUnit:
            return reading(q.atomicUnitBusiest);
        case DramRead:
            return reading(q.dramRead);
        case DramWritten:
            return reading(q.dramWrite);
        case DramBandwidth: {
            const Resources resources = resourcesOf(q);
            const Resource* dram = resources.find(ResourceId::Dram);
            return dram ? Reading{dram->busy, {}}
                        : Reading{std::nullopt, q.utilisation[Level::Dram].missing};
        }
    }
    return {};
}

Reading reading(const moved::Counters& counters, const Side& side) {
    const std::vector<std::string_view> names(counters.names.begin(), counters.names.end());
    const auto joint = GroupSums(side.profile().counters, side.kernel.group.launches).joint(names);
    if (!joint.ok()) return {std::nullopt, joint.missing};
    double sum = 0;
    for (std::size_t i = 0; i < names.size(); ++i) sum += joint.mean(i);
    return {sum, {}};
}

Reading reading(const moved::StallShare& wanted, const Side& side) {
    const Stalls stalls = wanted.sampled ? stallsOf(side.profile(), side.kernel)
                                         : stallsOf(side.profile(), side.kernel.group);
    if (wanted.sampled && !stalls.sampled) return {std::nullopt, std::string(kSampleCount)};
    for (const Stall& stall : stalls.reasons)
        if (wanted.reason == stall.reason) return {stall.share, {}};
    return {std::nullopt, stalls.missing};
}

/// Reads from a kernel the value that is expected to move. A kind of value without an overload here
/// does not compile.
struct ReadAgain {
    const Side& side;
    const Words& words;  ///< what moves, for the reader

    Reading operator()(const moved::Counters& counters) const { return reading(counters, side); }
    Reading operator()(moved::Value value) const { return reading(value, quantities()); }
    Reading operator()(const moved::Operations& operations) const {
        return reading(quantities().flops[operations.precision]);
    }
    Reading operator()(const moved::FusedShare& fused) const {
        return reading(quantities().fusedShare[fused.precision]);
    }
    Reading operator()(const moved::StallShare& stall) const { return reading(stall, side); }
    Reading operator()(const moved::OverTime&) const {
        return {std::nullopt, words.in(Language::En)};
    }

private:
    [[nodiscard]] const Quantities& quantities() const { return side.kernel.quantities; }
};

PromisedMovement check(const ExpectedMovement& expected, const Side& to) {
    PromisedMovement movement{.expected = expected};
    Reading read = std::visit(ReadAgain{to, expected.counter}, expected.what);
    movement.now = read.value;
    movement.missing = std::move(read.missing);
    if (!movement.now || !std::isfinite(*movement.now) || expected.from == expected.to)
        return movement;
    const double done = (*movement.now - expected.from) / (expected.to - expected.from);
    movement.outcome = done >= kPromiseKept     ? Outcome::CameTrue
                       : done >= kPromiseBroken ? Outcome::Partly
                                                : Outcome::Not;
    return movement;
}

/// The outcome of all known movements if it is the same, otherwise Partly.
Outcome together(const std::vector<PromisedMovement>& movements) {
    std::set<Outcome> known;
    for (const PromisedMovement& movement : movements)
        if (movement.outcome != Outcome::CannotTell) known.insert(movement.outcome);
    if (known.empty()) return Outcome::CannotTell;
    return known.size() == 1 ? *known.begin() : Outcome::Partly;
}

Promise::Fate fateOf(const std::string& rule, const KernelAnalysis& candidate) {
    for (const Finding& finding : candidate.findings)
        if (finding.ruleId == rule)
            return finding.minor ? Promise::Fate::Minor : Promise::Fate::Still;
    for (const CannotTell& unknown : candidate.cannotTell)
        if (unknown.ruleId == rule) return Promise::Fate::CannotTell;
    return Promise::Fate::Gone;
}

}  // namespace

std::vector<Promise> checkPromises(const Side& from, const Side& to) {
    std::vector<Promise> promises;
    for (const Finding& finding : from.kernel.findings) {
        if (finding.minor) continue;
        Promise promise{
            .ruleId = finding.ruleId, .gainBound = finding.gain, .estimate = finding.estimate};
        for (const ExpectedMovement& expected : finding.expected)
            promise.movements.push_back(check(expected, to));
        promise.outcome = together(promise.movements);
        promise.fate = fateOf(finding.ruleId, to.kernel);
        // Without its counters a rule may say nothing about a kernel, so its silence does not mean
        // "gone".
        const auto missing = [](const PromisedMovement& m) { return !m.missing.empty(); };
        if (promise.fate == Promise::Fate::Gone && promise.outcome == Outcome::CannotTell &&
            std::ranges::any_of(promise.movements, missing))
            promise.fate = Promise::Fate::CannotTell;
        promises.push_back(std::move(promise));
    }
    return promises;
}

std::vector<std::string> newFindings(const Side& from, const Side& to) {
    std::vector<std::string> found;
    for (const Finding& finding : to.kernel.findings) {
        if (finding.minor) continue;
        const auto& before = from.kernel.findings;
        const bool known = std::ranges::any_of(
            before, [&](const Finding& old) { return !old.minor && old.ruleId == finding.ruleId; });
        if (!known) found.push_back(finding.ruleId);
    }
    return found;
}

}  // namespace roofscope::compare
