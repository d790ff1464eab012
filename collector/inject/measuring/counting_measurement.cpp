// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/measuring/counting_measurement.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "collector/configuration/held_memory.h"
#include "collector/inject/frameworks/frameworks.h"
#include "collector/inject/python/python_hooks.h"

namespace roofscope::inject {
namespace {

/// How much time a run that counts first may spend on counting one launch of each signature. That
/// is as long as starting the program again would take, and at least the time of 100 costly
/// launches, which another run would have to count as well.
CountingFirst::Duration mostCounting() {
    constexpr auto kAtLeast = std::chrono::seconds(10);
    return std::max<CountingFirst::Duration>(
        kAtLeast, std::chrono::duration_cast<CountingFirst::Duration>(processAge()));
}

LaunchMeasurement::Demands demandsOf(const CountersMode& mode, bool first) {
    return {.signatures = CountChoice(mode).bySignature(),
            .callSites = mode.callSites,
            .rounds = first,
            .counters = true};
}

}  // namespace

CountingMeasurement::CountingMeasurement(const MeasurementParts& parts, const CountersMode& mode)
    : LaunchMeasurement(demandsOf(mode, false)),
      m_parts(parts),
      m_mode(mode),
      m_choice(mode),
      m_times(parts.cupti, parts.spool, parts.issues) {
    if (mode.callSites)
        m_sites = std::make_unique<CallSiteLog>(parts.driver, parts.spool, parts.captures);
}

CountingMeasurement::CountingMeasurement(const MeasurementParts& parts, const CountFirstMode& mode)
    : LaunchMeasurement(demandsOf(mode.counting, true)),
      m_parts(parts),
      m_mode(mode.counting),
      m_choice(mode.counting),
      m_following(mode.timing),
      m_rests(mode.rests),
      m_times(parts.cupti, parts.spool, parts.issues) {
    const bool one = m_mode.countOneIfCostly;
    m_mode.groupByGroup = one && (m_mode.groupByGroup || holdsManyVariables());
    if (m_mode.groupByGroup) m_mode.perKernel = 1;
    m_most = mostCounting() * (one ? 1 : m_mode.perKernel);
    // With groups, each of the two gets half of the time.
    m_first.emplace(m_mode.perKernel, one, m_mode.groupByGroup ? m_most / 2 : m_most);
    if (m_mode.callSites)
        m_sites = std::make_unique<CallSiteLog>(parts.driver, parts.spool, parts.captures);
}

void CountingMeasurement::start() {
    if (m_first) {
        m_parts.spool.countsFirst();
        m_parts.timeline.prepare(m_following);
        // Counting does not disturb the program until its first launch.
        m_parts.timeline.startSampling();
    }
    // This shows how long uncounted launches take, without another run that
    // times kernels one by one.
    if (timesOthers()) (void)m_times.start({.serial = true});
}

std::optional<RunConfiguration::Mode> CountingMeasurement::next() {
    // Not while a launch of another thread is being prepared for counters, during a capture, or
    // while a compiler tries out kernels.
    if (!openLaunch().locked || m_parts.captures.open() || compilerRuns()) return {};
    if (m_parts.pace.resting()) {
        if (!m_parts.pace.restIsOver()) return {};
        if (m_first) return following();
        rest();  // now possibly without following Python
        return {};
    }
    // A graph that is created later must find counters being read.
    if (m_first ? !m_first->enough(runsPython()) : m_graphs || !countedAllPicks()) return {};
    if (m_first && useNextGroup()) return {};
    // Recording the program's lines and operators would lengthen what is timed.
    if (m_first && !leavePython()) return {};
    // A rest shows the program's own pace, which long kernels hide.
    if (m_first && (!m_rests || m_first->loop() == 0 || m_times.areLong())) return following();
    rest();
    return {};
}

bool CountingMeasurement::useNextGroup() {
    const bool any = std::ranges::any_of(m_attributions, [&](const auto& entry) {
        return entry.second && m_group + 2 < entry.second->groups();
    });
    if (!any || m_gaveUp || m_spent + m_first->spent() >= m_most) return false;
    beginGroup(m_group + 1);
    return true;
}

std::size_t CountingMeasurement::usualGroup(const CounterAttribution& attribution) const {
    return m_mode.moreOf.empty() ? attribution.groups() - 1 : 0;
}

bool CountingMeasurement::readsUsual(const CounterAttribution& attribution) const {
    return !m_mode.groupByGroup || attribution.group() == usualGroup(attribution);
}

bool CountingMeasurement::readsOnePass(const CounterAttribution& attribution) const {
    return !readsUsual(attribution) && m_mode.hardwareOnly.empty() && m_mode.moreOf.empty();
}

void CountingMeasurement::useGroup(std::size_t group) {
    m_group = group;
    for (auto& [context, attribution] : m_attributions)
        if (attribution && group < attribution->groups()) attribution->useGroup(group);
}

void CountingMeasurement::chooseGroup(CounterAttribution& attribution, BegunLaunch& launch) {
    if (!launch.anyCounted || attribution.groups() < 2) return;
    const auto isAmong = [&](const std::vector<std::uint64_t>& signatures) {
        return std::ranges::any_of(launch.open.decisions, [&](const Decision& d) {
            return d.choice.counted &&
                   std::ranges::find(signatures, d.signature) != signatures.end();
        });
    };
    if (!m_mode.moreOf.empty()) {
        if (!m_graphsMade)
            attribution.useGroup(isAmong(m_mode.moreOf) ? attribution.groups() - 1 : 0);
        return;
    }
    if (m_mode.hardwareOnly.empty()) return;
    const bool hardware = isAmong(m_mode.hardwareOnly);
    if (!m_graphsMade) return attribution.useGroup(hardware ? 0 : attribution.groups() - 1);
    if (!hardware) return;
    launch.countNone();
    m_parts.issues.once(
        {.severity = Severity::Info,
         .source = "inject",
         .code = "long-kernels-uncounted",
         .message = "long kernels have no counters: the program uses CUDA graphs, which need all "
                    "counters or none, and instrumented ones would take minutes",
         .advice = "to read them all the same: --effort deep"});
}

void CountingMeasurement::beginGroup(std::size_t group) {
    useGroup(group);
    m_spent += m_first->spent();
    m_first.emplace(m_mode.perKernel, m_mode.countOneIfCostly,
                    m_gaveUp ? CountingFirst::Duration::zero() : m_most - m_spent);
    if (m_graphs) m_first->onlyCount();
}

std::optional<RunConfiguration::Mode> CountingMeasurement::following() const {
    return m_first ? std::optional<RunConfiguration::Mode>(m_following) : std::nullopt;
}

bool CountingMeasurement::countedAllPicks() {
    // Timing the first launches one by one is worth the time that it takes.
    return m_mode.rests && m_choice.done() && (!m_mode.timeOthers || sawEnough());
}

bool CountingMeasurement::sawEnough() {
    if (m_mode.restAfter > 0 && m_parts.pace.calls() >= m_mode.restAfter) return true;
    if (!m_mode.enoughSeconds) return false;
    const auto now = Clock::now();
    if (!m_countedAll) m_countedAll = now;
    return now - *m_countedAll >= std::chrono::duration<double>(*m_mode.enoughSeconds);
}

std::optional<double> CountingMeasurement::enoughSeconds() const {
    if (m_mode.enoughSeconds && m_mode.paceKnown && !followsPython()) return 0;
    return m_mode.enoughSeconds;
}

void CountingMeasurement::endIfMeasured() {
    const std::optional<double> seconds = enoughSeconds();
    if (!seconds || !countedAllPicks()) return;
    // A program with graphs does not rest, so its pace is not awaited.
    if (m_graphs && sawEnough()) m_endsWithoutRest.store(true, std::memory_order_release);
    if (*seconds == 0 || m_endsWithoutRest.load(std::memory_order_relaxed)) setHasAll();
}

bool CountingMeasurement::hasEnough() {
    if (m_parts.pace.calls() < m_mode.untilLaunches ||
        m_transfers.load(std::memory_order_relaxed) < m_mode.untilTransfers)
        return false;
    if (m_endsWithoutRest.load(std::memory_order_acquire)) return true;
    const double seconds = enoughSeconds().value_or(0);
    return seconds <= 0 || m_parts.pace.restedFor(std::chrono::duration<double>(seconds));
}

void CountingMeasurement::rest() {
    finish();
    if (m_first || m_mode.timeOthers) {
        m_times.writeRest();
        m_times.stop();
    }
    if (m_first) return m_parts.pace.rest(m_first->loop(), !followsPython());
    if (m_mode.enoughSeconds) setHasAll();
    if (!followsPython() || (sawEnough() && leavePython())) return m_parts.pace.rest(0, true);
    if (m_mode.restAfter == 0) return m_parts.pace.rest(0, false);
    const std::uint64_t calls = m_parts.pace.calls();
    m_parts.pace.rest(std::max(m_mode.restAfter, calls + 1) - calls, false);
}

void CountingMeasurement::finish() {
    for (auto& [context, attribution] : m_attributions)
        if (attribution) attribution->finish();
    m_attributions.clear();
}

void CountingMeasurement::writeRest() {
    if (m_sites) m_sites->finish();
    m_times.writeRest();
}

void CountingMeasurement::stop() {
    if (m_parts.pace.resting()) {
        m_parts.pace.endRest();
        m_parts.spool.pace(m_parts.pace.take());
    }
    if (m_first) m_parts.spool.timesNow(m_spent + m_first->spent(), Clock::now(), m_first->loop());
    m_times.stop();
}

Choice CountingMeasurement::choose(std::uint64_t signature) {
    if (m_first) m_parts.timeline.stopSampling();  // sample only up to the first launch
    if (m_parts.pace.resting() || operators::searches()) return {.recorded = true};
    const bool counted = m_first
                             ? m_first->wants(signature, Clock::now(), m_parts.waits.takeAsked())
                             : m_choice.counts(signature);
    return {.recorded = true, .counted = counted};
}

bool CountingMeasurement::savingCostsTooMuch() const {
    HeldMemory held{.pinnedBytes = m_parts.pinned.most()};
    std::size_t free = 0, total = 0;
    const DriverApi& driver = m_parts.driver;
    if (driver.cuMemGetInfo && driver.cuMemGetInfo(&free, &total) == CUDA_SUCCESS) {
        held.bytes = total - free;
        held.freeBytes = free;
    }
    return roofscope::savingCostsTooMuch(held);
}

CounterAttribution* CountingMeasurement::attributionOf(CUcontext context) const {
    const auto it = m_attributions.find(context);
    return it == m_attributions.end() ? nullptr : it->second.get();
}

void CountingMeasurement::open(const KnownContext& context) {
    const auto [place, isNew] = m_attributions.try_emplace(context.handle);
    if (!isNew) return;
    CounterAttribution::Options options;
    options.started = options.now();
    if (m_mode.replay == CountersMode::Replay::Multiplex) options.enough = m_mode.perKernel;
    options.groupByGroup = m_mode.groupByGroup;
    auto session =
        m_parts.openCounters(m_parts.cupti, context.handle, context.gpu, m_mode, context.facts,
                             [&](Issue issue) { m_parts.issues.once(issue); });
    if (!session) return m_parts.issues.once(countersRefused(session.error()));
    if (m_first) m_first->opened(Clock::now() - *options.started);
    place->second = std::make_unique<CounterAttribution>(context.device, std::move(*session),
                                                         m_parts.spool, std::move(options));
    const std::size_t all = place->second->groups() - 1;
    if (m_mode.groupByGroup) place->second->useGroup(m_first ? std::min(m_group, all) : all);
}

void CountingMeasurement::leaveOutUncountable(BegunLaunch& launch) {
    if (launch.anyCounted && !launch.launched.ordered)
        m_parts.issues.once(
            {.severity = Severity::DataLoss,
             .source = "inject",
             .code = "graph-order-unknown",
             .message = "a CUDA graph has parallel branches with different kernels, or changed "
                        "nodes: its kernels cannot be told apart and have no counters"});
    if (launch.anyCounted && !launch.launched.countable) {
        m_parts.issues.once(
            {.severity = Severity::DataLoss,
             .source = "inject",
             .code = "graph-not-prepared",
             .message =
                 "a CUDA graph was instantiated while no counters were read: its kernels have none",
             .advice = "instantiate the graph in the part of the program that is counted"});
        launch.countNone();
    }
    if (launch.anyCounted && launch.launched.hasClustersInGraph()) {
        m_parts.issues.once(
            {.severity = Severity::Info,
             .source = "inject",
             .code = "cluster-graphs-uncounted",
             .message = "CUDA graphs with kernels in thread-block clusters are not counted: "
                        "reading counters of them would end the program",
             .advice = "their kernels are counted where the program also launches them without a "
                       "graph"});
        launch.countNone();
    }
}

void CountingMeasurement::leaveOutCostly(BegunLaunch& launch) {
    if (!skipsCostlySaving() || !launch.anyCounted) return;
    const CounterAttribution* const attribution = attributionOf(launch.context.handle);
    const bool savesNothing = attribution && readsOnePass(*attribution);
    if (savesNothing || !savingCostsTooMuch()) return;
    giveUp();
    launch.countNone();
}

void CountingMeasurement::giveUp() {
    if (!m_first) return;
    m_gaveUp = true;
    m_first->giveUp();
}

bool CountingMeasurement::begin(BegunLaunch& launch) {
    leaveOutUncountable(launch);
    if (!m_mode.groupByGroup) leaveOutCostly(launch);
    // Not during a capture, because opening a session could invalidate it.
    if (launch.anyCounted && !launch.capturing) open(launch.context);
    if (launch.anyCounted) launch.open.countedSince = Clock::now();
    CounterAttribution* const attribution = attributionOf(launch.context.handle);
    if (attribution) chooseGroup(*attribution, launch);
    // How much memory is saved depends on the group.
    if (m_mode.groupByGroup) leaveOutCostly(launch);
    if (attribution) prepare(*attribution, launch);
    // Under kernel replay, CUPTI leaves no moment to flush the caches.
    if (launch.anyCounted && m_mode.replay != CountersMode::Replay::Kernel &&
        m_parts.flushes.before(launch.context, launch.launched.kernels.front().stream,
                               !launch.launched.fromGraph && !launch.capturing) &&
        kFlushMakesRange && attribution)
        attribution->issued({CounterAttribution::kUnwanted});
    return attribution != nullptr;
}

void CountingMeasurement::prepare(CounterAttribution& attribution, BegunLaunch& launch) {
    const LaunchedKernels& launched = launch.launched;
    if (launched.fromGraph && launch.anyPeer && launch.anyCounted && attribution.replays()) {
        launch.countNone();
        m_parts.issues.once(
            {.severity = Severity::Info,
             .source = "inject",
             .code = "peer-graphs-uncounted",
             .message = "CUDA graphs with kernels that wait for other processes are not counted: "
                        "if replayed, they would wait forever",
             .advice =
                 "to count them, run the program once per pass: a timing run and --replay auto"});
    }
    if (!launch.open.locked) attribution.loseOrder();
    if (launch.autotuning && !launch.capturing) return attribution.suspend();
    if (launched.hasClustersInGraph()) return attribution.suspend();
    if (!launched.complete || !launched.countable) return attribution.prepareUnknown();
    // During a capture the session must stay on, and it then also counts launches that were not
    // chosen. The exception are kernels that wait for other processes: if replayed, they would wait
    // forever.
    const bool mustRunOnce = launch.anyPeer && attribution.replays();
    const bool flushes = m_parts.flushes.wanted() && m_mode.replay != CountersMode::Replay::Kernel;
    const std::size_t ours = flushes && kFlushMakesRange ? 1 : 0;
    const bool one = launched.kernels.size() == 1;
    if (!attribution.prepare(launched.kernels.size() + ours,
                             launch.anyCounted || (launch.capturing && !mustRunOnce),
                             launch.anyCounted && one ? launch.signature : std::nullopt))
        launch.countNone();
}

void CountingMeasurement::recorded(std::uint32_t kernel, const LaunchShape& shape) {
    if (m_sites) m_sites->launched(kernel, shape);
}

void CountingMeasurement::end(const EndedLaunch& launch) {
    CounterAttribution* const attribution = attributionOf(launch.handle);
    if (!attribution) return;
    const OpenLaunch& open = launch.open;
    if (!open.locked) attribution->loseOrder();
    attribution->issued(open.sequences, open.orderKnown);
    if (!m_parts.captures.open()) attribution->idle();
    if (open.countedSince != Clock::time_point{}) noteCost(open, Clock::now() - open.countedSince);
    endIfMeasured();
}

void CountingMeasurement::noteCost(const OpenLaunch& launch, CountingCost::Duration took) {
    std::vector<std::uint64_t> counted;
    for (const Decision& decision : launch.decisions)
        if (decision.choice.counted) counted.push_back(decision.signature);
    if (counted.empty()) return;
    if (m_first) m_first->counted(took);
    const auto each = took / static_cast<std::ptrdiff_t>(counted.size());
    for (const std::uint64_t signature : counted) m_choice.counted(signature, each);
}

void CountingMeasurement::contextEnds(CUcontext context) {
    if (CounterAttribution* const attribution = attributionOf(context)) attribution->finish();
    m_attributions.erase(context);
}

bool CountingMeasurement::contextLost(CUcontext context) {
    const auto it = m_attributions.find(context);
    if (it == m_attributions.end()) return false;
    // Leaked on purpose: the destructor would call CUPTI for a context that no longer exists.
    const bool measured = it->second.release() != nullptr;
    m_attributions.erase(it);
    return measured;
}

void CountingMeasurement::idle(CUcontext context) {
    if (CounterAttribution* const attribution = attributionOf(context)) attribution->idle();
}

bool CountingMeasurement::readyForGraphs(CUcontext context) const {
    if (m_parts.pace.resting()) return true;  // its kernels will not be counted
    const auto it = m_attributions.find(context);
    if (it == m_attributions.end()) return false;
    const CounterAttribution* const attribution = it->second.get();
    if (!attribution) return true;
    const bool asked = !m_mode.groupByGroup || m_graphsMade;
    return asked && !attribution->paused() && readsUsual(*attribution);
}

void CountingMeasurement::prepareForGraphs(const KnownContext& context) {
    open(context);
    CounterAttribution* const attribution = attributionOf(context.handle);
    // Changing groups would make existing graphs uncountable. From now on the usual counters are
    // read for all launches.
    if (attribution && !readsUsual(*attribution)) {
        const std::size_t usual = usualGroup(*attribution);
        m_first ? beginGroup(usual) : useGroup(usual);
    }
    m_graphsMade = true;
    if (attribution) attribution->resume();
}

void CountingMeasurement::graphSeen() {
    m_graphs = true;
    if (m_first) m_first->onlyCount();
}

void CountingMeasurement::peerSeen() { giveUp(); }

void CountingMeasurement::roundBegan(const std::string& name) {
    if (m_first) m_first->rangeBegan(name);
}

void CountingMeasurement::called(const FollowedCall& call, CUpti_CallbackId id,
                                 const CUpti_CallbackData& data) {
    if (m_sites) m_sites->called(call, id, data);
    if (call.kind == CallKind::Transfer && data.callbackSite == CUPTI_API_EXIT &&
        openLaunch().depth == 0)
        m_transfers.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace roofscope::inject
