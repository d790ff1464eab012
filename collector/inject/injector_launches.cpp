// SPDX-License-Identifier: Apache-2.0
/// Launches: which of them are recorded and counted, and what is noted of each.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "collector/inject/calls/driver_calls.h"
#include "collector/inject/injector.h"
#include "collector/inject/launches/launch_request.h"
#include "collector/inject/launches/open_launch.h"
#include "collector/inject/python/python_hooks.h"
#include "collector/inject/ranges/nvtx_stack.h"

namespace roofscope::inject {
namespace {

bool isAutotuning(const std::vector<std::string>& ranges) {
    return std::ranges::find(ranges, kAutotuningRange) != ranges.end();
}

std::uint64_t threadNumber() { return std::hash<std::thread::id>{}(std::this_thread::get_id()); }

/// The cluster shape of a launch: its own, or else the one that the kernel was compiled with.
std::optional<Dim3> clusterOf(const LaunchRequest& request, const KernelTable::Known& kernel) {
    return request.cluster ? request.cluster : kernel.cluster;
}

std::uint64_t signatureOf(const LaunchRequest& request, const KernelTable::Known& kernel,
                          const std::string& path) {
    return launchSignature(kernel.signature,
                           {.grid = request.grid,
                            .block = request.block,
                            .cluster = clusterOf(request, kernel),
                            .dynamicSharedBytes = request.dynamicSharedBytes},
                           path);
}

}  // namespace

void Injector::launchCalled(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    const auto now = timing() ? Clock::now() : Clock::time_point();
    const bool entering = data.callbackSite == CUPTI_API_ENTER;
    if (entering ? openLaunch().depth++ > 0 : --openLaunch().depth > 0) return;
    if (entering && isGraphLaunch(id)) return graphEntered(id, data);
    if (entering) {
        const LaunchRequest request = launchRequest(id, data);
        // A launch during stream capture runs nothing; the graph's own launch will.
        if (capturing(request.stream)) return;
        openLaunch().entered = now;
        return launchEntered(data, {.kernels = std::span(&request, 1)});
    }
    const LetOthersLaunch afterwards{m_turns};
    if (m_rangeTracker && !succeeded(data))
        if (const auto state = lockState(); state.owns_lock())
            m_rangeTracker->launchFailed(data.context);
    if (!openLaunch().sequences.empty())
        launchLeft(data);
    else if (timing())
        m_spool.flushIfDue();  // of earlier launches, should the program end without us
    launchTimed();
}

void Injector::graphEntered(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    const auto [handle, stream] = graphLaunchRequest(id, data);
    if (capturing(stream)) return;
    GraphKernels graph;
    {
        const auto state = lockState();
        if (!state.owns_lock()) return m_missed.launch();
        if (m_late && !m_graphs->knows(handle)) graphTooOld();
        graph = m_graphs->graph(handle);
    }
    auto kernels = graph.launched();
    for (auto& kernel : kernels) kernel.stream = stream;
    if (!kernels.empty() || !graph.complete())
        launchEntered(data, {.kernels = kernels,
                             .fromGraph = true,
                             .ordered = graph.ordered(),
                             .complete = graph.complete()});
}

void Injector::launchEntered(const CUpti_CallbackData& data, const Launched& launched) {
    const auto requests = launched.kernels;
    t_launches = true;
    const bool afterSync = m_waited.exchange(false);
    openLaunch().orderKnown = launched.ordered;
    openLaunch().sequences.clear();
    openLaunch().function = nullptr;
    // A source run measures one launch, which must run alone.
    LaunchTurns::Turn turn;
    if (inTurn()) turn = m_turns.take();
    openLaunch().locked = turn.ours;
    const auto state = lockState();
    if (!state.owns_lock()) return m_missed.launch();
    if (m_done) {  // set while this thread waited: the end of the call will not be reported
        const LetOthersLaunch now{m_turns};
        return;
    }
    if (turn.firstInVain) turnInVain(turn);
    Context* const known = this->context(data.context);
    if (!m_tracing || !known) openLaunch().entered = {};
    if (!known) return;
    Context& context = *known;
    const CompilersLaunch mark;
    if (m_countingFirst && launched.fromGraph) m_countingFirst->onlyCount();
    if (m_countingFirst && counting()) timeIfEnoughIsCounted();
    const NvtxStack& stack = NvtxStack::perThread();
    if (m_rangeTracker && m_rangeTracker->anyOpen())
        followLaunch(data.context, context, launched, stack.path());
    if (inRanges()) return;

    Chosen chosen = choose(launched, context, stack);
    if (sparesMemory() && chosen.anyCounted && tooMuchToSave()) {
        if (m_countingFirst) m_countingFirst->giveUp();
        countNone(chosen);
    }
    // Not during a capture, which opening a session could break.
    if (chosen.anyCounted && m_openCaptures == 0) openCounters(data.context, context);
    if (chosen.anyCounted) openLaunch().countedSince = Clock::now();
    if (!chosen.anyRecorded && !context.tracker) return;
    if (context.tracker) prepareCounters(*context.tracker, launched, context, stack, chosen);
    // Arguments of graph nodes are unknown, and during a capture the driver is not asked.
    const bool single = !launched.fromGraph && requests.size() == 1 && m_openCaptures == 0;
    if (context.flush && (timing() ? chosen.anyRecorded : chosen.anyCounted))
        flushCaches(context, requests.front().stream, !launched.fromGraph && m_openCaptures == 0);
    if (m_source && chosen.anyCounted && single) m_source->begin(data.context, context.handle);
    if (m_sampling && chosen.anyCounted && single) m_sampling->begin(data.context);
    if (m_overTime && chosen.anyCounted && single && chosen.signature)
        if (const auto interval = m_configuration.intervals.find(*chosen.signature);
            interval != m_configuration.intervals.end())
            m_overTime->begin(context.ordinal, interval->second);
    if (single && chosen.anyRecorded) {
        openLaunch().function = requests.front().function;
        openLaunch().parameters = requests.front().parameters;
    }
    noteLaunches(data, launched, context, stack, afterSync);
}

bool Injector::leftOutAsAutotuning(const NvtxStack& stack) const {
    return !m_configuration.selection.autotuning && isAutotuning(stack.names());
}

bool Injector::ofInterest(const Context& context, const NvtxStack& stack) {
    if (!m_choice->active() || !m_choice->wantsDevice(context.ordinal)) return false;
    return stack.judged([this](const std::vector<std::string>& ranges) {
        if (isAutotuning(ranges) && !m_configuration.selection.autotuning)
            issueOnce({.severity = Severity::Info,
                       .source = "inject",
                       .code = "autotuning-left-out",
                       .message = "launches of autotuning are not in this profile",
                       .advice = "record them with --autotuning keep"});
        return m_choice->wantsRanges(ranges);
    });
}

/// Decides for each kernel of a launch whether it is recorded and counted: openLaunch().decisions.
Injector::Chosen Injector::choose(const Launched& launched, const Context& context,
                                  const NvtxStack& stack) {
    const auto requests = launched.kernels;
    Chosen chosen;
    std::vector<Decision>& decisions = openLaunch().decisions;
    decisions.assign(requests.size(), {});
    const bool ofInterest = this->ofInterest(context, stack);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        // Looked up in any case: NCCL kernels matter even if they are not recorded.
        const KernelTable::Known& kernel = m_kernels->kernel(requests[i]);
        chosen.anyPeer = chosen.anyPeer || kernel.waitsForPeers;
        if (kernel.waitsForPeers && m_countingFirst) m_countingFirst->giveUp();
        if (!ofInterest || !m_choice->wantsKernel(kernel.id, kernel.name)) continue;
        if (m_choice->bySignature())
            chosen.signature = signatureOf(requests[i], kernel, stack.path());
        decisions[i].signature = chosen.signature.value_or(0);
        Choice& choice = decisions[i].choice;
        choice = m_choice->choose(decisions[i].signature);
        if (m_countingFirst && choice.recorded)
            choice.counted =
                counting() && m_countingFirst->wants(decisions[i].signature, Clock::now(),
                                                     m_asked.exchange(false));
        decisions[i].kernel = &kernel;
        if (kernel.waitsForPeers && choice.counted) {
            choice.counted = false;
            issueOnce({.severity = Severity::Info,
                       .source = "inject",
                       .code = "peer-kernels-uncounted",
                       .message = "kernels that wait for other processes (NCCL, NVSHMEM) are not "
                                  "counted: if replayed, they would wait forever"});
        }
        chosen.anyRecorded = chosen.anyRecorded || choice.recorded;
        chosen.anyCounted = chosen.anyCounted || choice.counted;
    }
    const auto unrecorded = static_cast<std::uint64_t>(
        std::ranges::count_if(decisions, [](const Decision& d) { return !d.choice.recorded; }));
    (leftOutAsAutotuning(stack) ? m_autotuningLaunches : m_unchosenLaunches) += unrecorded;
    if (!launched.complete && ofInterest) graphKernelsUnknown();
    if (!launched.complete) countNone(chosen);
    if (chosen.anyCounted && !launched.ordered && counting()) graphOrderUnknown();
    return chosen;
}

