// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "analyzer/compare/parts.h"
#include "analyzer/counters/counter_names.h"
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

/// "a.sum + b.sum" → the counters' names.
std::vector<std::string_view> terms(std::string_view text) {
    constexpr std::string_view kPlus = " + ";
    std::vector<std::string_view> names;
    for (;;) {
        const auto end = text.find(kPlus);
        names.push_back(text.substr(0, end));
        if (end == text.npos) return names;
        text.remove_prefix(end + kPlus.size());
    }
}

/// The value of an expected movement's counter in a kernel. Rules name counters, or quantities that
/// no single counter shows.
Reading now(const ExpectedMovement& expected, const Side& from, const Side& to) {
    const Quantities &q = to.kernel.quantities, &before = from.kernel.quantities;
    const std::string& name = expected.counter.in(Language::En);
    if (name == "blocks") return reading(q.occupancy.blocks);
    static const std::string kActiveLanes = std::string(counter::kThreadInstructions) +
                                            " / (32 × " + std::string(counter::kWarpInstructions) +
                                            ")";
    if (name == kActiveLanes) return reading(q.activeLanes);
    if (name == "DRAM bytes read") return reading(q.dramRead);
    if (name == "DRAM bytes written") return reading(q.dramWrite);
    if (name == "waves / ⌈waves⌉") return reading(q.occupancy.waveEfficiency);
    if (name == before.busiestSmFactor.how) return reading(q.busiestSmFactor);
    if (name == counter::kWarpsActive) return reading(q.occupancy.achieved);
    // CUPTI gives these in percent, the quantities are shares.
    if (name == counter::kIntegerPipe) return reading(q.integerUtilisation);
    if (name == q.atomicUnitBusiest.how) return reading(q.atomicUnitBusiest);
    if (name == counter::kSpecialFunctionPipe) return reading(q.specialFunctionUtilisation);
    if (name == "FP64 operations") return reading(q.flops[Precision::Fp64]);
    if (name == "DRAM bandwidth, share of what can be attained") {
        const Resources resources = resourcesOf(q);
        const Resource* dram = resources.find(ResourceId::Dram);
        return dram ? Reading{dram->busy, {}}
                    : Reading{std::nullopt, q.utilisation[Level::Dram].missing};
    }
    if (name.ends_with("_per_issue_active.ratio / sum")) {
        const Stalls stalls = stallsOf(to.profile(), to.kernel.group);
        for (const Stall& stall : stalls.reasons)
            if (name == stallCounter(stall.reason) + " / sum") return {stall.share, {}};
        return {std::nullopt, stalls.missing};
    }
    if (name.ends_with(kSampleCount)) {
        const Stalls stalls = stallsOf(to.profile(), to.kernel);
        if (!stalls.sampled) return {std::nullopt, std::string(kSampleCount)};
        for (const Stall& stall : stalls.reasons)
            if (name == stallFormula(stalls, stall.reason)) return {stall.share, {}};
        return {};
    }
    if (name == "fma / (add + mul + fma)") {
        // The rule names the share of one precision; its old value shows which one.
        for (const Precision precision : kPrecisions) {
            const auto& share = before.fusedShare[precision];
            if (share.has() && share->value == expected.from)
                return reading(q.fusedShare[precision]);
        }
        return {};
    }
    const auto names = terms(name);
    const auto joint = GroupSums(to.profile().counters, to.kernel.group.launches).joint(names);
    if (!joint.ok()) return {std::nullopt, joint.missing};
    double sum = 0;
    for (std::size_t i = 0; i < names.size(); ++i) sum += joint.mean(i);
    return {sum, {}};
}

PromisedMovement check(const ExpectedMovement& expected, const Side& from, const Side& to) {
    PromisedMovement movement{.expected = expected};
    Reading read = now(expected, from, to);
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
            promise.movements.push_back(check(expected, from, to));
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
