// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/injector.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <thread>

#include "collector/inject/activity_timer.h"
#include "collector/inject/cupti_range_session.h"
#include "collector/inject/device_of.h"
#include "collector/inject/driver_calls.h"
#include "collector/inject/launch_request.h"
#include "collector/inject/memory_writes.h"
#include "collector/inject/nvtx_stack.h"
#include "collector/inject/open_launch.h"
#include "collector/inject/python_hooks.h"
#include "collector/inject/uncancelled.h"
#include "collector/rank/rank.h"

namespace roofscope::inject {
namespace {

/// How long a callback that is no launch waits for our own state.
constexpr auto kStateWait = std::chrono::seconds(2);
/// How long one that makes a graph waits for another thread's launch, where these do not take
/// turns.
constexpr auto kLaunchWaitAgain = std::chrono::milliseconds(50);

/// A synchronisation of more than that has waited for the GPU.
constexpr auto kRealWait = std::chrono::microseconds(5);

Injector* g_injector = nullptr;

/// The variable that names the folder with the run configuration, which takes the spool.
constexpr const char* kSpoolFolder = "ROOFSCOPE_SPOOL_DIR";
/// A program whose ranges have a number in their names must not fill our memory.
constexpr std::size_t kMostRanges = 10'000;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

void CUPTIAPI callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    const Uncancelled uncancelled;
    Injector* injector = Injector::instance();
    // A kernel that we ask for its facts may be loaded by that: such a module counts all the same.
    const bool loading =
        domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_MODULE_LOADED;
    if (!injector || !data || (t_inside && !loading) || injector->done()) return;
    try {
        if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
            injector->onDriverApi(id, *static_cast<const CUpti_CallbackData*>(data));
        else if (domain == CUPTI_CB_DOMAIN_RESOURCE)
            injector->onResource(id, *static_cast<const CUpti_ResourceData*>(data));
        else if (domain == CUPTI_CB_DOMAIN_NVTX)
            injector->onNvtx(id, *static_cast<const CUpti_NvtxData*>(data));
    } catch (...) {
        // A guest never throws into its host; a launch that could not be recorded stays unrecorded.
    }
}

bool isAutotuning(const std::vector<std::string>& ranges) {
    return std::ranges::find(ranges, kAutotuningRange) != ranges.end();
}

std::uint64_t threadNumber() { return std::hash<std::thread::id>{}(std::this_thread::get_id()); }

/// The extents of a cluster that a launch does not give are those that the kernel was compiled for.
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

Injector* Injector::instance() { return g_injector; }

bool Injector::configured() {
    // A relative path would be looked for wherever the program happens to be.
    const std::filesystem::path folder = environment(kSpoolFolder);
    return folder.is_absolute() && access((folder / kRunConfigurationFile).c_str(), R_OK) == 0;
}

Injector::Injector(const std::string& folder, RunConfiguration configuration,
                   OpenCounters openCounters)
    : m_pid(getpid()),
      m_openCounters(std::move(openCounters)),
      m_configuration(std::move(configuration)),
      m_spool(folder) {}

void Injector::attach(OpenCounters openCounters) {
    const Uncancelled uncancelled;
    static bool attached = false;
    if (std::exchange(attached, true)) return;
    if (!configured()) return;
    const std::string folder = environment(kSpoolFolder);
    auto configuration = readRunConfiguration(folder);
    if (!configuration && configuration.error().code == ErrorCode::NoInput) return;
    if (!configuration) {
        // Not what was written. What was wanted is not known: to count everything would hold the
        // program up for nothing.
        SpoolWriter spool(folder);
        spool.process({.pid = getpid(), .host = hostName()});
        spool.issue({.severity = Severity::Error,
                     .source = "inject",
                     .code = "configuration-unreadable",
                     .message = configuration.error().message()});
        return spool.end();
    }
    // Deliberately leaked: callbacks may come until the very end of the process.
    auto* injector = new Injector(folder, std::move(*configuration), std::move(openCounters));
    if (!injector->canWrite()) {
        delete injector;
        return;
    }
    // A forked child has our memory but not our threads or CUDA state: leave it alone. To ask for
    // the process at every callback is a system call each time.
    if (pthread_atfork(nullptr, nullptr, [] { g_injector = nullptr; }) != 0) return;
    g_injector = injector;
    injector->subscribe();
    std::atexit([] {
        // A child of a bare clone() runs no handlers of fork().
        try {
            if (Injector* self = Injector::instance(); self && self->m_pid == getpid())
                self->finish();
        } catch (...) {
            // Out of memory: the spool lacks its end, which tells.
        }
    });
}

bool Injector::subscribe() {
    const auto refuse = [&](const char* code, std::string message, std::string advice = {}) {
        m_spool.issue({.severity = Severity::Error,
                       .source = "inject",
                       .code = code,
                       .message = std::move(message),
                       .advice = std::move(advice)});
        return false;
    };
    Process process{.pid = m_pid, .host = hostName()};
    if (const auto rank = findRank()) {
        process.rank = rank->rank;
        process.localRank = rank->localRank;
        process.worldSize = rank->worldSize;
    }
    std::string why;
    m_driver = DriverApi::load(&why);
    m_cupti = m_driver ? CuptiApi::load(&why) : nullptr;
    if (m_cupti) {
        process.cuptiPath = m_cupti->path;
        process.cuptiVersion = m_cupti->version;
    }
    int version = 0;
    if (m_driver && m_driver->cuDriverGetVersion(&version) == CUDA_SUCCESS)
        process.driverVersion = static_cast<std::uint32_t>(version);
    m_spool.process(process);
    m_choice.emplace(m_configuration);
    if (!m_choice->problem().empty())
        return refuse("selection-refused", m_choice->problem(), "see roofscope record --help");
    if (!m_driver) return refuse("driver-unavailable", why);
    if (!m_cupti) return refuse("cupti-unavailable", why, "run \"roofscope doctor\"");

    char holder[256] = {};
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = "roofscope";
    params.oldSubscriberName = holder;
    params.oldSubscriberSize = sizeof holder - 1;
    const CUptiResult result = m_cupti->Subscribe_v2(&m_subscriber, callback, nullptr, &params);
    if (result != CUPTI_SUCCESS)
        return refuse("subscriber-refused",
                      fmt::format("CUPTI refused the subscription: {}{}{}",
                                  m_cupti->describe(result), *holder ? ", held by " : "", holder),
                      cuptiAdvice(result));

    m_kernels.emplace(*m_driver, m_spool);
    m_graphs.emplace(*m_driver);
    if (m_configuration.mode == RunConfiguration::Mode::Source)
        m_source.emplace(*m_cupti, *m_driver, m_spool, environment(kSpoolFolder));
    if (m_configuration.mode == RunConfiguration::Mode::Stalls)
        m_sampling.emplace(*m_cupti, *m_driver, m_spool, m_configuration);
    if (!m_configuration.measuredRanges.empty() && (timing() || inRanges())) {
        RangeTracker::Options options{.globs = m_configuration.measuredRanges};
        if (inRanges()) options.measuredDepth = m_configuration.rangeDepth;
        m_rangeTracker.emplace(m_spool, std::move(options), [this](RangeTracker::Context handle) {
            return openRangeSession(static_cast<CUcontext>(const_cast<void*>(handle)));
        });
    }
    if (timing() && !m_configuration.serial && m_configuration.timeline != TimelineDetail::Off)
        m_calls.emplace(*m_cupti, m_spool, m_configuration.timeline);
    if (counting() && m_configuration.callSites) m_sites.emplace(m_spool);
    if (m_choice->active()) startTracing();
    const auto enable = [&](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
        m_cupti->EnableCallback(1, m_subscriber, domain, id);
    };
    for (const auto id : kLaunches) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    for (const auto id : kSynchronisations) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    for (const auto id : kCaptureBegins) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    for (const auto id : kCaptureEnds) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    for (const auto id : kGraphChanges) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    for (const auto id : kProfilerSwitches) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    enable(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
    if (m_source || m_calls) enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
    for (const FollowedCall& call : followedCalls())
        if (m_sites || (m_calls && m_calls->follows(call)))
            enable(CUPTI_CB_DOMAIN_DRIVER_API, call.id);
    for (const auto id : writesToFirstArgument()) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    for (const auto id : writesElsewhere()) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING);
    m_cupti->EnableDomain(1, m_subscriber, CUPTI_CB_DOMAIN_NVTX);
    hookIntoPython(
        {.counting = counting(), .callSites = m_sites.has_value(), .commandBuffersOff = [] {
             if (Injector* self = instance()) self->commandBuffersOff();
         }});
    return true;
}

void Injector::startTracing() {
    if (!timing() || std::exchange(m_tracing, true)) return;
    if (auto ok = activity_timer::start(
            *m_cupti, m_spool,
            {.serial = m_configuration.serial, .transfers = m_calls.has_value()});
        !ok)
        return issueOnce({.severity = Severity::Error,
                          .source = "inject",
                          .code = "timing-unavailable",
                          .message = ok.error().what,
                          .advice = ok.error().advice});
    if (!m_calls) return;
    TimelineParts parts{.copies = true, .waits = true};
    if (m_configuration.timeline == TimelineDetail::Full)
        for (const auto& [name, member] : kTimelineParts) parts.*member = true;
    m_spool.timeline(parts);
    m_calls->start();
}

void Injector::turnInVain(const LaunchTurns::Turn& turn) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(turn.patience).count();
    issueOnce({.severity = Severity::DataLoss,
               .source = "inject",
               .code = "launch-order-unknown",
               .message = fmt::format("a launch was not waited for by another thread's: it took "
                                      "more than {} s, or they wait for each other. What ran at "
                                      "the same time has no counters",
                                      seconds),
               .advice = "profile one of the threads at a time"});
}

