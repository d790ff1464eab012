// SPDX-License-Identifier: Apache-2.0
#include "gate/judge_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/compare/parts.h"
#include "analyzer/diagnosis/rule.h"
#include "analyzer/language/sentence.h"
#include "gate/keys.h"

namespace roofscope::gate {

namespace {

using compare::number;
using compare::word;

/// Below this DRAM traffic per launch, the contents of the caches decide how much there is, and it
/// takes hardly any time.
constexpr double kLeastDramBytes = 1 << 20;

const Fact* find(const BaselineKernel& kernel, std::string_view key) {
    return kernel.facts.find(key);
}

double growthOf(double from, double to) {
    if (to == from) return 0;
    return from == 0 ? std::numeric_limits<double>::infinity() : to / from - 1;
}

class KernelJudge {
public:
    KernelJudge(const KernelInput& input, const Demands& demands)
        : m_in(input), m_demands(demands) {
        m_out.inProfile = true;
    }

    KernelGate run() {
        if (m_in.from && sameGpu() && sameWork()) {
            duration();
            for (const Key& key : allKeys())
                if (key.judged != Judged::Duration && key.judged != Judged::Limit) growth(key);
            newFindings();
            if (m_notInBaseline > 0)
                m_out.notes.push_back(
                    {Words("{count} quantities of the profile are not in the baseline and not "
                           "judged"),
                     {number("count", static_cast<double>(m_notInBaseline), Unit::Count)}});
        }
        limits();
        forbidden();
        m_out.checks.shrink_to_fit();
        return std::move(m_out);
    }

private:
    bool ignored(std::string_view what) const {
        const auto found = m_demands.ignored.find(what);
        return found != m_demands.ignored.end() && found->second;
    }

    Check checkOf(const Key& key) const {
        return {.id = key.key, .label = key.label, .unit = key.unit};
    }

    void add(Check check, Status status, Remark reason = {}) {
        check.status = status;
        check.reason = std::move(reason);
        m_out.checks.push_back(std::move(check));
    }

    bool sameGpu() {
        const auto at = [](const Baseline& b, std::uint32_t i) {
            return i < b.devices.size() ? b.devices[i] : BaselineDevice{};
        };
        const BaselineDevice before = at(m_in.baseline, m_in.from->device);
        const BaselineDevice after = at(m_in.now, m_in.to.device);
        if (before == after) return true;
        const bool named = before.name != after.name;
        add({.id = "gpu", .label = Words::same("GPU")}, Status::Incomparable,
            {Words("measured on different GPUs: {from} and {to}"),
             {word("from", named ? Words::same(before.name) : wordsOf("one {}", before.name)),
              word("to",
                   named ? Words::same(after.name) : Words("another with other properties"))}});
        return false;
    }

    /// Whether a kernel with another launch shape still solves the same problem (a tuned kernel):
    /// the bytes that it stores tell.
    bool sameWork() {
        if (!m_in.otherShape) return true;
        m_out.notes.push_back({Words("the launch shape differs from the baseline's"), {}});
        const Key& stored = *findKey("global_store_requested_bytes");
        const Fact* before = find(*m_in.from, stored.key);
        const Fact* after = find(m_in.to, stored.key);
        Check check{.id = "work", .label = stored.label, .unit = Unit::Bytes};
        if (!before || !after) {
            add(std::move(check), Status::Incomparable,
                {Words("the launch shape differs, and the stores were not counted: is this the "
                       "same problem?"),
                 {}});
            return false;
        }
        const double apart = compare::differenceShare(before->value, after->value);
        if (apart <= compare::kOtherWork) return true;
        check.from = before->value;
        check.to = after->value;
        add(std::move(check), Status::Incomparable,
            {Words("the launch shape differs, and stores differ by {share}: is this the same "
                   "problem?"),
             {number("share", apart, Unit::Share)}});
        return false;
    }

    double allowedGrowth(const Key& key) const {
        const auto found = m_demands.growth.find(key.key);
        return found == m_demands.growth.end() ? key.growth : found->second;
    }

    /// For a check without a value in the baseline. It is incomparable if a rules file names its
    /// key, and otherwise only counted.
    void noBaselineValue(Check check, bool inProfile) {
        if (m_demands.growth.contains(check.id.str()))
            add(std::move(check), Status::Incomparable, {Words("not in the baseline"), {}});
        else if (inProfile)
            ++m_notInBaseline;
    }

