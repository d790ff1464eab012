// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/planner.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/language/sentence.h"
#include "analyzer/launches/grouping.h"
#include "analyzer/over_time/over_time_analysis.h"
#include "profile/chips/chip.h"
#include "profile/model/counting_cost.h"
#include "profile/names/instrumented.h"

namespace roofscope {

namespace {

/// Seconds. A run that takes longer must explain more to be worth making.
constexpr double kShortRun = 4;
/// What sampling one launch over time costs: mostly configuring CUPTI.
constexpr double kSecondsPerCurve = 0.3;
/// Number of passes if the chip's table states none.
constexpr int kUsualPasses = 4;
/// Longest kernel name in progress messages.
constexpr std::size_t kNameLength = 40;

constexpr std::array<std::pair<const char*, Effort>, 3> kEfforts{
    {{"quick", Effort::Quick}, {"auto", Effort::Auto}, {"deep", Effort::Deep}}};

std::vector<CounterGroup> united(std::vector<CounterGroup> a, const std::vector<CounterGroup>& b) {
    a.insert(a.end(), b.begin(), b.end());
    std::ranges::sort(a);
    a.erase(std::unique(a.begin(), a.end()), a.end());  // clang 14 has no std::ranges::unique
    return a;
}

class Planner {
public:
    Planner(const Analysis& analysis, const Program& program, const FollowUpOptions& options)
        : m_analysis(analysis), m_program(program), m_options(options) {
        const auto& devices = analysis.profile->devices;
        if (!devices.empty())
            if (auto table = chipTable(devices[0]); table.ok()) m_chip = std::move(*table);
        std::map<std::uint32_t, Seconds> times;
        for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k) {
            const KernelAnalysis& kernel = analysis.kernels[k];
            const double median = kernel.quantities.duration.median.value;
            double most = 0;
            for (const Finding& finding : kernel.findings)
                if (!finding.minor && finding.gain.has() && median > 0)
                    most = std::max(most, std::min(finding.gain->value / median, 1.0));
            const Seconds time = program.kernels[k].standsFor;
            times[kernel.group.kernel] += time;
            m_promised[kernel.group.kernel] += most * time.value;
        }
        for (auto& [kernel, promised] : m_promised)
            promised = times[kernel].value > 0 ? promised / times[kernel].value : 0;
    }

    std::vector<FollowUp> run() {
        std::vector<FollowUp> plan;
        std::size_t sources =
            m_options.effort == Effort::Deep ? 0 : m_analysis.profile->sources.size();
        std::size_t curves = m_analysis.profile->overTime.size();
        for (const FollowUpReason& question : questions()) {
            const bool source = asks(question, CounterGroup::Source);
            const bool curve = asks(question, CounterGroup::OverTime);
            if ((source && sources >= kMostSourceRuns) || (curve && curves >= kMostCurves))
                continue;
            std::vector<FollowUp> more = with(plan, question);
            if (m_options.left && costOf(more) > m_options.left->value) continue;
            sources += source;
            curves += curve;
            plan = std::move(more);
        }
        for (FollowUp& run : plan) run.why = whyOf(run);
        std::ranges::stable_sort(plan, std::greater{},
                                 [](const FollowUp& run) { return run.reasons.front().worth; });
        return plan;
    }

private:
    static bool asks(const FollowUpReason& question, CounterGroup group) {
        return std::ranges::find(question.groups, group) != question.groups.end();
    }
    /// The order of questions; only those of one kind can share a run. Counters come first, because
    /// they decide of which kernels lines and curves over time are wanted.
    static int kindOf(const FollowUpReason& question) {
        if (asks(question, CounterGroup::OverTime)) return 2;
        return asks(question, CounterGroup::Source) ? 1 : 0;
    }

    /// Share of the window, or of all kernels' time if there is no window.
    [[nodiscard]] double shareOf(std::uint32_t k) const {
        const KernelAnalysis& kernel = m_analysis.kernels[k];
        const double window = m_program.window.seconds.value;
        if (kernel.quantities.duration.count == 0) return 0;
        if (!(window > 0)) return kernel.timeShare.has() ? kernel.timeShare->value : 0;
        return std::min(1.0, m_program.kernels[k].standsFor.value / window);
    }