void Injector::issueOnce(const Issue& issue) {
    if (std::exchange(m_issued[issue.code + issue.message], true)) return;
    m_spool.issue(issue);
}

std::uint32_t Injector::deviceId(CUdevice device) {
    const auto [it, isNew] = m_devices.try_emplace(device, m_devices.size());
    return it->second;
}

std::optional<std::uint32_t> Injector::rangeId(const std::string& path) {
    if (path.empty()) return {};
    const auto [it, isNew] = m_ranges.try_emplace(path, m_ranges.size());
    if (isNew) m_spool.range(it->second, path);
    return it->second;
}

bool Injector::capturing(CUstream stream) const {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return m_driver->cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

std::unique_lock<std::timed_mutex> Injector::lockState() {
    std::unique_lock state(m_state, kStateWait);
    if (state.owns_lock() && m_missed.any()) catchUp();
    return state;
}

void Injector::catchUp() {
    const MissedEvents::News news = m_missed.take();
    // Later launches are no longer where other runs have them.
    if (news.launches) m_spool.launchesMissed(m_nextSequence);
    for (CUcontext handle : news.contexts) abandon(handle);
    if (news.unloads || !news.contexts.empty()) m_kernels->forgetHandles();
}

void Injector::abandon(CUcontext handle) {
    bool measured = m_rangeTracker && m_rangeTracker->contextLost(handle);
    if (const auto it = m_contexts.find(handle); it != m_contexts.end()) {
        // Never destroyed: it would end its session in CUPTI, in a context that is no more.
        measured |= it->second.tracker.release() != nullptr;
        m_contexts.erase(it);
    }
    if (m_sampling) m_sampling->forget(handle);
    if (measured)
        issueOnce({.severity = Severity::DataLoss,
                   .source = "inject",
                   .code = "context-lost",
                   .message =
                       "a CUDA context was destroyed while another thread held the recording "
                       "up: the counters of its last launches are lost"});
}

Injector::Context* Injector::context(CUcontext handle) {
    if (const auto it = m_contexts.find(handle); it != m_contexts.end()) return &it->second;
    const auto found = deviceOf(*m_driver, handle);
    if (!found) {
        issueOnce({.severity = Severity::DataLoss,
                   .source = "inject",
                   .code = "device-unknown",
                   .message = "the driver does not say which GPU a CUDA context is on: what is "
                              "launched there is not in this profile"});
        return nullptr;
    }
    const CUdevice device = *found;
    Context& context = m_contexts[handle];
    const bool newDevice = !m_devices.contains(device);
    context.device = deviceId(device);
    context.ordinal = static_cast<std::uint32_t>(device);
    context.handle = device;
    context.facts = deviceFacts(*m_cupti, *m_driver, device);
    if (newDevice) m_spool.device(context.device, context.facts, context.ordinal);
    const bool replayed = counting() && m_configuration.replay == RunConfiguration::Replay::Kernel;
    if (m_configuration.flushCaches && !m_source && !replayed)
        context.flush.emplace(*m_driver, context.facts.l2Bytes);
    return &context;
}

void Injector::openCounters(CUcontext handle, Context& context) {
    if (!counting() || std::exchange(context.countersAsked, true)) return;
    LaunchTracker::Options options;
    options.started = options.now();
    if (m_configuration.replay == RunConfiguration::Replay::Multiplex)
        options.enough = m_configuration.perKernel;
    auto session = m_openCounters(*m_cupti, handle, context.handle, m_configuration, context.facts,
                                  [&](Issue issue) { issueOnce(issue); });
    if (!session) return countersRefused(session.error());
    context.tracker = std::make_unique<LaunchTracker>(context.device, std::move(*session), m_spool,
                                                      std::move(options));
}

void Injector::countersRefused(const Error& error) {
    issueOnce({.severity = Severity::Error,
               .source = "inject",
               .code = error.code == ErrorCode::NoPermission ? "counters-not-permitted"
                                                             : "counters-unavailable",
               .message = error.what,
               .advice = error.advice});
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
                       .message = "what was launched to choose a configuration (autotuning) is not "
                                  "in this profile",
                       .advice = "record it with --autotuning keep"});
        return m_choice->wantsRanges(ranges);
    });
}

