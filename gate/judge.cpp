// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "analyzer/compare/kernel_pattern.h"
#include "analyzer/compare/parts.h"
#include "gate/gate.h"
#include "gate/judge_kernel.h"
#include "gate/keys.h"
#include "gate/program_time.h"

namespace roofscope::gate {

namespace {

using compare::word;

/// The identity of a kernel of the baseline, without the short name, which pairing ignores.
KernelIdentity identityOf(const BaselineKernel& kernel, std::size_t index) {
    return {.fullName = kernel.name,
            .range = kernel.range,
            .device = kernel.device,
            .grid = kernel.grid,
            .block = kernel.block,
            .cluster = kernel.cluster,
            .dynamicSharedBytes = kernel.dynamicSharedBytes,
            // keeps kernels with the same key in order
            .firstLaunch = static_cast<std::uint32_t>(index)};
}

void merge(const Demands& from, Demands& into) {
    const auto add = [](const auto& source, auto& target) {
        for (const auto& [key, value] : source) target[key] = value;
    };
    add(from.growth, into.growth);
    add(from.limits, into.limits);
    add(from.forbidden, into.forbidden);
    add(from.ignored, into.ignored);
    if (from.newFindings) into.newFindings = from.newFindings;
}

class Judge {
public:
    Judge(const Baseline& baseline, const Analysis& candidate, const Rules& rules,
          const std::vector<std::string>& allowMissing)
        : m_baseline(baseline),
          m_analysis(candidate),
          m_rules(rules),
          m_allow(allowMissing.begin(), allowMissing.end()),
          m_maker(candidate),
          m_now(m_maker.head()) {
        m_shortNames.reserve(baseline.kernels.size());
        for (std::size_t i = 0; i < baseline.kernels.size(); ++i)
            m_before.push_back(identityOf(baseline.kernels[i], i));
        for (const std::size_t index : m_maker.order()) {
            // The short name is what people see and write; the name in a baseline may be cut.
            KernelIdentity kernel = roofscope::identityOf(candidate.kernels[index]);
            kernel.fullName = m_maker.name(index);
            kernel.range = m_maker.range(index);
            kernel.firstLaunch = static_cast<std::uint32_t>(m_after.size());
            m_after.push_back(kernel);
        }
        for (const std::string& pattern : rules.allowMissing) m_allow.emplace_back(pattern);
        for (const RulesEntry& entry : rules.kernels) m_entryPatterns.emplace_back(entry.match);
    }

    Judgement run() {
        const Matching matching = matchKernels(m_before, m_after);
        // Similar names do not prove that two kernels do the same work. They are only used to
        // explain.
        std::vector<std::size_t> gone = matching.gone, added = matching.added;
        std::vector<std::optional<std::size_t>> alike(m_before.size());
        std::vector<const KernelMatch*> sure;
        for (const KernelMatch& match : matching.matches) {
            if (match.tier == MatchTier::Exact || match.tier == MatchTier::NameAndRange) {
                sure.push_back(&match);
                continue;
            }
            gone.push_back(match.baseline);
            added.push_back(match.candidate);
            alike[match.baseline] = match.candidate;
        }
        both(sure);
        for (const std::size_t i : gone) onlyBefore(i, alike[i]);
        for (const std::size_t i : added) onlyAfter(i);
        judgeProgram(m_baseline, m_now, m_rules.all, m_out);
        entriesWithoutKernel();
        notes();
        finish();
        return std::move(m_out);
    }

private:
    Demands demandsOn(const KernelIdentity& kernel) const {
        Demands demands = m_rules.all;
        for (std::size_t i = 0; i < m_entryPatterns.size(); ++i)
            if (m_entryPatterns[i].matches(kernel)) merge(m_rules.kernels[i].demands, demands);
        return demands;
    }