    /// The share of the window that an answer must concern: kWorthAsking, and more where the run
    /// takes long. `runs`: of the program.
    [[nodiscard]] double leastWorth(double runs = 1) const {
        constexpr double kMost = 5;
        if (m_options.effort == Effort::Deep) return kWorthAsking;
        const double least = kWorthAsking * std::clamp(timeOf(runs) / kShortRun, 1.0, kMost);
        if (m_program.actions.empty()) return least;
        // Even a short run is not worth it for a kernel of 3 % beside copies that take 90 %.
        constexpr double kOfFirst = 1.0 / 12;
        return std::max(least, (takesLong(runs) ? kWorthBesideFirst : kOfFirst) *
                                   m_program.actions.front().share.value);
    }
    /// Seconds that these runs of the program take.
    [[nodiscard]] double timeOf(double runs) const {
        return runs * (m_options.plainRun.value + kSetUpOfRun);
    }
    /// Whether runs take so long that an answer must change what to do first.
    [[nodiscard]] bool takesLong(double runs = 1) const {
        return m_options.effort != Effort::Deep && timeOf(runs) > kShortRun;
    }

    /// The share of its time that known findings of a function promise, all shapes together. No
    /// question needs to be asked about that part.
    [[nodiscard]] double promisedShareOf(const KernelAnalysis& kernel) const {
        const auto found = m_promised.find(kernel.group.kernel);
        return !takesLong() || found == m_promised.end() ? 0 : found->second;
    }

    /// The open questions, in the order of kindOf(), the most worthwhile first.
    [[nodiscard]] std::vector<FollowUpReason> questions() const {
        std::vector<FollowUpReason> found;
        if (m_options.effort == Effort::Quick) return found;
        std::set<std::uint32_t> functions;  // whose lines are asked for: once per function
        for (std::uint32_t k = 0; k < m_analysis.kernels.size(); ++k) {
            const KernelAnalysis& kernel = m_analysis.kernels[k];
            const double share = shareOf(k);
            const double lines = linesWorth(k, share);
            if (std::max(share, lines) < leastWorth() ||
                kernel.verdict.cls == VerdictClass::WaitsForPeers)
                continue;
            const double promised = promisedShareOf(kernel);
            for (const CannotTell& open : kernel.cannotTell) {
                const Rule* rule = findRule(open.ruleId);
                auto groups = united({}, open.groups);
                std::erase_if(groups, [&](CounterGroup group) {
                    return !canBeAsked(kernel, group) || wasAsked(kernel, group);
                });
                if (!rule || groups.empty()) continue;
                if (isForeign(kernel.origin) && rule->isAboutCode()) continue;
                // Samples of one launch show what its warps wait for, and where; counters of all
                // reasons take ten passes.
                if (groups == std::vector{CounterGroup::Stalls} && onlySampled(k) &&
                    canBeAsked(kernel, CounterGroup::Source) &&
                    !wasAsked(kernel, CounterGroup::Source))
                    groups = {CounterGroup::Source};
                const bool library = kernel.origin == KernelOrigin::Library ||
                                     kernel.origin == KernelOrigin::PyTorch;
                if (library && m_options.effort != Effort::Deep && share < kWorthAskingOfLibrary)
                    continue;
                // A finding that rests on a verdict which may change promises less.
                constexpr double kDoubt = 0.5;
                const double worth =
                    share * std::max(0.0, mostOf(kernel, *rule) -
                                              promised * (rule->canChangeVerdict ? kDoubt : 1));
                const bool source = std::ranges::find(groups, CounterGroup::Source) != groups.end();
                if (worth < leastWorth(source ? runsForLines(k) : 1)) continue;
                if (source && !functions.insert(kernel.group.kernel).second) continue;
                found.push_back({.kernel = k,
                                 .rule = open.ruleId,
                                 .groups = std::move(groups),
                                 .worth = {worth}});
            }
            const bool wanted =
                m_options.effort == Effort::Deep ? lines > 0 : lines >= leastWorth(runsForLines(k));
            if (wanted && functions.insert(kernel.group.kernel).second)
                found.push_back(
                    {.kernel = k, .rule = {}, .groups = {CounterGroup::Source}, .worth = {lines}});
            const double course = share * std::max(0.0, curveShareOf(kernel) - promised);
            if (course >= leastWorth())
                found.push_back({.kernel = k,
                                 .rule = {},
                                 .groups = {CounterGroup::OverTime},
                                 .worth = {course}});
        }
        if (found.empty()) found = lastQuestion();
        std::erase_if(found, [](const FollowUpReason& q) { return !(q.worth.value > 0); });
        std::ranges::stable_sort(found, [](const FollowUpReason& a, const FollowUpReason& b) {
            return kindOf(a) != kindOf(b) ? kindOf(a) < kindOf(b) : a.worth > b.worth;
        });
        return found;
    }