void Injector::launchEntered(const CUpti_CallbackData& data, const Launched& launched) {
    const auto requests = launched.kernels;
    t_launches = true;
    const bool afterSync = m_waited.exchange(false);
    openLaunch().orderKnown = launched.ordered;
    openLaunch().sequences.clear();
    openLaunch().function = nullptr;
    // A source run measures one launch: that one must be alone.
    LaunchTurns::Turn turn;
    if (inTurn()) turn = m_turns.take();
    openLaunch().locked = turn.ours;
    const auto state = lockState();
    if (!state.owns_lock()) return m_missed.launch();
    if (m_done) {  // while this thread waited: nobody will tell us of the call's end
        const LetOthersLaunch now{m_turns};
        return;
    }
    if (turn.firstInVain) turnInVain(turn);
    Context* const known = this->context(data.context);
    if (!m_tracing || !known) openLaunch().entered = {};
    if (!known) return;
    Context& context = *known;
    const CompilersLaunch mark;
    const NvtxStack& stack = NvtxStack::ofThread();
    if (m_rangeTracker && m_rangeTracker->anyOpen())
        followLaunch(data.context, context, launched, stack.path());
    if (inRanges()) return;

    Chosen chosen = choose(launched, context, stack);
    // Not while something is captured: what it takes to open them could break the capture.
    if (chosen.anyCounted && m_openCaptures == 0) openCounters(data.context, context);
    if (!chosen.anyRecorded && !context.tracker) return;
    if (context.tracker) prepareCounters(*context.tracker, launched, context, stack, chosen);
    // What a graph's nodes are given is not known, and during a capture nothing is asked for.
    const bool single = !launched.fromGraph && requests.size() == 1 && m_openCaptures == 0;
    if (context.flush && (timing() ? chosen.anyRecorded : chosen.anyCounted))
        flushCaches(context, requests.front().stream, !launched.fromGraph && m_openCaptures == 0);
    if (m_source && chosen.anyCounted && single) m_source->begin(data.context, context.handle);
    if (m_sampling && chosen.anyCounted && single) m_sampling->begin(data.context);
    if (single && chosen.anyRecorded) {
        openLaunch().function = requests.front().function;
        openLaunch().parameters = requests.front().parameters;
    }
    noteLaunches(data, launched, context, stack, afterSync);
}