    void add(KernelGate gate, const KernelIdentity& kernel) {
        gate.name = kernel.name;
        gate.range = kernel.range;
        if (std::ranges::any_of(m_allow, [&](const auto& each) { return each.matches(kernel); }))
            for (Check& check : gate.checks) check.allowed = check.status == Status::Incomparable;
        m_out.kernels.push_back(std::move(gate));
    }

    /// The checks of a kernel of the profile; `index` is its place in m_after.
    KernelGate judged(std::size_t index, const BaselineKernel* from, bool otherShape) const {
        const std::size_t kernel = m_maker.order()[index];
        const BaselineKernel now = m_maker.kernel(kernel);
        const KernelInput input{.analysis = m_analysis,
                                .kernel = m_analysis.kernels[kernel],
                                .baseline = m_baseline,
                                .from = from,
                                .now = m_now,
                                .to = now,
                                .otherShape = otherShape};
        return judgeKernel(input, demandsOn(m_after[index]));
    }

    void both(const std::vector<const KernelMatch*>& matches) {
        for (const KernelMatch* const match : matches) {
            const BaselineKernel& from = m_baseline.kernels[match->baseline];
            KernelGate gate = judged(match->candidate, &from, match->tier != MatchTier::Exact);
            gate.baselineLine = from.line;
            add(std::move(gate), m_after[match->candidate]);
        }
    }

    void onlyBefore(std::size_t index, std::optional<std::size_t> alike) {
        const BaselineKernel& kernel = m_baseline.kernels[index];
        m_before[index].name = m_shortNames.emplace_back(shortKernelName(kernel.name));
        KernelGate gate{.baselineLine = kernel.line};
        Check check{.status = Status::Incomparable, .id = "kernel", .label = Words("kernel")};
        if (alike)
            check.reason = {Words("the profile has no kernel of this name, range and launch shape; "
                                  "\"{other}\" has a similar one"),
                            {word("other", std::string(m_after[*alike].name))}};
        else
            check.reason = {Words("the profile has no kernel of this name, range and launch shape"),
                            {}};
        gate.checks.push_back(std::move(check));
        add(std::move(gate), m_before[index]);
    }

    void onlyAfter(std::size_t index) {
        KernelGate gate = judged(index, nullptr, false);
        const Remark why{Words("the baseline has no kernel of this name, range and launch shape"),
                         {}};
        if (m_rules.newKernels == NewKernels::Pass)
            gate.notes.push_back(why);
        else
            gate.checks.insert(
                gate.checks.begin(),
                {.status =
                     m_rules.newKernels == NewKernels::Fail ? Status::Fail : Status::Incomparable,
                 .id = "kernel",
                 .label = Words("kernel"),
                 .reason = why});
        add(std::move(gate), m_after[index]);
    }

    /// Reports rules entries that match no kernel: otherwise a misspelt name would demand nothing
    /// and still pass.
    void entriesWithoutKernel() {
        for (std::size_t i = 0; i < m_entryPatterns.size(); ++i) {
            const RulesEntry& entry = m_rules.kernels[i];
            const auto meant = [&](const KernelIdentity& kernel) {
                return m_entryPatterns[i].matches(kernel);
            };
            if (!entry.required || std::ranges::any_of(m_after, meant)) continue;
            Check check{
                .status = Status::Incomparable,
                .id = "rules",
                .label = Words("rules"),
                .reason = {
                    Words("the profile has no kernel \"{match}\" (line {line} of the rules)"),
                    {word("match", entry.match),
                     compare::number("line", static_cast<double>(entry.line), Unit::Count)}}};
            check.allowed =
                std::ranges::find(m_allow, entry.match, &KernelPattern::text) != m_allow.end();
            m_out.checks.push_back(std::move(check));
        }
    }