    /// When nothing else is open: the lines of the kernel that takes most of the time, if no
    /// finding explains it and it is quick to look.
    [[nodiscard]] std::vector<FollowUpReason> lastQuestion() const {
        constexpr double kMuch = 0.3, kExplained = 1.0 / 3, kMayExplain = 0.5;
        FollowUpReason most{.groups = {CounterGroup::Source}};
        for (std::uint32_t k = 0; k < m_analysis.kernels.size(); ++k) {
            const KernelAnalysis& kernel = m_analysis.kernels[k];
            const auto promised = m_promised.find(kernel.group.kernel);
            const double open = openShareOf(kernel), share = shareOf(k);
            if (share < kMuch || open < kExplained || !mayReadLines(kernel) ||
                kernel.verdict.cls == VerdictClass::WaitsForPeers ||
                (promised != m_promised.end() && promised->second >= kExplained) ||
                takesLong(runsForLines(k)))
                continue;
            if (const double worth = kMayExplain * share * open; worth > most.worth.value)
                most.kernel = k, most.worth = {worth};
        }
        return {most};
    }

    /// Whether a run could read it. Nodes of graphs have no counters per instruction, and the
    /// timing run cannot be requested.
    [[nodiscard]] bool canBeAsked(const KernelAnalysis& kernel, CounterGroup group) const {
        if (group != CounterGroup::Source && group != CounterGroup::OverTime)
            return isNamedGroup(group);
        if (group == CounterGroup::OverTime && !(m_chip && m_chip->samplesOverTime)) return false;
        const auto& launches = m_analysis.profile->launches;
        const auto count = std::ranges::count_if(kernel.group.launches, [&](std::uint32_t row) {
            return row < launches.size() && !launches[row].fromGraph;
        });
        // The first launch loads code, which is mostly what sampling it would show.
        return count > (group == CounterGroup::OverTime ? 1 : 0);
    }

    /// Source lines belong to the function, whatever shape it was launched in.
    [[nodiscard]] bool wasAsked(const KernelAnalysis& kernel, CounterGroup group) const {
        const auto& launches = m_analysis.profile->launches;
        const auto isOfKernel = [&](std::uint32_t row) {
            return group == CounterGroup::Source
                       ? row < launches.size() && launches[row].kernel == kernel.group.kernel
                       : std::ranges::binary_search(kernel.group.launches, row);
        };
        return std::ranges::any_of(m_options.asked, [&](const AskedBefore& before) {
            return std::ranges::find(before.groups, group) != before.groups.end() &&
                   std::ranges::any_of(before.launches, isOfKernel);
        });
    }

    /// The share of a kernel's time that an answer can concern: what its verdict leaves open. That
    /// is all of it if the verdict may change, or if the kernel may be faster than its roof
    /// suggests.
    static double mostOf(const KernelAnalysis& kernel, const Rule& rule) {
        return rule.canChangeVerdict || rule.canBeatItsRoof ? 1.0 : openShareOf(kernel);
    }
    static double openShareOf(const KernelAnalysis& kernel) {
        const double median = kernel.quantities.duration.median.value;
        if (!kernel.verdict.headroom.has() || !(median > 0)) return 1.0;
        return std::clamp(kernel.verdict.headroom->value / median, 0.0, 1.0);
    }

    /// Whether the lines of a kernel are not known yet, and can be.
    [[nodiscard]] bool mayReadLines(const KernelAnalysis& kernel) const {
        return !kernel.source && !isForeign(kernel.origin) &&
               canBeAsked(kernel, CounterGroup::Source) &&
               !wasAsked(kernel, CounterGroup::Source) &&
               !wasRead(m_analysis.profile->capture, kernel.group, CounterGroup::Source);
    }
    /// Whether a line could show it, and none does yet.
    static bool wantsLine(const Finding& finding) {
        const Rule* rule = findRule(finding.ruleId);
        return rule && rule->namesLine != NamesLine::No && finding.places.empty();
    }
    /// The share of a kernel's time that its source lines can concern. Only for kernels that the
    /// reader can edit, and by default only if a finding that a report shows could name a line and
    /// does not yet.
    [[nodiscard]] double linesShareOf(const KernelAnalysis& kernel) const {
        constexpr int kShown = 3;
        if (!mayReadLines(kernel)) return 0;
        if (m_options.effort == Effort::Deep) return openShareOf(kernel);
        const double median = kernel.quantities.duration.median.value;
        double most = 0;
        int shown = 0;
        for (const Finding& finding : kernel.findings) {
            if (finding.minor || shown++ == kShown) break;  // minor ones come last
            if (!wantsLine(finding)) continue;
            most = std::max(most, finding.gain.has() && median > 0
                                      ? std::min(finding.gain->value / median, 1.0)
                                      : openShareOf(kernel));
        }
        return most;
    }