/// What becomes of the kernels of a launch: openLaunch().decisions.
Injector::Chosen Injector::choose(const Launched& launched, const Context& context,
                                  const NvtxStack& stack) {
    const auto requests = launched.kernels;
    Chosen chosen;
    std::vector<Decision>& decisions = openLaunch().decisions;
    decisions.assign(requests.size(), {});
    const bool ofInterest = this->ofInterest(context, stack);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        // Known in any case: that a program has kernels of NCCL matters wherever it launches them.
        const KernelTable::Known& kernel = m_kernels->kernel(requests[i]);
        chosen.anyPeer = chosen.anyPeer || kernel.waitsForPeers;
        if (!ofInterest || !m_choice->wantsKernel(kernel.id, kernel.name)) continue;
        if (m_choice->bySignature())
            chosen.signature = signatureOf(requests[i], kernel, stack.path());
        Choice& choice = decisions[i].choice;
        choice = m_choice->choose(chosen.signature.value_or(0));
        decisions[i].kernel = &kernel;
        if (kernel.waitsForPeers && choice.counted) {
            choice.counted = false;
            issueOnce({.severity = Severity::Info,
                       .source = "inject",
                       .code = "peer-kernels-uncounted",
                       .message = "kernels that wait for other processes (NCCL, NVSHMEM) are not "
                                  "counted: replayed, they would wait for ever"});
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

/// Has the session count a launch that is about to be issued, or not.
void Injector::prepareCounters(LaunchTracker& tracker, const Launched& launched,
                               const Context& context, const NvtxStack& stack, Chosen& chosen) {
    if (launched.fromGraph && chosen.anyPeer && chosen.anyCounted && tracker.replays()) {
        countNone(chosen);
        issueOnce({.severity = Severity::Info,
                   .source = "inject",
                   .code = "peer-graphs-uncounted",
                   .message = "CUDA graphs with kernels that wait for other processes are not "
                              "counted: replayed, they would wait for ever",
                   .advice =
                       "they are counted where the program runs once per pass: with a timing run "
                       "and --replay auto"});
    }
    if (!openLaunch().locked) tracker.loseOrder();
    if (leftOutAsAutotuning(stack) && m_openCaptures == 0) return tracker.suspend();
    if (!launched.complete) return tracker.prepareUnknown();
    // While a graph is made the session must go on, and counts what nobody asked for; but what
    // waits for other processes would wait for ever where launches are repeated.
    const bool mustRunOnce = chosen.anyPeer && tracker.replays();
    const std::size_t ours = context.flush && kFlushMakesRange ? 1 : 0;
    const bool single = launched.kernels.size() == 1;
    if (!tracker.prepare(launched.kernels.size() + ours,
                         chosen.anyCounted || (m_openCaptures > 0 && !mustRunOnce),
                         chosen.anyCounted && single ? chosen.signature : std::nullopt))
        countNone(chosen);
}

/// Writes the launches of a call into the spool, as far as they are recorded.
void Injector::noteLaunches(const CUpti_CallbackData& data, const Launched& launched,
                            const Context& context, const NvtxStack& stack, bool afterSync) {
    const auto requests = launched.kernels;
    const std::vector<Decision>& decisions = openLaunch().decisions;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const LaunchRequest& request = requests[i];
        const auto& [kernel, choice] = decisions[i];
        if (!choice.recorded) {
            openLaunch().sequences.push_back(LaunchTracker::kUnwanted);
            continue;
        }
        openLaunch().kernel = kernel->id;
        if (m_source || m_sampling) openLaunch().symbol = kernel->symbol;
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
        if (timing()) facts.correlation = data.correlationId;
        m_spool.launch(m_nextSequence, facts);
        if (m_sites) m_sites->launched(kernel->id);
        openLaunch().sequences.push_back(m_nextSequence++);
    }
}

void Injector::commandBuffersOff() {
    if (const auto state = lockState(); state.owns_lock())
        issueOnce({.severity = Severity::Info,
                   .source = "inject",
                   .code = "command-buffers-off",
                   .message =
                       "while counters were read, XLA launched its kernels one by one instead "
                       "of in CUDA graphs; times are those with graphs"});
}

void Injector::graphOrderUnknown() {
    issueOnce({.severity = Severity::DataLoss,
               .source = "inject",
               .code = "graph-order-unknown",
               .message =
                   "a CUDA graph has parallel branches with different kernels, or changed nodes: "
                   "its kernels cannot be told apart and have no counters"});
}

void Injector::graphKernelsUnknown() {
    issueOnce({.severity = Severity::DataLoss,
               .source = "inject",
               .code = "graph-kernels-unknown",
               .message = "a CUDA graph has conditional nodes: what they run is not in this "
                          "profile, and the graph's other kernels have no counters"});
}

void Injector::flushCaches(Context& context, CUstream stream, bool possible) {
    if (!possible)
        return issueOnce({.severity = Severity::DataLoss,
                          .source = "inject",
                          .code = "caches-not-flushed",
                          .message = "caches were not flushed before launches of CUDA graphs, nor "
                                     "before those during a stream capture",
                          .advice = "leave such launches out (--kernel, --nvtx)"});
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

std::unique_ptr<RangeSession> Injector::openRangeSession(CUcontext handle) {
    const Context* const known = this->context(handle);
    if (!known) return nullptr;
    const Context& context = *known;
    auto session = CuptiRangeSession::open(*m_cupti, handle, context.handle, m_configuration,
                                           context.facts, [&](Issue issue) { issueOnce(issue); });
    if (session) return std::move(*session);
    countersRefused(session.error());
    return nullptr;
}

void Injector::pushRange(std::uintptr_t domain, std::string name) {
    NvtxStack& stack = NvtxStack::ofThread();
    const bool wanted = m_rangeTracker && m_rangeTracker->wants(name);
    const std::uint32_t depth = stack.tagged();
    const Inside inside;
    const auto forgotten = stack.push(domain, std::move(name));
    endSpan(forgotten.span);
    if (forgotten.tag != 0)
        if (const auto state = lockState(); state.owns_lock())
            m_rangeTracker->forget(forgotten.tag);
    if (m_calls && m_calls->followsRanges()) beginSpan(stack);
    if (!wanted) return;
    CUcontext current = nullptr;
    if (inRanges() && m_rangeTracker->measures(depth) &&
        m_driver->cuCtxGetCurrent(&current) == CUDA_SUCCESS && current && m_openCaptures == 0)
        m_driver->cuCtxSynchronize();  // what was launched before the range does not count
    const auto state = lockState();
    if (!state.owns_lock() || m_done || !m_choice->active()) return;
    std::optional<RangeTracker::Place> place;
    if (current)
        if (const Context* c = context(current); c && m_choice->wantsDevice(c->ordinal))
            place = {.context = current, .device = c->device};
    if (const auto id = rangeId(stack.path()))
        stack.tag(m_rangeTracker->pushed(*id, depth, place, m_nextSequence, m_openCaptures > 0));
}

void Injector::beginSpan(NvtxStack& stack) {
    const auto state = lockState();
    if (!state.owns_lock() || m_done) return;
    if (m_ranges.size() >= kMostRanges && !m_ranges.contains(stack.path()))
        return issueOnce({.severity = Severity::Info,
                          .source = "inject",
                          .code = "ranges-left-out",
                          .message = fmt::format("of more than {} different NVTX ranges the others "
                                                 "are not in the timeline",
                                                 kMostRanges)});
    if (const auto id = rangeId(stack.path())) stack.follow(m_calls->rangeBegan(*id));
}

void Injector::endSpan(std::uint64_t span) {
    if (span == 0 || !m_calls) return;
    m_calls->rangeEnded(span);
    m_spool.flushIfDue();
}

void Injector::endRange(const NvtxStack::Marks& marks) {
    endSpan(marks.span);
    const std::uint64_t tag = marks.tag;
    if (tag == 0 || !m_rangeTracker) return;
    const Inside inside;
    std::vector<RangeTracker::Context> contexts;
    if (const auto state = lockState(); state.owns_lock())
        contexts = m_rangeTracker->measuredIn(tag);
    // Waited for here and not at CUPTI's hands, with our state locked: what runs may need another
    // thread's launch to end.
    for (const auto* handle : contexts) {
        if (m_openCaptures > 0) break;
        auto* context = static_cast<CUcontext>(const_cast<void*>(handle));
        if (m_driver->cuCtxPushCurrent(context) != CUDA_SUCCESS) continue;
        m_driver->cuCtxSynchronize();
        m_driver->cuCtxPopCurrent(&context);
    }
    const auto state = lockState();
    if (state.owns_lock() && !m_done)
        m_rangeTracker->popped(tag, m_nextSequence, m_openCaptures > 0);
}

void Injector::launchLeft(const CUpti_CallbackData& data) {
    if (const auto state = lockState(); state.owns_lock() && !m_done) {
        const auto it = m_contexts.find(data.context);
        if (!succeeded(data)) {
            for (const auto sequence : openLaunch().sequences)
                if (sequence != LaunchTracker::kUnwanted) m_spool.retract(sequence);
            if (m_sampling) m_sampling->cancel(data.context);
        } else {
            recordArguments();
            if (m_sampling && openLaunch().sequences.size() == 1 &&
                openLaunch().sequences.front() != LaunchTracker::kUnwanted)
                m_sampling->end(data.context, openLaunch().sequences.front(), openLaunch().kernel,
                                openLaunch().symbol);
            if (m_source && m_source->begun() && it != m_contexts.end() &&
                openLaunch().sequences.size() == 1 &&
                openLaunch().sequences.front() != LaunchTracker::kUnwanted)
                m_source->end(data.context, it->second.handle, openLaunch().sequences.front(),
                              openLaunch().kernel, openLaunch().symbol);
            if (it != m_contexts.end() && it->second.tracker) {
                LaunchTracker& tracker = *it->second.tracker;
                if (!openLaunch().locked) tracker.loseOrder();
                tracker.issued(openLaunch().sequences, openLaunch().orderKnown);
                if (m_openCaptures == 0) tracker.idle();
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
        if (m_writeMissed.exchange(false)) m_buffers.writtenAnywhere();
        // Only now: the driver has read the same bytes, so that they can be read.
        const auto list = bufferArguments(*m_driver, realFunction(*m_driver, openLaunch().function),
                                          openLaunch().parameters, m_buffers, m_spool);
        if (list) m_spool.arguments(openLaunch().sequences.front(), *list);
    } catch (...) {
        // Out of memory: a launch without its buffers. Its counters must not be lost with them.
    }
}

void Injector::memoryWritten(std::optional<CUdeviceptr> address) {
    const std::unique_lock state(m_state, std::try_to_lock);
    if (!state.owns_lock())
        m_writeMissed = true;
    else if (address)
        m_buffers.written(*address);
    else
        m_buffers.writtenAnywhere();
}

void Injector::onDriverApi(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    const Inside inside;
    const FollowedCall* const call = m_calls || m_sites ? followedCall(id) : nullptr;
    if (m_sites && call && data.callbackSite == CUPTI_API_ENTER && openLaunch().depth == 0 &&
        !isOneOf(id, kLaunches) && !compilerRuns())
        m_sites->called(call->name);
    if (!call || !m_calls || !m_calls->follows(*call)) return driverCalled(id, data);
    if (data.callbackSite == CUPTI_API_ENTER) {
        m_calls->entering();
        driverCalled(id, data);
        m_calls->entered();
        return;
    }
    m_calls->left(*call, data.correlationId);
    driverCalled(id, data);
    if (call->kind == CallKind::Transfer) noteContext(data.context);
    if (!isOneOf(id, kLaunches)) m_spool.flushIfDue();
}

void Injector::noteContext(CUcontext handle) {
    static thread_local CUcontext last = nullptr;
    if (!handle || handle == last) return;
    if (const auto state = lockState(); state.owns_lock() && context(handle)) last = handle;
}

void Injector::driverCalled(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    if (isOneOf(id, kLaunches))
        launchCalled(id, data);
    else
        otherCalled(id, data);
}

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

void Injector::otherCalled(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    const bool entering = data.callbackSite == CUPTI_API_ENTER;
    const BetweenLaunches ours;
    if (isOneOf(id, writesToFirstArgument())) {
        // Copies that CUPTI makes within a launch put back what was there.
        if (!entering && openLaunch().depth == 0 && succeeded(data))
            memoryWritten(static_cast<const cuMemcpy_params*>(data.functionParams)->dst);
    } else if (isOneOf(id, writesElsewhere())) {
        if (!entering && openLaunch().depth == 0 && succeeded(data)) memoryWritten({});
    } else if (isOneOf(id, kGraphChanges)) {
        if (entering)
            prepareForGraphs();
        else if (const auto state = lockState(); state.owns_lock() && succeeded(data))
            m_graphs->changed(id, data);
    } else if (isOneOf(id, kProfilerSwitches)) {
        if (const auto state = lockState(); entering && state.owns_lock()) {
            m_choice->setActive(id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
            if (m_choice->active()) startTracing();
            if (m_calls) m_calls->profilerSwitched(m_choice->active());
        }
    } else if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload) {
        if (!entering) return;
        if (const auto state = lockState(); state.owns_lock())
            m_kernels->forgetHandles();
        else
            m_missed.unload();
    } else if (isOneOf(id, kSynchronisations)) {
        if (entering)
            t_waiting = Clock::now();
        else if (t_launches && Clock::now() - t_waiting > kRealWait)
            m_waited = true;  // the next launch may be another thread's: autograd's
        if (!entering) m_spool.flush();
        if (!entering && m_openCaptures == 0) idle(data.context);
    } else if (isOneOf(id, kCaptureBegins)) {
        if (entering)
            prepareForGraphs();
        else if (succeeded(data))
            ++m_openCaptures;
    } else if (isOneOf(id, kCaptureEnds)) {
        // Ends even when it reports an invalidated capture; never below zero.
        if (!entering && m_openCaptures > 0) --m_openCaptures;
    }
}

void Injector::prepareForGraphs() {
    // Kernels of a graph that was instantiated before counters were on never yield ranges. Nor
    // is it promised that kernels are timed whose graph is older than the tracing.
    CUcontext current = nullptr;
    if (m_openCaptures > 0 || m_driver->cuCtxGetCurrent(&current) != CUDA_SUCCESS || !current)
        return;
    const auto ready = [&](const Context& c) {
        return !counting() || (c.countersAsked && (!c.tracker || !c.tracker->paused()));
    };
    {
        const auto state = lockState();
        if (!state.owns_lock() || m_done) return;
        const Context* const context = this->context(current);
        if (!context || !m_choice->wantsDevice(context->ordinal)) return;
        startTracing();
        if (ready(*context)) return;
    }
    // Not in the midst of another thread's launch: it was prepared for a session that runs, or for
    // one that pauses.
    std::unique_lock launches(m_turns, std::defer_lock);
    const auto patience = m_turns.overlap() ? Clock::duration(kLaunchWaitAgain) : kStateWait;
    const bool inTime = openLaunch().locked || launches.try_lock_for(patience);
    const auto state = lockState();
    if (!state.owns_lock() || m_done || m_openCaptures > 0) return;
    if (!inTime)
        return issueOnce({.severity = Severity::DataLoss,
                          .source = "inject",
                          .code = "graph-not-prepared",
                          .message = "a CUDA graph was made while another thread's launch went on: "
                                     "its kernels may have no counters",
                          .advice = "profile one of the threads at a time"});
    Context* const context = this->context(current);
    if (!context) return;
    openCounters(current, *context);
    if (context->tracker) context->tracker->resume();
}

void Injector::idle(CUcontext handle) {
    const std::unique_lock launches(m_turns, std::try_to_lock);
    if (!launches.owns_lock()) return;
    if (const auto state = lockState(); state.owns_lock())
        if (const auto it = m_contexts.find(handle); it != m_contexts.end() && it->second.tracker)
            it->second.tracker->idle();
}

void Injector::onResource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
    const Inside inside;
    const BetweenLaunches ours;
    if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING) return prepareForGraphs();
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
        const auto* module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
        if (m_source && module) m_source->moduleLoaded(module->pCubin, module->cubinSize);
        if (m_calls) m_calls->codeLoaded();
        return;
    }
    const auto state = lockState();
    if (!state.owns_lock()) {
        if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) m_missed.context(data.context);
        if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING) m_missed.unload();
        return;
    }
    if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING) return m_kernels->forgetHandles();
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        if (m_rangeTracker) m_rangeTracker->contextEnds(data.context);
        if (const auto it = m_contexts.find(data.context); it != m_contexts.end()) {
            if (it->second.tracker) it->second.tracker->finish();
            m_contexts.erase(it);
        }
        if (m_sampling) m_sampling->close(data.context);
        m_kernels->forgetHandles();  // its modules go with it, and are not unloaded one by one
        return;
    }
    const auto* graph = static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
    if (!graph) return;
    if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED)
        m_graphs->created(*graph);
    else if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING)
        m_graphs->destroyed(graph->graphExec);
}