    void notes() {
        const Profile& profile = *m_analysis.profile;
        if (profile.capture.origin != "recorded")
            m_out.notes.push_back({Words("this profile is {origin}, not recorded"),
                                   {word("origin", profile.capture.origin)}});
        if (profile.capture.cacheControl != m_baseline.cacheControl)
            m_out.notes.push_back(
                {Words("recorded with other cache control ({now}) than the baseline ({before}): "
                       "that alone changes durations and DRAM bytes"),
                 {word("now", profile.capture.cacheControl),
                  word("before", m_baseline.cacheControl)}});
        if (profile.capture.termSignal || profile.capture.exitCode.value_or(0) != 0)
            m_out.notes.push_back({Words("the profiled program failed"), {}});
        const auto lost =
            std::count_if(profile.issues.begin(), profile.issues.end(),
                          [](const Issue& issue) { return issue.severity != Severity::Info; });
        if (lost > 0)
            m_out.notes.push_back(
                {Words("the profile lists {count} problems of its recording"),
                 {compare::number("count", static_cast<double>(lost), Unit::Count)}});
        std::set<std::string> known(m_baseline.rules.begin(), m_baseline.rules.end());
        const auto unknown =
            std::count_if(m_now.rules.begin(), m_now.rules.end(),
                          [&](const std::string& rule) { return !known.contains(rule); });
        if (unknown > 0)
            m_out.notes.push_back(
                {Words("the baseline does not know {count} rules of this roofscope; their findings "
                       "do not count as new"),
                 {compare::number("count", static_cast<double>(unknown), Unit::Count)}});
    }

    void finish() {
        const auto rank = [](const KernelGate& kernel) {
            const Status status = kernel.status();
            return status == Status::Fail ? 0 : status == Status::Incomparable ? 1 : 2;
        };
        std::ranges::stable_sort(m_out.kernels, {}, rank);
        auto& count = m_out.count;
        const auto tally = [&](const Check& check) {
            count.passed += check.status == Status::Pass;
            count.improved += check.improved;
            count.failed += check.status == Status::Fail;
            count.incomparable += check.status == Status::Incomparable && !check.allowed;
            count.allowed += check.allowed;
        };
        for (const KernelGate& kernel : m_out.kernels) {
            count.kernels += kernel.inProfile && kernel.baselineLine > 0;
            for (const Check& check : kernel.checks) tally(check);
        }
        for (const Check& check : m_out.checks) tally(check);
    }

    const Baseline& m_baseline;
    const Analysis& m_analysis;
    const Rules& m_rules;
    std::vector<KernelPattern> m_allow;  ///< what may be missing
    std::vector<KernelPattern>
        m_entryPatterns;    ///< the kernels that each entry of Rules::kernels matches
    BaselineMaker m_maker;  ///< of the profile; makes names as a baseline has them
    Baseline m_now;         ///< without kernels
    std::vector<std::string> m_shortNames;
    std::vector<KernelIdentity> m_before, m_after;  ///< the latter in the order of m_maker
    Judgement m_out;
};

}  // namespace

const char* toString(Status status) {
    switch (status) {
        case Status::Pass:
            return "pass";
        case Status::Fail:
            return "fail";
        case Status::Incomparable:
            return "incomparable";
    }
    return "incomparable";
}

std::optional<double> Check::growth() const {
    if (!from || !to || *from == 0) return std::nullopt;
    return *to / *from - 1;
}

Status KernelGate::status() const {
    Status worst = Status::Pass;
    for (const Check& check : checks) {
        if (check.status == Status::Fail) return Status::Fail;
        if (check.status == Status::Incomparable && !check.allowed) worst = Status::Incomparable;
    }
    return worst;
}

Status Judgement::status() const {
    if (count.failed > 0) return Status::Fail;
    return count.incomparable > 0 || count.passed == 0 ? Status::Incomparable : Status::Pass;
}

int Judgement::exitCode() const {
    switch (status()) {
        case Status::Pass:
            return 0;
        case Status::Fail:
            return 1;
        case Status::Incomparable:
            return 2;
    }
    return 2;
}

Judgement judge(const Baseline& baseline, const Analysis& candidate, const Rules& rules,
                const std::vector<std::string>& allowMissing) {
    return Judge(baseline, candidate, rules, allowMissing).run();
}

}  // namespace roofscope::gate
