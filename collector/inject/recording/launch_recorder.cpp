// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/recording/launch_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "collector/inject/calls/driver_calls.h"
#include "collector/inject/launches/counter_attribution.h"
#include "collector/inject/launches/launch_calls.h"
#include "collector/inject/launches/open_launch.h"
#include "collector/inject/python/python_hooks.h"

namespace roofscope::inject {
namespace {

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

void LaunchRecorder::called(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    OpenLaunch& open = openLaunch();
    if (data.callbackSite == CUPTI_API_ENTER) {
        const LaunchMeasurement& measurement = m_recording.measuring.current();
        const auto now = measurement.tracesCalls() ? Clock::now() : Clock::time_point();
        if (open.depth++ > 0) return;
        open.passing = 0;
        m_recording.pace.launching();
        open.entered = now;
        m_recording.run.launching();
        entered(open, id, data);
    } else if (open.depth > 0 && --open.depth == 0) {  // 0: it entered before the recording began
        left(open, data);
    }
}

bool LaunchRecorder::passed(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    OpenLaunch& open = openLaunch();
    if (isGraphLaunch(id)) Recording::usesGraphs.store(true, std::memory_order_relaxed);
    if (open.depth > 0) return false;  // the call began before the rest
    const Inside inside;
    if (data.callbackSite != CUPTI_API_ENTER) {
        open.passing = std::max(0, open.passing - 1);
        return true;
    }
    if (open.passing == 0 && m_recording.pace.restIsOver()) return false;
    if (open.passing++ == 0) m_recording.pace.launching();
    return true;
}

void LaunchRecorder::entered(OpenLaunch& open, CUpti_CallbackId id,
                             const CUpti_CallbackData& data) {
    open.measurement = &m_recording.measuring.current();
    if (isGraphLaunch(id)) {
        open.entered = {};
        return graphEntered(open, id, data);
    }
    const LaunchRequest request = launchRequest(id, data);
    // A launch during stream capture runs nothing; the graph's own launch will.
    if (StreamCaptures::capturing(m_recording.driver, request.stream))
        open.entered = {};
    else
        begin(open, data, {.kernels = std::span(&request, 1)});
}

void LaunchRecorder::graphEntered(OpenLaunch& open, CUpti_CallbackId id,
                                  const CUpti_CallbackData& data) {
    Recording::usesGraphs.store(true, std::memory_order_relaxed);
    const auto [handle, stream] = graphLaunchRequest(id, data);
    if (StreamCaptures::capturing(m_recording.driver, stream)) return;
    GraphKernels graph;
    bool countable = true;
    {
        const auto state = m_recording.state.take();
        if (!state.owns_lock()) return m_recording.state.missed().launch();
        const auto era = m_recording.graphs.era(handle);
        const LaunchMeasurement& measurement = m_recording.measuring.current();
        if (m_recording.late && !era && measurement.times({.recorded = true}))
            return oldGraphEntered(data, stream);
        // While the process rests or only call sites are recorded, the graph's kernels are not
        // missed.
        const LaunchMeasurement::Demands& demands = measurement.demands();
        if (m_recording.late && !era && demands.launches && !demands.sitesOnly)
            m_recording.issues.once(
                {.severity = Severity::DataLoss,
                 .source = "inject",
                 .code = "graph-too-old",
                 .message = "a CUDA graph was instantiated before the measurement began: its "
                            "kernels are not in this profile",
                 .advice = "instantiate the graph in the part of the program that is measured"});
        countable = !era || *era == m_recording.measuring.before();
        graph = m_recording.graphs.graph(handle);
    }
    auto kernels = graph.launched();
    for (auto& kernel : kernels) kernel.stream = stream;
    if (!kernels.empty() || !graph.complete())
        begin(open, data,
              {.kernels = kernels,
               .fromGraph = true,
               .ordered = graph.ordered(),
               .complete = graph.complete(),
               .countable = countable});
}

void LaunchRecorder::oldGraphEntered(const CUpti_CallbackData& data, CUstream stream) {
    t_launches = true;
    const bool afterSync = m_recording.waits.takeWaited();
    const KnownContext* const context = m_recording.contexts.context(data.context);
    const NvtxStack& stack = NvtxStack::perThread();
    if (!context || m_recording.done || !ofInterest(*context, stack)) return;
    m_recording.spool.oldGraph({.device = context->device,
                                .stream = numberOf(stream),
                                .range = m_recording.rangeNames.number(stack.path()),
                                .afterSync = afterSync,
                                .correlation = data.correlationId});
}

std::uint32_t LaunchRecorder::numberOf(CUstream stream) {
    const bool perThread = stream == CU_STREAM_PER_THREAD;
    return m_streams
        .try_emplace({stream, perThread ? threadNumber() : 0},
                     static_cast<std::uint32_t>(m_streams.size()))
        .first->second;
}

StateLock::Held LaunchRecorder::takeTurnAndState(OpenLaunch& open) {
    LaunchTurns::Turn turn;
    bool asked = false;
    open.locked = false;
    for (;;) {
        if (!asked && m_recording.measuring.current().demands().turns) {
            asked = true;
            turn = m_recording.turns.take();
            while (turn.ours && m_recording.captures.mustWait()) {
                m_recording.turns.unlock();
                m_recording.captures.waitForOthers();
                turn = m_recording.turns.take();
            }
            open.locked = turn.ours;
        }
        auto state = m_recording.state.take();
        // Another measurement may have begun meanwhile, and may need turns.
        if (state.owns_lock() && !asked && m_recording.measuring.current().demands().turns)
            continue;
        if (state.owns_lock() && !m_recording.done && turn.firstToGiveUp) reportTurnGivenUp(turn);
        return state;
    }
}

void LaunchRecorder::begin(OpenLaunch& open, const CUpti_CallbackData& data,
                           const LaunchedKernels& launched) {
    t_launches = true;
    const bool afterSync = m_recording.waits.takeWaited();
    open.orderKnown = launched.ordered;
    open.sequences.clear();
    open.function = nullptr;
    const auto state = takeTurnAndState(open);
    if (!state.owns_lock()) return m_recording.state.missed().launch();
    // Set while this thread waited: the end of this call will not be seen.
    if (m_recording.done) {
        const ReleaseLaunchTurn now{m_recording.turns};
        return;
    }
    const KnownContext* const context = m_recording.contexts.context(data.context);
    if (!context) {
        open.entered = {};
        return;
    }
    const CompilersLaunch mark;
    if (launched.fromGraph) m_recording.measuring.current().graphSeen();
    const bool rested = m_recording.pace.resting();
    m_recording.proceed();
    if (rested && m_recording.pace.resting()) return;  // proceed() began another rest
    LaunchMeasurement& measurement = m_recording.measuring.current();
    open.measurement = &measurement;
    const NvtxStack& stack = NvtxStack::perThread();
    if (RangeTracker* const ranges = m_recording.ranges.tracker(); ranges && ranges->anyOpen())
        follow(*ranges, *context, launched, stack.path());
    if (!measurement.demands().launches) return;

    BegunLaunch launch = decide(open, *context, launched, stack);
    if (!measurement.begin(launch) && !launch.anyRecorded) return;
    if (launch.single() && launch.anyRecorded) {
        open.function = launched.kernels.front().function;
        open.parameters = launched.kernels.front().parameters;
    }
    write(launch, stack, data.correlationId, afterSync);
}

bool LaunchRecorder::ofInterest(const KnownContext& context, const NvtxStack& stack) {
    const LaunchFilter& filter = m_recording.filter;
    if (!filter.active() || !filter.wantsDevice(context.ordinal)) return false;
    return stack.judged([&](const std::vector<std::string>& ranges) {
        if (filter.isAutotuning(ranges))
            m_recording.issues.once({.severity = Severity::Info,
                                     .source = "inject",
                                     .code = "autotuning-left-out",
                                     .message = "launches of autotuning are not in this profile",
                                     .advice = "record them with --autotuning keep"});
        return filter.wantsRanges(ranges);
    });
}

BegunLaunch LaunchRecorder::decide(OpenLaunch& open, const KnownContext& context,
                                   const LaunchedKernels& launched, const NvtxStack& stack) {
    std::vector<Decision>& decisions = open.decisions;
    decisions.assign(launched.kernels.size(), {});
    BegunLaunch launch{.open = open,
                       .context = context,
                       .launched = launched,
                       .capturing = m_recording.captures.open(),
                       .autotuning = m_recording.filter.isAutotuning(stack.names())};
    const bool ofInterest = this->ofInterest(context, stack);
    for (std::size_t i = 0; i < decisions.size(); ++i) decide(i, launch, stack, ofInterest);
    const auto unrecorded = static_cast<std::uint64_t>(
        std::ranges::count_if(decisions, [](const Decision& d) { return !d.choice.recorded; }));
    (launch.autotuning ? m_recording.autotuningLaunches : m_recording.unchosenLaunches) +=
        unrecorded;
    if (!launched.complete && ofInterest)
        m_recording.issues.once(
            {.severity = Severity::DataLoss,
             .source = "inject",
             .code = "graph-kernels-unknown",
             .message = "a CUDA graph has conditional nodes: the kernels they run are not in this "
                        "profile, and the graph's other kernels have no counters"});
    if (!launched.complete) launch.countNone();
    return launch;
}

void LaunchRecorder::decide(std::size_t i, BegunLaunch& launch, const NvtxStack& stack,
                            bool ofInterest) {
    LaunchMeasurement& measurement = *launch.open.measurement;
    const LaunchRequest& request = launch.launched.kernels[i];
    // Look up every kernel: NCCL kernels matter even if they are not recorded.
    const KernelTable::Known& kernel = m_recording.kernels.kernel(request);
    launch.anyPeer = launch.anyPeer || kernel.waitsForPeers;
    if (kernel.waitsForPeers) measurement.peerSeen();
    if (!ofInterest || !m_recording.filter.wantsKernel(kernel.id, kernel.name)) return;
    if (measurement.demands().signatures)
        launch.signature = signatureOf(request, kernel, stack.path());
    Decision& decision = launch.open.decisions[i];
    decision.signature = launch.signature.value_or(0);
    decision.kernel = &kernel;
    Choice& choice = decision.choice;
    if (m_recording.filter.takesNext()) choice = measurement.choose(decision.signature);
    if (kernel.waitsForPeers && choice.counted) {
        choice.counted = false;
        m_recording.issues.once(
            {.severity = Severity::Info,
             .source = "inject",
             .code = "peer-kernels-uncounted",
             .message = "kernels that wait for other processes (NCCL, NVSHMEM) are not counted: if "
                        "replayed, they would wait forever"});
    }
    launch.anyRecorded = launch.anyRecorded || choice.recorded;
    launch.anyCounted = launch.anyCounted || choice.counted;
}

void LaunchRecorder::follow(RangeTracker& ranges, const KnownContext& context,
                            const LaunchedKernels& launched, const std::string& path) {
    if (!m_recording.filter.wantsDevice(context.ordinal)) return;
    std::uint64_t work = 0;
    for (const LaunchRequest& request : launched.kernels)
        work += signatureOf(request, m_recording.kernels.kernel(request), path);
    const bool known = launched.complete && launched.ordered;
    ranges.launching({.context = context.handle, .device = context.device}, launched.kernels.size(),
                     known ? std::optional(work) : std::nullopt, launched.fromGraph,
                     m_recording.captures.open());
}

void LaunchRecorder::write(const BegunLaunch& launch, const NvtxStack& stack,
                           std::uint32_t correlation, bool afterSync) {
    OpenLaunch& open = launch.open;
    LaunchMeasurement& measurement = *open.measurement;
    const auto requests = launch.launched.kernels;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const LaunchRequest& request = requests[i];
        const KernelTable::Known* const kernel = open.decisions[i].kernel;
        const Choice& choice = open.decisions[i].choice;
        if (!choice.recorded) {
            open.sequences.push_back(CounterAttribution::kUnwanted);
            continue;
        }
        open.kernel = kernel->id;
        if (measurement.demands().symbols) open.symbol = kernel->symbol;
        LaunchFacts facts{
            .kernel = kernel->id,
            .device = launch.context.device,
            .stream = numberOf(request.stream),
            .grid = request.grid,
            .block = request.block,
            .cluster = clusterOf(request, *kernel),
            .dynamicSharedBytes = request.dynamicSharedBytes,
            .residentBlocksPerSm = m_recording.kernels.residentBlocks(*kernel, request),
            .range = m_recording.rangeNames.number(stack.path()),
            .fromGraph = launch.launched.fromGraph,
            .afterSync = afterSync && i == 0,
            .counted = choice.counted};
        if (measurement.times(choice)) facts.correlation = correlation;
        m_recording.spool.launch(m_recording.nextSequence, facts);
        measurement.recorded(kernel->id, {.grid = request.grid, .block = request.block});
        open.sequences.push_back(m_recording.nextSequence++);
    }
}

void LaunchRecorder::left(OpenLaunch& open, const CUpti_CallbackData& data) {
    const ReleaseLaunchTurn afterwards{m_recording.turns};
    LaunchMeasurement& measurement = *open.measurement;
    if (RangeTracker* const ranges = m_recording.ranges.tracker(); ranges && !succeeded(data))
        if (const auto state = m_recording.state.take(); state.owns_lock())
            ranges->launchFailed(data.context);
    if (!open.sequences.empty())
        end(open, data);
    else if (measurement.demands().writesLater)
        // Flush lines of earlier launches, in case the program ends without calling us.
        m_recording.spool.flushIfDue();
    const auto entered = std::exchange(open.entered, {});
    const auto between = std::exchange(t_between, {});
    if (entered != Clock::time_point{}) measurement.callTook(Clock::now() - entered + between);
}

void LaunchRecorder::end(OpenLaunch& open, const CUpti_CallbackData& data) {
    LaunchMeasurement& measurement = *open.measurement;
    if (const auto state = m_recording.state.take(); state.owns_lock() && !m_recording.done) {
        if (succeeded(data)) {
            leaveArguments(open);
            measurement.end({.open = open,
                             .handle = data.context,
                             .context = m_recording.contexts.known(data.context)});
        } else {
            for (const auto sequence : open.sequences)
                if (sequence != CounterAttribution::kUnwanted) m_recording.spool.retract(sequence);
            measurement.cancel(data.context);
        }
    }
    open.countedSince = {};
    if (measurement.demands().writesLater)
        m_recording.spool.flushIfDue();
    else
        m_recording.spool.flush();
    open.sequences.clear();
    open.function = nullptr;
}

void LaunchRecorder::leaveArguments(const OpenLaunch& open) {
    if (!open.function || open.sequences.size() != 1) return;
    if (open.sequences.front() == CounterAttribution::kUnwanted) return;
    try {
        // These bytes can be read safely only after the driver has read them.
        m_recording.arguments.launched(open.sequences.front(), open.function, open.parameters);
        m_recording.writer.left();
    } catch (...) {
        // Out of memory: the launch has no buffers, but must keep its counters.
    }
}

void LaunchRecorder::reportTurnGivenUp(const LaunchTurns::Turn& turn) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(turn.patience).count();
    m_recording.issues.once(
        {.severity = Severity::DataLoss,
         .source = "inject",
         .code = "launch-order-unknown",
         .message = fmt::format(
             "two threads launched at the same time: one launch took more than {} s, or the two "
             "wait for each other. Launches that overlapped have no counters",
             seconds),
         .advice = "profile one thread at a time"});
}

}  // namespace roofscope::inject