void Injector::countNone(Chosen& chosen) {
    for (Decision& decision : openLaunch().decisions) decision.choice.counted = false;
    chosen.anyCounted = false;
}

/// Prepares the session to count the launch that is about to be issued, or not to.
void Injector::prepareCounters(LaunchTracker& tracker, const Launched& launched,
                               const Context& context, const NvtxStack& stack, Chosen& chosen) {
    if (launched.fromGraph && chosen.anyPeer && chosen.anyCounted && tracker.replays()) {
        countNone(chosen);
        issueOnce(
            {.severity = Severity::Info,
             .source = "inject",
             .code = "peer-graphs-uncounted",
             .message = "CUDA graphs with kernels that wait for other processes are not counted: "
                        "if replayed, they would wait forever",
             .advice =
                 "to count them, run the program once per pass: a timing run and --replay auto"});
    }
    if (!openLaunch().locked) tracker.loseOrder();
    if (leftOutAsAutotuning(stack) && m_openCaptures == 0) return tracker.suspend();
    if (!launched.complete) return tracker.prepareUnknown();
    // While a graph is created the session must stay on and counts launches that were not chosen,
    // except kernels that wait for other processes: replayed, they would wait forever.
    const bool mustRunOnce = chosen.anyPeer && tracker.replays();
    const std::size_t ours = context.flush && kFlushMakesRange ? 1 : 0;
    const bool single = launched.kernels.size() == 1;
    if (!tracker.prepare(launched.kernels.size() + ours,
                         chosen.anyCounted || (m_openCaptures > 0 && !mustRunOnce),
                         chosen.anyCounted && single ? chosen.signature : std::nullopt))
        countNone(chosen);
}