    /// The share of the window that a kernel's lines can concern. The lines of the first action's
    /// first kernel stand for all of its kernels: they decide what the edit is.
    [[nodiscard]] double linesWorth(std::uint32_t k, double share) const {
        const KernelAnalysis& kernel = m_analysis.kernels[k];
        const double own = share * linesShareOf(kernel);
        if (!(own > 0) || m_program.actions.empty()) return own;
        const Action& first = m_program.actions.front();
        return first.finding && first.kernels.front() == k &&
                       wantsLine(kernel.findings[*first.finding])
                   ? std::max(own, first.share.value)
                   : own;
    }

    /// The share of a kernel's time that a curve over it could concern. Only for kernels that the
    /// reader can edit.
    [[nodiscard]] double curveShareOf(const KernelAnalysis& kernel) const {
        const auto& devices = m_analysis.profile->devices;
        if (isForeign(kernel.origin) || !canBeAsked(kernel, CounterGroup::OverTime) ||
            wasAsked(kernel, CounterGroup::OverTime) || kernel.group.device >= devices.size())
            return 0;
        return std::min(hiddenByAverages(kernel, devices[kernel.group.device]),
                        openShareOf(kernel));
    }

    [[nodiscard]] double passesOf(CounterGroup group) const {
        if (!m_chip) return kUsualPasses;
        const auto found = m_chip->groups.find(toString(group));
        return found == m_chip->groups.end() || found->second.maxPasses == 0
                   ? kUsualPasses
                   : found->second.maxPasses;
    }

    [[nodiscard]] double costOf(const FollowUp& run) const {
        double passes = 0;
        bool source = false, curve = false;
        for (const CounterGroup group : run.groups) {
            source |= group == CounterGroup::Source;
            curve |= group == CounterGroup::OverTime;
            passes += isNamedGroup(group) ? passesOf(group) : 0;
        }
        if (curve)
            return m_options.plainRun.value + kSetUpOfRun +
                   kSecondsPerCurve * static_cast<double>(run.kernels.size());
        // Counters and stall samples per instruction take one run of the program each; long kernels
        // are only sampled.
        const double runs = source ? runsForLines(run.kernels.front()) : 1;
        return runs * (m_options.plainRun.value + kSetUpOfRun) + passes * secondsOfPass(run) +
               instrumented(run, source);
    }
    /// How long one pass over the launches that are to be counted takes.
    [[nodiscard]] double secondsOfPass(const FollowUp& run) const {
        double seconds = 0;
        for (const std::uint32_t k : run.kernels) {
            const double launch = m_analysis.kernels[k].quantities.duration.median.value;
            seconds += countedLaunches(k) * (kSecondsPerPass + launch);
        }
        return seconds;
    }
    /// How long the launches take while their instrumented counters are read.
    [[nodiscard]] double instrumented(const FollowUp& run, bool source) const {
        const bool counters = std::ranges::any_of(run.groups, [&](CounterGroup group) {
            if (!m_chip || !isNamedGroup(group)) return false;
            const auto found = m_chip->groups.find(std::string(toString(group)));
            return found != m_chip->groups.end() &&
                   std::ranges::any_of(found->second.counters, isInstrumented);
        });
        double seconds = 0;
        for (const std::uint32_t k : run.kernels) {
            const std::uint32_t launches =
                (source && !onlySampled(k) ? 1 : 0) + (counters ? countedLaunches(k) : 0);
            seconds += kInstrumentedSlowdown * launches *
                       m_analysis.kernels[k].quantities.duration.median.value;
        }
        return seconds;
    }
    /// How many launches of a kernel a run with counters measures.
    [[nodiscard]] std::uint32_t countedLaunches(std::uint32_t k) const {
        const double launch = m_analysis.kernels[k].quantities.duration.median.value;
        return launch > kOneLaunchIsEnough ? 1 : m_options.launchesPerKernel;
    }
    /// Whether a question for a kernel's lines is answered by samples alone.
    [[nodiscard]] bool onlySampled(std::uint32_t k) const {
        return m_options.effort != Effort::Deep &&
               isLongToInstrument(m_analysis.kernels[k].quantities.duration.median.value);
    }
    /// How many runs of the program a question for a kernel's lines takes.
    [[nodiscard]] double runsForLines(std::uint32_t k) const {
        const bool one = onlySampled(k) || !samplesShowMore(m_analysis.kernels[k]);
        return one && m_options.effort != Effort::Deep ? 1 : 2;
    }
    [[nodiscard]] double costOf(const std::vector<FollowUp>& plan) const {
        double cost = 0;
        for (const FollowUp& run : plan) cost += run.estimate.value;
        return cost;
    }