void Injector::onNvtx(CUpti_CallbackId id, const CUpti_NvtxData& data) {
    const BetweenLaunches ours;
    auto event = m_nvtx.read(id, data);
    if (!event) return;
    if (event->pushed)
        pushRange(event->domain, std::move(*event->pushed));
    else
        endRange(NvtxStack::ofThread().pop(event->domain));
}

void Injector::finish() {
    const Uncancelled uncancelled;
    // By a signal handler that ends the program while this thread is in one of our callbacks, and
    // perhaps in CUPTI's: what these have locked stays so.
    const bool interrupted = t_inside;
    const Inside inside;
    // At exit another thread may be stuck in a launch for good: do not wait for it forever.
    const std::unique_lock launches(m_turns, kStateWait);
    const auto state = lockState();
    if (launches.owns_lock() && state.owns_lock()) {
        for (auto& [handle, context] : m_contexts)
            if (context.tracker) context.tracker->finish();
        if (m_rangeTracker) m_rangeTracker->finish();
        m_contexts.clear();
        if (m_sampling) m_sampling->closeAll();
    }
    // Not before: launches of other threads would make ranges that nobody notes. Who waited for the
    // locks looks again.
    m_done = true;
    if (const std::uint64_t missed = m_missed.launches(); missed > 0)
        m_spool.issue({.severity = Severity::DataLoss,
                       .source = "inject",
                       .code = "launches-missed",
                       .message = fmt::format("{} launches are not in this profile: another thread "
                                              "held the recording up for more than {} s",
                                              missed, std::chrono::seconds(kStateWait).count())});
    if (m_sites && !interrupted) m_sites->finish();
    if (interrupted) return m_spool.flush();  // the spool lacks its end, which tells
    if (timing()) {
        activity_timer::flush(true);
        if (const auto lost = activity_timer::dropped(); lost > 0)
            m_spool.issue({.severity = Severity::DataLoss,
                           .source = "inject",
                           .code = "times-dropped",
                           .message = fmt::format("CUPTI lost the durations of {} kernels", lost)});
    }
    m_spool.end({.tracedLaunch = m_callTimes.median(),
                 .autotuningLaunches = m_autotuningLaunches,
                 .unchosenLaunches = m_unchosenLaunches});
}

}  // namespace roofscope::inject