void Injector::flushCaches(Context& context, CUstream stream, bool possible) {
    if (!possible)
        return issueOnce({.severity = Severity::DataLoss,
                          .source = "inject",
                          .code = "caches-not-flushed",
                          .message = "caches were not flushed before launches of CUDA graphs and "
                                     "launches during a stream capture",
                          .advice = "leave these launches out (--kernel, --nvtx)"});
    if (auto flushed = context.flush->before(stream); !flushed)
        return issueOnce({.severity = Severity::DataLoss,
                          .source = "inject",
                          .code = "caches-not-flushed",
                          .message = "caches could not be flushed: " + flushed.error().what,
                          .advice = flushed.error().advice});
    if (kFlushMakesRange && context.tracker) context.tracker->issued({LaunchTracker::kUnwanted});
}

void Injector::followLaunch(CUcontext handle, const Context& context, const Launched& launched,
                            const std::string& path) {
    if (!m_choice->wantsDevice(context.ordinal)) return;
    std::uint64_t work = 0;
    for (const LaunchRequest& request : launched.kernels) {
        const KernelTable::Known& kernel = m_kernels->kernel(request);
        work += signatureOf(request, kernel, path);
    }
    const bool known = launched.complete && launched.ordered;
    m_rangeTracker->launching({.context = handle, .device = context.device},
                              launched.kernels.size(), known ? std::optional(work) : std::nullopt,
                              launched.fromGraph, m_openCaptures > 0);
}

/// Writes the launches of a call into the spool, as far as they are recorded.
void Injector::noteLaunches(const CUpti_CallbackData& data, const Launched& launched,
                            const Context& context, const NvtxStack& stack, bool afterSync) {
    const auto requests = launched.kernels;
    const std::vector<Decision>& decisions = openLaunch().decisions;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const LaunchRequest& request = requests[i];
        const KernelTable::Known* const kernel = decisions[i].kernel;
        const Choice& choice = decisions[i].choice;
        if (!choice.recorded) {
            openLaunch().sequences.push_back(LaunchTracker::kUnwanted);
            continue;
        }
        openLaunch().kernel = kernel->id;
        if (m_source || m_sampling || m_overTime) openLaunch().symbol = kernel->symbol;
        const bool perThread = request.stream == CU_STREAM_PER_THREAD;
        LaunchFacts facts{
            .kernel = kernel->id,
            .device = context.device,
            .stream = m_streams
                          .try_emplace({request.stream, perThread ? threadNumber() : 0},
                                       static_cast<std::uint32_t>(m_streams.size()))
                          .first->second,
            .grid = request.grid,
            .block = request.block,
            .cluster = clusterOf(request, *kernel),
            .dynamicSharedBytes = request.dynamicSharedBytes,
            .residentBlocksPerSm = m_kernels->residentBlocks(request),
            .range = rangeId(stack.path()),
            .fromGraph = launched.fromGraph,
            .afterSync = afterSync && i == 0,
            .counted = choice.counted};
        if (timing() || (timesOthers() && !choice.counted)) facts.correlation = data.correlationId;
        m_spool.launch(m_nextSequence, facts);
        if (m_sites && counting()) m_sites->launched(kernel->id);
        openLaunch().sequences.push_back(m_nextSequence++);
    }
}