    [[nodiscard]] FollowUp together(const FollowUp& a, const FollowUp& b) const {
        FollowUp both = a;
        both.groups = united(std::move(both.groups), b.groups);
        for (const std::uint32_t kernel : b.kernels)
            if (std::ranges::find(both.kernels, kernel) == both.kernels.end())
                both.kernels.push_back(kernel);
        both.reasons.insert(both.reasons.end(), b.reasons.begin(), b.reasons.end());
        both.estimate = {costOf(both)};
        return both;
    }

    /// The plan with one more question: in the run where it costs least, or in one of its own.
    [[nodiscard]] std::vector<FollowUp> with(std::vector<FollowUp> plan,
                                             const FollowUpReason& question) const {
        FollowUp alone{.groups = question.groups,
                       .kernels = {question.kernel},
                       .reasons = {question},
                       .estimate = {},
                       .why = {}};
        alone.estimate = {costOf(alone)};
        FollowUp* best = nullptr;
        FollowUp joined;
        double least = alone.estimate.value;
        for (FollowUp& run : plan) {
            if (kindOf(question) != kindOf(run.reasons.front()) ||
                asks(question, CounterGroup::Source))
                continue;
            FollowUp both = together(run, alone);
            const double added = both.estimate.value - run.estimate.value;
            if (added >= least) continue;
            least = added;
            best = &run;
            joined = std::move(both);
        }
        if (best)
            *best = std::move(joined);
        else
            plan.push_back(std::move(alone));
        return plan;
    }

    [[nodiscard]] Words whyOf(const FollowUp& run) const {
        const FollowUpReason& first = run.reasons.front();
        const std::string name =
            shortKernelName(m_analysis.kernels[first.kernel].fullName, kNameLength);
        const double percent = 100 * shareOf(first.kernel);
        const std::size_t more = run.kernels.size() - 1;
        if (asks(first, CounterGroup::OverTime))
            return more == 0
                       ? wordsOf("activity of {} over time ({:.0f} % of the time)", name, percent)
                       : wordsOf("activity of {} and {} more over time ({:.0f} % of the time)",
                                 name, more, percent);
        if (asks(first, CounterGroup::Source))
            return wordsOf("source lines of {} ({:.0f} % of the time)", name, percent);
        return more == 0 ? wordsOf("{} of {} ({:.0f} % of the time): {}", join(run.groups), name,
                                   percent, first.rule)
                         : wordsOf("{} of {} and {} more ({:.0f} % of the time): {}",
                                   join(run.groups), name, more, percent, first.rule);
    }

    const Analysis& m_analysis;
    const Program& m_program;
    const FollowUpOptions& m_options;
    std::optional<ChipTable> m_chip;
    std::map<std::uint32_t, double> m_promised;  ///< by Profile::kernels: share of its time
};

}  // namespace

const char* toString(Effort effort) {
    for (const auto& [name, value] : kEfforts)
        if (value == effort) return name;
    return "";
}

std::optional<Effort> parseEffort(std::string_view name) {
    for (const auto& [known, value] : kEfforts)
        if (known == name) return value;
    return std::nullopt;
}

namespace {

/// Whether most of a kernel's time is explained by a finding whose lines are found by counters.
bool isExplainedByCounters(const KernelAnalysis& kernel) {
    constexpr double kMost = 0.5;
    if (kernel.findings.empty()) return false;
    const Finding& first = kernel.findings.front();
    const Rule* rule = findRule(first.ruleId);
    return rule && rule->namesLine == NamesLine::ByCounters && first.gain.has() &&
           *first.gain >= kernel.quantities.duration.median * kMost;
}

}  // namespace

bool samplesShowMore(const KernelAnalysis& kernel) {
    const Verdict& verdict = kernel.verdict;
    const bool byInstructions =
        verdict.cls == VerdictClass::ComputeBound ||
        (verdict.cls == VerdictClass::NearRoof && isLimitedByInstructions(verdict));
    return isLongToInstrument(kernel.quantities.duration.median.value) ||
           !(byInstructions || isExplainedByCounters(kernel));
}

std::vector<FollowUp> planFollowUps(const Analysis& analysis, const Program& program,
                                    const FollowUpOptions& options) {
    if (!analysis.profile || program.kernels.size() != analysis.kernels.size()) return {};
    return Planner(analysis, program, options).run();
}

}  // namespace roofscope