    void duration() {
        const Key& key = *findKey(kDurationKey);
        if (ignored(key.key)) return;
        // Compare durations from the same kind of run: a timing run and a counter run measure
        // differently.
        const bool timed = find(*m_in.from, kTimingKey) && find(m_in.to, kTimingKey);
        const auto which = timed ? kTimingKey : kCounterRunKey;
        const Fact* before = find(*m_in.from, which);
        const Fact* after = find(m_in.to, which);
        Check check = checkOf(key);
        check.bound = allowedGrowth(key);
        if (!before && !find(*m_in.from, kTimingKey))
            return noBaselineValue(std::move(check), find(m_in.to, kTimingKey) || after);
        if (!before || !after)
            return add(std::move(check), Status::Incomparable,
                       {after ? Words("the baseline has only a timing run's duration, the profile "
                                      "only a counter run's")
                              : Words("the profile has no duration of the same kind of run"),
                        {}});
        check.from = before->value;
        check.to = after->value;
        const double least = std::max(*check.bound, kLeastDurationChange);
        const bool noiseKnown =
            std::min(before->band.repeats, after->band.repeats) >= kLeastRepeats;
        // Unknown noise matters only if there may be a regression.
        if (!noiseKnown && growthOf(*check.from, *check.to) > least)
            return add(std::move(check), Status::Incomparable,
                       {Words("fewer than {least} launches on a side, so the noise is unknown"),
                        {number("least", static_cast<double>(kLeastRepeats), Unit::Count)}});

        // The duration at the baseline's clocks would lie between `low` and `high`, because it is
        // not known how much of a kernel's time depends on a clock.
        double low = *check.to, high = *check.to;
        const auto clock = [&](const std::optional<double>& from, const std::optional<double>& to) {
            if (!from || !to || !(*from > 0) || !(*to > 0)) return 0.0;
            const double apart = std::max(*from, *to) / std::min(*from, *to) - 1;
            if (apart > kClockTolerance) {
                low = std::min(low, *check.to * *to / *from);
                high = std::max(high, *check.to * *to / *from);
            }
            return apart;
        };
        const double sm = clock(m_in.from->smClockHz, m_in.to.smClockHz);
        const double dram = clock(m_in.from->dramClockHz, m_in.to.dramClockHz);
        const auto because = [&](Words phrase) {
            const bool bySm = sm >= dram;
            return Remark{
                std::move(phrase),
                {word("clock", std::string(bySm ? "SM" : "DRAM")),
                 number("a", *(bySm ? m_in.from->smClockHz : m_in.from->dramClockHz), Unit::Hertz),
                 number("b", *(bySm ? m_in.to.smClockHz : m_in.to.dramClockHz), Unit::Hertz)}};
        };
        if (std::max(sm, dram) > kClockLimit)
            return add(std::move(check), Status::Incomparable,
                       because(Words("the {clock} clock differs too much: {a} and {b}")));
        const bool apart = compare::apart(before->band, after->band) &&
                           std::abs(*check.to - *check.from) >= kLeastBetweenRecordings.value;
        if (apart && growthOf(*check.from, low) > least)
            return add(std::move(check), Status::Fail, {Words("slower, beyond noise"), {}});
        if (apart && growthOf(*check.from, high) > least)
            return add(std::move(check), Status::Incomparable,
                       because(Words("whether it became slower depends on the {clock} clock, which "
                                     "differs: {a} and {b}")));
        check.improved = noiseKnown && apart && *check.to < *check.from &&
                         growthOf(high, *check.from) > key.growth;
        add(std::move(check), Status::Pass);
    }

    void growth(const Key& key) {
        const bool demanded = m_demands.growth.contains(key.key);
        if (ignored(key.key) || (!key.byDefault && !demanded)) return;
        const Fact* before = find(*m_in.from, key.key);
        const Fact* after = find(m_in.to, key.key);
        Check check = checkOf(key);
        check.bound = allowedGrowth(key);
        if (!after && notApplicable(key)) {
            // The kernel now has none of it, so it cannot have grown.
            if (before || demanded) add(std::move(check), Status::Pass);
            return;
        }
        if (!before) return noBaselineValue(std::move(check), after);
        check.from = before->value;
        if (!after) return add(std::move(check), Status::Incomparable, notMeasured(key));
        check.to = after->value;
        const bool banded = key.judged == Judged::Banded;
        if (banded && std::max(*check.from, *check.to) < kLeastDramBytes)
            return add(std::move(check), Status::Pass);
        const bool noiseKnown =
            !banded || std::min(before->band.repeats, after->band.repeats) >= kLeastRepeats;
        if (!noiseKnown && growthOf(*check.from, *check.to) > *check.bound)
            return add(std::move(check), Status::Incomparable,
                       {Words("fewer than {least} counted launches on a side, so the noise is "
                              "unknown: record with --per-kernel {least}"),
                        {number("least", static_cast<double>(kLeastRepeats), Unit::Count)}});
        const bool apart = compare::apart(before->band, after->band);
        if (apart && growthOf(*check.from, *check.to) > *check.bound)
            return add(std::move(check), Status::Fail,
                       {banded ? Words("more, beyond noise") : Words("more than before"), {}});
        check.improved = noiseKnown && apart && growthOf(*check.to, *check.from) > key.growth;
        add(std::move(check), Status::Pass);
    }