void Injector::launchLeft(const CUpti_CallbackData& data) {
    const auto countedSince = std::exchange(openLaunch().countedSince, {});
    if (const auto state = lockState(); state.owns_lock() && !m_done) {
        const auto it = m_contexts.find(data.context);
        if (!succeeded(data)) {
            for (const auto sequence : openLaunch().sequences)
                if (sequence != LaunchTracker::kUnwanted) m_spool.retract(sequence);
            if (m_sampling) m_sampling->cancel(data.context);
            if (m_overTime) m_overTime->cancel();
        } else {
            recordArguments();
            // One launch that is recorded: what was begun for it has its number.
            if (openLaunch().sequences.size() == 1 &&
                openLaunch().sequences.front() != LaunchTracker::kUnwanted) {
                const OpenLaunch& open = openLaunch();
                const std::uint64_t sequence = open.sequences.front();
                if (m_sampling) m_sampling->end(data.context, sequence, open.kernel, open.symbol);
                if (m_overTime) m_overTime->end(sequence, open.kernel, open.symbol);
                if (m_source && m_source->begun() && it != m_contexts.end())
                    m_source->end(data.context, it->second.handle, sequence, open.kernel,
                                  open.symbol);
            }
            if (it != m_contexts.end() && it->second.tracker) {
                LaunchTracker& tracker = *it->second.tracker;
                if (!openLaunch().locked) tracker.loseOrder();
                tracker.issued(openLaunch().sequences, openLaunch().orderKnown);
                if (m_openCaptures == 0) tracker.idle();
                if (countedSince != Clock::time_point{}) noteCost(Clock::now() - countedSince);
            }
        }
    }
    if (timing())
        m_spool.flushIfDue();
    else
        m_spool.flush();
    openLaunch().sequences.clear();
    openLaunch().function = nullptr;
}

void Injector::noteCost(CountingCost::Duration took) {
    std::vector<std::uint64_t> counted;
    for (const Decision& decision : openLaunch().decisions)
        if (decision.choice.counted) counted.push_back(decision.signature);
    if (counted.empty()) return;
    if (m_countingFirst) m_countingFirst->counted(took);
    const auto each = took / static_cast<std::ptrdiff_t>(counted.size());
    for (const std::uint64_t signature : counted) m_choice->counted(signature, each);
}

void Injector::launchTimed() {
    const auto entered = std::exchange(openLaunch().entered, {});
    const auto between = std::exchange(t_between, {});
    if (!timing() || entered == Clock::time_point{}) return;
    m_callTimes.add(Clock::now() - entered + between);
}

void Injector::recordArguments() {
    if (!openLaunch().function || openLaunch().sequences.size() != 1) return;
    if (openLaunch().sequences.front() == LaunchTracker::kUnwanted) return;
    try {
        // Only now: the driver has read these bytes, so they can be read safely.
        m_arguments->launched(openLaunch().sequences.front(), openLaunch().function,
                              openLaunch().parameters);
        if (!m_background.running()) m_arguments->resolve(false);
    } catch (...) {
        // Out of memory: a launch without its buffers. Its counters must not be lost with them.
    }
}

void Injector::turnInVain(const LaunchTurns::Turn& turn) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(turn.patience).count();
    issueOnce({.severity = Severity::DataLoss,
               .source = "inject",
               .code = "launch-order-unknown",
               .message = fmt::format(
                   "two threads launched at the same time: one launch took more than {} s, or the "
                   "two wait for each other. Launches that overlapped have no counters",
                   seconds),
               .advice = "profile one thread at a time"});
}

void Injector::graphOrderUnknown() {
    issueOnce({.severity = Severity::DataLoss,
               .source = "inject",
               .code = "graph-order-unknown",
               .message =
                   "a CUDA graph has parallel branches with different kernels, or changed nodes: "
                   "its kernels cannot be told apart and have no counters"});
}

void Injector::graphTooOld() {
    issueOnce({.severity = Severity::DataLoss,
               .source = "inject",
               .code = "graph-too-old",
               .message = "a CUDA graph was instantiated before the measurement began: its kernels "
                          "are not in this profile",
               .advice = "instantiate it within what is measured"});
}

void Injector::graphKernelsUnknown() {
    issueOnce({.severity = Severity::DataLoss,
               .source = "inject",
               .code = "graph-kernels-unknown",
               .message = "a CUDA graph has conditional nodes: the kernels they run are not in "
                          "this profile, and the graph's other kernels have no counters"});
}

}  // namespace roofscope::inject