    QuantityValue valueNow(const Key& key) const {
        const KernelAnalysis& kernel = m_in.kernel;
        const Profile& profile = *m_in.analysis.profile;
        return key.quantity->get(
            {profile.kernels[kernel.group.kernel], kernel.group, kernel.quantities});
    }

    /// Names the counters that the profile lacks.
    Remark notMeasured(const Key& key) const {
        return {Words("not measured in the profile: {counters}"),
                {word("counters", valueNow(key).missing)}};
    }

    /// Whether everything needed was measured but the quantity does not apply: a kernel without
    /// shared memory has no bank conflicts.
    bool notApplicable(const Key& key) const {
        const QuantityValue now = valueNow(key);
        return !now.value && now.missing.empty();
    }

    void newFindings() {
        if (!m_demands.newFindings.value_or(true)) return;
        const auto& known = m_in.baseline.rules;
        Check all{.id = "findings", .label = Words("new findings")};
        bool failed = false;
        for (const auto& [rule, minor] : m_in.to.findings) {
            // A finding that was minor before is not new. Otherwise a finding at the threshold
            // would come and go.
            if (minor || m_in.from->findings.contains(rule) || ignored(rule) ||
                std::find(known.begin(), known.end(), rule) == known.end())
                continue;
            failed = true;
            add({.id = "finding:" + rule, .label = Words("new finding")}, Status::Fail,
                {Words("the baseline did not show \"{rule}\""), {word("rule", rule)}});
        }
        if (!failed) add(std::move(all), Status::Pass);
    }

    void limits() {
        for (const auto& [name, limit] : m_demands.limits) {
            const Key& key = *findKey(name);
            if (ignored(name)) continue;
            const double scale = key.judged == Judged::Duration ? 1e-9 : 1;
            Check check = checkOf(key);
            check.id = "limit:" + name;
            check.bound = limit * scale;
            const Fact* now = find(m_in.to, name);
            if (key.judged == Judged::Duration) {
                now = find(m_in.to, kTimingKey);
                if (!now) now = find(m_in.to, kCounterRunKey);
            }
            if (!now && notApplicable(key)) {
                add(std::move(check), Status::Pass);
                continue;
            }
            if (!now) {
                add(std::move(check), Status::Incomparable, notMeasured(key));
                continue;
            }
            check.to = now->value;
            if (now->value > *check.bound)
                add(std::move(check), Status::Fail, {Words("above its limit"), {}});
            else
                add(std::move(check), Status::Pass);
        }
    }

    /// Judges a rule about the sequence of launches. Its findings concern every kernel in the
    /// sequence.
    bool judgedBySequence(const std::string& rule) {
        const Rule* known = findRule(rule);
        if (!known || !known->checkSequence) return false;
        const auto of = [&](const auto& list) {
            return std::find_if(list.begin(), list.end(),
                                [&](const auto& item) { return item.ruleId == rule; });
        };
        const Analysis& all = m_in.analysis;
        Check check{.id = "finding:" + rule, .label = Words("forbidden finding")};
        const auto unknown = of(all.sequenceCannotTell);
        if (of(all.sequenceFindings) != all.sequenceFindings.end())
            add(std::move(check), Status::Fail,
                {Words("the rules forbid \"{rule}\""), {word("rule", rule)}});
        else if (unknown != all.sequenceCannotTell.end())
            add(std::move(check), Status::Incomparable,
                {Words("cannot tell whether the program has \"{rule}\": not measured: {counters}"),
                 {word("rule", rule), word("counters", unknown->missing)}});
        else
            add(std::move(check), Status::Pass);
        return true;
    }

    void forbidden() {
        for (const auto& entry : m_demands.forbidden) {
            // No structured binding, because not every compiler lets lambdas capture one.
            const std::string& rule = entry.first;
            const bool on = entry.second;
            if (!on || ignored(rule) || judgedBySequence(rule)) continue;
            Check check{.id = "finding:" + rule, .label = Words("forbidden finding")};
            const auto unknown =
                std::find_if(m_in.kernel.cannotTell.begin(), m_in.kernel.cannotTell.end(),
                             [&](const CannotTell& c) { return c.ruleId == rule; });
            const bool* const minor = m_in.to.findings.find(rule);
            if (minor && !*minor)
                add(std::move(check), Status::Fail,
                    {Words("the rules forbid \"{rule}\""), {word("rule", rule)}});
            else if (unknown != m_in.kernel.cannotTell.end())
                add(std::move(check), Status::Incomparable,
                    {Words(
                         "cannot tell whether the kernel has \"{rule}\": not measured: {counters}"),
                     {word("rule", rule), word("counters", unknown->missing)}});
            else
                add(std::move(check), Status::Pass);
        }
    }

    const KernelInput& m_in;
    const Demands& m_demands;
    KernelGate m_out;
    std::size_t m_notInBaseline = 0;
};

}  // namespace

KernelGate judgeKernel(const KernelInput& input, const Demands& demands) {
    return KernelJudge(input, demands).run();
}

}  // namespace roofscope::gate
